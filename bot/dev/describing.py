"""An account of a message as lines that people read, in a terminal and on the page alike."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, assert_never, get_args

from bot.dev.account import (
    AccountEvent,
    AnswerGiven,
    AskedPerson,
    CallMade,
    CardAsked,
    MessageAccount,
    ModelAsked,
    NodeReached,
    PartAccount,
    RunEnded,
    StepMade,
    TakenValue,
    ValuesTaken,
    WordsUnused,
)
from bot.operate.audit import describe_result
from cards.model import CardKind, Lang
from cards.texts import say
from engine.frames.outcome import NodeResult
from engine.playbooks.end_kinds import RunEnd
from engine.sop.ends import MODEL, RULES, SIGNOFF
from engine.understanding.router.chain import STRATEGIES

Tone = Literal["plain", "head", "good", "bad", "warn", "soft"]
LineLabel = Literal[
    "read",
    "by",
    "why",
    "names",
    "may",
    "if",
    "after",
    "state",
    "values",
    "unused",
    "call",
    "model",
    "node",
    "card",
    "answer",
    "step",
    "end",
    "cut",
]
_GOOD: Final = frozenset({"done", "passed", "approved", "checked", "answered"})
_JUDGES: Final = frozenset({RULES, MODEL, SIGNOFF})
_STRATEGIES: Final = frozenset({"files", *(name for name, _ in STRATEGIES)})
_BAD: Final = frozenset({"failed", "rejected", "refused", "error", "expired", "blocked"})


@dataclass(frozen=True, slots=True)
class AccountLine:
    """A line: what it is about in a word, and what is said; a `head` begins a part of a message."""

    label: str
    text: str
    tone: Tone = "plain"


def describe(account: MessageAccount, lang: Lang) -> list[AccountLine]:
    """What was made of the message, in order: each part after a line of its own."""
    lines = list(_describe_message(account, lang))
    for part in account.parts:
        if len(account.parts) > 1:
            lines.append(AccountLine(str(part.number), part.text, "head"))
        lines += _describe_part(part, lang)
    return lines


def _describe_message(account: MessageAccount, lang: Lang) -> Iterator[AccountLine]:
    if account.strategy:
        decided = next(each for each in account.verdicts if each.sure)
        by = _strategy_name(account.strategy, lang)
        # What rules and examples saw stands with each part.
        why = f": {decided.why}" if account.strategy == "model" else ""
        yield _line("by", f"{by}{why}", lang)
    if account.named:
        yield from (_line("names", _value_text(each, "", lang), lang) for each in account.named)


def _describe_part(part: PartAccount, lang: Lang) -> Iterator[AccountLine]:
    kind, confidence = say(f"dev.kind.{part.kind}", lang), f"{part.confidence:.2f}"
    key = "dev.read" if part.sure else "dev.unsure"
    what = " ".join(filter(None, (kind, part.target)))
    read = say(key, lang, what=what, confidence=confidence)
    yield _line("read", read, lang, "plain" if part.sure else "warn")
    if part.why:
        yield _line("why", part.why, lang, "soft")
    if part.may_mean:
        yield _line("may", say("list.items", lang).join(part.may_mean), lang)
    if part.is_open:
        yield _line("call", say("dev.no_lookup", lang), lang, "warn")
    if part.condition:
        yield _line("if", part.condition, lang)
    if part.after:
        after = say("list.items", lang).join(say("dev.part", lang, n=n) for n in part.after)
        yield _line("after", after, lang)
    for event in part.events:
        yield from _describe_event(event, lang)
    if part.cut:
        yield _line("cut", say("dev.cut", lang, n=part.cut, run=part.run), lang, "soft")
    if not part.run:
        state = say(f"terminal.state.{part.state}", lang)
        yield _line("state", state, lang, _tone(part.state))


def _describe_event(event: AccountEvent, lang: Lang) -> Iterator[AccountLine]:
    match event:
        case ValuesTaken(values=values, by=by):
            yield from (_line("values", _value_text(each, by, lang), lang) for each in values)
        case WordsUnused(words=words):
            yield _line("unused", f"“{words}”", lang, "warn")
        case CallMade():
            yield _line("call", _call_text(event, lang), lang, "bad" if event.fault else "plain")
        case ModelAsked():
            yield _line("model", _model_text(event, lang), lang, "bad" if event.fault else "plain")
        case NodeReached(result=result):
            yield _line("node", _node_text(event, lang), lang, _tone(result))
        case CardAsked():
            yield _line("card", _card_text(event, lang), lang, "warn")
        case AnswerGiven(by=by, choice=choice, result=result):
            told = describe_result({"result": result}, lang)
            yield _line("answer", say("dev.answer", lang, by=by, choice=choice, result=told), lang)
        case StepMade(why=why):
            yield _line("step", why, lang, "soft")
        case RunEnded(end=end, why=why):
            told = say(f"end.{end}", lang) if end in get_args(RunEnd) else end
            yield _line("end", f"{told} · {why}" if why else told, lang, _tone(end))
        case _:
            assert_never(event)


def _value_text(value: TakenValue, by: str, lang: Lang) -> str:
    what = " ".join(filter(None, (value.path, value.value)))
    if value.words:
        return say("dev.from_words", lang, what=what, words=value.words)
    return say("dev.from_person", lang, what=what, by=by)


def _call_text(call: CallMade, lang: Lang) -> str:
    facts = [say("dev.rehearsed", lang)] if call.rehearsed else []
    if call.fault:
        facts.append(say("dev.fault", lang, fault=call.fault))
    elif call.rows is not None and not call.rehearsed:
        one = call.rows == 1
        facts.append(say("dev.row", lang) if one else say("dev.rows", lang, n=call.rows))
    facts += _took(call.seconds, lang)
    given = "" if call.arguments in ("", "{}") else f" {call.arguments}"
    return " · ".join((f"{call.tool}{given}", *facts))


def _model_text(asked: ModelAsked, lang: Lang) -> str:
    facts = [say("dev.fault", lang, fault=asked.fault)] if asked.fault else []
    facts += [say("dev.tokens", lang, n=asked.tokens)] if asked.tokens else []
    return " · ".join(filter(None, (asked.model, *facts, *_took(asked.seconds, lang))))


def _node_text(node: NodeReached, lang: Lang) -> str:
    known = node.result in get_args(NodeResult)
    result = say(f"dev.result.{node.result}", lang) if known else node.result
    by = say(f"dev.judge.{node.by}", lang) if node.by in _JUDGES else node.by
    text = say("dev.node", lang, node=node.node, result=result, by=by)
    counted = say("dev.rule", lang) if node.rules == 1 else say("dev.rules", lang, n=node.rules)
    facts = [counted] if node.rules else []
    if node.broken:
        fields = say("list.items", lang).join(node.broken)
        facts.append(say("dev.broken", lang, fields=fields))
    facts += [say("dev.goes_to", lang, next=node.next)] if node.next else []
    return " · ".join((text, *facts))


def _card_text(card: CardAsked, lang: Lang) -> str:
    is_known = card.card_kind in get_args(CardKind)
    kind = say(f"terminal.kind.{card.card_kind}", lang) if is_known else card.card_kind
    if not card.to:
        return say("dev.to_nobody", lang, kind=kind)
    to = say("list.items", lang).join(_name(person, lang) for person in card.to)
    text = say("dev.to", lang, kind=kind, to=to)
    why = say("dev.own", lang) if card.is_own else card.why
    facts = [say("dev.why_asked", lang, why=why)]
    facts += [say("dev.votes", lang, n=card.votes)] if card.votes > 1 else []
    return " · ".join((text, *facts))


def _name(person: AskedPerson, lang: Lang) -> str:
    if not person.delegate:
        return person.name
    return say("dev.stands_in", lang, name=person.name, delegate=person.delegate)


def _took(seconds: float | None, lang: Lang) -> list[str]:
    return [] if seconds is None else [say("dev.took", lang, ms=round(seconds * 1000))]


def _strategy_name(strategy: str, lang: Lang) -> str:
    # Another version of us may have written it.
    return say(f"dev.strategy.{strategy}", lang) if strategy in _STRATEGIES else strategy


def _tone(result: str) -> Tone:
    return "good" if result in _GOOD else "bad" if result in _BAD else "plain"


def _line(label: LineLabel, text: str, lang: Lang, tone: Tone = "plain") -> AccountLine:
    return AccountLine(say(f"dev.label.{label}", lang), text, tone)
