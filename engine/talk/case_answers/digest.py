"""What a case has, as people read it: its values, how its requests stand, its files (Markdown)."""

from collections.abc import Sequence
from dataclasses import dataclass

from cards.clipping import without_stop
from cards.markdown import format_value, literal
from cards.model import Lang
from cards.moments import local_time
from cards.showing.show import describe_decision
from cards.texts import say
from engine.frames.case import CaseRun
from engine.frames.leaves import LabelledValue, value_of, value_rows, value_tables
from engine.frames.replies import ReplyHead
from engine.playbooks.model import PlaybookFile
from engine.services import Services
from engine.talk.mine.cases import KnownCase
from engine.talk.mine.summary import RunSummary, is_own, may_see, state_text
from engine.text.entities import fold
from engine.text.search_words import words as words_of
from engine.understanding.own_work.kinds import wanted_types
from engine.understanding.own_work.reading import pointing_words

MOST_VALUES = 30
MOST_ALONE = 6
"""So many values stand in lines of their own where none fits the question."""

MOST_REQUESTS = 5
MOST_FILES = 10


@dataclass(frozen=True, slots=True)
class CaseDigest:
    """A case, its newest requests by id, and the question that is to be answered from it.

    `named` are the fields that the question names.
    """

    case: KnownCase
    requests: tuple[tuple[CaseRun, RunSummary | None], ...]
    question: str
    named: tuple[str, ...] = ()

    def value_texts(self, lang: Lang) -> list[str]:
        """The values by their labels, those that fit the question by themselves and first.

        The others stand in one paragraph; what is not known so far comes last.
        """
        definition = self.case.playbook.definition
        labelled = [each for each in _labelled(self.case, lang) if not _is_own(each, definition)]
        known = [each for each in labelled if each.value not in (None, "", ())]
        known.sort(key=self._fit, reverse=True)
        shown, more = known[:MOST_VALUES], [each.label for each in known[MOST_VALUES:]]
        fitting = [each for each in shown if self._fit(each)] or shown[:MOST_ALONE]
        beside = [each for each in shown if each not in fitting]
        title = say("case.known", lang, name=literal(self.case.title(lang)))
        lines = _value_lines(fitting, lang)
        others = say("list.clauses", lang).join(_value_lines(beside, lang))
        return [
            "\n".join((title, "", *(f"- {line}" for line in lines))) if lines else "",
            *value_tables(fitting, lang),
            *([say("case.besides", lang, values=others)] if others else ()),
            *value_tables(beside, lang),
            *([say("case.more", lang, names=join_names(more, lang))] if more else ()),
            *self.unknown_texts(lang),
        ]

    def unknown_texts(self, lang: Lang) -> list[str]:
        """What nobody has said so far, what the question names first."""
        definition = self.case.playbook.definition
        labelled = [each for each in _labelled(self.case, lang) if not _is_own(each, definition)]
        unknown = [each for each in labelled if each.value in (None, "", ())]
        names = [each.label for each in sorted(unknown, key=self._fit, reverse=True)]
        return [say("case.unknown", lang, names=join_names(names, lang))] if names else []

    def _fit(self, each: LabelledValue) -> int:
        """How well a value fits the question: it is named, shares words, is of the kind asked."""
        value = "" if isinstance(each.value, list | tuple) else format_value(each.value)
        shared = {*words_of(pointing_words(self.question))} & {*words_of(f"{each.label} {value}")}
        kind = each.leaf.type if each.leaf else ""
        is_wanted = kind in wanted_types(fold(self.question))
        return 4 * (each.path in self.named) + 2 * len(shared) + is_wanted

    def request_texts(self, head: ReplyHead, services: Services) -> list[str]:
        """How the newest requests stand, who decided what of them and why; how many there are."""
        newest = self.requests[-MOST_REQUESTS:]
        lines = [
            f"- {_request_text(run, summary, self.case, head, services)}" for run, summary in newest
        ]
        left = len(self.requests) - len(newest)
        more = [say("case.older", head.lang, n=left)] if left else []
        return ["\n".join(lines), *more]

    def file_texts(self, lang: Lang) -> list[str]:
        """The names of the files, the newest first."""
        files = self.case.document.files[::-1]
        if not files:
            return []
        texts = [say("case.files", lang, names=join_names(files[:MOST_FILES], lang))]
        left = len(files) - MOST_FILES
        return [*texts, say("case.more_files", lang, n=left)] if left > 0 else texts


