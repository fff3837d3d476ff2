"""Shows a view in up to a few messages; a longer one comes with a document."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog

from adapters.slack.address import Address
from adapters.slack.api import (
    AS_WRITTEN,
    NotRewritten,
    NotStreaming,
    StillStreaming,
    ThreadGone,
    WebApi,
)
from adapters.slack.outbound.blocks import render_message, render_pages, render_plainer
from adapters.slack.outbound.files import UploadedFile, WorkspaceFiles, thread_below
from adapters.slack.outbound.recall import PostedMessages, marker, marker_name
from cards.showing.document import digest, document, is_settled
from cards.showing.plainer import one_line_view
from cards.showing.view import ChartView, MessageView
from cards.texts import say
from engine.errors import Gone, PlatformError, is_about_content

_REMEMBERED = 256
_TS = re.compile(r"[0-9]+\.[0-9]+")
_MARK = "#"
_NO_PREVIEW = {"unfurl_links": False, "unfurl_media": False}

_log = structlog.get_logger(__name__)

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class MessageRefs:
    """Messages in order, each "<channel>:<ts>", and the mark of the document below the first."""

    ids: tuple[str, ...] = ()
    mark: str = ""

    @classmethod
    def read(cls, message_id: str) -> "MessageRefs":
        """Parse what `str()` of one wrote. Raises Gone for other text."""
        *ids, last = message_id.split(",")
        if last.startswith(_MARK):
            mark = last.removeprefix(_MARK)
        else:
            # An earlier build wrote the mark behind the one message it had.
            channel, ts, mark = (*last.split(":"), "", "")[:3]
            ids.append(f"{channel}:{ts}")
        if not ids or not all(all(one.partition(":")) for one in ids):
            raise Gone(f"not a Slack message: {message_id!r}")
        return cls(tuple(ids), mark)

    def __str__(self) -> str:
        return ",".join((*self.ids, *([f"{_MARK}{self.mark}"] if self.mark else ())))


@dataclass(slots=True)
class UnfinishedPosts:
    """Messages of sends that broke off, by key; shared by all workspaces of a process."""

    _posted: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def under(self, key: str) -> tuple[str, ...]:
        """Return the messages that were posted under the key."""
        return self._posted.get(key, ())

    def note(self, key: str, ids: tuple[str, ...]) -> None:
        """Keep the messages under the key; none when the send is done."""
        self._posted.pop(key, None)
        if ids:
            self._posted[key] = ids
        if len(self._posted) > _REMEMBERED:
            del self._posted[next(iter(self._posted))]


class SlackMessages:
    """The messages of the bot in one workspace."""

    def __init__(self, api: WebApi, begun: UnfinishedPosts) -> None:
        self.api = api
        self._files = WorkspaceFiles(api)
        self.posted_messages = PostedMessages(api)
        self._unfinished = begun

    async def send(self, address: Address, view: MessageView, *, key: str) -> str:
        """Post a view, going on where a send under `key` broke off. Raises PlatformError."""
        if view.chart and (picture := await self._picture(address, view.chart)):
            return picture
        return str(await self._show(address, view, MessageRefs(self._unfinished.under(key)), key))

    async def edit(self, address: Address, message_id: str, view: MessageView) -> str:
        """Show the view in the messages of that id, more or fewer. Raises PlatformError."""
        before = MessageRefs.read(message_id)
        if view.chart and not _TS.fullmatch(before.ids[0].partition(":")[2]):
            return message_id
        key = f"{address.conversation}/{message_id}"
        begun = self._unfinished.under(key) or before.ids
        if view.plainer == "anew":
            return str(await self._send_anew(address, view, begun, key))
        return str(await self._show(address, view, MessageRefs(begun, before.mark), key))

    async def _send_anew(
        self, address: Address, view: MessageView, before: Sequence[str], key: str
    ) -> MessageRefs:
        """Post the view anew and delete messages that take no edit, where Slack lets us."""
        shown = await self._show(address, view, MessageRefs(), f"{key}/anew")
        for posted in before:
            await self._try_to_remove(posted)
        self._unfinished.note(key, ())
        return shown

    async def _show(
        self, address: Address, view: MessageView, before: MessageRefs, key: str
    ) -> MessageRefs:
        """Show the view in the messages `before`, in new ones below; delete spare ones."""
        wanted, file, mark = await self._prepare(view, before.mark)
        ids = [*before.ids]
        try:
            for at, fields in enumerate(wanted[: len(ids)]):
                ids[at] = await self.replace(address, ids[at], fields)
            for fields in wanted[len(ids) :]:
                ids.append(await self.post(address, fields, key=key, below=ids))
            while len(ids) > len(wanted):
                await self._remove(ids[-1])
                ids.pop()
            if file and await self._with_file(address, view, ids[0], file):
                mark = file.mark
        except PlatformError as error:
            self._unfinished.note(key, tuple(ids))
            error.begun = len(ids) > len(before.ids)
            raise
        self._unfinished.note(key, ())
        return MessageRefs(tuple(ids), mark)

    async def _prepare(
        self, view: MessageView, mark: str
    ) -> tuple[list[Fields], UploadedFile | None, str]:
        """Return the messages, a document if they do not hold all, and the mark that stays.

        No document when the one of that `mark` says it already, or none can be had.
        """
        if view.plainer == "file":
            return await self._as_file(view, mark)
        if view.plainer:
            return [page.fields() for page in render_plainer(view)], None, mark
        # What is still being worked on would be posted and taken away again and again.
        settled = is_settled(view)
        if settled and (whole := render_pages(view)):
            return [page.fields() for page in whole], None, mark
        shown = render_message(view)
        if shown.whole or not settled:
            return [shown.fields()], None, mark
        text = document(view)
        attached = shown.fields(say("file.attached", view.lang))
        if digest(text) == mark:
            return [attached], None, mark
        file = await self._files.document(text, digest(text))
        return ([attached], file, mark) if file else ([shown.fields()], None, mark)

    async def _as_file(
        self, view: MessageView, mark: str
    ) -> tuple[list[Fields], UploadedFile | None, str]:
        """Return a line with the buttons, and the document. Raises PlatformError without one."""
        text = document(view)
        shown = render_plainer(one_line_view(view, say("file.attached", view.lang)))
        file = None if digest(text) == mark else await self._files.document(text, digest(text))
        if file is None and digest(text) != mark:
            raise PlatformError("Slack takes no file here")
        return [page.fields() for page in shown], file, mark

    async def recall(self, address: Address, message_id: str, *, key: str, since: datetime) -> str:
        """Return the id with what else was posted of it since then. Raises PlatformError."""
        before = MessageRefs.read(message_id) if message_id else MessageRefs()
        if before.ids and not _TS.fullmatch(before.ids[0].partition(":")[2]):
            return message_id
        found = await self.posted_messages.parts(address, before.ids, key=key, since=since)
        return str(MessageRefs(found, before.mark)) if found else message_id

    async def post(
        self, address: Address, shown: Fields, *, key: str, below: Sequence[str] = ()
    ) -> str:
        """Post a message, below others of the same view; returns its id. Raises PlatformError."""
        place = address.place
        if below:
            # In the channel where Slack put the first of them.
            first, _, root = below[0].partition(":")
            place = Address(address.team, first, thread_below(address, first, root)).place
        marked = marker(marker_name(key, below), len(below))
        fields = place | shown | AS_WRITTEN | _NO_PREVIEW | marked
        try:
            answer = await self.api.call("chat.postMessage", fields)
        except ThreadGone as error:
            # Nobody can read it where it was asked: the channel can.
            _log.warning("slack_thread_gone", place=place, error=str(error))
            del fields["thread_ts"]
            answer = await self.api.call("chat.postMessage", fields)
        channel, ts = answer.get("channel"), answer.get("ts")
        if not channel or not ts:
            raise PlatformError("chat.postMessage: no channel or ts in the answer")
        return f"{channel}:{ts}"

    async def replace(self, address: Address, posted: str, shown: Fields) -> str:
        """Replace the content of a message or a stream; returns its id.

        What Slack lets nobody rewrite goes, and a new message comes. Raises PlatformError.
        """
        try:
            await self._rewrite(posted, shown)
            return posted
        except NotRewritten:
            again = await self.post(address, shown, key=posted)
        await self._try_to_remove(posted)
        return again

    async def _try_to_remove(self, posted: str) -> None:
        """Delete a message that was posted anew, if Slack lets us; a stream is stopped before."""
        try:
            await self._stop(posted)
            await self.api.call("chat.delete", place_of(posted))
        except PlatformError as error:
            _log.warning("slack_message_left", message=posted, error=str(error))

    async def _rewrite(self, posted: str, shown: Fields) -> None:
        try:
            await self._update(posted, shown)
        except StillStreaming:
            await self._stop(posted)
            await self._update(posted, shown)

    async def _stop(self, posted: str) -> None:
        try:
            await self.api.call("chat.stopStream", place_of(posted))
        except NotStreaming:
            return
        except PlatformError as error:
            if not is_about_content(error):
                raise
            raise NotRewritten(str(error)) from error

    async def _update(self, posted: str, shown: Fields) -> None:
        await self.api.call("chat.update", place_of(posted) | shown | AS_WRITTEN)

    async def _remove(self, posted: str) -> None:
        try:
            await self.api.call("chat.delete", place_of(posted))
        except Gone:
            return
        except PlatformError as error:
            if error.retryable:
                raise
            # Where nothing may be deleted it stays, with nothing in it.
            _log.warning("slack_message_stays", message=posted, error=str(error))
            await self._update(posted, render_message(MessageView(lang="en")).fields())

    async def _with_file(
        self, address: Address, view: MessageView, posted: str, file: UploadedFile
    ) -> bool:
        """Show the file; False where Slack refuses it, and the message no longer mentions it."""
        channel, _, ts = posted.partition(":")
        try:
            await self._files.show(file, channel, thread_below(address, channel, ts))
        except PlatformError as error:
            if error.retryable:
                raise
            _log.error("slack_file_not_shown", message=posted, error=str(error))
            await self._update(posted, render_message(view).fields())
            return False
        return True

    async def _picture(self, address: Address, chart: ChartView) -> str:
        """Post a chart as a picture; returns its id, "" when Slack takes none."""
        if address.channel[0] in "UW":
            # Files go to channels; which one is that person's is known once a message stands there.
            return ""
        file = await self._files.picture(chart)
        if file is None:
            return ""
        try:
            await self._files.show(file, address.channel, address.thread)
        except PlatformError as error:
            if error.retryable:
                raise
            _log.error("slack_file_not_shown", file=file.id, error=str(error))
            return ""
        return f"{address.channel}:{file.id}"


def place_of(posted: str) -> Fields:
    """Return the place of a message "<channel>:<ts>" as Slack's methods take it."""
    channel, _, ts = posted.partition(":")
    return {"channel": channel, "ts": ts}
