"""A project of a domain that nothing was tuned on is usable with three examples of each work."""

from collections import Counter
from dataclasses import replace

import pytest

from engine.text.language import detect_language
from engine.understanding.router.chain import route
from tests.engine.understanding.frames.frames import is_begun, name_of, outcome_of
from tests.engine.understanding.frames.projects import BOTH, UNSEEN, held_out, read_unseen

OFFERED = {("beekeepers", 3): 0.85, ("streetlights", 3): 0.65, ("streetlights", 8): 0.85}
"""The least share of requests, put as no example puts them, that are begun or offered."""


@pytest.mark.parametrize(("name", "count"), OFFERED)
@pytest.mark.more
async def test_requests_put_otherwise_are_begun_or_offered(name: str, count: int) -> None:
    context = read_unseen(name, count)
    found: Counter[str] = Counter()
    for each in held_out(name, count):
        here = replace(context, lang=detect_language(each.text))
        intents = (await route(each.text, here, None)).intents
        assert not [i for i in intents if is_begun(i) and name_of(i) != each.group], each.text
        found[outcome_of(each.group, intents)] += 1
    assert 1 - found["none"] / found.total() >= OFFERED[name, count], found


@pytest.mark.parametrize("name", UNSEEN)
@pytest.mark.parametrize("langs", [BOTH, ("en",), ("zh",)])
async def test_each_of_three_examples_begins_its_work(name: str, langs: tuple[str, ...]) -> None:
    context = read_unseen(name, 3, langs)
    taught = {each.text for each in held_out(name, 0, langs)}
    taught -= {each.text for each in held_out(name, 3, langs)}
    for each in held_out(name, 0, langs):
        if each.text in taught:
            (intent,) = (await route(each.text, context, None)).intents
            assert (intent.kind, name_of(intent), intent.sure) == ("workflow", each.group, True)
