"""The newest messages with their accounts, as they change: for a terminal and for the page."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from pydantic import ValidationError

from bot.dev.account import MessageAccount
from bot.dev.describing import describe
from bot.dev.gathering import Gatherer
from bot.waits import pause
from cards.model import Lang
from cards.texts import say
from engine.errors import StoreError
from engine.ports.storage.store import Effects

MOST_MESSAGES: Final = 50
MOST_SHOWN: Final = 20
MOST_PROBLEMS: Final = 50
_MOST_RUNS: Final = 1000
_LOOK_EVERY_S: Final = 0.1
_TEXTS: Final = {
    "panel": "dev.panel",
    "close": "dev.close",
    "empty": "dev.empty",
    "away": "dev.away",
    "new": "dev.new",
    "problems": "dev.problems",
}


class MessageFeed:
    """Accounts of messages by reply, the oldest first; `version` differs after each change.

    `tell` hears of each account that is new or has changed. It outlives the parts of a service that
    is started again.
    """

    def __init__(self, tell: Callable[[MessageAccount], None]) -> None:
        self.version = 0
        self._tell = tell
        self._accounts: dict[str, MessageAccount] = {}
        self._replies: dict[str, str] = {}
        self._changed: dict[str, None] = {}
        self._recalled: set[str] = set()
        self._problems: tuple[str, ...] = ()

    def observe(self, effects: Effects) -> None:
        """Note whose accounts change by what was committed just now."""
        for run in effects.runs:
            self._replies[run.id] = run.reply
        for oldest in list(self._replies)[:-_MOST_RUNS]:
            del self._replies[oldest]
        replies = [effects.reply.id] if effects.reply else []
        replies += [part.reply for part in effects.parts]
        replies += [self._replies.get(log, "") for log, _ in effects.log]
        replies += [write.card.reply for write in effects.cards]
        replies += [self._replies.get(ended, "") for ended, _ in effects.cancels]
        self._changed |= dict.fromkeys(filter(None, replies))

    def recall(self, replies: Iterable[str]) -> None:
        """Have the accounts of these earlier messages too; nobody is told of them."""
        known = [reply for reply in replies if reply not in self._accounts]
        self._changed = dict.fromkeys(known) | self._changed
        self._recalled |= set(known)

    def set_problems(self, problems: Sequence[str]) -> None:
        """Say what is wrong with the files, or () once nothing is."""
        if tuple(problems) != self._problems:
            self._problems = tuple(problems[:MOST_PROBLEMS])
            self.version += 1

    async def follow(self, gatherer: Gatherer, stop: asyncio.Event) -> None:
        """Read the accounts that change, until `stop`."""
        while not stop.is_set():
            await self.look(gatherer)
            await pause(stop, _LOOK_EVERY_S)

    async def look(self, gatherer: Gatherer) -> None:
        """Read the accounts that have changed; what the store keeps back is read later."""
        changed, self._changed = self._changed, {}
        for reply in changed:
            try:
                account = await gatherer.account(reply)
            except StoreError:
                self._changed[reply] = None
                continue
            except ValidationError:
                # Another version of us wrote it.
                account = None
            self._keep(reply, account)

    def _keep(self, reply: str, account: MessageAccount | None) -> None:
        was_recalled = reply in self._recalled
        self._recalled.discard(reply)
        if account is None or account == self._accounts.get(reply):
            return
        self._accounts[reply] = account
        for oldest in list(self._accounts)[:-MOST_MESSAGES]:
            del self._accounts[oldest]
        self.version += 1
        if not was_recalled:
            self._tell(account)

    def page(self, conversation: str, lang: Lang) -> dict[str, Any]:
        """What the page of a conversation shows, as JSON: its messages, and faults of the files."""
        here = [a for a in self._accounts.values() if a.conversation == conversation]
        here = here[-MOST_SHOWN:]
        return {
            "version": self.version,
            "texts": {name: say(key, lang, text="{text}") for name, key in _TEXTS.items()},
            "problems": list(self._problems),
            "messages": [_message(each, lang) for each in here],
        }


def _message(account: MessageAccount, lang: Lang) -> dict[str, Any]:
    return {
        "id": account.id,
        "at": account.at.isoformat(),
        "name": account.name,
        "text": account.text,
        "settled": account.settled,
        "lines": [
            {"label": line.label, "text": line.text, "tone": line.tone}
            for line in describe(account, lang)
        ],
    }
