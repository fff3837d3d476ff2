"""A question that nothing else answers, in a conversation with a case: what is known of that."""

from collections.abc import Sequence

from cards.clipping import clip
from cards.markdown import literal
from cards.texts import say
from engine.errors import ToolError
from engine.frames.case import CaseRun
from engine.frames.intents import WorkQuestion
from engine.frames.replies import ReplyHead
from engine.services import Services
from engine.talk.mine.cases import (
    CasesHere,
    KnownCase,
    cases_here,
    requests_here,
    with_case_files,
)
from engine.talk.mine.digest import MOST_REQUESTS, CaseDigest, join_names
from engine.talk.mine.facts import work_loader
from engine.talk.mine.summary import RunSummary, read_summaries
from engine.text.entities import fold
from engine.text.search_words import query_words
from engine.tools.files.file_parse import FILE_PARSE
from engine.tools.files.file_search import FILE_SEARCH
from engine.tools.knowledge.memory_search import MEMORY_SEARCH
from engine.tools.model import ToolContext
from engine.understanding.own_work.bearing import asks_how_it_stands, may_be_about
from engine.understanding.own_work.reading import WorkReader, pointing_words

OPENINGS = 2
"""So many files are shown by how they begin, where no file has a word of the question."""

OPENING_CHARS = 300
MOST_WORDS = 4
"""So many words are looked for one by one, where no file has them together."""


async def answer_from_case(
    question: str, near: WorkQuestion | None, head: ReplyHead, services: Services
) -> str:
    """What is known that may answer it, or that nothing does (Markdown).

    "" without a case, and for what is surely about something else. `near` is what of the person's
    own requests the question might be about.
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
    reader = await work_loader(head, services)()
    if not _is_named(here, head) and not _may_answer(question, here, reader):
        return ""
    case, *others = _ranked(here.cases, question, reader)
    texts = await _digest_texts(question, case, here, reader, head, services)
    if others:
        names = join_names([each.title(head.lang) for each in others], head.lang)
        texts.append(say("case.others", head.lang, names=names))
    return "\n\n".join(filter(None, texts))


def _is_named(here: CasesHere, head: ReplyHead) -> bool:
    """Whether the text says which case is meant."""
    named = {entity.id for entity in head.entities}
    return any(case.document.name.key in named for case in here.cases)


def _may_answer(question: str, here: CasesHere, reader: WorkReader) -> bool:
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
    return may_be_about(question, reader, keys, " ".join((*texts, *people)))


def _ranked(cases: Sequence[KnownCase], question: str, reader: WorkReader) -> tuple[KnownCase, ...]:
    """The cases, those first of which the question says most."""
    strength = {link.key: link.strength for link in reader.rank(question) if link.is_named}

    def of(case: KnownCase) -> int:
        return max((strength.get(key, 0) for key in case.keys), default=0)

    return tuple(sorted(cases, key=of, reverse=True))


async def _digest_texts(
    question: str,
    case: KnownCase,
    here: CasesHere,
    reader: WorkReader,
    head: ReplyHead,
    services: Services,
) -> list[str]:
    """What files, memory and the case itself have, what fits the question first."""
    links = [link for link in reader.rank(question) if link.key in case.keys and link.is_named]
    named = tuple(dict.fromkeys(path for link in links for path in link.paths))
    digest = CaseDigest(case, await _requests(case, head, services), question, named)
    wanted = _wanted(question, case, head)
    context = services.tool_context(head.conversation, head.principal)
    context = with_case_files(context, here, head, services)
    found = await _search(wanted, context, head, services)
    lead = [] if found or named or not wanted else [_unsure(case, head)]
    stands, values = digest.request_texts(head, services), digest.value_texts(head.lang)
    asked = asks_how_it_stands(question)
    parts = [*stands, *values] if asked else [*values, *stands]
    openings = [] if found else await _openings(case, context, head, services)
    return [*lead, *found, *parts, *digest.file_texts(head.lang), *openings]


def _unsure(case: KnownCase, head: ReplyHead) -> str:
    return say("case.no_answer", head.lang, name=literal(case.title(head.lang)))


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


def _wanted(question: str, case: KnownCase, head: ReplyHead) -> str:
    """The words of the question that point somewhere, but for what names the case itself."""
    for entity in head.entities:
        if entity.id == case.document.name.key:
            question = question.replace(entity.text, " ")
    return pointing_words(question)


async def _search(
    wanted: str, context: ToolContext, head: ReplyHead, services: Services
) -> list[str]:
    """What files and memory have of these words, each with its place; else of single ones."""
    if not wanted:
        return []
    single = sorted(query_words(wanted), key=len, reverse=True)[:MOST_WORDS]
    for query in (wanted, *single):
        if found := await _search_one(query, context, head, services):
            return found
    return []


async def _search_one(
    query: str, context: ToolContext, head: ReplyHead, services: Services
) -> list[str]:
    offered = {tool.name for tool in services.tools}
    found = []
    for tool, hits in ((FILE_SEARCH, "matches"), (MEMORY_SEARCH, "matched")):
        if tool.name not in offered:
            continue
        try:
            result = await services.call(tool, {"query": query}, context)
        except ToolError:
            continue  # there are none, or they are away: what is known is told all the same
        if result.get(hits):
            found.append(tool.tell(result, head.lang))
    return found


async def _openings(
    case: KnownCase, context: ToolContext, head: ReplyHead, services: Services
) -> list[str]:
    """How the newest texts of the case begin."""
    if FILE_PARSE.name not in {tool.name for tool in services.tools}:
        return []
    texts = []
    for name in case.document.files[::-1][:OPENINGS]:
        try:
            result = await services.call(FILE_PARSE, {"name": name}, context)
        except ToolError:
            continue  # it is named all the same
        if text := " ".join(str(result.get("text", "")).split()):
            begins = literal(clip(text, OPENING_CHARS))
            texts.append(say("case.begins", head.lang, name=literal(name), text=begins))
    return texts
