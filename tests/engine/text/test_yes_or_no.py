"""Yes and no, said with the words of the field that asks."""

from datetime import date

from cards.model import Field
from engine.text.form_reading import find_values, read_form
from tests.fakes.tables import table

TODAY = date(2026, 11, 30)
CHECKED = Field(name="x", label="验收通过", type="boolean", cues=("验收",))
URGENT = Field(name="x", label="紧急", type="boolean", cues=("紧急", "急"))
INSPECTED = Field(name="x", label="Inspection passed", type="boolean", cues=("inspected",))
PAID = Field(name="x", label="Paid in advance", type="boolean", cues=("prepaid", "paid"))
RUSH = Field(name="x", label="Urgent", type="boolean", cues=("urgent",))


@table(
    ("field", "text", "value"),
    [
        *(
            (CHECKED, text, "yes")
            for text in (
                "装修押金麻烦退一下，已经验收过了",
                "上周五师傅验收完了，退押金",
                "已验收，请退款",
                "我们家装修验收通过了，帮我办退押金",
            )
        ),
        *(
            (CHECKED, text, "no")
            for text in (
                "还没验收，先登记一下",
                "帮我登记，没有验收过",
                "验收没通过，怎么弄",
                "未验收，先交",
            )
        ),
        *(
            (CHECKED, text, None)
            for text in (
                "验收过了吗",
                "等验收过了再退",
                "如果已经验收了就退",
                "好像验收过了，麻烦看看",
                "下周验收，先登记",
                "是不是已经验收了？",
            )
        ),
        *((URGENT, text, "yes") for text in ("插座冒火花，很急", "门坏了，特别紧急！")),
        *((URGENT, text, "no") for text in ("门坏了，不急", "灯不亮，不太紧急")),
        *((URGENT, text, None) for text in ("急不急，你们看", "门坏了", "着急上火")),
        *(
            (INSPECTED, text, "yes")
            for text in (
                "refund the deposit of flat 12, it has already been inspected",
                "it was inspected on Friday, please refund the deposit",
            )
        ),
        *(
            (INSPECTED, text, "no")
            for text in (
                "refund flat 12, it has not been inspected yet",
                "the flat isn't inspected, please start anyway",
            )
        ),
        *(
            (INSPECTED, text, None)
            for text in (
                "has it been inspected?",
                "refund it once it has been inspected",
                "I think it was inspected, refund it",
                "it will have been inspected by then, wait",
            )
        ),
        *((RUSH, text, "yes") for text in ("the door is stuck, it's very urgent",)),
        *((RUSH, text, "no") for text in ("the door is stuck, it's not urgent",)),
        *((PAID, text, "yes") for text in ("two rooms, already paid",)),
    ],
)
def test_a_clause_says_yes_or_no_in_the_fields_own_words(
    field: Field, text: str, value: str | None
) -> None:
    other = Field(name="why", label="Reason")
    assert find_values(text, (field, other), TODAY).values.get("x") == value


@table(
    ("field", "text", "value"),
    [
        *(
            (CHECKED, text, "yes")
            for text in ("验收过了", "是的，通过了", "嗯，验收通过了", "对，已经通过验收", "通过")
        ),
        *(
            (CHECKED, text, "no")
            for text in ("没验收", "还没有", "没有，还没验收", "不，没通过", "还没通过呢", "未通过")
        ),
        *(
            (CHECKED, text, None)
            for text in (
                "应该通过了吧",
                "不知道通过没有",
                "是的，没通过",
                "好像是",
                "明天验收",
                "没有，通过了",
            )
        ),
        *(
            (INSPECTED, text, "yes")
            for text in (
                "yes, it has been inspected",
                "Yes it passed.",
                "yes, inspected",
                "it passed",
            )
        ),
        *(
            (INSPECTED, text, "no")
            for text in (
                "not yet",
                "no, not inspected yet",
                "No, it has not passed",
                "it hasn't been",
            )
        ),
        *(
            (INSPECTED, text, None)
            for text in (
                "yes, but it failed",
                "probably",
                "yes, it will be inspected",
                "I don't know",
                "it should have passed",
                "yes, room 12 too",
            )
        ),
    ],
)
def test_the_only_missing_field_is_answered_in_its_own_words(
    field: Field, text: str, value: str | None
) -> None:
    stands = Field(name="unit", label="Flat", value="12", identity=True)
    note = Field(name="photo", label="Photo", type="file", required=False)
    assert read_form(text, (stands, field, note), TODAY).values.get("x") == value
