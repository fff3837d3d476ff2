"""A question that nothing else answers, in a conversation with a case: what is known of that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cards.texts import say
from engine.errors import ToolError
from engine.frames.case import CaseRun
from engine.frames.intents import WorkQuestion
from engine.frames.replies import ReplyHead
from engine.services import Services
from engine.talk.case_answers.brief import likely_texts, sure_texts
from engine.talk.case_answers.case_facts import CaseSources, case_facts
from engine.talk.case_answers.digest import MOST_REQUESTS, CaseDigest, join_names
from engine.talk.case_answers.file_openings import FileOpening, read_openings
from engine.talk.mine.cases import (
    CasesHere,
    KnownCase,
    cases_here,
    requests_here,
    with_case_files,
)
from engine.talk.mine.facts import work_loader
from engine.talk.mine.summary import RunSummary, read_summaries
from engine.text.entities import fold
from engine.text.search_words import query_words
from engine.tools.files.file_search import FILE_SEARCH
from engine.tools.knowledge.memory_search import MEMORY_SEARCH
from engine.tools.model import Tool, ToolContext
from engine.understanding.own_work.asked import AskedFor, read_asked
from engine.understanding.own_work.bearing import (
    asks_for_all,
    asks_for_rule,
    asks_how_it_stands,
    asks_when_decided,
    may_be_about,
    points_at,
)
from engine.understanding.own_work.fitting import best_fits
from engine.understanding.own_work.reading import WorkReader, pointing_words

MOST_WORDS = 4
"""So many words are looked for one by one, where no file has them together."""

MOST_PASSAGES = 5
"""So many passages of longer files are looked at."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question, the case that it is about, how its files begin, and what tools are given.

    `told` is the share of its words that an answer or a section of a document has.
    """

    question: str
    case: KnownCase
    files: Sequence[FileOpening]
    context: ToolContext
    told: float = 0.0


async def answer_from_case(
    question: str,
    near: WorkQuestion | None,
    reader: WorkReader,
    head: ReplyHead,
    services: Services,
    *,
    told: float = 0.0,
) -> str:
    """What is known that may answer it, or that nothing does (Markdown).

    "" without a case, and for what is surely about something else. `near` is what of the person's
    own requests the question might be about, `told` the share of its words that a text has.
    """
    here = await cases_here(head, services)
    if here.unknown and not here.cases:
        return say("case.nothing", head.lang, names=join_names(here.unknown, head.lang))
    if not here.cases:
        begun = await requests_here(head, services)
        # Of a form that nobody has filled in there is nothing to tell.
        here = CasesHere(tuple(c for c in begun if c.state.data or c.document.files))
    is_other = near is not None and near.keys and not here.knows(near.keys)
    if is_other or not here.cases:
        return ""
    context = services.tool_context(head.conversation, head.principal)
    context = with_case_files(context, here, head, services)
    files = {case.id: await read_openings(case, context, services) for case in here.cases}
    openings = tuple(opening for found in files.values() for opening in found)
    if not _is_named(here, head) and not _may_answer(question, here, reader, openings):
        return ""
    case, *others = _ranked(here.cases, question, reader)
    asked = _Asked(question, case, files[case.id], context, told)
    texts = await _told(asked, reader, head, services)
    if others and texts:
        names = join_names([each.title(head.lang) for each in others], head.lang)
        texts.append(say("case.others", head.lang, names=names))
    return "\n\n".join(filter(None, texts))


async def tell_case(head: ReplyHead, services: Services) -> str:
    """All that the conversation's case has (Markdown), where the person may see it; "" for none.

    It is the one that the text names, or was last asked about.
    """
    here = await cases_here(head, services)
    if here.unknown and not here.cases:
        return say("case.nothing", head.lang, names=join_names(here.unknown, head.lang))
    cases = here.cases or await requests_here(head, services)
    if not cases:
        return ""
    reader = await work_loader(head, services)()
    context = services.tool_context(head.conversation, head.principal)
    context = with_case_files(context, CasesHere(tuple(cases)), head, services)
    case, *others = _ranked(cases, head.text, reader)
    files = await read_openings(case, context, services)
    asked = _Asked(head.text, case, files, context)
    texts = await _digest_texts(asked, reader, head, services)
    if others:
        names = join_names([each.title(head.lang) for each in others], head.lang)
        texts.append(say("case.others", head.lang, names=names))
    return "\n\n".join(filter(None, texts))


async def unknown_text(question: str, head: ReplyHead, services: Services) -> str:
    """What nobody has said so far of the conversation's case (Markdown); "" without a case."""
    here = await cases_here(head, services)
    texts = [CaseDigest(case, (), question).unknown_texts(head.lang) for case in here.cases[:1]]
    return "\n\n".join(text for found in texts for text in found)


def _is_named(here: CasesHere, head: ReplyHead) -> bool:
    """Whether the text says which case is meant."""
    named = {entity.id for entity in head.entities}
    return any(case.document.name.key in named for case in here.cases)


def _may_be_apart(asked: _Asked, kinds: AskedFor, head: ReplyHead) -> bool:
    """Whether a question of which the case has no word is about something else.

    Where something was asked for, who asks for a person, a day or a decision may mean that, and so
    may who points at something.
    """
    means_it = bool(kinds.wanted) or points_at(asked.question)
    return not _is_named(CasesHere((asked.case,)), head) and not (means_it and head.runs)


def _names_case(asked: _Asked, head: ReplyHead) -> bool:
    return _is_named(CasesHere((asked.case,)), head)


