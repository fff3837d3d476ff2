"""Answers that are still being written, line by line: what stands in a terminal stays there."""

from bot.terminal.client import Entry
from bot.terminal.plain import to_text

_TABLE, _TABLE_ENDS = "<table", "</table>"


class AnswerPrinter:
    """Which lines of each answer have been shown already."""

    def __init__(self) -> None:
        self._shown: dict[str, list[str]] = {}

    def more(self, draft: Entry) -> list[str]:
        """The lines that are finished since the message's last draft.

        None of a message with several requests, each of which would have to grow in its place.
        """
        parts = draft["view"]["parts"]
        if len(parts) != 1 or parts[0]["number"]:
            return []
        known = self._shown.get(str(draft["id"]), [])
        lines = _finished(str(parts[0]["html"]))
        more = _after(known, lines)
        if not more:
            return []
        self._shown[str(draft["id"])] = lines
        return more

    def rest(self, message_id: str, lines: list[str]) -> list[str]:
        """What the whole answer says more; all of it, if it does not begin as was shown."""
        more = _after(self._shown.pop(message_id, []), lines)
        return lines if more is None else more


def _after(known: list[str], lines: list[str]) -> list[str] | None:
    return lines[len(known) :] if lines[: len(known)] == known else None


def _finished(html: str) -> list[str]:
    """The lines but the last, and but a table that may go on, since its columns may widen."""
    if html.rstrip().endswith(_TABLE_ENDS):
        return to_text(html[: html.rindex(_TABLE)]).split("\n")
    lines = to_text(html).split("\n")[:-1]
    # What will be a table is a paragraph until the line below its head has come.
    while lines and "|" in lines[-1]:
        lines.pop()
    return lines
