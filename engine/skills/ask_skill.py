"""The prompt skill without a model: asks people for missing data leaves (spec 003, clarify)."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from cards.forms import check_form
from cards.markdown import literal
from cards.model import SUBMIT, Card, Choice, Decision, Field
from cards.texts import say
from engine.frames.form_options import list_early
from engine.frames.leaves import form_field, from_form, value_rows, value_tables, values_at
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
from engine.frames.run_names import repeated_title
from engine.frames.state import LeafValue, Patch, PromptFrame, Run
from engine.frames.text_names import fill_markdown, fill_plain
from engine.playbooks.leaf import Leaf
from engine.playbooks.skill import Ask, Instead, Skill
from engine.reviews.form_facts import form_facts
from engine.reviews.handover import find_people, looks_like_a_name, named_in
from engine.reviews.policy import requester_card_fields
from engine.skills.card_answers import end_unanswered, end_withdrawn, patch_from_form
from engine.skills.entity_values import labels_of
from engine.skills.own_name import named_self
from engine.text.claims.unheard import unheard_clauses
from engine.text.entities import fold
from engine.text.entity_kinds import Entities
from engine.text.form_reading import FoundValues, find_values, read_form
from engine.text.values import cue_pattern
from engine.text.vocabulary import make_vocabulary
from engine.text.wording import refers_back
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.matter import (
    bids_of,
    matter_told,
    text_field,
    told_beside,
    without_bids,
    without_names,
    without_taken,
    without_used,
)
from engine.understanding.open_forms import text_example

INSTEAD = "instead"


async def advance(frame: PromptFrame, event: FrameInput, context: StepContext) -> StepOutcome:
    """Take the values that the message gives, ask for the rest, take the answer."""
    skill = context.playbook.skills[frame.skill]
    ask = _ask(skill)
    match event:
        case CardAnswered(decision=decision) if decision.choice == "withdraw":
            return end_withdrawn(decision, context)
        case CardAnswered(decision=decision):
            return await _take_answer(frame, skill, ask, decision, context)
        case CardTimedOut():
            return end_unanswered(context)
        case _:
            return await _enter(frame, skill, ask, context)


async def _take_answer(
    frame: PromptFrame, skill: Skill, ask: Ask, decision: Decision, context: StepContext
) -> StepOutcome:
    if ask.instead and _chooses_instead(ask.instead, decision, context.entities):
        return _take_instead(ask.instead, decision.person, f"{decision.name} answered so")
    # A text may change what was known, and not asked for, as well.
    changed = (name for name in ask.fields if name in decision.values and name not in frame.fields)
    patch, faults = await patch_from_form((*frame.fields, *changed), decision, context)
    if faults:
        why = f"{decision.name} answered with faults: {'; '.join(faults)}"
        return Next(frame, why, patch.model_copy(update={"problems": faults}))
    more = {"data": patch.data, "labels": patch.labels}
    sets = Patch.from_paths(decision.person, skill.sets, problems=(), **more)
    return Done(sets, f"{decision.name} answered")


def _chooses_instead(instead: Instead, decision: Decision, entities: Entities) -> bool:
    typed = decision.values.get(instead.of)
    says_it = typed is not None and _says_a_word(instead, str(typed), entities)
    return decision.choice == INSTEAD or says_it


def _says_a_word(instead: Instead, text: str, entities: Entities) -> bool:
    """Whether the text says one of the words and names no entity."""
    match = re.search(cue_pattern(instead.words), text, re.IGNORECASE)
    return match is not None and not entities.kinds_and_ids(text)


def _take_instead(instead: Instead, by: str, why: str) -> Done:
    patch = Patch.from_paths(by, instead.sets, data={instead.of: None}, problems=())
    return Done(patch, f"{why}: {instead.label('en')}")


async def values_said(
    skills: Sequence[str], context: StepContext
) -> tuple[dict[str, LeafValue], dict[str, dict[str, str]]]:
    """What the message says otherwise of fields that are known and these skills ask for.

    By field, with the labels of what was chosen from a list.
    """
    values: dict[str, LeafValue] = {}
    labels: dict[str, dict[str, str]] = {}
    for name in skills:
        ask = context.playbook.skills[name].ask
        if ask is None or ask.again:
            continue
        own, data = context.playbook.definition.case.own, context.run.state.data
        if data.keys().isdisjoint(ask.fields):
            continue
        # All of the form: what is not known yet may be what a value is for.
        asked = await list_early(_fields(ask, context), context)
        read = _read_message(asked, context, known=()).values
        new = {n: v for n, v in read.items() if n in data and n not in own and v != data[n]}
        values |= new
        labels |= labels_of(new, asked, context)
    return values, labels


async def _enter(frame: PromptFrame, skill: Skill, ask: Ask, context: StepContext) -> StepOutcome:
    run, known = context.run, context.run.state.data
    asked = _fields(ask, context)
    asked = asked if ask.again else await list_early(asked, context)
    message = _MessageReading() if ask.again else _read_message(asked, context)
    values = dict(message.values)
    said = str(values.get(ask.instead.of, "")) if ask.instead else ""
    if ask.instead and _says_a_word(ask.instead, said, context.entities):
        if not _rest(asked, context, message):
            return _take_instead(ask.instead, run.requester.id, "the message says so")
        del values[ask.instead.of]
    if values:
        names = ", ".join(values)
        patch = Patch(by=run.requester.id, data=values, labels=labels_of(values, asked, context))
        read = {name: message.words[name] for name in values}
        return Next(frame, f"the message gives {names}", patch, read=read)
    fields = context.playbook.definition.data_fields
    rest = _Rest() if ask.again else _rest(asked, context, message)
    taken, faulty = _check(asked, rest.matter, context)
    if taken and not (faulty or frame.asked):
        patch = Patch(by=run.requester.id, data=taken)
        return Next(frame, f"the message tells {', '.join(taken)}", patch, read=rest.matter)
    lacking = any(fields[n].required and n not in known for n in ask.fields)
    if not (ask.again or lacking or rest):
        return Done(Patch.from_paths(skill.id, skill.sets), "nothing is missing")
    wanted = [n for n in ask.fields if not lacking or ask.again or n not in known]
    form = [_with_draft(f, message.drafts) for f in asked if f.name in wanted]
    card = _card(ask, form, context, rest)
    if ask.again or frame.asked:
        card = card.model_copy(update={"title": repeated_title(card.title, run)})
    key = "part.needs_you" if lacking or ask.again or rest.faults else "part.check_form"
    note = Note("needs_you", say(key, run.lang, name=run.name))
    frame = frame.model_copy(update={"asked": card.token, "fields": tuple(wanted)})
    why = f"asks for {', '.join(wanted)}"
    return Suspend(frame, (card,), note, why, unused=rest.left)


def _ask(skill: Skill) -> Ask:
    assert skill.ask is not None, "the loader checks that a prompt skill asks"
    return skill.ask


def _fields(ask: Ask, context: StepContext) -> list[Field]:
    """The form's fields; the one that may be answered with other words has these."""
    run, defined = context.run, context.playbook.definition.data_fields
    asked = [form_field(n, defined[n], run.lang, run.state) for n in ask.fields]
    words = {ask.instead.of: ask.instead.words} if ask.instead else {}
    return [f.model_copy(update={"words": words.get(f.name, ())}) for f in asked]


