"""Files of messages: charts as pictures, and views that are too long as documents.

A file is handed over first, where nobody sees it, and shown last: only that is never repeated.
"""

from dataclasses import dataclass

import structlog

from adapters.pictures.chart import png
from adapters.slack.address import Address
from adapters.slack.api import WebApi
from cards.showing.document import FILE_NAME
from cards.showing.view import ChartView
from engine.errors import PlatformError

# What Slack takes; our charts say less.
_ALT = 1_000
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file that Slack has and nobody sees yet; `mark` tells its content from another's."""

    id: str
    title: str
    mark: str = ""


class WorkspaceFiles:
    """The bot's files in one workspace; needs the scope files:write."""

    def __init__(self, api: WebApi) -> None:
        self._api = api

    async def picture(self, chart: ChartView) -> UploadedFile | None:
        """Upload the chart as a picture; None when Slack refuses the file.

        Raises PlatformError for what may be tried again.
        """
        content = await png(chart)
        return await self._upload("chart.png", content, title=chart.title, alt=chart.alt_text)

    async def document(self, text: str, mark: str) -> UploadedFile | None:
        """Upload the text as a document; None and PlatformError as for a picture."""
        return await self._upload(
            FILE_NAME, text.encode(errors="replace"), title=FILE_NAME, mark=mark
        )

    async def show(self, file: UploadedFile, channel: str, thread: str) -> None:
        """Show an uploaded file in a channel (no user's id), in that thread if there is one.

        Raises PlatformError.
        """
        place = {"channel_id": channel} | ({"thread_ts": thread} if thread else {})
        files = [{"id": file.id, "title": file.title}]
        await self._api.call("files.completeUploadExternal", place | {"files": files})

    async def _upload(
        self, name: str, content: bytes, *, title: str, alt: str = "", mark: str = ""
    ) -> UploadedFile | None:
        fields = {"filename": name, "length": str(len(content))}
        if alt:
            fields["alt_txt"] = alt[:_ALT]
        try:
            place = await self._api.call("files.getUploadURLExternal", fields, form=True)
            file, url = place.get("file_id"), place.get("upload_url")
            if not file or not url:
                raise PlatformError("files.getUploadURLExternal: no file_id or upload_url")
            await self._api.upload(str(url), content)
        except PlatformError as error:
            if error.retryable:
                raise
            _log.error("slack_file_refused", error=str(error), needs="the scope files:write")
            return None
        return UploadedFile(str(file), title, mark)


def thread_below(address: Address, channel: str, ts: str) -> str:
    """Return the thread of a message's file: in a channel, below that message."""
    return address.thread or ("" if channel.startswith("D") else ts)
