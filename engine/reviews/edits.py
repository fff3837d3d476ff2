"""Which values reviewers may change, what people read of a change, and what the run takes over.

The change itself is made on the card: cards.deciding.revision (runs-and-reviews §1.8).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cards.clipping import units
from cards.deciding.needed import can_reach_quorum
from cards.deciding.revision import EditedCard, describe_edits
from cards.deciding.seats import is_own_request
from cards.edits import EDIT, Edit, EditableContent, EditableValue, canonical
from cards.forms import MAX_TEXT
from cards.markdown import literal
from cards.model import Card, Choice, Decision, Field, Lang, Principal, Review
from cards.showing.view import MessageView, PartView
from cards.texts import say
from engine.frames.leaves import LabelledValue, form_field, from_form, value_of
from engine.frames.outcome import StepContext
from engine.frames.state import LeafValue
from engine.playbooks.leaf import Leaf
from engine.playbooks.nesting import split_path
from engine.playbooks.skill import SopNode
from engine.ports.people import People
from engine.ports.storage.store import Post
from engine.reviews.approvals import calls_of_run, planned_calls


@dataclass(frozen=True, slots=True)
class EditOffer:
    """The choice that changes the card, and what it takes to do so."""

    choice: Choice
    editing: EditableContent


def offer_edits(
    node: SopNode, shown: Sequence[LabelledValue], pieces: Sequence[str], context: StepContext
) -> EditOffer | None:
    """The choice to change what the node shows; None when it allows no change.

    `pieces` are the paragraphs of the card's text; the last ones are those of `value_tables`.
    """
    allowed = node.review.may_edit if node.review else ()
    fields = {each.path: _field(each.path, context) for each in shown if each.path in allowed}
    # What a form cannot hold would come back shortened.
    short = {path: f for path, f in fields.items() if units(f.value) <= MAX_TEXT}
    if not short:
        return None
    lang = context.run.lang
    choice = Choice(
        id=EDIT,
        label=say("choice.edit", lang),
        form=tuple(short.values()),
        edits=True,
        intro=_intro([f.label for path, f in fields.items() if path not in short], context),
    )
    values = tuple(_editable(path, node, shown, len(pieces), context) for path in short)
    content = canonical(_content(node, context))
    return EditOffer(choice, EditableContent(content=content, pieces=tuple(pieces), values=values))


def without_lonely_edit(card: Card, people: People) -> Card:
    """The card, without its edit where nobody would be left who may approve what was edited.

    Where it escalates, others may come in later, and the edit stays.
    """
    review = card.review
    if card.editing is None or not review.four_eyes or review.escalate:
        return card
    able = [p for p in people.scope_of(card).deciders(review) if not is_own_request(card, p)]
    if any(can_reach_quorum(card, [p for p in able if p is not editor]) for editor in able):
        return card
    choices = tuple(choice for choice in card.choices if choice.id != EDIT)
    return card.model_copy(update={"choices": choices, "editing": None})


def authors_of(shown: Sequence[LabelledValue], context: StepContext) -> dict[str, str]:
    """Who changed shown values at earlier reviews: person ids by path."""
    edited = context.run.state.edited
    return {each.path: edited[each.path] for each in shown if each.path in edited}


def approved_changes(decision: Decision, context: StepContext) -> dict[str, Any]:
    """The fields of the approval's patch: by whom, and what.

    It is by the only editor, else by who decided.
    """
    last = {each.name: each for each in decision.edits}
    values = {path: _leaf_value(each, context) for path, each in last.items()}
    new = {p: v for p, v in values.items() if v != value_of(p, context.run.state)}
    groups: dict[str, dict[str, LeafValue | None]] = {"": {}, "profile": {}}
    for path, value in new.items():
        group, name = split_path(path)
        groups[group][name] = value
    edited = {path: last[path].person for path in new}
    (by,) = set(edited.values()) if len(set(edited.values())) == 1 else {decision.person}
    labels = {p: {str(v): last[p].after} for p, v in new.items() if _is_listed(p, context)}
    changed = {"profile": groups["profile"], "data": groups[""], "labels": labels}
    return {"by": by, **changed, "edited": edited}


def _is_listed(path: str, context: StepContext) -> bool:
    """Whether a tool lists what the leaf at the path takes."""
    leaf = context.playbook.definition.leaf(path)
    return leaf is not None and (leaf.options_from is not None or leaf.type == "entity")


def edit_text(before: Card, edited: EditedCard, lang: Lang) -> str:
    """What the editor is told: what was changed, and what that means for votes and approval."""
    names = say("list.items", lang).join(vote.name for vote in before.votes)
    sentences = (
        say("edit.done", lang, changes=describe_edits(edited.edits, lang)),
        say("edit.reset", lang, names=names) if names else "",
        say("edit.needs_other", lang) if before.review.four_eyes else "",
    )
    return " ".join(filter(None, sentences))


def edit_facts(before: Card, edited: EditedCard) -> dict[str, Any]:
    """What the log keeps besides who and when: each value before and after, and the votes lost."""
    return {
        "changes": [
            {"path": each.name, "before": each.before, "after": each.after} for each in edited.edits
        ],
        "revision": edited.card.revision,
        "digest": edited.card.shown_digest,
        "digest_before": before.shown_digest,
        "votes_reset": [vote.person for vote in before.votes],
    }


def edit_notices(
    before: Card, edited: EditedCard, editor: Principal, people: People
) -> tuple[Post, ...]:
    """A message to everybody else whose vote is lost by the change, in their own language."""
    voters = tuple(vote.person for vote in before.votes if vote.person != editor.id)
    homes = people.scope_of(before).reviewer_homes(Review(persons=voters))
    posts = []
    for home in dict.fromkeys(homes):
        lang = people.language_at(home) or before.lang
        text = say(
            "edit.vote_lost",
            lang,
            title=literal(before.title),
            name=literal(editor.name),
            changes=literal(describe_edits(edited.edits, lang)),
        )
        part = PartView(number=0, state="in_review", text=text)
        body = MessageView(lang=lang, parts=(part,)).model_dump_json()
        row = f"{before.token}/{edited.card.revision}/vote@{home}"
        posts.append(Post(row=row, conversation=home, kind="note", ref=row, body=body))
    return tuple(posts)


def _field(path: str, context: StepContext) -> Field:
    field = form_field(path, _leaf(path, context), context.run.lang, context.run.state)
    # A field of one line would lose the others. No text is read for it, so nothing names it in one.
    multiline = field.multiline or "\n" in field.value
    return field.model_copy(update={"multiline": multiline, "cues": (), "pair_with": ""})


def _leaf(path: str, context: StepContext) -> Leaf:
    leaf = context.playbook.definition.leaf(path)
    assert leaf is not None, "the loader checks that only leaves may be edited"
    return leaf


def _intro(too_long: Sequence[str], context: StepContext) -> str:
    lang = context.run.lang
    labels = say("list.items", lang).join(too_long)
    more = say("edit.too_long", lang, labels=labels) if too_long else ""
    return " ".join(filter(None, (say("edit.intro", lang), more)))


def _editable(
    path: str, node: SopNode, shown: Sequence[LabelledValue], pieces: int, context: StepContext
) -> EditableValue:
    """Where the leaf is shown: in a row, or a piece of text of its own."""
    long = [each.path for each in shown if each.needs_room]
    short = [each.path for each in shown if not each.needs_room]
    first = pieces - len(long)
    return EditableValue(
        name=path,
        rows=tuple(n for n, p in enumerate(short) if p == path),
        pieces=tuple(first + n for n, p in enumerate(long) if p == path),
        at=_content_paths(path, node, context),
        author=context.run.state.edited.get(path, ""),
    )


def _content(node: SopNode, context: StepContext) -> Any:
    """What is approved: the calls of the shown plan, else what is presented."""
    shown = context.playbook.skills[node.shows].plan if node.shows else None
    if shown:
        return calls_of_run(shown, context.run)
    return [{path: value_of(path, context.run.state)} for path in node.presents]


def _content_paths(
    path: str, node: SopNode, context: StepContext
) -> tuple[tuple[int | str, ...], ...]:
    shown = context.playbook.skills[node.shows].plan if node.shows else None
    if shown is None:
        return tuple((n, path) for n, each in enumerate(node.presents) if each == path)
    return tuple(
        (number, "arguments", name)
        for number, (call, _) in enumerate(planned_calls(shown, context.run.state))
        for name, value in call.arguments.items()
        if value == f"${path}"
    )


def _leaf_value(each: Edit, context: StepContext) -> LeafValue | None:
    if each.value is None:
        return None
    return from_form(_leaf(each.name, context), each.value, context.run.lang)


def edit_texts(card: Card, lang: Lang) -> tuple[str, ...]:
    """What reviewers changed on the card, by person: from what was asked for to what stands."""
    changed: dict[str, dict[str, Edit]] = {}
    for each in card.edits:
        own = changed.setdefault(each.person_name, {})
        first = own.get(each.name, each)
        own[each.name] = each.model_copy(update={"before": first.before})
    texts = []
    for name, by_field in changed.items():
        edits = [each for each in by_field.values() if each.before != each.after]
        changes = literal(describe_edits(edits, lang))
        texts += [say("work.changed", lang, name=literal(name), changes=changes)] if edits else []
    return tuple(texts)