@dataclass(frozen=True, slots=True)
class _MessageReading:
    """By field name: values that the message gives, the words for them, and faults of others.

    `drafts` are rows of lists that lack something: they stand in the form, to be completed.
    """

    values: dict[str, LeafValue] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    drafts: dict[str, str] = field(default_factory=dict)


def _with_draft(field: Field, drafts: Mapping[str, str]) -> Field:
    draft = drafts.get(field.name)
    return field.model_copy(update={"value": draft}) if draft else field


def _persons(asked: Sequence[Field], context: StepContext) -> tuple[frozenset[str], dict[str, str]]:
    """The person fields whose cue leads to words that call nobody, and who among these is named.

    A cue such as "for" leads to much else. Words that look like a name are told to be unknown.
    """
    run = context.run
    if all(f.type != "person" for f in asked):
        return frozenset(), {}
    request = context.playbook.definition.cues
    found = find_values(
        run.text, asked, context.services.today, entities=context.entities, request=request
    )
    people = context.services.people.scope_to(run.conversation, run.project or None)
    strange, named = set[str](), dict[str, str]()
    for field_ in (f for f in asked if f.type == "person"):
        words = found.values.get(field_.name, "")
        if not words or find_people(people, words):
            continue
        person = named_in(people, words)
        if person or not looks_like_a_name(words):
            strange.add(field_.name)
        if person:
            named[field_.name] = person
    return frozenset(strange), named


