"""Accounts of messages as blocks of lines in a terminal; what is new of one stands below."""

from collections import Counter
from collections.abc import Callable
from typing import Final
from zoneinfo import ZoneInfo

from bot.dev.account import MessageAccount
from bot.dev.describing import AccountLine, Tone, describe
from bot.terminal.html_text import strip_controls
from bot.terminal.output import pad, paint
from cards.model import Lang
from cards.texts import say

_STYLES: Final[dict[Tone, str]] = {
    "head": "bold",
    "good": "green",
    "bad": "red",
    "warn": "yellow",
    "soft": "dim",
}
_LABEL_WIDTH: Final = 9
_MOST_MESSAGES: Final = 200


class AccountPrinter:
    """Prints each account once it rests, and later only what is new of it."""

    def __init__(self, lang: Lang, zone: str, write: Callable[[str], None] = print) -> None:
        self._lang = lang
        self._zone = ZoneInfo(zone)
        self._write = write
        self._printed: dict[str, Counter[AccountLine]] = {}

    def tell(self, account: MessageAccount) -> None:
        """Print what is new of the account; nothing while it is being worked on."""
        if not account.settled:
            return
        lines = describe(account, self._lang)
        known = self._printed.get(account.id)
        new = list(lines) if known is None else _new_lines(lines, known)
        self._printed[account.id] = Counter(lines)
        for oldest in list(self._printed)[:-_MOST_MESSAGES]:
            del self._printed[oldest]
        if new:
            head = self._head(account, is_new=known is None)
            self._write("\n".join(["", head, *map(_format, new)]))

    def problems(self, problems: tuple[str, ...], key: str = "dev.problems") -> None:
        """Print what is wrong with the files, or that they are in use."""
        if not problems:
            self.note("dev.mended", "green")
            return
        head = paint(say(key, self._lang), "red")
        self._write("\n".join(["", head, *(f"  {strip_controls(each)}" for each in problems)]))

    def note(self, key: str, style: str = "dim", **values: str) -> None:
        """Print a sentence of the catalogue."""
        self._write(f"\n{paint(say(key, self._lang, **values), style)}")

    def _head(self, account: MessageAccount, *, is_new: bool) -> str:
        at = f"{account.at.astimezone(self._zone):%H:%M:%S}" if is_new else "…"
        who = f"{account.name} [{account.conversation}]: {account.text}"
        return f"{at}  {paint(strip_controls(who), 'bold')}"


def _new_lines(lines: list[AccountLine], known: Counter[AccountLine]) -> list[AccountLine]:
    left = known.copy()
    new = []
    for line in lines:
        if left[line]:
            left[line] -= 1
        else:
            new.append(line)
    return new


def _format(line: AccountLine) -> str:
    text = " ".join(strip_controls(line.text).split())
    if line.tone == "head":
        return f"  {paint(f'{line.label}. {text}', _STYLES['head'])}"
    style = _STYLES.get(line.tone)
    label = pad(strip_controls(line.label), _LABEL_WIDTH)
    return f"    {label} {paint(text, style) if style else text}"
