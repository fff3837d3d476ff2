"""What a tap on a card comes to: a decision, a vote, an edit, a hand-over, or why not (§7)."""

from dataclasses import dataclass, replace
from datetime import date
from zoneinfo import ZoneInfo

from bot import edits
from bot.delegation import named
from bot.people import Directory
from bot.tapped import Tap, Tapped
from cards.buttons import Button
from cards.decision import Invalid, MayEdit, NeedsForm, Recorded, Refused, Repeated, Won, decide
from cards.decision_texts import refusal_text, repeated_text
from cards.editing import Edited, EditVerdict, Unchanged, edit
from cards.handover import HAND_OVER, WHOM, NotHanded, form, hand_over, may_hand_over
from cards.lapsed import open_seats
from cards.model import Card, Choice, Lang, Principal
from cards.reader import as_read, label_in
from cards.show import decided
from cards.texts import say
from cards.view import FormView
from engine import audit
from engine.events import FormRefused, FormWanted
from engine.mail import CardDecided, CardExpired
from engine.ports.store import CardNow, CardWrite, Effects
from engine.reviewing import handed


@dataclass(frozen=True, slots=True)
class Told:
    """What the tapper is told once the effects are stored; `ok` when it counts.

    `tells` when it is more than the card shows by itself.
    """

    text: str
    ok: bool
    effects: Effects
    tells: bool = False


@dataclass(frozen=True, slots=True)
class Formed:
    """A form, or its faults: nothing is decided; `entry` is for the log, under the name `what`."""

    shown: FormWanted | FormRefused
    what: str
    entry: audit.Entry


Judged = Told | Formed


@dataclass(frozen=True, slots=True)
class Tapping:
    """Judges taps on a card as it was read; writes nothing itself. `zone` is for times shown."""

    people: Directory
    zone: str

    def judge(self, update: Tap, found: CardNow, button: Button, principal: Principal) -> Judged:
        """What the tap comes to for this person, who may stand in for others."""
        found = self._counted(found)
        principal = self.people.standing(principal, found.card, self._today(found))
        tapped = Tapped.on(update, found, principal, button)
        if button.choice == HAND_OVER:
            name = None if tapped.values is None else tapped.values.get(WHOM, "")
            return self.hand_over(tapped, name)
        chosen = found.card.choice(button.choice)
        if chosen is not None and chosen.edits:
            return self._edit(tapped)
        return self._decide(tapped)

    def given(self, update: Tap, found: CardNow, giver: Principal, name: str) -> Judged:
        """A seat given by a command instead of the card's button."""
        found = self._counted(found)
        tapped = Tapped(update, found, giver, HAND_OVER, found.card.revision)
        return self.hand_over(tapped, name)

    def hand_over(self, tapped: Tapped, name: str | None) -> Judged:
        """The giver's seat goes to whom the name means; without a name, the form asks for one."""
        card, giver, now = tapped.card, tapped.principal, tapped.found.now
        if refused := may_hand_over(card, giver, now):
            text = say(f"handover.{refused.reason}", tapped.lang)
            return Told(text, False, Effects(log=(tapped.entry(refused.reason),)))
        if name is None:
            card = as_read(card, tapped.lang, self.people.role_name)
            return Formed(FormWanted(_whom(card, tapped.lang)), "form", tapped.entry("form"))
        people = self.people.about(card.conversation)
        meant = named(people, name)
        if len(meant) != 1:
            return self._whom_again(tapped, _unclear(tapped, name, [each.name for each in meant]))
        verdict = hand_over(card, giver, meant[0], now)
        if isinstance(verdict, NotHanded):
            return self._whom_again(tapped, say(f"handover.{verdict.reason}", tapped.lang))
        to = verdict.given.to
        at_home = people.reached([to], self._today(tapped.found))
        effects = Effects(
            cards=(CardWrite(verdict.card, expect=card.version),),
            posts=handed(verdict, at_home),
            log=(tapped.entry("handed_over", after=verdict.card, more={"to": to}),),
        )
        return Told(say("handover.done", tapped.lang, to=verdict.given.to_name), True, effects)

    def _whom_again(self, tapped: Tapped, why: str) -> Judged:
        entry = tapped.entry("invalid", faults=[WHOM])
        return Formed(FormRefused({WHOM: why}), "invalid", entry)

    def _decide(self, tapped: Tapped) -> Judged:
        verdict = decide(
            tapped.card,
            tapped.principal,
            tapped.choice,
            tapped.found.now,
            revision=tapped.revision,
            values=tapped.values,
        )
        card, lang, zone = tapped.card, tapped.lang, tapped.principal.zone or self.zone
        match verdict:
            case NeedsForm() | Invalid() | Refused() | MayEdit():
                return self._not_decided(tapped, verdict)
            case Repeated():
                text = repeated_text(verdict, lang, zone=zone)
                return Told(text, True, Effects(log=(tapped.entry("repeated"),)))
            case Recorded():
                more = _seat(verdict.card.votes[-1].seat)
                effects = Effects(
                    cards=(CardWrite(verdict.card, expect=card.version),),
                    log=(tapped.entry("vote", after=verdict.card, more=more),),
                )
                told = (_recorded(verdict, tapped), self._short(verdict, tapped.lang))
                return Told(" ".join(filter(None, told)), True, effects)
            case Won():
                decision = verdict.decision
                mail = CardDecided(card=card.token, decision=decision).stored()
                entry = tapped.entry("decided", after=verdict.card, more=_seat(decision.seat))
                effects = Effects(
                    cards=(CardWrite(verdict.card, expect=card.version),),
                    mails=((card.lane, mail),),
                    log=(entry,),
                )
                return Told(decided(verdict.card, decision, zone, lang), True, effects)

    def _edit(self, tapped: Tapped) -> Judged:
        card = tapped.card
        verdict = edit(
            card,
            tapped.principal,
            tapped.choice,
            tapped.found.now,
            revision=tapped.revision,
            values=tapped.values,
            approvers=edits.approvers(card, self.people),
        )
        if not isinstance(verdict, Edited):
            return self._not_decided(tapped, verdict)
        more = edits.entry(card, verdict)
        entry = tapped.entry("edited", after=verdict.card, more=more)
        effects = edits.effects(card, verdict, tapped.principal, self.people, entry)
        return Told(edits.answer(card, verdict, tapped.lang), True, effects, tells=True)

    def _not_decided(
        self, tapped: Tapped, verdict: NeedsForm | Invalid | Refused | MayEdit | EditVerdict
    ) -> Judged:
        card, lang, zone = tapped.card, tapped.lang, tapped.principal.zone or self.zone
        match verdict:
            case NeedsForm(choice=choice):
                card = as_read(card, lang, self.people.role_name)
                shown = FormWanted(_form(card, card.choice(choice.id) or choice, lang))
                return Formed(shown, "form", tapped.entry("form"))
            case Invalid(errors=errors):
                entry = tapped.entry("invalid", faults=list(errors))
                return Formed(FormRefused(errors), "invalid", entry)
            case Refused(reason=reason):
                text = refusal_text(verdict, lang, zone=zone)
                effects = _expired(card) if reason == "expired" else Effects()
                after = effects.cards[0].card if effects.cards else None
                entry = tapped.entry(reason, after=after)
                return Told(text, False, replace(effects, log=(entry,)))
            case Unchanged() | MayEdit() | Edited():
                text = say("edit.nothing", lang)
                return Told(text, False, Effects(log=(tapped.entry("unchanged"),)))

    def _short(self, recorded: Recorded, lang: Lang) -> str:
        """That too few are left who may vote, since others lost the role; "" while there are."""
        card = recorded.card
        left = open_seats(card, self.people.holders(card.review.roles))
        waits = card.review.escalate is not None and not card.escalated
        if waits or len(left) >= recorded.votes_needed:
            return ""
        return say("vote.too_few", lang, n=len(left))

    def _counted(self, found: CardNow) -> CardNow:
        return replace(found, card=self.people.counted(found.card, found.now))

    def _today(self, found: CardNow) -> date:
        return found.now.astimezone(ZoneInfo(self.zone)).date()