def _is_read(field: Field, context: StepContext) -> bool:
    """Whether a text can be read for it: a choice takes nothing before its options are listed."""
    leaf = context.playbook.definition.leaf(field.name)
    return leaf is None or leaf.options_from is None or bool(field.options)


def _read_message(
    asked: Sequence[Field], context: StepContext, known: Collection[str] | None = None
) -> _MessageReading:
    """What the message gives for leaves not known yet; a fault is the text and what is wrong."""
    known = context.run.state.data if known is None else known
    run, defined = context.run, context.playbook.definition.data_fields
    # A file that the message only names is shown in the form, where it is looked for.
    fields = [f for f in asked if f.type != "file" and _is_read(f, context)]
    if all(f.name in known for f in fields):
        return _MessageReading()
    today, entities = context.services.today, context.entities
    # In the rest of the message, the words of the other answer are not meant for this form.
    wider = [f.model_copy(update={"words": ()}) for f in fields if defined[f.name].inherit]
    cues = context.playbook.definition.cues
    strangers, persons = _persons(fields, context)
    others = [f for f in fields if f.name not in strangers]
    own = find_values(run.text, others, today, entities=entities, request=cues)
    # A name of theirs still ends what stands before it: "with Lin and Chen please".
    sure = find_values(run.text, fields, today, entities=entities, request=cues) if persons else own
    kept = {n: text for n, text in sure.values.items() if n not in strangers} | persons
    told = {n: text for n, text in sure.words.items() if n not in strangers} | persons
    own = FoundValues({**own.values, **kept}, {**own.words, **told})
    # What the run's own text gives counts before what stands around it.
    if any(all(f.name in found for f in wider) for found in (known, own.values)):
        wider = []
    around = find_values(run.message, wider, today, entities=entities, request=cues)
    named = _named_before(fields, run, own, context)
    said = {**named.values, **around.values, **own.values}
    me = named_self(fields, {*said, *known}, context)
    texts = {**me.values, **said}
    words = {**me.words, **named.words, **around.words, **own.words}
    new = {name: text for name, text in texts.items() if name not in known}
    typed, faults = _check(fields, new, context)
    drafts = {n: new[n] for n in faults if defined[n].columns}
    colon = say("list.colon", run.lang)
    # The form has the rows: only what they lack is told.
    wrong = {n: faults[n] if n in drafts else f"{new[n]}{colon}{faults[n]}" for n in faults}
    return _MessageReading(typed, words, wrong, drafts)


def _named_before(
    asked: Sequence[Field], run: Run, own: FoundValues, context: StepContext
) -> FoundValues:
    """What the message names before a request that says "it": "is INV-1 paid? Please pay it"."""
    before = run.message.partition(run.text)[0] if run.text else ""
    lacking = [f for f in asked if f.type == "entity" and f.name not in own.values]
    if not before.strip() or not refers_back(fold(run.text)):
        return FoundValues({}, {})
    today, cues = context.services.today, context.playbook.definition.cues
    plain = [f.model_copy(update={"words": ()}) for f in lacking]
    return find_values(before, plain, today, entities=context.entities, request=cues)


@dataclass(frozen=True, slots=True)
class _Rest:
    """What the run's text says beside values: what is wrong, and what nothing takes (Markdown).

    `left` are the words themselves that nothing takes, `matter` those among them that are the
    value of the one text that is asked for, by field name.
    """

    faults: tuple[str, ...] = ()
    unused: str = ""
    left: str = ""
    matter: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.faults or self.unused)


