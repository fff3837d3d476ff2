"""What a tap on a card comes to: a decision, a vote, a hand-over, or why not (design §7)."""

import json
from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from bot.delegation import named, standing_in
from bot.people import Directory
from cards.buttons import Button
from cards.decision import Invalid, NeedsForm, Recorded, Refused, Repeated, Won, decide
from cards.decision_texts import refusal_text, repeated_text
from cards.handover import HAND_OVER, WHOM, NotHanded, form, hand_over, may_hand_over
from cards.model import Card, Choice, Principal
from cards.show import decided
from cards.texts import say
from cards.view import FormView
from engine.events import CardTapped, CommandGiven, FormRefused, FormSubmitted, FormWanted
from engine.mail import CardDecided, CardExpired
from engine.ports.store import CardNow, CardWrite, Effects
from engine.reviewing import handed

Tap = CardTapped | FormSubmitted | CommandGiven


@dataclass(frozen=True, slots=True)
class Told:
    """What the tapper is told once the effects are stored; `ok` when it counts."""

    text: str
    ok: bool
    effects: Effects


Judged = Told | FormWanted | FormRefused


@dataclass(frozen=True, slots=True)
class Tapping:
    """Judges taps on a card as it was read; writes nothing itself. `zone` is for times shown."""

    people: Directory
    zone: str

    def judge(self, update: Tap, found: CardNow, button: Button, principal: Principal) -> Judged:
        """What the tap comes to for this person, who may stand in for others."""
        principal = standing_in(self.people, principal, found.card, self._today(found))
        values = update.values if isinstance(update, FormSubmitted) else None
        if button.choice == HAND_OVER:
            name = None if values is None else values.get(WHOM, "")
            return self.hand_over(update, found, principal, name)
        return self._decide(update, found, button, principal)

    def hand_over(self, update: Tap, found: CardNow, giver: Principal, name: str | None) -> Judged:
        """The giver's seat goes to whom the name means; without a name, the form asks for one."""
        card = found.card
        if refused := may_hand_over(card, giver, found.now):
            return self._not_handed(update, found, giver, refused)
        if name is None:
            return FormWanted(_whom(card))
        meant = named(self.people, name)
        if len(meant) != 1:
            return FormRefused({WHOM: _unclear(card, name, [each.name for each in meant])})
        verdict = hand_over(card, giver, meant[0], found.now)
        if isinstance(verdict, NotHanded):
            return FormRefused({WHOM: say(f"handover.{verdict.reason}", card.lang)})
        to = verdict.given.to
        at_home = self.people.reached([to], self._today(found))
        effects = Effects(
            cards=(CardWrite(verdict.card, expect=card.version),),
            posts=handed(verdict, at_home),
            log=(_entry(update, found, giver, HAND_OVER, "handed_over", to=to),),
        )
        return Told(say("handover.done", card.lang, to=verdict.given.to_name), True, effects)

    def _not_handed(
        self, update: Tap, found: CardNow, giver: Principal, refused: NotHanded
    ) -> Told:
        entry = _entry(update, found, giver, HAND_OVER, refused.reason)
        text = say(f"handover.{refused.reason}", found.card.lang)
        return Told(text, False, Effects(log=(entry,)))

    def _decide(self, update: Tap, found: CardNow, button: Button, principal: Principal) -> Judged:
        card, tz = found.card, ZoneInfo(self.zone)
        values = update.values if isinstance(update, FormSubmitted) else None
        verdict = decide(
            card, principal, button.choice, found.now, revision=button.revision, values=values
        )

        def entry(result: str, **more: Any) -> tuple[str, str]:
            return _entry(update, found, principal, button.choice, result, **more)

        match verdict:
            case NeedsForm(choice=choice):
                return FormWanted(_form(card, button, choice))
            case Invalid(errors=errors):
                return FormRefused(errors)
            case Refused(reason="expired"):
                text = refusal_text(verdict, card.lang, tz=tz)
                return Told(text, False, replace(_expired(card), log=(entry("expired"),)))
            case Refused(reason=reason):
                text = refusal_text(verdict, card.lang, tz=tz)
                return Told(text, False, Effects(log=(entry(reason),)))
            case Repeated():
                text = repeated_text(verdict, card.lang, tz=tz)
                return Told(text, True, Effects(log=(entry("repeated"),)))
            case Recorded():
                vote = verdict.card.votes[-1]
                effects = Effects(
                    cards=(CardWrite(verdict.card, expect=card.version),),
                    log=(entry("vote", **_seat(vote.seat)),),
                )
                return Told(_recorded(verdict, button), True, effects)
            case Won():
                decision = verdict.decision
                mail = CardDecided(card=card.token, decision=decision).model_dump_json()
                effects = Effects(
                    cards=(CardWrite(verdict.card, expect=card.version),),
                    mails=((card.lane, mail),),
                    log=(entry("decided", **_seat(decision.seat)),),
                )
                return Told(decided(verdict.card, decision, self.zone), True, effects)

    def _today(self, found: CardNow) -> date:
        return found.now.astimezone(ZoneInfo(self.zone)).date()


def _expired(card: Card) -> Effects:
    """The end of a card whose time is over, before its timer has come: the tap does its work.

    A card of a talk turn is left to the timer, for its turn has more to say.
    """
    if not card.run or card.status != "open":
        return Effects()
    after = card.model_copy(update={"status": "expired", "version": card.version + 1})
    mail = CardExpired(card=card.token).model_dump_json()
    return Effects(cards=(CardWrite(after, expect=card.version),), mails=((card.lane, mail),))


def _recorded(recorded: Recorded, button: Button) -> str:
    card = recorded.card
    choice = card.choice(button.choice)
    label = choice.label if choice else button.choice
    return say("vote.needed", card.lang, choice=label, needed=recorded.votes_needed)


def _seat(seat: str) -> dict[str, str]:
    return {"for": seat} if seat else {}


def _unclear(card: Card, name: str, names: list[str]) -> str:
    if not names:
        return say("handover.unknown", card.lang, name=name.strip()[:60])
    return say("handover.ambiguous", card.lang, names=say("list.items", card.lang).join(names))


def _whom(card: Card) -> FormView:
    data = Button(token=card.token, choice=HAND_OVER, revision=card.revision).pack()
    return FormView(
        data=data,
        lang=card.lang,
        title=say("handover.title", card.lang),
        submit=say("choice.hand_over", card.lang),
        cancel=say("form.cancel", card.lang),
        fields=form(card),
    )


def _form(card: Card, button: Button, choice: Choice) -> FormView:
    return FormView(
        data=button.pack(),
        lang=card.lang,
        title=card.title,
        submit=choice.label,
        cancel=say("form.cancel", card.lang),
        intro="",
        fields=choice.form,
    )


def _entry(
    update: Tap, found: CardNow, principal: Principal, choice: str, result: str, **more: Any
) -> tuple[str, str]:
    """An audit entry: who tapped what from where, refused attempts too."""
    entry = {
        "at": found.now.isoformat(),
        "event": "tap",
        "update": update.id,
        "card": found.card.token,
        "by": principal.id,
        "via": update.actor.platform,
        "choice": choice,
        "result": result,
        **more,
    }
    return found.card.run or found.card.token, json.dumps(entry, ensure_ascii=False)