def _expired(card: Card) -> Effects:
    """The end of a card whose time is over, before its timer has come: the tap does its work.

    A card of a talk turn is left to the timer, for its turn has more to say.
    """
    if not card.run or card.status != "open":
        return Effects()
    after = card.model_copy(update={"status": "expired", "version": card.version + 1})
    mail = CardExpired(card=card.token).stored()
    return Effects(cards=(CardWrite(after, expect=card.version),), mails=((card.lane, mail),))


def _recorded(recorded: Recorded, tapped: Tapped) -> str:
    label = label_in(recorded.card, tapped.choice, tapped.lang)
    return say("vote.needed", tapped.lang, choice=label, needed=recorded.votes_needed)


def _seat(seat: str) -> dict[str, str]:
    return {"for": seat} if seat else {}


def _unclear(tapped: Tapped, name: str, names: list[str]) -> str:
    lang = tapped.lang
    if not names:
        return say("handover.unknown", lang, name=name.strip()[:60])
    return say("handover.ambiguous", lang, names=say("list.items", lang).join(names))


def _whom(card: Card, lang: Lang) -> FormView:
    data = Button(token=card.token, choice=HAND_OVER, revision=card.revision).pack()
    return FormView(
        data=data,
        lang=card.lang,
        title=say("handover.title", card.lang),
        submit=say("choice.hand_over", card.lang),
        cancel=say("form.cancel", lang),
        fields=form(card),
    )


def _form(card: Card, choice: Choice, lang: Lang) -> FormView:
    data = Button(token=card.token, choice=choice.id, revision=card.revision).pack()
    return FormView(
        data=data,
        lang=card.lang,
        title=card.title,
        submit=choice.label,
        cancel=say("form.cancel", lang),
        intro=choice.intro,
        fields=choice.form,
        edits=choice.edits,
    )