def _rest(asked: Sequence[Field], context: StepContext, message: _MessageReading) -> _Rest:
    """What neither a field nor the playbook's own words explain; `message` was read for these."""
    run, playbook = context.run, context.playbook.definition
    fields = [f for f in asked if _is_read(f, context)]
    strangers, _ = _persons(fields, context)
    fields = [f for f in fields if f.name not in strangers]
    own = (*playbook.cues, *playbook.name.texts)
    text = _without_known(run) if all(not f.entity for f in fields) else run.text
    # What a field of another form has taken is not unused.
    others = [form_field(n, leaf, run.lang, run.state) for n, leaf in _known_leaves(asked, context)]
    today, entities, cues = context.services.today, context.entities, playbook.cues
    read = partial(read_form, text, [*fields, *others], today, entities=entities, request=cues)
    known = without_names(playbook.examples, fields, entities)
    reading = read(examples=(*known, *own))
    colon = say("list.colon", run.lang)
    faults = [
        f"{f.label}{colon}{say(reading.faults[f.name], run.lang, unit=f.unit)}"
        for f in fields
        if f.name in reading.faults
    ]
    refused = message.faults
    faults += [literal(f"{f.label} {refused[f.name]}") for f in fields if f.name in refused]
    texts = (f.value for f in fields if f.type == "text")
    used = _read_message(asked, context, known=()).words
    taken = {*used.values(), *reading.words.values(), *texts}
    lacking = [f for f in fields if f.name not in message.words and f.name not in message.faults]
    unheard = unheard_clauses(text, lacking, own)
    words = make_vocabulary(fields, (*playbook.examples, *own))
    cut = without_bids(without_taken(without_used(reading.left, taken, words), taken), cues)
    parts = (cut, *(clause for clause in unheard if clause not in cut))
    left = GRAMMAR.without_politeness(", ".join(filter(None, parts)))
    unused = say("answer.unused", run.lang, left=literal(left)) if left else ""
    if (needed := text_field(lacking)) is None:
        return _Rest(tuple(faults), unused.strip(), left)
    # What somebody writes as an example has it is the matter too, where all else is explained.
    bids = (*bids_of(playbook.examples, asked, entities), *cues)
    cut = cut or without_bids(without_taken(read(examples=own).left, taken), bids)
    told = matter_told(cut, text, lacking, cues, taken)
    if not (told or left) and (left := told_beside(cut, cues)):
        unused = say("answer.unused", run.lang, left=literal(left))
    matter = {needed.name: told} if told not in ("", *unheard) else {}
    return _Rest(tuple(faults), unused.strip(), left, matter)


def _check(
    fields: Sequence[Field], texts: dict[str, str], context: StepContext
) -> tuple[dict[str, LeafValue], dict[str, str]]:
    """The values of these texts as their fields take them, and what is wrong with others."""
    run, defined = context.run, context.playbook.definition.data_fields
    people = context.services.people.scope_to(run.conversation, run.project or None)
    facts = form_facts(people, context.services.today, context.entities)
    typed, faults = check_form([f for f in fields if f.name in texts], texts, run.lang, facts)
    return {n: from_form(defined[n], v, run.lang, facts) for n, v in typed.items()}, faults


def _known_leaves(asked: Sequence[Field], context: StepContext) -> list[tuple[str, Leaf]]:
    """What the run knows beside these fields."""
    own, known = {field.name for field in asked}, context.run.state.data
    fields = context.playbook.definition.data_fields.items()
    return [(name, leaf) for name, leaf in fields if name in known and name not in own]


def _without_known(run: Run) -> str:
    """The run's text without what names its case, or what it knows: no field needs these words."""
    known = [*run.state.data.values(), run.case.name.key if run.case else None]
    text = run.text
    # "me" stands in many words.
    for named in (each for each in run.named or () if len(each.text) > 2):
        text = text.replace(named.text, " ") if named.id in known else text
    return text


def _card(ask: Ask, fields: Sequence[Field], context: StepContext, rest: _Rest) -> Card:
    run, defined = context.run, context.playbook.definition.data_fields
    wanted = {field.name for field in fields}
    known = [n for n in ask.fields if n not in wanted and n in run.state.data]
    told = values_at(known, context)
    long_texts = value_tables([v for v in told if v.needs_room], run.lang)
    return Card(
        kind="clarify",
        title=fill_plain(ask.title, context),
        text="\n\n".join(
            filter(None, (fill_markdown(ask.text, context), *long_texts, rest.unused))
        ),
        by_text=text_example(fields, run.lang),
        rows=value_rows(told, run.lang),
        problems=(*run.state.problems, *rest.faults),
        known=tuple(form_field(n, defined[n], run.lang, run.state) for n in known),
        choices=(
            Choice(
                id=SUBMIT, label=say("choice.submit", run.lang), style="primary", form=tuple(fields)
            ),
            *([Choice(id=INSTEAD, label=ask.instead.label(run.lang))] if ask.instead else ()),
            Choice(id="withdraw", label=say("choice.withdraw", run.lang)),
        ),
        **requester_card_fields(context),
        task_key=f"clarify:{run.id}",
    )
