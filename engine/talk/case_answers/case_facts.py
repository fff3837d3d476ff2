"""What is known of a case, thing by thing, each short enough to stand in an answer (Markdown)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cards.clipping import clip
from cards.markdown import format_value, literal
from cards.model import Lang
from cards.texts import say
from cards.visible import visible
from engine.frames.case import CaseRun
from engine.frames.leaves import LabelledValue, value_of, value_rows
from engine.frames.replies import ReplyHead
from engine.playbooks.model import PlaybookFile
from engine.reviews.awaited import awaited_text
from engine.services import Services
from engine.talk.case_answers.file_openings import FileOpening
from engine.talk.mine.cases import KnownCase
from engine.talk.mine.facts import KnownWork, own_paths
from engine.talk.mine.standing import changes_text, standing
from engine.talk.mine.summary import RunSummary, may_see
from engine.understanding.own_work.facts import CaseFact
from engine.understanding.own_work.words import FILE_WORDS

SENTENCE_CHARS = 200
"""A longer sentence is cut."""

TITLE_WORDS, TITLE_CHARS = 4, 12
"""A first sentence of so many words, or Chinese characters, is what the text is called."""

_SENTENCE = re.compile(r"[^.!?。！？\n]*(?:[.!?](?=[^\s]))?[^.!?。！？\n]*[.!?。！？]*")


@dataclass(frozen=True, slots=True)
class CaseSources:
    """A case, its requests that may be told of, the texts of its files, and who asks."""

    case: KnownCase
    requests: Sequence[tuple[CaseRun, RunSummary | None]]
    files: Sequence[FileOpening]
    head: ReplyHead
    services: Services

    @property
    def lang(self) -> Lang:
        """The language of the answer."""
        return self.head.lang

    @property
    def definition(self) -> PlaybookFile:
        """The case's playbook."""
        return self.case.playbook.definition


def case_facts(
    sources: CaseSources, *, with_times: bool, with_values: bool
) -> tuple[CaseFact, ...]:
    """All that is known; decisions have their times, and what waits has its values, if so asked."""
    owners = _owners(sources)
    requests = [
        fact
        for run, summary in sources.requests[::-1]
        for fact in _of_request(run, summary, sources, with_times=with_times)
    ]
    known = {fact.path for fact in requests if fact.kind == "value"}
    values = [f for f in _values(sources, owners) if not (f.is_unknown and f.path in known)]
    every = [*values, *(f for f in requests if f.kind == "value")]
    requests = [_with_words(fact, every) for fact in requests]
    if with_values:
        requests = [_with_values(fact, values, sources.lang) for fact in requests]
    return (*values, *requests, *_sentences(sources), *_file_names(sources))


def _with_words(fact: CaseFact, values: Sequence[CaseFact]) -> CaseFact:
    """A request with the words of what it is about, by which people call it."""
    if fact.kind != "request":
        return fact
    own = [v for v in values if v.owner == fact.owner and v.kind == "value"]
    return replace(fact, values=(*fact.values, *(text for v in own for text in v.values)))


def _with_values(fact: CaseFact, values: Sequence[CaseFact], lang: Lang) -> CaseFact:
    """A request that goes on, with what it asks for."""
    if fact.kind != "request" or fact.end is not None:
        return fact
    own = [v.values[0] for v in values if v.owner == fact.owner and v.kind == "value"]
    told = say("list.items", lang).join(literal(each) for each in own[:3] if len(each) < 40)
    text = say("fit.with", lang, text=fact.text, values=told) if told else fact.text
    return replace(fact, text=text)


def _owners(sources: CaseSources) -> dict[str, CaseRun]:
    """The request that each field belongs to, the newest where several have it."""
    found: dict[str, CaseRun] = {}
    for run, summary in sources.requests:
        if summary is not None:
            work = KnownWork(run.id, sources.case.playbook, summary.run.state, summary)
            found |= dict.fromkeys(own_paths(work), run)
    return found


def _values(sources: CaseSources, owners: dict[str, CaseRun]) -> Iterator[CaseFact]:
    definition, state = sources.definition, sources.case.state
    paths = [*definition.data_fields, *(f"profile.{name}" for name in definition.profile_fields)]
    for path in paths:
        if path in definition.case.own and sources.case.run is None:
            continue
        if fact := _of_value(path, value_of(path, state), sources, owners.get(path)):
            yield replace(fact, is_first=path == paths[0])


def _of_value(
    path: str, value: object, sources: CaseSources, owner: CaseRun | None
) -> CaseFact | None:
    leaf, lang = sources.definition.leaf(path), sources.lang
    if leaf is None:
        return None
    each = LabelledValue(label=leaf.label(lang), value=value, leaf=leaf, path=path)
    names = (*leaf.label.texts, *leaf.cues, *(leaf.hint.texts if leaf.hint else ()))
    if value in (None, "", ()):
        text = say("work.unknown", lang, label=literal(each.label))
        return CaseFact("unknown", text, names, type=leaf.type, path=path)
    rows = value_rows([each], lang)
    said = [say("work.value", lang, label=literal(r.label), value=literal(r.value)) for r in rows]
    told = " ".join(visible(r.value) for r in rows) or format_value(str(value))
    text = say("list.clauses", lang).join(said) or f"**{literal(each.label)}**: {literal(told)}"
    # What was refused is no value that stands.
    stopped = owner is not None and owner.end not in (None, "done")
    if stopped and owner is not None:
        end = say(f"end.{owner.end}", lang)
        text = say("fit.of", lang, value=text, name=literal(owner.name), end=end)
    labels = [t for option, label in leaf.labels.items() if option == value for t in label.texts]
    return CaseFact(
        "value",
        text,
        names,
        values=(told, *labels),
        type=leaf.type,
        path=path,
        owner=owner.id if owner else "",
        end=owner.end if owner else None,
    )


