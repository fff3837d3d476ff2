"""What a tap on a card comes to: a decision, a vote, an edit, a hand-over, or why not (§7)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.people.directory import Directory
from bot.serve.intake import edits
from bot.serve.intake.delegation import named
from bot.serve.intake.tapped import Tap, Tapped
from cards.buttons import Button
from cards.deciding.decision import Invalid, MayEdit, NeedsForm, Recorded, Refused, Repeated, Won
from cards.deciding.handover import HAND_OVER, WHOM, Handed, NotHanded, form, hand_over
from cards.deciding.lapsed import open_seats
from cards.deciding.texts import refusal_text, repeated_text
from cards.editing.editing import Edited, Unchanged
from cards.model import Card, Choice, Lang, Principal
from cards.reader import as_read, label_in
from cards.showing.show import ask_first, decided, is_final
from cards.showing.view import FormView
from cards.texts import say
from engine.events import CardTapped, ConfirmWanted, FormRefused, FormWanted
from engine.frames import audit
from engine.ports.storage.store import CardNow, Effects
from engine.reviews.card_judge import CardAnswer, CardJudge, Judgement

# Chosen from a platform's list of its users: people do not know it as a name.
_ACCOUNT = re.compile(r"[a-z]+:[A-Za-z0-9:]+")


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
    """What is asked first: nothing is decided; `entry` is for the log, under the name `what`."""

    shown: FormWanted | ConfirmWanted | FormRefused
    what: str
    entry: audit.Entry


Judged = Told | Formed


@dataclass(frozen=True, slots=True)
class Tapping:
    """Judges taps on a card as it was read; writes nothing itself. `zone` is for times shown."""

    people: Directory
    zone: str

    @property
    def _cards(self) -> CardJudge:
        return CardJudge(self.people, self.zone)

    def judge(self, update: Tap, found: CardNow, button: Button, principal: Principal) -> Judged:
        """What the tap comes to for this person, who may stand in for others."""
        if button.choice == HAND_OVER:
            tapped = self._tapped(update, found, principal, button)
            name = None if tapped.values is None else tapped.values.get(WHOM, "")
            return self.hand_over(tapped, name)
        values = Tapped.on(update, found, principal, button).values
        answer = CardAnswer(button.choice, button.revision, values)
        judged = self._cards.judge(found, principal, answer)
        found = replace(found, card=judged.card)
        return self._told(Tapped.on(update, found, judged.person, button), judged)

    def given(self, update: Tap, found: CardNow, giver: Principal, name: str) -> Judged:
        """A seat given by a command instead of the card's button."""
        button = Button(token=found.card.token, choice=HAND_OVER, revision=found.card.revision)
        return self.hand_over(self._tapped(update, found, giver, button), name)

    def _tapped(self, update: Tap, found: CardNow, principal: Principal, button: Button) -> Tapped:
        today, principal = self._cards.as_today(found, principal)
        return Tapped.on(update, today, principal, button)

    def hand_over(self, tapped: Tapped, name: str | None) -> Judged:
        """The giver's seat goes to whom the name means; without a name, the form asks for one."""
        card, giver, found = tapped.card, tapped.principal, tapped.found
        if refused := self._cards.may_give(found, giver):
            text = say(f"handover.{refused.reason}", tapped.lang)
            return Told(text, False, Effects(log=(tapped.entry(refused.reason),)))
        if name is None:
            return self._ask_whom(tapped)
        meant = named(self.people.about(card.conversation), name)
        if len(meant) != 1:
            return self._whom_again(tapped, _unclear(tapped, name, [each.name for each in meant]))
        verdict, effects = self._cards.give(found, giver, meant[0])
        if isinstance(verdict, NotHanded):
            return self._whom_again(tapped, say(f"handover.{verdict.reason}", tapped.lang))
        more = {"to": verdict.given.to}
        entry = tapped.entry("handed_over", after=verdict.card, more=more)
        text = say("handover.done", tapped.lang, to=verdict.given.to_name)
        return Told(text, True, replace(effects, log=(entry,)))

    def _ask_whom(self, tapped: Tapped) -> Judged:
        card, giver, now = tapped.card, tapped.principal, tapped.found.now
        everybody = self.people.about(card.conversation).everybody
        able = [each for each in everybody if isinstance(hand_over(card, giver, each, now), Handed)]
        card = as_read(card, tapped.lang, self.people.role_name)
        shown = FormWanted(_whom(card, tapped.lang, [each.name for each in able]))
        return Formed(shown, "form", tapped.entry("form"))

    def _whom_again(self, tapped: Tapped, why: str) -> Judged:
        entry = tapped.entry("invalid", faults=[WHOM])
        return Formed(FormRefused({WHOM: why}), "invalid", entry)

    def _told(self, tapped: Tapped, judged: Judgement) -> Judged:
        """What the tapper is told of it, and what the log is."""
        verdict, lang = judged.verdict, tapped.lang
        zone = tapped.principal.zone or self.zone
        if isinstance(verdict, Recorded | Won) and (choice := _unasked(tapped)):
            read = as_read(tapped.card, lang, self.people.role_name)
            asked = ask_first(read, read.choice(choice.id) or choice, lang)
            return Formed(ConfirmWanted(asked), "confirm", tapped.entry("confirm"))
        match verdict:
            case Recorded():
                more = _seat(verdict.card.votes[-1].seat)
                entry = tapped.entry("vote", after=verdict.card, more=more)
                told = (_recorded(verdict, tapped), self._short(verdict, lang))
                text = " ".join(filter(None, told))
                return Told(text, True, replace(judged.effects, log=(entry,)))
            case Won(decision=decision):
                entry = tapped.entry("decided", after=verdict.card, more=_seat(decision.seat))
                text = decided(verdict.card, decision, zone, lang)
                return Told(text, True, replace(judged.effects, log=(entry,)))
            case Edited():
                entry = tapped.entry(
                    "edited", after=verdict.card, more=edits.entry(tapped.card, verdict)
                )
                posts = edits.votes_lost(tapped.card, verdict, tapped.principal, self.people)
                text = edits.answer(tapped.card, verdict, lang)
                effects = replace(judged.effects, posts=posts, log=(entry,))
                return Told(text, True, effects, tells=True)
            case _:
                return self._not_decided(tapped, verdict, judged.effects)

    def _not_decided(
        self,
        tapped: Tapped,
        verdict: NeedsForm | Invalid | Refused | Repeated | MayEdit | Unchanged,
        effects: Effects,
    ) -> Judged:
        card, lang, zone = tapped.card, tapped.lang, tapped.principal.zone or self.zone
        match verdict:
            case Repeated():
                text = repeated_text(verdict, lang, zone=zone)
                return Told(text, True, Effects(log=(tapped.entry("repeated"),)))
            case NeedsForm(choice=choice):
                card = as_read(card, lang, self.people.role_name)
                shown = FormWanted(_form(card, card.choice(choice.id) or choice, lang))
                return Formed(shown, "form", tapped.entry("form"))
            case Invalid(errors=errors):
                entry = tapped.entry("invalid", faults=list(errors))
                return Formed(FormRefused(errors), "invalid", entry)
            case Refused(reason=reason):
                text = refusal_text(verdict, lang, zone=zone)
                after = effects.cards[0].card if effects.cards else None
                entry = tapped.entry(reason, after=after)
                return Told(text, False, replace(effects, log=(entry,)))
            case Unchanged() | MayEdit():
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


