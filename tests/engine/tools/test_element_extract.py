from pathlib import Path

import pytest

from engine.errors import ToolFailed, ToolRetry
from engine.tools.files.element_extract import ELEMENT_EXTRACT
from engine.tools.model import ToolContext
from engine.tools.registry import call

TEXT = (
    "2026年3月1日，原告王某（身份证 11010519491231002X，电话 138-0013-8000，wang.li@example.com）"
    "与被告签订合同，货款人民币 120,000.50 元，定金 ¥3万，另付 2.5万元及 USD 300。"
    "2026-03-01 付款，p003 与 P004 在场。座机 010-12345678。"
)


async def extracted(text: str, ctx: ToolContext) -> dict[str, list[str]]:
    result = await call(ELEMENT_EXTRACT, {"text": text}, ctx)
    found: dict[str, list[str]] = {}
    for element in result["elements"]:
        found.setdefault(element["kind"], []).append(element["value"])
    return found


async def test_every_kind_is_found_by_its_form(ctx: ToolContext) -> None:
    assert await extracted(TEXT, ctx) == {
        "date": ["2026-03-01"],
        "subject": ["P003", "P004"],
        "amount": ["CNY 120000.50", "CNY 30000.00", "CNY 25000.00", "USD 300.00"],
        "email": ["wang.li@example.com"],
        "phone": ["13800138000", "010-12345678".replace("-", "")],
        "id_number": ["**************002X"],
    }


async def test_an_identity_number_never_leaves_the_tool_whole(ctx: ToolContext) -> None:
    result = await call(ELEMENT_EXTRACT, {"text": f"{TEXT} 另一个 110105194912310021"}, ctx)
    assert "19491231" not in str(result)
    told = ELEMENT_EXTRACT.tell(result, "zh")
    assert "身份证号（2，已隐去）" in told
    assert told.endswith("0021（校验位不符）")
    assert "194912" not in told


async def test_an_amount_in_a_table_takes_nothing_from_its_neighbours(ctx: ToolContext) -> None:
    found = await extracted("2026-03-01,300 元\nP001,1,200 yuan\n7.5,20 USD, 1.5.2 元", ctx)
    # What 7.5,20 means nobody knows.
    assert found["amount"] == ["CNY 300.00", "CNY 1200.00"]


@pytest.mark.parametrize(
    "text",
    ["版本 1.2.3，编号 20260301，共 12 份", "call me maybe at noon", "a@b and 123456789 cans"],
)
async def test_what_has_no_certain_form_is_not_guessed(text: str, ctx: ToolContext) -> None:
    assert await extracted(text, ctx) == {}
    result = await call(ELEMENT_EXTRACT, {"text": text}, ctx)
    assert ELEMENT_EXTRACT.tell(result, "en").startswith(
        "There are no dates, names of the project,"
    )


async def test_a_file_is_read_when_it_is_named(ctx: ToolContext, folder: Path) -> None:
    (folder / "minutes.txt").write_text("P007 paid $1,200 on 5 March 2026", "utf-8")
    result = await call(ELEMENT_EXTRACT, {"name": "minutes.txt"}, ctx)
    assert ELEMENT_EXTRACT.tell(result, "en") == (
        "- Dates (1): 2026-03-05\n- Subject (1): P007\n- Amounts (1): USD 1200.00"
    )
    missing = await call(ELEMENT_EXTRACT, {"name": "minute.txt"}, ctx)
    assert "Close names: minutes.txt." in ELEMENT_EXTRACT.tell(missing, "en")
    (folder / "scan.pdf").touch()
    with pytest.raises(ToolFailed, match=r"scan\.pdf is empty"):
        await call(ELEMENT_EXTRACT, {"name": "scan.pdf"}, ctx)


async def test_many_are_counted_and_the_first_are_given(ctx: ToolContext) -> None:
    text = " ".join(f"P{number:03}" for number in range(40))
    result = await call(ELEMENT_EXTRACT, {"text": text}, ctx)
    assert (result["counts"], len(result["elements"])) == ({"subject": 40}, 30)
    assert ELEMENT_EXTRACT.tell(result, "zh").endswith("P029，另有 10 个未列出")


async def test_nothing_to_look_through_is_a_fault_of_the_arguments(ctx: ToolContext) -> None:
    with pytest.raises(ToolRetry, match=r"^Wrong arguments text, name\."):
        await call(ELEMENT_EXTRACT, {"text": " "}, ctx)


async def test_a_very_long_file_is_looked_at_in_time_and_in_part(
    ctx: ToolContext, folder: Path
) -> None:
    (folder / "long.csv").write_text("2026-03-01,P001,1 yuan " * 20_000 + "P999")
    result = await call(ELEMENT_EXTRACT, {"name": "long.csv"}, ctx)
    assert result["counts"] == {"date": 1, "subject": 1, "amount": 1}
    assert ELEMENT_EXTRACT.tell(result, "en").endswith(
        "only its first 200000 characters were looked at.)"
    )


async def test_what_stands_where_a_long_line_is_parted_is_found(
    ctx: ToolContext, folder: Path
) -> None:
    for length in range(3985, 4001):
        (folder / "line.txt").write_text("x" * length + " 2026-03-01 P003, 1,200 yuan")
        result = await call(ELEMENT_EXTRACT, {"name": "line.txt"}, ctx)
        values = {element["value"] for element in result["elements"]}
        assert values == {"2026-03-01", "P003", "CNY 1200.00"}
