"""A message as one text: all that it says, whatever stands in it."""

import pytest
from markdown_it import MarkdownIt

from cards.model import Row
from cards.showing.document import digest, document, is_settled
from cards.showing.view import CardView, MessageView, PartView


def part(text: str, **more: object) -> PartView:
    return PartView.model_validate({"number": 0, "state": "answered", "text": text, **more})


def message(*parts: PartView, **card: object) -> MessageView:
    shown = {"token": "t", "kind": "confirm", "title": "Sign *off*?", **card}
    return MessageView(
        lang="en", parts=parts, card=CardView.model_validate(shown) if card else None
    )


def test_everything_that_is_said_stands_in_order() -> None:
    text = document(
        message(
            part("first", number=1, label="what *I* asked"),
            part("second", number=2),
            text="the card",
            problems=("**odd**\nvalue",),
            rows=(Row(label="Weight", value="<b>62"),),
        )
    )
    assert text == (
        "## 1. what \\*I\\* asked\n\nfirst\n\n## 2.\n\nsecond\n\n## Sign \\*off\\*?\n\nthe card\n\n"
        "- **odd** value\n\n- **Weight** \\<b\\>62\n"
    )


@pytest.mark.parametrize("fence", ["```", "````python", "~~~", "   ```"])
def test_an_open_fence_swallows_nothing_of_what_follows(fence: str) -> None:
    text = document(message(part(f"{fence}\n``\n## no head"), text="x"))
    heads = [t.content for t in MarkdownIt().parse(text) if t.type == "inline"]
    assert heads[0] == "Sign \\*off\\*?"


def test_a_closed_fence_is_left_as_it_is() -> None:
    assert document(message(part("```\na\n```\nb"))) == "```\na\n```\nb\n"


def test_what_is_always_shown_whole_makes_no_new_document() -> None:
    one, other = message(text="x", outcome="Approved"), message(text="x", note="Waiting")
    assert digest(document(one)) == digest(document(other))
    long = message(text="x", outcome="why " * 200)
    assert "why why" in document(long)
    assert digest(document(long)) != digest(document(one))


def test_halves_of_characters_have_a_digest() -> None:
    assert len(digest("\ud800")) == 12


def test_what_is_worked_on_is_not_settled() -> None:
    assert is_settled(message(part("x"), part("y", state="waiting")))
    assert not is_settled(message(part("x"), part("y", state="working")))
