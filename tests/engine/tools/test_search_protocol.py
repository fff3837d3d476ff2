from engine.tools.model import ToolContext
from engine.tools.registry import call
from tests.fakes.study import Study
from tests.fakes.tables import table

SECTIONS = (
    "2.1 2.2 2.1 3.1 4.1 4.2 5.1 5.2 5.3 6.2 7 8.2 4.3 3.2 2.1 2.2 3.1 4.1 5.1 5.2 6.2 7 8.1 4.3"
)
SEARCH_PROTOCOL = Study().tool("search_protocol")
EXPECTED = dict(zip(SEARCH_PROTOCOL.examples, SECTIONS.split(), strict=True))


@table(("query", "section"), EXPECTED.items())
async def test_question_finds_its_section_first(query: str, section: str, ctx: ToolContext) -> None:
    result = await call(SEARCH_PROTOCOL, {"query": query}, ctx)
    assert result["section"] == section


@table("cue", [c for c, implied in SEARCH_PROTOCOL.cues.items() if implied])
async def test_cue_alone_finds_something(cue: str, ctx: ToolContext) -> None:
    result = await call(SEARCH_PROTOCOL, dict(SEARCH_PROTOCOL.cues[cue]), ctx)
    assert result["section"]


async def test_section_is_quoted_in_the_language_of_the_person(ctx: ToolContext) -> None:
    result = await call(SEARCH_PROTOCOL, {"query": "inclusion criteria"}, ctx)
    zh, en = SEARCH_PROTOCOL.tell(result, "zh"), SEARCH_PROTOCOL.tell(result, "en")
    assert zh.startswith(
        "**方案 2.1 节《入组标准》：**\n\n> 受试者须同时满足：（1）年龄 18 至 75 岁"
    )
    assert en.startswith("**Protocol section 2.1, Inclusion criteria:**\n\n> A subject is eligible")


@table("query", ["今天天气怎么样", "讲个笑话", "What is the weather like?", "hello", "???", "P003"])
async def test_nothing_found_is_said_with_the_sections_there_are(
    query: str, ctx: ToolContext
) -> None:
    result = await call(SEARCH_PROTOCOL, {"query": query}, ctx)
    assert result["section"] is None
    assert SEARCH_PROTOCOL.tell(result, "zh").startswith(f"方案中没有找到与「{query}」相符的内容。")
    en = SEARCH_PROTOCOL.tell(result, "en")
    assert en.startswith(f"Nothing in the protocol matches “{query}”. ")
    assert "2.1 Inclusion criteria; 2.2 Exclusion criteria" in en


async def test_no_query_lists_the_sections(ctx: ToolContext) -> None:
    result = await call(SEARCH_PROTOCOL, {}, ctx)
    assert SEARCH_PROTOCOL.tell(result, "zh").startswith("方案包含：1 研究概述；2.1 入组标准；")


async def test_asked_text_is_echoed_short_and_plain(ctx: ToolContext) -> None:
    result = await call(SEARCH_PROTOCOL, {"query": "<!here> " + "zq" * 200}, ctx)
    told = SEARCH_PROTOCOL.tell(result, "en")
    assert r"“\<!here\> zqzq" in told
    assert "zq" * 40 not in told
