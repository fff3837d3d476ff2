"""A person's answer to a card, and what it comes to: one shape for each, wherever it came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from types import MappingProxyType
from typing import Any, Literal
from zoneinfo import ZoneInfo

from cards.buttons import Button
from cards.deciding import lapsed
from cards.deciding.decision import Verdict
from cards.deciding.handover import HAND_OVER, RECEIVER
from cards.deciding.revision import EditVerdict
from cards.model import Card, Choice, Lang, Principal
from cards.showing.view import FormView
from cards.texts import say
from cards.visible import visible
from engine.events import (
    CardTapped,
    CommandGiven,
    ConfirmWanted,
    DirectAnswer,
    FormRefused,
    FormSubmitted,
    FormWanted,
)
from engine.frames import audit
from engine.ports.people import People
from engine.ports.storage.store import CardNow, Effects
from engine.reviews.form_files import NO_FORM_FILES, FormFiles

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CardAnswer:
    """What a person chose on a card: by a tap, a form, a command, or a text that they typed.

    `values` are those of a form, None for a bare tap, and `files` what its file fields are judged
    by. `event` and `origin` say in the log how and
    from where it came. It is not `confirmed` while nobody has asked the person if they are sure.
    """

    person: Principal
    choice: str
    revision: int
    values: Mapping[str, str] | None
    origin: Mapping[str, Any]
    event: Literal["tap", "text"] = "tap"
    confirmed: bool = True
    files: FormFiles = NO_FORM_FILES

    def lang(self, card: Card) -> Lang:
        """The language in which the person reads what it comes to."""
        return self.person.lang or card.lang

    def entry(
        self,
        found: CardNow,
        result: str,
        *,
        after: Card | None = None,
        faults: Sequence[str] = (),
        more: Mapping[str, Any] = _NOTHING,
    ) -> audit.Entry:
        """The answer in the log of the card's run; `after` is the card as it is written with it."""
        card = found.card
        facts = {
            "by": self.person.id,
            **self.origin,
            "choice": self.choice,
            "revision": self.revision if self.revision != card.revision else None,
            "result": result,
            "faults": faults,
            "lapsed": lapsed.describe_lapsed_votes(after, found.now) if after else (),
            **more,
        }
        return audit.card_entry(card, found.now, self.event, facts, after=after)


def tap_answer(
    update: CardTapped | FormSubmitted,
    person: Principal,
    button: Button,
    files: FormFiles = NO_FORM_FILES,
) -> CardAnswer:
    """The answer that a tap on the button gives, or the form that it opened."""
    origin, values, confirmed = _origin(update), None, True
    if isinstance(update, FormSubmitted):
        origin, values = {**origin, "sent_form": True}, entered_values(update)
    else:
        confirmed = update.confirmed
    return CardAnswer(
        person, button.choice, button.revision, values, origin, confirmed=confirmed, files=files
    )


def entered_values(form: FormSubmitted) -> dict[str, str]:
    """The form's values; a file that came with it is called as its sender does."""
    names = {name: visible(file.name) or "file" for name, file in form.uploads.items()}
    return {**form.values, **names}


def hand_over_answer(command: CommandGiven, giver: Principal, card: Card) -> CardAnswer:
    """The answer of a command that names, instead of the button's form, who gets the seat."""
    values = {RECEIVER: command.text}
    return CardAnswer(giver, HAND_OVER, card.revision, values, _origin(command))


def _origin(update: CardTapped | FormSubmitted | CommandGiven) -> dict[str, Any]:
    actor = update.actor
    return {
        "via": actor.platform,
        "where": update.conversation,
        "user": f"{actor.workspace}:{actor.user}",
        "update": update.id,
    }


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an answer comes to: what the person is shown once the effects are stored.

    `effects` are all that it changes, with its entry in the log, where it is called `result`.
    `verdict` is that of the card's rules; None when a seat was to be given away.
    """

    result: str
    shown: DirectAnswer | FormWanted | ConfirmWanted | FormRefused
    effects: Effects
    verdict: Verdict | EditVerdict | None = None

    @classmethod
    def of(
        cls,
        answer: CardAnswer,
        found: CardNow,
        result: str,
        shown: DirectAnswer | FormWanted | ConfirmWanted | FormRefused,
        *,
        effects: Effects | None = None,
        verdict: Verdict | EditVerdict | None = None,
        more: Mapping[str, Any] = _NOTHING,
    ) -> "Judgement":
        """The judgement with its entry in the log; `more` is what the entry says besides."""
        effects = effects or Effects()
        after = effects.cards[0].card if effects.cards else None
        faults = tuple(shown.errors) if isinstance(shown, FormRefused) else ()
        entry = answer.entry(found, result, after=after, faults=faults, more=more)
        return cls(result, shown, replace(effects, log=(entry,)), verdict)


def as_today(
    found: CardNow, person: Principal, people: People, zone: str
) -> tuple[CardNow, Principal]:
    """The card with the votes that count now, and the person with the seats they may take."""
    card = people.with_valid_votes(found.card, found.now)
    return CardNow(card, found.now), people.as_voter(person, card, day_at(found.now, zone))


def day_at(now: datetime, zone: str) -> date:
    """The service's day at that moment; `zone` (IANA) is where its days are."""
    return now.astimezone(ZoneInfo(zone)).date()


def form_view(card: Card, choice: Choice, lang: Lang, *, title: str) -> FormView:
    """The form that a choice opens, with a cancel button in the person's language."""
    return FormView(
        data=Button(token=card.token, choice=choice.id, revision=card.revision).pack(),
        lang=card.lang,
        title=title,
        submit=choice.label,
        cancel=say("form.cancel", lang),
        intro=choice.intro,
        fields=choice.form,
        edits=choice.edits,
    )
