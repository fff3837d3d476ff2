"""A document as a frame: an outline, each section, then a file; every one of them is a step."""

from cards.clipping import shorten
from cards.markdown import literal
from cards.model import Choice, Decision
from cards.texts import say
from engine.dialogue import (
    CUT_OFF,
    MAX_FAULTY,
    DialogueFailure,
    DialogueProgress,
    DialogueResult,
    ModelTask,
    advance_dialogue,
    unanswered_text,
)
from engine.documents.files import publish, sections_of, template_values
from engine.documents.prompts import (
    OUTLINE_SCHEMA,
    SECTION_SCHEMA,
    Outline,
    SectionText,
    outline_opening,
    read_outline,
    read_section,
    section_markdown,
    section_opening,
    written_count,
)
from engine.errors import ModelError, NoModel, ToolError
from engine.frames.ends import block_run
from engine.frames.leaves import value_of
from engine.frames.outcome import (
    CardAnswered,
    CardTimedOut,
    Done,
    FrameInput,
    Next,
    Note,
    StepContext,
    StepOutcome,
    Suspend,
)
from engine.frames.state import DocumentFrame, Patch
from engine.playbooks.nesting import split_path
from engine.playbooks.skill import DocumentPart, DocumentWriter, Skill
from engine.ports.library import DocumentContent, DocumentVersion
from engine.skills.card_answers import end_unanswered, end_withdrawn, patch_from_form
from engine.skills.prompts import STATE_CHARS
from engine.skills.skill_cards import by_hand_card

DIGEST_CHARS = 12
"""So much of a version's digest stands in its name, and is told."""
Written = Outline | SectionText
FILL = "fill"
"""The choice that makes the document of its template's values alone."""


