"""What a model is shown of a result that has its texts in each language."""

import json
from datetime import date
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from engine.ports.model import ToolCall
from engine.tools.model import Tool, ToolContext
from engine.tools.read_only import ReadOnlyTools
from tests.fakes.study import Study

CONTEXT = ToolContext(today=date(2026, 11, 23))


class Nothing(BaseModel):
    pass


async def read(result: Any, lang: Literal["zh", "en"] | None) -> Any:
    """What the model is shown of it."""

    async def give(args: Nothing, context: ToolContext) -> Any:
        return result

    tool: Tool[Any] = Tool(
        name="look",
        description="Looks.",
        arguments=Nothing,
        readonly=True,
        run=give,
        tell=lambda found, lang: str(found),
    )
    tools = ReadOnlyTools([tool], CONTEXT, lang=lang)
    content = (await tools.call(ToolCall(id="1", name="look", arguments="{}"))).content
    return json.loads(content.removeprefix("<data>").removesuffix("</data>"))


BOTH = {"id": 1, "title_zh": "题", "title_en": "t", "text_zh_2": "文", "text_en_2": "x"}


@pytest.mark.parametrize(
    ("lang", "kept"),
    [
        ("zh", {"id": 1, "title_zh": "题", "text_zh_2": "文"}),
        ("en", {"id": 1, "title_en": "t", "text_en_2": "x"}),
        (None, BOTH),
    ],
)
async def test_columns_for_other_languages_are_left_out(lang: Any, kept: Any) -> None:
    assert await read({"rows": [BOTH]}, lang) == {"rows": [kept]}


@pytest.mark.parametrize(("lang", "kept"), [("zh", "文"), ("en", {"text": "x"})])
async def test_of_a_text_by_language_the_asker_s_is_given(lang: Any, kept: Any) -> None:
    by_language = {"zh": "文", "en": {"text": "x"}}
    assert await read({"quotes": by_language}, lang) == {"quotes": kept}
    assert await read({"sent": {"en": 1}}, lang) == {"sent": {"en": 1}}


async def test_a_column_stays_whose_twin_is_not_there_or_says_nothing() -> None:
    alone = {"sent_en": 1, "title_zh": "题", "a_zh": 1, "a_en": None}
    assert await read(alone, "en") == alone


async def test_the_samples_protocol_is_read_in_the_askers_language() -> None:
    tools = ReadOnlyTools(Study().tools, CONTEXT, lang="en")
    call = ToolCall(id="1", name="search_protocol", arguments='{"query": "dose"}')
    content = (await tools.call(call)).content
    assert "sections_en" in content
    assert "_zh" not in content
