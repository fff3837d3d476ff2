"""What a reviewer's change of a card writes, and what those are told whom it concerns (1.8)."""

from typing import Any

from bot.people.directory import Directory
from cards.editing.editing import Edited
from cards.editing.texts import told
from cards.markdown import literal
from cards.model import Card, Lang, Principal, Review
from cards.showing.view import MessageView, PartView
from cards.texts import say
from engine.ports.storage.store import Post


def answer(before: Card, edited: Edited, lang: Lang) -> str:
    """What the editor is told: what was changed, and what that means."""
    names = say("list.items", lang).join(vote.name for vote in before.votes)
    sentences = (
        say("edit.done", lang, changes=told(edited.edits, lang)),
        say("edit.reset", lang, names=names) if names else "",
        say("edit.needs_other", lang) if before.review.four_eyes else "",
    )
    return " ".join(filter(None, sentences))


def entry(before: Card, edited: Edited) -> dict[str, Any]:
    """What the audit keeps of a change besides who and when: before, after, votes that it cost."""
    return {
        "changes": [
            {"path": each.name, "before": each.before, "after": each.after} for each in edited.edits
        ],
        "revision": edited.card.revision,
        "digest": edited.card.shown_digest,
        "digest_before": before.shown_digest,
        "votes_reset": [vote.person for vote in before.votes],
    }


def votes_lost(
    before: Card, edited: Edited, editor: Principal, people: Directory
) -> tuple[Post, ...]:
    """A word to everybody whose vote is lost by the change."""

    def body(home: str) -> str:
        """In the words of whose home it is."""
        reader = people.owner_at(home)
        lang = (reader.language if reader else None) or before.lang
        text = say(
            "edit.vote_lost",
            lang,
            title=literal(before.title),
            name=literal(editor.name),
            changes=literal(told(edited.edits, lang)),
        )
        shown = PartView(number=0, state="in_review", text=text)
        return MessageView(lang=lang, parts=(shown,)).model_dump_json()

    voters = tuple(vote.person for vote in before.votes if vote.person != editor.id)
    rows = {
        f"{before.token}/{edited.card.revision}/vote@{home}": home
        for home in people.about(before.conversation).homes(Review(persons=voters))
    }
    return tuple(
        Post(row=row, conversation=home, kind="note", ref=row, body=body(home))
        for row, home in rows.items()
    )
