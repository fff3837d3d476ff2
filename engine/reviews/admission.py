"""The card that asks admins whether somebody who wrote is let in."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from cards.model import ADMIN, Card, Choice, Decision, Lang, Review, Row
from cards.texts import say
from cards.visible import visible
from engine.mail import StrangerArrived
from engine.ports.storage.admissions import Entrant
from engine.ports.storage.store import CardWrite, Effects, Post
from engine.reviews.clocks import card_timers

ADMIT: Final = "admit"
OPEN_FOR: Final = timedelta(days=7)
_TASK: Final = "admit:"


def ask_admins(
    mail: StrangerArrived,
    homes: Sequence[tuple[str, Lang]],
    *,
    role: Callable[[str, str], str],
    new_id: Callable[[str], str],
    now: datetime,
) -> Effects:
    """The card at the first admin's home, shown to the others as well; nothing without admins."""
    if not homes:
        return Effects()
    (home, lang), stranger = homes[0], mail.stranger
    card = Card(
        kind="confirm",
        token=new_id(home),
        run="",
        conversation=home,
        lang=lang,
        title=say("admit.title", lang),
        text=say("admit.text", lang),
        rows=(
            Row(label=say("admit.account", lang), value=visible(stranger.id)),
            Row(label=say("admit.name", lang), value=visible(stranger.name)),
            Row(label=say("admit.guest", lang), value=_yes_no(stranger.guest, lang)),
            Row(label=say("admit.where", lang), value=visible(mail.where)),
        ),
        choices=(
            Choice(id=ADMIT, label=say("admit.admit", lang), style="primary"),
            Choice(id="leave", label=say("admit.leave", lang)),
        ),
        review=Review(roles=(ADMIN,), delegable=False),
        **stranger.as_requester(),
        waiting_for=role(ADMIN, lang),
        task_key=f"{_TASK}{stranger.id}",
        deadline=now + OPEN_FOR,
    )
    posts = (Post(f"{card.token}@{at}", at, "card", card.token) for at, _ in homes)
    return Effects(
        cards=(CardWrite(card),),
        posts=tuple(posts),
        timers=card_timers(card, now),
    )


def entrant_of(card: Card, decision: Decision) -> Entrant | None:
    """Who is let in by the decision on such a card; None when nobody is, or it is another card."""
    if not is_admission(card) or decision.choice != ADMIT:
        return None
    account = card.task_key.removeprefix(_TASK)
    return Entrant(account=account, name=card.requester_name, by=decision.person, at=decision.at)


def is_admission(card: Card) -> bool:
    """Whether the card asks about a stranger."""
    return not card.run and card.task_key.startswith(_TASK)


def _yes_no(value: bool, lang: Lang) -> str:
    return say("choice.yes" if value else "choice.no", lang)
