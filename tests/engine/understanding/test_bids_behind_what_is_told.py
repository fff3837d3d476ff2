"""What only bids takes what it is about from what is told before it, however that is read."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.text.language import detect_language
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import route
from tests.engine.understanding.frames.projects import read_context
from tests.fakes.tables import table

LIBRARY = Path(__file__).parent / "lookups" / "library"


@pytest.fixture(scope="module")
def library() -> RouteContext:
    return read_context(LIBRARY)


@table(
    "text",
    [
        "L-301 is due soon, please renew it",
        "L-301 is due soon. Please extend it.",
        "L-302 到期了，请续借一下",
    ],
)
async def test_what_is_told_and_then_bidden_is_one_request(
    library: RouteContext, text: str
) -> None:
    here = replace(library, lang=detect_language(text))
    (intent,) = (await route(text, here, None)).intents
    assert intent.text.rstrip(".") == text.rstrip(".")
    assert (intent.request or intent.candidates[0].request) == "renew"


@table(
    ("text", "asked"),
    [
        ("when is L-301 due? Please renew it.", "when is L-301 due?"),
        ("L-302 到期了吗？请续借一下", "L-302 到期了吗？"),
    ],
)
async def test_a_question_before_it_is_answered_by_itself(
    library: RouteContext, text: str, asked: str
) -> None:
    here = replace(library, lang=detect_language(text))
    first, second = (await route(text, here, None)).intents
    assert first.text == asked
    assert first.lookup
    assert first.lookup.tool == "find_loan"
    assert not second.lookup