def _may_answer(
    question: str, here: CasesHere, reader: WorkReader, begun: Sequence[FileOpening]
) -> bool:
    keys = {key for case in here.cases for key in case.keys}
    of_cases = " ".join(each.named for each in reader.subjects if each.key in keys)
    if reader.names_other(fold(question), of_cases):
        return False
    texts = [
        text
        for case in here.cases
        for text in (*map(str, case.document.values.values()), *case.document.files)
    ]
    people = [run.requester_name for case in here.cases for run in case.document.runs]
    people += [each.name for case in here.cases for each in case.document.decided]
    texts += [each.begins for each in begun]
    return may_be_about(question, reader, keys, " ".join((*texts, *people)))


def _ranked(cases: Sequence[KnownCase], question: str, reader: WorkReader) -> tuple[KnownCase, ...]:
    """The cases, those first of which the question says most."""
    strength = {link.key: link.strength for link in reader.rank(question) if link.is_named}

    def of(case: KnownCase) -> int:
        return max((strength.get(key, 0) for key in case.keys), default=0)

    return tuple(sorted(cases, key=of, reverse=True))


async def _told(
    asked: _Asked, reader: WorkReader, head: ReplyHead, services: Services
) -> list[str]:
    """The few facts that fit the question best; all of the case for who asks for all."""
    question, case, lang = asked.question, asked.case, head.lang
    if asks_for_all(question):
        return await _digest_texts(asked, reader, head, services)
    requests = await _requests(case, head, services)
    found = await _search(_wanted(question, case, head), asked, services)
    files = (*(each for each in asked.files if each.is_whole or not found), *found)
    sources = CaseSources(case, requests, files, head, services)
    facts = case_facts(
        sources,
        with_times=asks_when_decided(question),
        with_values="open" in read_asked(question).wanted,
    )
    fits = best_fits(_without_case(question, case, head), facts)
    if fits.is_apart and _may_be_apart(asked, fits.asked, head):
        return []
    if fits.is_sure:
        return sure_texts(fits, facts, lang)
    if (asks_for_rule(question) or asked.told > fits.share) and not _names_case(asked, head):
        return []
    return likely_texts(fits, facts, lang)


async def _digest_texts(
    asked: _Asked, reader: WorkReader, head: ReplyHead, services: Services
) -> list[str]:
    """All that the case has, what fits the question first."""
    question, case = asked.question, asked.case
    links = [link for link in reader.rank(question) if link.key in case.keys and link.is_named]
    named = tuple(dict.fromkeys(path for link in links for path in link.paths))
    digest = CaseDigest(case, await _requests(case, head, services), question, named)
    stands, values = digest.request_texts(head, services), digest.value_texts(head.lang)
    parts = [*stands, *values] if asks_how_it_stands(question) else [*values, *stands]
    openings = [each.text(head.lang) for each in asked.files]
    return [*parts, *digest.file_texts(head.lang), *openings]


async def _requests(
    case: KnownCase, head: ReplyHead, services: Services
) -> tuple[tuple[CaseRun, RunSummary | None], ...]:
    """The requests of the case that all who read this may read of, the newest last."""
    project, here = case.document.name.project, head.conversation
    told = [
        run
        for run in case.document.runs
        if run.conversation == here or services.people.is_open_to(run.conversation, here, project)
    ]
    newest = [run.id for run in told[-MOST_REQUESTS:]]
    summaries = {each.run.id: each for each in await read_summaries(services.own_runs, newest)}
    return tuple((run, summaries.get(run.id)) for run in told)


def _without_case(question: str, case: KnownCase, head: ReplyHead) -> str:
    """The question without what names the case itself."""
    for entity in head.entities:
        if entity.id == case.document.name.key:
            question = question.replace(entity.text, " ")
    return question


def _wanted(question: str, case: KnownCase, head: ReplyHead) -> str:
    """The words of the question that point somewhere, but for what names the case itself."""
    return pointing_words(_without_case(question, case, head))


async def _search(wanted: str, asked: _Asked, services: Services) -> tuple[FileOpening, ...]:
    """What longer files and memory have of these words, else of single ones, as passages."""
    if not wanted:
        return ()
    single = sorted(query_words(wanted), key=len, reverse=True)[:MOST_WORDS]
    for query in (wanted, *single):
        if found := await _search_one(query, asked, services):
            return found
    return ()


async def _search_one(query: str, asked: _Asked, services: Services) -> tuple[FileOpening, ...]:
    short = {each.name for each in asked.files if each.is_whole}
    offered = {tool.name for tool in services.tools}
    found = []
    if FILE_SEARCH.name in offered:
        result = await _call(FILE_SEARCH, query, asked, services)
        for each in (result.get("matches") or ())[:MOST_PASSAGES]:
            if (name := str(each.get("name", ""))) not in short:
                text, at = str(each.get("text", "")), int(each.get("at", -1)) + 1
                found.append(FileOpening(name, text, is_whole=False, at=at))
    if MEMORY_SEARCH.name in offered:
        result = await _call(MEMORY_SEARCH, query, asked, services)
        for memo in (result.get("memos") or ())[:MOST_PASSAGES] if result.get("matched") else ():
            by = f"{memo.get('by', '')}, {str(memo.get('at', ''))[:10]}"
            found.append(FileOpening(by, str(memo.get("text", "")), is_whole=False))
    return tuple(found)


async def _call(
    tool: Tool[Any], query: str, asked: _Asked, services: Services
) -> Mapping[str, Any]:
    """What the tool finds; nothing where there is nothing, or it is away."""
    try:
        result: Mapping[str, Any] = await services.call(tool, {"query": query}, asked.context)
    except ToolError:
        return {}
    return result
