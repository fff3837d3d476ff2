"""Links to the files that cards show: signed, and good for some days."""

import hmac
import secrets
from hashlib import sha256
from typing import Final
from urllib.parse import quote

from bot.waits import retry_until_available
from cards.model import Row
from cards.showing.view import CardView, MessageView
from engine.ports.clock import Clock
from engine.ports.storage.platform_texts import ExpiringTexts

_NAME: Final = "file-links"
_KEEP_S: Final = 10 * 366 * 86_400.0


class FileLinks:
    """Makes and checks links below `address`, "" for links on the service's own pages alone.

    A link names a card and one of its files, so that it says nothing of where the card is from; who
    has it may see that file for so many `days`. With 0 days there are none.
    """

    def __init__(self, secret: str, clock: Clock, *, days: int, address: str = "") -> None:
        self._secret = secret.encode()
        self._clock = clock
        self._days = days
        self._address = address.rstrip("/")

    def on_message(self, view: MessageView) -> MessageView:
        """Return the message with links on its card."""
        if view.card is None or not _has_files(view.card.rows):
            return view
        return view.model_copy(update={"card": self.on_card(view.card)})

    def on_card(self, card: CardView) -> CardView:
        """Return the card with a link in each row that shows a file."""
        if not _has_files(card.rows):
            return card
        rows = tuple(self.on_row(row, card.token) for row in card.rows)
        return card.model_copy(update={"rows": rows})

    def on_row(self, row: Row, card: str) -> Row:
        """Return the row with its link, if it shows a file."""
        if not row.file or not self._days:
            return row
        # A whole day, so that a card that is shown again is the same.
        last = self._clock.today().toordinal() + self._days
        path = f"files/{quote(card, safe='')}/{last}/{self._mark(card, last, row.file)}"
        return row.model_copy(update={"link": f"{self._address}/{path}/{quote(row.file, safe='')}"})

    def is_good(self, card: str, last: int, mark: str, name: str) -> bool:
        """Whether such a link is ours, and not too old."""
        known = hmac.compare_digest(mark.encode(), self._mark(card, last, name).encode())
        return known and self._clock.today().toordinal() <= last

    def _mark(self, card: str, last: int, name: str) -> str:
        text = f"{card}\n{last}\n{name}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, text, sha256).hexdigest()[:32]


def _has_files(rows: tuple[Row, ...]) -> bool:
    return any(row.file for row in rows)


async def open_file_links(
    texts: ExpiringTexts, clock: Clock, *, days: int, address: str
) -> FileLinks:
    """Return the links of all processes over one store, whose secret they share.

    Raises StoreUnavailable.
    """

    async def shared_secret() -> str:
        if secret := await texts.read(_NAME):
            return secret
        await texts.write(_NAME, secrets.token_urlsafe(32), was="", keep_s=_KEEP_S)
        return await texts.read(_NAME)

    secret = await retry_until_available(shared_secret)
    return FileLinks(secret, clock, days=days, address=address)
