"""What is said of a reviewer's change to a card: to them, to those who voted, in the log (1.8)."""

from typing import Any

from cards.editing.editing import Edited
from cards.editing.texts import told
from cards.markdown import literal
from cards.model import Card, Lang, Principal, Review
from cards.showing.view import MessageView, PartView
from cards.texts import say
from engine.ports.people import People
from engine.ports.storage.store import Post


def to_editor(before: Card, edited: Edited, lang: Lang) -> str:
    """What was changed, and what that means for the votes and the approval."""
    names = say("list.items", lang).join(vote.name for vote in before.votes)
    sentences = (
        say("edit.done", lang, changes=told(edited.edits, lang)),
        say("edit.reset", lang, names=names) if names else "",
        say("edit.needs_other", lang) if before.review.four_eyes else "",
    )
    return " ".join(filter(None, sentences))


def log_facts(before: Card, edited: Edited) -> dict[str, Any]:
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


def to_voters(before: Card, edited: Edited, editor: Principal, people: People) -> tuple[Post, ...]:
    """A message to everybody else whose vote is lost by the change, in their own language."""
    voters = tuple(vote.person for vote in before.votes if vote.person != editor.id)
    homes = people.about(before.conversation).homes(Review(persons=voters))
    posts = []
    for home in dict.fromkeys(homes):
        lang = people.language_at(home) or before.lang
        text = say(
            "edit.vote_lost",
            lang,
            title=literal(before.title),
            name=literal(editor.name),
            changes=literal(told(edited.edits, lang)),
        )
        part = PartView(number=0, state="in_review", text=text)
        body = MessageView(lang=lang, parts=(part,)).model_dump_json()
        row = f"{before.token}/{edited.card.revision}/vote@{home}"
        posts.append(Post(row=row, conversation=home, kind="note", ref=row, body=body))
    return tuple(posts)