async def advance(frame: DocumentFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """The outline, the next section, or the file; or a card where no model writes it."""
    skill, part = _skill(frame, context)
    match event:
        case CardAnswered(decision=decision):
            return await _take_answer(frame, decision, context)
        case CardTimedOut():
            return end_unanswered(context)
    writer = part.writer
    if writer is None or frame.unwritten or _is_written(frame):
        return await _publish(frame, skill, part, context)
    if not frame.begun:
        return await _begin(frame, part, context)
    return await _write(frame, part, writer, context)


def _skill(frame: DocumentFrame, context: StepContext) -> tuple[Skill, DocumentPart]:
    skill = context.playbook.skills[frame.skill]
    assert skill.document is not None, "the loader checks that such a skill has a document"
    return skill, skill.document


def _is_written(frame: DocumentFrame) -> bool:
    return bool(frame.sections) and written_count(frame) == len(frame.sections)


async def _begin(frame: DocumentFrame, part: DocumentPart, context: StepContext) -> Next:
    """Read the version that is to be corrected, if there is one."""
    known = str(value_of(part.file, context.run.state) or "")
    corrects = known and context.run.state.problems
    before = await sections_of(known, context) if corrects else ()
    why = f"corrects {known}" if before else "begins a document"
    return Next(frame.model_copy(update={"begun": True, "before": before}), why)


async def _write(
    frame: DocumentFrame, part: DocumentPart, writer: DocumentWriter, context: StepContext
) -> StepOutcome:
    """One answer of the model about the outline or the next section, or a round of its calls."""
    lang = context.run.lang
    task = _section_task if frame.sections else _outline_task
    try:
        outcome = await advance_dialogue(
            frame, task(frame, writer, context), context.services.model
        )
    except NoModel:
        if part.template:
            after = frame.model_copy(update={"unwritten": True})
            return Next(after, "there is no model: the template is filled with what is known")
        return _ask(frame, say("skill.no_model", lang), context, "there is no model")
    except ModelError as error:
        text = unanswered_text(error, lang, away="skill.model_away", limited="skill.day_limit")
        return _ask(frame, text, context, str(error))
    match outcome:
        case DialogueProgress(dialogue=dialogue, why=why):
            return Next(dialogue, why)
        case DialogueResult(value=value):
            if isinstance(value, Outline):
                return _take_outline(frame, value, context)
            return _take_section(frame, value.text, context)
        case DialogueFailure(faults=faults):
            said = say("skill.faulty", lang, n=MAX_FAULTY)
            return _ask(frame, said, context, f"{MAX_FAULTY} invalid answers: {'; '.join(faults)}")


def _outline_task(
    frame: DocumentFrame, writer: DocumentWriter, context: StepContext
) -> ModelTask[Written]:
    before = "\n\n".join(map(section_markdown, frame.before))
    return ModelTask(
        purpose="document",
        opening=lambda: outline_opening(writer, before, context),
        read=lambda text: read_outline(text, writer),
        schema=OUTLINE_SCHEMA,
        cut_off=CUT_OFF,
        tools=context.model_tools(writer.tools, context.run.state.tree(), STATE_CHARS),
    )


def _section_task(
    frame: DocumentFrame, writer: DocumentWriter, context: StepContext
) -> ModelTask[Written]:
    number = written_count(frame)
    heading = frame.sections[number].heading if frame.sections else ""
    before = next((each.text for each in frame.before if each.heading == heading), "")
    return ModelTask(
        purpose="document",
        opening=lambda: section_opening(frame, writer, before, context),
        read=lambda text: read_section(text, writer),
        schema=SECTION_SCHEMA,
        max_tokens=max(2000, 2 * writer.section_chars),
        cut_off=CUT_OFF,
        tools=context.model_tools(writer.tools, context.run.state.tree(), STATE_CHARS),
    )


def _take_outline(frame: DocumentFrame, outline: Outline, context: StepContext) -> Next:
    after = _fresh(frame, title=outline.title, sections=outline.sections)
    note = _progress(after, context)
    return Next(after, f"an outline of {len(outline.sections)} sections", note=note)


def _take_section(frame: DocumentFrame, text: str, context: StepContext) -> Next:
    """The next section is written; the dialogue about it has served its purpose."""
    number = written_count(frame)
    section = frame.sections[number].model_copy(update={"text": text.strip()})
    sections = (*frame.sections[:number], section, *frame.sections[number + 1 :])
    after = _fresh(frame, sections=sections)
    why = f"section {number + 1} of {len(sections)}: {len(section.text)} characters"
    return Next(after, why, note=_progress(after, context))


def _fresh(frame: DocumentFrame, **changes: object) -> DocumentFrame:
    """The frame before a new dialogue."""
    empty = DocumentFrame(skill=frame.skill)
    kept = {"title", "sections", "before", "begun", "unwritten"}
    update = {name: getattr(frame, name) for name in kept} | changes
    return empty.model_copy(update=update)


def _progress(frame: DocumentFrame, context: StepContext) -> Note:
    run = context.run
    written, of = written_count(frame), len(frame.sections)
    title = literal(frame.title)
    return Note(
        "working",
        say("document.progress", run.lang, name=run.name, title=title, n=written, of=of),
    )


def _ask(
    frame: DocumentFrame,
    text: str,
    context: StepContext,
    why: str,
    problems: tuple[str, ...] = (),
) -> Suspend:
    """Ask the requester: try again, fill in the template alone, or bring the file themselves."""
    skill, part = _skill(frame, context)
    run, paths = context.run, (part.name, part.file)
    card = by_hand_card(skill, paths, text, context)
    if problems:
        card = card.model_copy(update={"problems": problems})
    if part.template:
        fill = Choice(id=FILL, label=say("choice.fill_template", run.lang))
        card = card.model_copy(update={"choices": (*card.choices[:-1], fill, card.choices[-1])})
    note = Note("needs_you", say("part.needs_you", run.lang, name=run.name))
    after = _fresh(frame).model_copy(update={"asked": card.token, "fields": paths})
    return Suspend(after, (card,), note, why)


async def _take_answer(
    frame: DocumentFrame, decision: Decision, context: StepContext
) -> StepOutcome:
    match decision.choice:
        case "withdraw":
            return end_withdrawn(decision, context)
        case "submit":
            patch, faults = await patch_from_form(frame.fields, decision, context)
            if faults:
                why = f"{decision.name} answered with faults: {'; '.join(faults)}"
                text = say("skill.by_hand", context.run.lang)
                return _ask(frame, text, context, why, problems=faults)
            return Done(
                _brought(patch, *_skill(frame, context)),
                f"{decision.name} brought the document",
            )
        case "fill":
            after = _fresh(frame, unwritten=True)
            return Next(after, f"{decision.name} wants the template alone")
    return Next(_fresh(frame), f"{decision.name} wants the model to try again")


def _brought(patch: Patch, skill: Skill, part: DocumentPart) -> Patch:
    """What the person brought is the whole document: a text of another version is not its text."""
    settled = Patch.from_paths(patch.by, skill.sets)
    data, profile = {**patch.data}, {**patch.profile, **settled.profile}
    if part.markdown:
        group, leaf = split_path(part.markdown)
        (profile if group else data)[leaf] = None
    return patch.model_copy(
        update={"data": data, "profile": profile, "decisions": settled.decisions, "problems": ()}
    )


async def _publish(
    frame: DocumentFrame, skill: Skill, part: DocumentPart, context: StepContext
) -> StepOutcome:
    """Make the version's files, and put their names into the state."""
    content = _content(frame, skill, part, context)
    try:
        version = await publish(
            content, f"{context.run.id}:{skill.id}:{context.run.steps}", context
        )
    except ToolError as error:
        return block_run(context.run, error.text(context.run.lang), f"no document: {error}")
    return Done(
        _patch(content, version, frame, skill, part, context),
        f"{version.name}: version {version.number}, sha256 {version.digest}",
    )


def _content(
    frame: DocumentFrame, skill: Skill, part: DocumentPart, context: StepContext
) -> DocumentContent:
    state, lang = context.run.state, context.run.lang
    template = context.playbook.templates.get(part.template, "")
    name = frame.title or str(value_of(part.name, state) or "") or skill.name(lang)
    text = str(value_of(part.text, state) or "") if part.text else ""
    if not frame.unwritten and part.writer:
        text = "\n\n".join(map(section_markdown, frame.sections))
    values, rows = template_values(template, context)
    return DocumentContent(
        name=" ".join(name.split()),
        markdown=text,
        template=template,
        values={**values, **({"name": name} if template else {})},
        rows=rows,
    )


def _patch(
    content: DocumentContent,
    version: DocumentVersion,
    frame: DocumentFrame,
    skill: Skill,
    part: DocumentPart,
    context: StepContext,
) -> Patch:
    lang, files = context.run.lang, (version.name, version.markdown)
    patch = Patch.from_paths(skill.id, skill.sets)
    groups: dict[str, dict[str, object]] = {"": {}, "profile": {**patch.profile}}
    paths = {part.file: version.name, part.markdown: version.markdown, part.name: content.name}
    for path, value in paths.items():
        group, leaf = split_path(path)
        if path:
            groups[group][leaf] = value
    told = say(
        "document.unwritten" if frame.unwritten else "document.made",
        lang,
        name=literal(shorten(content.name, 100)),
        n=version.number,
        digest=version.digest[:DIGEST_CHARS],
        file=literal(version.name),
    )
    more = {"data": groups[""], "profile": groups["profile"], "response": told, "problems": ()}
    seen = {"joined": files, "tried": files, "read": files}
    return patch.model_copy(update={**more, **seen})
