"""An open form takes several values of one text, with or without the names of its fields."""

from functools import cache
from pathlib import Path

from cards.model import Card, Choice, Field
from engine.understanding.context import RouteContext
from tests.engine.understanding.frames.projects import read_context
from tests.engine.understanding.test_beside_open_forms import read
from tests.engine.understanding.test_route_card_replies import clarify
from tests.fakes.tables import table

ASSET = Field(name="asset", label="Asset number", cues=("资产编号",), type="entity", entity="asset")
TICKET = Field(name="ticket", label="Ticket", cues=("工单",), pattern="TK-[0-9]{3}")
UNTIL = Field(name="until", label="Until", type="date", required=False)


@cache
def helpdesk() -> RouteContext:
    return read_context(Path(__file__).parent / "domains" / "helpdesk")


def form(*fields: Field, title: str = "Return a device") -> Card:
    submit = Choice(id="submit", label="Submit", form=fields)
    return clarify().model_copy(update={"title": title, "choices": (submit,)})


@table(
    ("text", "values"),
    [
        ("LT-0388, TK-204", {"asset": "LT-0388", "ticket": "TK-204"}),
        ("TK-204，LT-0388", {"asset": "LT-0388", "ticket": "TK-204"}),
        ("asset number LT-0388, ticket TK-204", {"asset": "LT-0388", "ticket": "TK-204"}),
        ("资产编号LT-0388，工单TK-204", {"asset": "LT-0388", "ticket": "TK-204"}),
        (
            "TK-204, LT-0388, until 2026-12-24",
            {"asset": "LT-0388", "ticket": "TK-204", "until": "2026-12-24"},
        ),
    ],
)
async def test_values_that_only_it_can_take_fill_it(text: str, values: dict[str, str]) -> None:
    card = form(ASSET, TICKET, UNTIL)
    (intent,) = await read(text, card, context=helpdesk())
    assert (intent.kind, intent.card) == ("card_reply", card.token)
    assert intent.values == values


@table(
    "text",
    [
        "please replace LT-0388, TK-204 is done",
        "who has LT-0388, and TK-204?",
        "换LT-0388，TK-204也换",
    ],
)
async def test_other_work_and_questions_are_none(text: str) -> None:
    card = form(ASSET, TICKET, UNTIL)
    intents = await read(text, card, context=helpdesk())
    assert not any(i.kind == "card_reply" and len(i.values) > 1 for i in intents)


async def test_two_forms_that_take_them_are_asked_about() -> None:
    first = form(ASSET, TICKET)
    other = form(ASSET, TICKET, title="Repair a device")
    second = other.model_copy(update={"token": "1-clarify02"})
    intents = await read("LT-0388, TK-204", first, second, context=helpdesk())
    assert not any(i.card for i in intents)


PIECES = Field(name="pieces", label="How many", names=("数量",), type="integer", value="2")
WHY = Field(name="why", label="Reason", value="worn out")


@table(
    ("text", "values"),
    [
        ("no, it should be 5", {"pieces": "5"}),
        ("sorry, 5", {"pieces": "5"}),
        ("不对，应该是5", {"pieces": "5"}),
        ("错了，是5", {"pieces": "5"}),
        ("sorry, it is LT-0388", {"asset": "LT-0388"}),
    ],
)
async def test_a_correction_is_for_the_one_field_that_takes_it(
    text: str, values: dict[str, str]
) -> None:
    card = form(ASSET.model_copy(update={"value": "LT-0001"}), PIECES, WHY)
    (intent,) = await read(text, card, context=helpdesk())
    assert (intent.kind, intent.card, intent.values) == ("card_reply", card.token, values)


@table("text", ["no, it should be 5", "不对，应该是5"])
async def test_of_two_fields_that_take_it_none_does(text: str) -> None:
    boxes = Field(name="boxes", label="Boxes", type="integer", value="3")
    intents = await read(text, form(PIECES, boxes, WHY), context=helpdesk())
    assert not any(i.values for i in intents)
