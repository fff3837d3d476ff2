"""What a message tells of its matter is the one text that the form still needs."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from engine.playbooks.model import Playbook
from engine.text.entity_kinds import Entities
from engine.text.vocabulary import make_vocabulary
from engine.understanding.matter import without_used
from tests.engine.understanding.domains.folders import read_playbook
from tests.fakes.tables import table
from tests.fakes.walk import Walk, new_run

_PLAYBOOKS = {
    "replace": ("helpdesk", "devices"),
    "incident": ("helpdesk", "operations"),
    "repair": ("venue", "repair"),
}


@cache
def playbook(request: str) -> Playbook:
    return read_playbook(*_PLAYBOOKS[request])


async def begun(request: str, message: str, lang: Any, examples: Sequence[str] = ()) -> Walk:
    book = playbook(request)
    if examples:
        # Whichever cues its author thought of.
        file = book.definition
        requests = [e.model_copy(update={"examples": (*examples,)}) for e in file.requests]
        file = file.model_copy(update={"cues": (), "requests": tuple(requests)})
        book = book.model_copy(update={"definition": file})
    (asked,) = [each.id for each in book.definition.requests if request in each.id]
    known = Entities(tuple(book.definition.pattern_kinds))
    named = known.record(message)
    run = new_run(book, message=message, text=message, request=asked, lang=lang, named=named)
    return await Walk(book, run, listed=lambda *_: known).start()


@table(
    ("request", "lang", "message", "told"),
    [
        ("replace", "zh", "LT-0388 屏幕一直闪，帮我换一台", "屏幕一直闪"),
        ("replace", "zh", "电脑 LT-0388，想换一台，开机要十分钟", "开机要十分钟"),
        ("replace", "zh", "更换LT-0388，风扇响得厉害，赶紧派人来看看", "风扇响得厉害"),
        (
            "replace",
            "en",
            "the screen of my laptop stays black, please replace LT-0388",
            "the screen of my laptop stays black",
        ),
        (
            "replace",
            "en",
            "please replace LT-0388, the fan rattles all day, send somebody asap",
            "the fan rattles all day",
        ),
        # An example's own words.
        ("replace", "en", "please replace LT-0388, the screen is broken", "the screen is broken"),
        ("repair", "zh", "在大堂，灯一闪一闪的，请来修", "灯一闪一闪的"),
    ],
)
async def test_it_is_the_one_text_that_is_needed(
    request: str, lang: str, message: str, told: str
) -> None:
    walk = await begun(request, message, lang)
    assert told in walk.run.state.data.values()
    assert "unused" not in walk.log[-1]


@table(
    ("request", "lang", "message"),
    [
        # Greetings, bids, whom it is for, questions.
        ("replace", "zh", "你好，LT-0388 换一台，赶紧派人来看看"),
        ("replace", "zh", "请更换 LT-0388，什么时候能换好？"),
        ("replace", "en", "hello, please replace LT-0388 as soon as possible, send somebody"),
        ("replace", "en", "please replace LT-0388, when will it come?"),
        # What goes on as the request does.
        ("replace", "en", "please replace LT-0388 of the reception desk"),
        # All that is said may be what is asked for.
        ("replace", "en", "keep the old keyboards here"),
        # Two of them, and a text beside another text.
        ("replace", "zh", "换LT-0388，电池鼓包了，键盘进水了"),
        ("repair", "zh", "请来修，走廊灯一闪一闪的"),
    ],
)
async def test_what_tells_of_no_matter_is_not_taken(request: str, lang: str, message: str) -> None:
    walk = await begun(request, message, lang)
    assert not {"broken", "what"} & walk.run.state.data.keys()
    form = walk.card.choices[0].form
    assert not [f.value for f in form if f.type == "text" and f.value]


_BIDS = (
    "please approve to replace LT-0412",
    "请批准更换 LT-0412",
    "please replace LT-0412, the screen is broken",
    "my screen flickers all day, please replace LT-0412",
)


@table(
    ("lang", "message", "told"),
    [
        ("en", "please approve to replace LT-0412", ""),
        ("en", "please approve to replace LT-0388", ""),
        ("en", "please approve to replace the asset number LT-0388", ""),
        ("zh", "请批准更换 LT-0388", ""),
        ("zh", "LT-0388 批准更换", ""),
        # What an example tells behind that, or before it, may well be the matter.
        ("en", "please replace LT-0388, the screen is broken", "the screen is broken"),
        ("en", "my screen flickers all day, please replace LT-0388", "my screen flickers all day"),
        ("zh", "请批准更换 LT-0388，屏幕一直闪", "屏幕一直闪"),
    ],
)
async def test_what_examples_ask_for_is_no_matter(lang: str, message: str, told: str) -> None:
    walk = await begun("replace", message, lang, _BIDS)
    assert walk.run.state.data.get("broken", "") == told


@table(
    ("lang", "message"),
    [
        ("zh", "我家 LT-0388 要换"),
        ("zh", "我想换个 LT-0388"),
        ("en", "i'd like LT-0388 replaced"),
    ],
)
async def test_small_words_are_not_told_as_lost(lang: str, message: str) -> None:
    walk = await begun("replace", message, lang)
    assert "unused" not in walk.log[-1]


async def test_a_long_text_that_is_known_stands_on_the_form() -> None:
    walk = await begun("incident", "the warehouse scanners lose their connection all morning", "en")
    assert "the warehouse scanners lose their connection all morning" in walk.card.text


def test_words_of_examples_around_the_figures_of_a_value_are_not_unused() -> None:
    known = make_vocabulary((), ("我想12月15日带8a去动物园",))
    taken = ("12月3日", "24名学生")
    assert without_used("我想12月3日带", taken, known) == ""
    # Another figure, and other words, are.
    assert without_used("我想12月4日带, 3 rambles", taken, known) == "我想12月4日带, 3 rambles"


@table(
    ("request", "lang", "message", "told"),
    [
        # All of its words stand in an example, which says nothing of where they belong.
        ("replace", "en", "please replace LT-0412, black screen", "black screen"),
        ("replace", "zh", "请更换 LT-0388，鼓包", "鼓包"),
    ],
)
async def test_what_only_an_example_explains_is_told_as_not_used(
    request: str, lang: str, message: str, told: str
) -> None:
    examples = (*_BIDS, "replace LT-0388 with the black screen", "LT-0388 电池鼓包，请更换")
    walk = await begun(request, message, lang, examples)
    assert "broken" not in walk.run.state.data
    assert told in walk.card.text


async def test_a_clause_that_only_asks_is_no_matter() -> None:
    examples = ("LT-0388 is broken, please sort it out", *_BIDS)
    walk = await begun("replace", "LT-0412 is broken, please sort it out", "en", examples)
    assert "broken" not in walk.run.state.data