def _unasked(tapped: Tapped) -> Choice | None:
    """The choice, where the person has not been asked yet whether they are sure of it."""
    choice, update = tapped.card.choice(tapped.choice), tapped.update
    asks = isinstance(update, CardTapped) and not update.confirmed
    return choice if asks and choice and is_final(tapped.card, choice) else None


def _recorded(recorded: Recorded, tapped: Tapped) -> str:
    label = label_in(recorded.card, tapped.choice, tapped.lang)
    return say("vote.needed", tapped.lang, choice=label, needed=recorded.votes_needed)


def _seat(seat: str) -> dict[str, str]:
    return {"for": seat} if seat else {}


def _unclear(tapped: Tapped, name: str, names: list[str]) -> str:
    lang = tapped.lang
    if not names and _ACCOUNT.fullmatch(name):
        return say("handover.stranger", lang)
    if not names:
        return say("handover.unknown", lang, name=name.strip()[:60])
    return say("handover.ambiguous", lang, names=say("list.items", lang).join(names))


def _whom(card: Card, lang: Lang, names: Sequence[str]) -> FormView:
    data = Button(token=card.token, choice=HAND_OVER, revision=card.revision).pack()
    return FormView(
        data=data,
        lang=card.lang,
        title=say("handover.title", card.lang),
        submit=say("choice.hand_over", card.lang),
        cancel=say("form.cancel", lang),
        fields=form(card, names),
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
