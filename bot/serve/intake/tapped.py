"""A tap, a form or a command about a card: who, what, from where, for the run's log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cards.buttons import Button
from cards.deciding import lapsed
from cards.model import Card, Lang, Principal
from engine.events import CardTapped, CommandGiven, FormSubmitted
from engine.frames import audit
from engine.ports.storage.store import CardNow, Seen

Tap = CardTapped | FormSubmitted | CommandGiven


@dataclass(frozen=True, slots=True)
class Tapped:
    """A tap on a card as it was read; the tapper reads answers in their own language and zone."""

    update: Tap
    found: CardNow
    principal: Principal
    choice: str
    revision: int

    @classmethod
    def on(cls, update: Tap, found: CardNow, principal: Principal, button: Button) -> "Tapped":
        """What a button says of it."""
        return cls(update, found, principal, button.choice, button.revision)

    @property
    def card(self) -> Card:
        """The card as it was read."""
        return self.found.card

    @property
    def lang(self) -> Lang:
        """What the tapper reads."""
        return self.principal.lang or self.card.lang

    @property
    def values(self) -> dict[str, str] | None:
        """What a form gives, None for a bare tap."""
        return self.update.values if isinstance(self.update, FormSubmitted) else None

    @property
    def seen(self) -> tuple[Seen, ...]:
        """In which message the card stood, where the platform says so."""
        update = self.update
        if not isinstance(update, CardTapped) or not update.message_id:
            return ()
        return (Seen(self.card.token, update.conversation, update.message_id),)

    def entry(
        self,
        result: str,
        *,
        after: Card | None = None,
        faults: Sequence[str] = (),
        more: Mapping[str, Any] | None = None,
    ) -> audit.Entry:
        """It in the log of the card's run, refused or not; `after` is the card that it writes."""
        actor = self.update.actor
        told = {
            "by": self.principal.id,
            "via": actor.platform,
            "where": self.update.conversation,
            "user": f"{actor.workspace}:{actor.user}",
            "update": self.update.id,
            "choice": self.choice,
            "sent_form": isinstance(self.update, FormSubmitted) or None,
            "revision": self.revision if self.revision != self.card.revision else None,
            "result": result,
            "faults": faults,
            "lapsed": lapsed.told(after, self.found.now) if after else (),
            **(more or {}),
        }
        return audit.about_card(self.card, self.found.now, "tap", told, after=after)
