"""`/why`: how a person's last message in a conversation was read, told to them alone."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from string import ascii_letters

from pydantic import ValidationError

from cards.clipping import clip
from cards.markdown import format_value, literal
from cards.model import Lang, Principal
from cards.showing.view import NOT_DONE
from cards.texts import say
from engine.frames.intents import Candidate, Intent
from engine.frames.replies import Part, ReplyHead, read_parts
from engine.mail import CommandArrived, MessageArrived, parse_mail
from engine.services import Services
from engine.talk.taken_values import read_values
from engine.talk.turn.choice_cards import CHOSEN
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.router.llm import BY_MODEL

WORDS_CHARS = 300
_QUIET = ("politeness", "about", "reason")


async def why_text(mail: CommandArrived, last: str, lang: Lang, services: Services) -> str:
    """How the last message of whoever asks was read, or that it waits to be (Markdown).

    `last` is the reply to the last one that was handled, "" for none.
    """
    waits = await _waiting_of(mail, services)
    if waits is None or waits.reply == last:
        return await _answered(last, mail.principal, lang, services)
    said = _quoted(waits.text) or say("why.files", lang)
    told = say("why.waits", lang, said=said, n=waits.before)
    marks = _marks(waits.text)
    lines = [f"- {say(f'why.mark.{role}', lang, words=_quoted(words))}" for role, words in marks]
    return "\n".join((told, "", *lines)) if lines else told


@dataclass(frozen=True, slots=True)
class _WaitingMessage:
    """A message that is not handled yet, the id of its reply, and how much mail is before it."""

    text: str
    reply: str
    before: int


async def _waiting_of(mail: CommandArrived, services: Services) -> _WaitingMessage | None:
    """The newest message of whoever asks that the conversation has not handled."""
    conversation = mail.update.conversation
    own: list[tuple[int, MessageArrived]] = []
    for place, text in enumerate(await services.waiting(f"talk:{conversation}")):
        with suppress(ValidationError):  # of another version
            each = parse_mail(text)
            if isinstance(each, MessageArrived) and each.principal.id in mail.principal.ids:
                own.append((place, each))
    if not own:
        return None
    place, newest = own[-1]
    reply = services.derived_id(conversation, "reply", newest.update.id)
    return _WaitingMessage(newest.update.text, reply, place)


async def _answered(reply: str, person: Principal, lang: Lang, services: Services) -> str:
    """What became of the message that this reply answers, part by part.

    Nothing is read anew, and nobody but who wrote it is told: in their language, else in the one
    in which it was answered.
    """
    stored = await services.decisions.reply(reply) if reply else None
    if stored is None:
        return say("why.none", lang)
    head, parts = ReplyHead.model_validate_json(stored[0]), read_parts(stored[1])
    if head.principal.id not in person.ids:
        return say("why.none", lang)
    lang = person.lang or head.lang
    reading = _LastReading(head, lang, services, len(parts) > 1)
    said = _quoted(head.text) or say("why.files", lang)
    told = [say("why.message", lang, said=said)]
    return "\n\n".join((*told, *[await reading.part_text(part) for part in parts]))


def _quoted(text: str) -> str:
    return literal(clip(" ".join(text.split()), WORDS_CHARS))


@dataclass(frozen=True, slots=True)
class _LastReading:
    """Tells of the parts of a message; `numbered` when there are several."""

    head: ReplyHead
    lang: Lang
    services: Services
    numbered: bool

    async def part_text(self, part: Part) -> str:
        """What the part was taken for, and below it a line for each thing that went with it."""
        taken, words = await self._taken(part.intent), _quoted(part.intent.text)
        words = words or say("why.files", self.lang)
        said = say("why.part", self.lang, n=part.index + 1, words=words, taken=taken)
        head = said if self.numbered else say("why.whole", self.lang, taken=taken)
        values = await read_values(part, self.head, self.lang, self.services)
        lines = [*self._held(part), *values, *self._state(part)]
        return "\n".join((head, "", *(f"- {line}" for line in lines))) if lines else head

    async def _taken(self, intent: Intent) -> str:
        if intent.card:
            found = await self.services.decisions.card(intent.card)
            title = literal(found.card.title) if found else ""
            return say(
                "why.taken.card" if title else "why.taken.closed_card", self.lang, title=title
            )
        if intent.note == "not_possible":
            return say("why.taken.not_possible", self.lang)
        match intent.kind:
            case "workflow":
                name = self._work_name(intent.playbook, intent.request)
                return (
                    say("why.taken.request", self.lang, name=name)
                    if name
                    else say("why.gone_work", self.lang)
                )
            case "qa_query":
                return self._question(intent)
            case "smalltalk" if intent.case:
                return say("why.taken.files", self.lang)
            case "smalltalk":
                return say("why.taken.talk", self.lang)
            case _:
                held_off = not intent.candidates and "off" in dict(_marks(intent.text))
                return say("why.taken.held_off" if held_off else "why.taken.unclear", self.lang)

    def _question(self, intent: Intent) -> str:
        if intent.work:
            return say("why.taken.own_work", self.lang)
        if intent.about_run:
            return say("why.taken.about_run", self.lang)
        lookups = [each for each in (intent.lookup, *intent.more) if each]
        given = [
            literal(clip(format_value(value), WORDS_CHARS))
            for each in lookups
            for value in each.arguments.values()
            if isinstance(value, str | int | float) and value != ""
        ]
        if given:
            return say("why.taken.look_up_with", self.lang, values=self._list(dict.fromkeys(given)))
        return say("why.taken.look_up" if lookups else "why.taken.question", self.lang)

    def _work_name(self, playbook: str, request: str) -> str:
        """What people call the request, "" where it is not there any more."""
        services, lang = self.services, self.lang
        found = services.playbooks.get(playbook) or services.elsewhere.get(playbook)
        barred = services.barred.get(f"{playbook}/{request}")
        requests = found.definition.requests if found else ()
        named = barred or next((r for r in requests if r.id == request), None)
        name = named.name(lang) if named else found.definition.name(lang) if found else ""
        return literal(name)

    def _held(self, part: Part) -> Iterator[str]:
        """What the part hangs on, and what held it back or why it was only offered."""
        intent = part.intent
        if intent.condition:
            asked = "why.condition_asked" if part.state == "needs_you" else "why.condition"
            yield say(asked, self.lang, condition=_quoted(intent.condition))
        if intent.depends_on:
            yield say(
                "why.after", self.lang, parts=self._list(str(n + 1) for n in intent.depends_on)
            )
        if intent.why.startswith(CHOSEN):
            yield say("why.chosen", self.lang)
        if intent.why.startswith(BY_MODEL):
            yield say("why.by_model", self.lang)
        if intent.note not in ("", "not_possible"):
            yield say(f"choose.note.{intent.note}", self.lang)
        if intent.kind == "unclear" and not intent.told:
            yield from self._unsure(intent)

    def _unsure(self, intent: Intent) -> Iterator[str]:
        by_rules = not intent.why.startswith(BY_MODEL)
        marks = [*_marks(intent.text)] if by_rules else []
        yield from (
            say(f"why.mark.{role}", self.lang, words=_quoted(words)) for role, words in marks
        )
        if intent.candidates:
            names = dict.fromkeys(map(self._candidate, intent.candidates))
            yield say("why.offered", self.lang, names=self._list(names))
        elif not marks and not intent.note and by_rules:
            yield say("why.no_near", self.lang)

    def _candidate(self, candidate: Candidate) -> str:
        match candidate.kind:
            case "workflow":
                name = self._work_name(candidate.playbook, candidate.request)
                return name or say("why.gone_work", self.lang)
            case "case_file":
                return say("why.taken.case_file", self.lang, name=literal(candidate.name))
            case "qa_query":
                told = literal(candidate.name)
                return f"“{told}”" if told else say("why.taken.question", self.lang)

    def _state(self, part: Part) -> Iterator[str]:
        """How far it is; of work that was not begun, what was said of it."""
        state = say(f"terminal.state.{part.state}", self.lang)
        yield say("why.state", self.lang, state=state)
        if part.state in NOT_DONE and part.intent.kind == "workflow" and not part.run:
            yield " ".join(part.text.split())

    def _list(self, texts: Sequence[str] | Iterator[str] | dict[str, None]) -> str:
        return say("list.items", self.lang).join(texts)


def _marks(text: str) -> Iterator[tuple[str, str]]:
    """What holds back in the text, with whole words, each of it once."""
    for role, part in dict.fromkeys(GRAMMAR.parts(text)):
        if role not in _QUIET:
            before = text[: text.find(part)]
            yield role, f"{before[len(before.rstrip(ascii_letters)) :]}{part}"
