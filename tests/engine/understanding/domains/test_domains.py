"""Requests of two project folders begin or are offered first, by three examples of each and by ten.

The rules were tuned on `clinic` and on `frames/domains`; `archive` was measured only.
"""

from dataclasses import replace

import pytest

from engine.text.language import detect_language
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import route
from tests.engine.understanding.domains.folders import TUNED, UNSEEN, asked_of, read_folder
from tests.engine.understanding.frames.frames import is_begun, name_of, outcome_of
from tests.engine.understanding.frames.projects import BOTH, Request
from tests.fakes.tables import table

EN, ZH = ("en",), ("zh",)
LEAST = [
    (UNSEEN, 10, BOTH, BOTH, 0.95),
    (TUNED, 10, BOTH, BOTH, 0.93),
    (UNSEEN, 3, BOTH, BOTH, 0.86),
    (TUNED, 3, BOTH, BOTH, 0.81),
    (UNSEEN, 10, EN, EN, 0.94),
    (UNSEEN, 10, ZH, ZH, 0.95),
    (UNSEEN, 10, EN, ZH, 0.83),
    (UNSEEN, 10, ZH, EN, 0.86),
    (TUNED, 10, EN, ZH, 0.66),
    (TUNED, 10, ZH, EN, 0.75),
]
"""The least share that begins or is offered first, by the languages of examples and messages."""


@table(("name", "count", "taught", "said", "least"), LEAST)
@pytest.mark.more
async def test_requests_begin_or_are_offered_first(
    name: str, count: int, taught: tuple[str, ...], said: tuple[str, ...], least: float
) -> None:
    context, asked = read_folder(name, count, taught), asked_of(name, said)
    missed = [each.text for each in asked if not await _is_first(each, context)]
    assert 1 - len(missed) / len(asked) >= least, missed


async def _is_first(asked: Request, context: RouteContext) -> bool:
    here = replace(context, lang=detect_language(asked.text))
    intents = (await route(asked.text, here, None)).intents
    assert not [i for i in intents if is_begun(i) and name_of(i) != asked.group], asked.text
    firsts = [i.candidates[0] for i in intents if i.kind == "unclear" and i.candidates]
    offered = {f"{first.playbook}/{first.request}" for first in firsts}
    return outcome_of(asked.group, intents) in ("start", "condition") or asked.group in offered


async def test_what_only_fields_name_is_offered_in_the_language_that_no_example_has() -> None:
    context = read_folder(TUNED, 3, EN)
    (intent,) = (await route("VC-0412要打犬瘟热", replace(context, lang="zh"), None)).intents
    assert [c.request for c in intent.candidates][:1] == ["record"]


async def test_the_name_of_a_request_is_no_example_of_it() -> None:
    context = read_folder(TUNED, 3)
    assert "reduce a bill" not in context.table.verbatim
    assert not context.table.lessons.tokens["bills"]["减免"]