def join_names(names: Sequence[str], lang: Lang) -> str:
    """Names one after the other, as Markdown."""
    return say("list.items", lang).join(map(literal, names))


def _value_lines(values: Sequence[LabelledValue], lang: Lang) -> list[str]:
    return [
        say("work.value", lang, label=literal(row.label), value=literal(row.value))
        for row in value_rows(values, lang)
    ]


def _labelled(case: KnownCase, lang: Lang) -> list[LabelledValue]:
    """Every field of the case's playbook, with its value."""
    definition, state = case.playbook.definition, case.state
    paths = [*definition.data_fields, *(f"profile.{name}" for name in definition.profile_fields)]
    return [
        LabelledValue(label=leaf.label(lang), value=value_of(path, state), leaf=leaf, path=path)
        for path in paths
        if (leaf := definition.leaf(path)) is not None
    ]


def _is_own(each: LabelledValue, definition: PlaybookFile) -> bool:
    """Whether each request has a value of its own there."""
    return each.path in definition.case.own


def _request_text(
    run: CaseRun,
    summary: RunSummary | None,
    case: KnownCase,
    head: ReplyHead,
    services: Services,
) -> str:
    """How a request stands or ended, what it kept to itself, and who decided what of it and why."""
    lang, zone = head.lang, head.principal.zone or services.zone
    if summary is None:
        state = say(f"end.{run.end}", lang) if run.end else say("state.running", lang)
        if why := run.reason or _told_reason(case, run):
            state = f"{state} · {' '.join(why.split())}"
    else:
        state = state_text(summary, lang, zone, services.people)
    # Who asks knows what they asked for themselves.
    is_theirs = summary is not None and is_own(summary, head.principal, services.people)
    text = say(
        "case.stands" if is_theirs else "work.stands",
        lang,
        title=literal(run.name),
        who=literal(run.requester_name or run.requester),
        when=local_time(run.started_at, zone),
        state=without_stop(state),
    )
    if summary is None:
        return text
    lines = _decisions(summary, head, zone)
    if may_see(summary, head.principal, services.people):
        lines = [*_own_lines(case.playbook.definition, summary, lang), *lines]
    return "\n".join((text, *(f"  - {line}" for line in lines)))


def _told_reason(case: KnownCase, run: CaseRun) -> str:
    """Why somebody decided as they did, as the case keeps it."""
    reasons = [
        f"{d.name}: {d.reason}" for d in case.document.decided if d.run == run.id and d.reason
    ]
    return literal(reasons[-1]) if reasons else ""


def _own_lines(definition: PlaybookFile, summary: RunSummary, lang: Lang) -> list[str]:
    """What the request has that it does not share with its case."""
    own = [
        LabelledValue(label=leaf.label(lang), value=value, leaf=leaf, path=path)
        for path in definition.case.own
        if (leaf := definition.leaf(path)) is not None
        and (value := value_of(path, summary.run.state)) not in (None, "", ())
    ]
    return [
        say("work.value", lang, label=literal(row.label), value=literal(row.value))
        for row in value_rows(own, lang)
    ]


def _decisions(summary: RunSummary, head: ReplyHead, zone: str) -> list[str]:
    """What people decided on its cards, but for the decision that its end tells of."""
    decided = sorted(
        (card.decision.at, number, card)
        for number, card in enumerate(summary.cards)
        if card.decision and card.kind in ("confirm", "select")
    )
    told = summary.verdict if summary.end else None
    return [
        f"{literal(card.title)}: {literal(describe_decision(card, card.decision, zone, head.lang))}"
        for _, _, card in decided
        if card.decision and card is not told
    ]
