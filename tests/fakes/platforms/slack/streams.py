"""Streams of a local Slack: messages that grow until they are stopped, or Slack stops them.

What is known of them is put together from Slack's reference, its SDK, and what others measured: an
open stream takes no chat.update, one that is not open takes no text. Slack ends a stream by itself
when nothing was appended for a while, and after some minutes at the latest.
"""

import re
from typing import TYPE_CHECKING, Any

from tests.fakes.platforms.slack.message import Shown

if TYPE_CHECKING:
    from tests.fakes.platforms.slack.workspace import SlackWorkspace

Json = dict[str, Any]
TEXT = 12_000
_TS = re.compile(r"[0-9]+\.[0-9]{6}")
_REACHES = re.compile(r"<[!@#]|<https?:|@(here|channel|everyone)|\[[^\]]*\]|://")
_TAKES = {
    "chat.startStream": {
        "channel",
        "thread_ts",
        "markdown_text",
        "recipient_user_id",
        "recipient_team_id",
    },
    "chat.appendStream": {"channel", "ts", "markdown_text"},
    "chat.stopStream": {"channel", "ts", "markdown_text"},
}


class Streams:
    """The streams of one workspace; without `rewrites` nobody may replace the text of one."""

    def __init__(self, workspace: "SlackWorkspace") -> None:
        self.begun: list[Shown] = []
        self.rewrites = True
        self._workspace = workspace

    @property
    def open(self) -> list[Shown]:
        """The messages that still grow."""
        return [shown for shown in self.begun if shown.streams]

    def expire(self) -> None:
        """Slack has waited long enough."""
        for shown in self.open:
            shown.streams = False

    def start(self, fields: Json) -> Json:
        method, channel = "chat.startStream", str(fields.get("channel", ""))
        if problem := self._problem(method, fields):
            return problem
        if not re.fullmatch(r"[CDG][A-Z0-9]+", channel):
            return self._workspace.fault(method, "channel_not_found", [channel])
        if not _TS.fullmatch(str(fields.get("thread_ts", ""))):
            return self._workspace.fault(method, "invalid_thread_ts", [str(fields)])
        for name in ("recipient_user_id", "recipient_team_id"):
            if channel[0] != "D" and not re.fullmatch(r"[TUW][A-Z0-9]+", fields.get(name, "")):
                return self._workspace.fault(method, f"missing_{name}", [str(fields)])
        shown = Shown(
            channel=channel,
            ts=self._workspace.new_ts(),
            thread_ts=fields["thread_ts"],
            text="",
            blocks=[],
            streams=True,
            streamed=True,
        )
        self._workspace.keep(shown)
        self.begun.append(shown)
        self._grow(shown, fields)
        return {"ok": True, "channel": channel, "ts": shown.ts}

    def append(self, fields: Json) -> Json:
        if not fields.get("markdown_text"):
            return self._workspace.fault("chat.appendStream", "no_text", [str(fields)])
        return self._changed("chat.appendStream", fields)

    def stop(self, fields: Json) -> Json:
        answer = self._changed("chat.stopStream", fields)
        if answer["ok"]:
            self._found(fields).streams = False
        return answer

    def _changed(self, method: str, fields: Json) -> Json:
        if problem := self._problem(method, fields):
            return problem
        if (fields.get("channel"), fields.get("ts")) not in self._workspace.messages:
            return self._workspace.fault(method, "message_not_found", [str(fields)])
        shown = self._found(fields)
        if not shown.streams:
            return {"ok": False, "error": "message_not_in_streaming_state"}
        self._grow(shown, fields)
        return {"ok": True, "channel": shown.channel, "ts": shown.ts}

    def _found(self, fields: Json) -> Shown:
        return self._workspace.messages[fields["channel"], fields["ts"]]

    @staticmethod
    def _grow(shown: Shown, fields: Json) -> None:
        shown.text += fields.get("markdown_text", "")
        shown.blocks = [{"type": "markdown", "text": shown.text}]
        shown.was.append(shown.text)

    def _problem(self, method: str, fields: Json) -> Json | None:
        text = fields.get("markdown_text", "")
        if unknown := set(fields) - _TAKES[method]:
            return self._workspace.fault(method, "invalid_arguments", sorted(unknown))
        if len(text) > TEXT:
            return self._workspace.fault(method, "msg_too_long", [f"{len(text)} characters"])
        if found := _REACHES.search(text):
            return self._workspace.fault(method, "mention or link", [found[0]])
        return None