def _of_request(
    run: CaseRun, summary: RunSummary | None, sources: CaseSources, *, with_times: bool
) -> Iterator[CaseFact]:
    """How the request stands, what people decided on it, and what it has by itself."""
    definition, people = sources.definition, sources.services.people
    request = [r for r in definition.requests if r.id == run.request]
    names = (run.name, *(t for r in request for t in (*r.name.texts, *r.examples)))
    phases = definition.phases_of(run.request) if request else ()
    names = (*names, *(text for phase in phases for text in phase.name.texts))
    reason = _reason(run, summary, sources)
    yield CaseFact(
        "request",
        _stands(run, summary, sources, with_times=with_times),
        names,
        values=(reason, *(changes_text(summary, sources.lang) if summary else ())),
        people=_people(run, summary, sources),
        owner=run.id,
        end=run.end,
        has_reason=bool(reason),
    )
    if summary is None or sources.case.run is not None:
        return
    if may_see(summary, sources.head.principal, people):
        for path in definition.case.own:
            value = value_of(path, summary.run.state)
            fact = None if value in (None, "", ()) else _of_value(path, value, sources, run)
            if fact is not None:
                yield fact


def _stands(
    run: CaseRun, summary: RunSummary | None, sources: CaseSources, *, with_times: bool
) -> str:
    """The request in a line: how it ended, by whom and why, or what it waits for."""
    lang, zone = sources.lang, sources.head.principal.zone or sources.services.zone
    if summary is None:
        state = say(f"end.{run.end}", lang) if run.end else say("state.running", lang)
        told = " · ".join(filter(None, (state, _reason(run, summary, sources))))
    else:
        told = standing(summary, lang, zone, sources.services.people, with_times=with_times)
    return say("fit.request", lang, title=literal(run.name), state=told)


def _reason(run: CaseRun, summary: RunSummary | None, sources: CaseSources) -> str:
    if summary is not None and summary.reason:
        return " ".join(summary.reason.split())
    if run.reason:
        return " ".join(run.reason.split())
    reasons = [
        f"{d.name}: {d.reason}"
        for d in sources.case.document.decided
        if d.run == run.id and d.reason
    ]
    return literal(reasons[-1]) if reasons else ""


def _people(run: CaseRun, summary: RunSummary | None, sources: CaseSources) -> tuple[str, ...]:
    """Who decided on it, voted, or is awaited."""
    if summary is None:
        return tuple(d.name for d in sources.case.document.decided if d.run == run.id)
    people, lang = sources.services.people, sources.lang
    decided = [card.decision.name for card in summary.cards if card.decision]
    voted = [vote.name for card in summary.cards for vote in card.votes]
    awaited = [awaited_text(card, people, lang) for card in summary.open_cards]
    return (*decided, *voted, *awaited)


def _sentences(sources: CaseSources) -> Iterator[CaseFact]:
    """What the files say, sentence by sentence; a short one at the top names the text."""
    for file in sources.files:
        places = [(p, m.start()) for m in _SENTENCE.finditer(file.begins) if (p := m[0].strip())]
        parts = [part for part, _ in places]
        title = parts[:1] if len(parts) > 1 and _is_title(parts[0]) else []
        for number, (part, start) in enumerate(places):
            said, name = literal(clip(part, SENTENCE_CHARS)), literal(file.name)
            text = say("fit.says", sources.lang, name=name, text=said)
            if file.at:
                at = file.at + start
                text = say("fit.says_at", sources.lang, name=name, at=at, text=said)
            is_title = bool(title) and number == 0
            names = (file.name, *(() if is_title else title))
            yield CaseFact("sentence", text, names, values=(part,), is_first=is_title)


def _is_title(sentence: str) -> bool:
    """Whether a first sentence is only what the text is called."""
    size = len(sentence.split())
    return size <= TITLE_WORDS if sentence.isascii() else len(sentence) <= TITLE_CHARS


def _title(text: str) -> str:
    """The first sentence of a text, without its stop."""
    first = _SENTENCE.match(text)
    return first[0].strip(" .。") if first else ""


def _file_names(sources: CaseSources) -> Iterator[CaseFact]:
    if files := sources.case.document.files[::-1]:
        titles = {f.name: t for f in sources.files if _is_title(t := _title(f.begins))}
        told = [f"{n} ({titles[n]})" if titles.get(n) else n for n in files[:5]]
        names = say("list.items", sources.lang).join(map(literal, told))
        label = say("case.files", sources.lang, names=names)
        yield CaseFact("files", label, FILE_WORDS, values=files)
