"""A question that nothing else answers, in a conversation with a case: what is known of that."""

from collections.abc import Sequence

from cards.markdown import literal
from cards.model import Lang
from cards.moments import local_time
from cards.texts import say
from engine.errors import ToolError
from engine.frames.case import CaseRun
from engine.frames.intents import WorkQuestion
from engine.frames.leaves import LabelledValue, value_of, value_rows, value_tables
from engine.frames.replies import ReplyHead
from engine.services import Services
from engine.talk.mine.cases import CasesHere, KnownCase, cases_here, with_case_files
from engine.tools.files.file_search import FILE_SEARCH
from engine.tools.knowledge.memory_search import MEMORY_SEARCH
from engine.understanding.own_work.reading import pointing_words

MOST_VALUES = 12
MOST_REQUESTS = 3


async def answer_from_case(
    question: str, near: WorkQuestion | None, head: ReplyHead, services: Services
) -> str:
    """What is known that may answer it, or that nothing does (Markdown); "" without a case.

    `near` is what of the person's own requests the question might be about.
    """
    here = await cases_here(head, services)
    if here.unknown and not here.cases:
        return say("case.nothing", head.lang, names=_listed(here.unknown, head.lang))
    is_other = near is not None and near.keys and not here.knows(near.keys)
    if is_other or not here.cases:
        return ""
    case, others = here.cases[0], here.cases[1:]
    wanted = _wanted(question, case, head)
    found = [*await _search(wanted, here, head, services)]
    texts = [] if found or not wanted else [_no_answer(case, head.lang)]
    texts += [*found, *_known_text(case, head.lang), _requests_text(case, head, services)]
    if others:
        names = _listed([each.title(head.lang) for each in others], head.lang)
        texts.append(say("case.others", head.lang, names=names))
    return "\n\n".join(filter(None, texts))


def _no_answer(case: KnownCase, lang: Lang) -> str:
    return say("case.no_answer", lang, name=literal(case.title(lang)))


def _wanted(question: str, case: KnownCase, head: ReplyHead) -> str:
    """The words of the question that point somewhere, but for what names the case itself."""
    for entity in head.entities:
        if entity.id == case.document.name.key:
            question = question.replace(entity.text, " ")
    return pointing_words(question)


async def _search(
    wanted: str, here: CasesHere, head: ReplyHead, services: Services
) -> Sequence[str]:
    """What files and memory have of these words, each with its place."""
    if not wanted:
        return ()
    context = services.tool_context(head.conversation, head.principal)
    context = with_case_files(context, here, head, services)
    offered = {tool.name for tool in services.tools}
    found = []
    for tool, hits in ((FILE_SEARCH, "matches"), (MEMORY_SEARCH, "matched")):
        if tool.name not in offered:
            continue
        try:
            result = await services.call(tool, {"query": wanted}, context)
        except ToolError:
            continue  # there are none, or they are away: what is known is told all the same
        if result.get(hits):
            found.append(tool.tell(result, head.lang))
    return found


def _known_text(case: KnownCase, lang: Lang) -> list[str]:
    """The case's values by their labels, and what nobody has said so far."""
    definition, state = case.playbook.definition, case.state
    paths = [*definition.data_fields, *(f"profile.{name}" for name in definition.profile_fields)]
    labelled = [
        LabelledValue(label=leaf.label(lang), value=value_of(path, state), leaf=leaf, path=path)
        for path in paths
        if path not in definition.case.own and (leaf := definition.leaf(path)) is not None
    ]
    known = [each for each in labelled if each.value not in (None, "", ())]
    unknown = [each.label for each in labelled if each not in known]
    shown, more = known[:MOST_VALUES], [each.label for each in known[MOST_VALUES:]]
    lines = [
        say("work.value", lang, label=literal(row.label), value=literal(row.value))
        for row in value_rows(shown, lang)
    ]
    title = say("case.known", lang, name=literal(case.title(lang)))
    listed = [("case.more", more), ("case.unknown", unknown)]
    files = case.document.files
    listed.append(("case.files", list(files)))
    return [
        "\n".join((title, "", *(f"- {line}" for line in lines))) if lines else "",
        *value_tables(shown, lang),
        *(say(key, lang, names=_listed(names, lang)) for key, names in listed if names),
    ]


def _requests_text(case: KnownCase, head: ReplyHead, services: Services) -> str:
    """The newest requests of the case that all who read this may read of, and why they ended."""
    project, here = case.document.name.project, head.conversation
    told = [
        run
        for run in case.document.runs
        if run.conversation == here or services.people.is_open_to(run.conversation, here, project)
    ]
    reasons = {
        each.run: f"{each.name}: {each.reason}" for each in case.document.decided if each.reason
    }
    newest = told[-MOST_REQUESTS:]
    return "\n".join(_line(run, reasons.get(run.id, ""), head, services) for run in newest)


def _line(run: CaseRun, decided: str, head: ReplyHead, services: Services) -> str:
    lang, zone = head.lang, head.principal.zone or services.zone
    state = say(f"end.{run.end}", lang) if run.end else say("state.running", lang)
    if why := run.reason or literal(decided):
        state = f"{state} · {' '.join(why.split())}"
    return "- " + say(
        "work.stands",
        lang,
        title=literal(run.name),
        who=literal(run.requester_name or run.requester),
        when=local_time(run.started_at, zone),
        state=state,
    )


def _listed(names: Sequence[str], lang: Lang) -> str:
    return say("list.items", lang).join(map(literal, names))
