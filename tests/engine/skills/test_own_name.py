"""Whoever asks is meant by "me" where a field names people, by a list as well."""

from typing import Any

from engine.skills.own_name import with_self
from engine.text.entity_kinds import Entities, ListKind
from tests.engine.sop.sop_stage import loaded
from tests.fakes.tables import table
from tests.fakes.walk import LIN, Walk, new_run

FILES = {
    "playbook.yaml": """\
id: seats
name: {zh: 座位, en: Seats}
entities:
  colleague: {name: {zh: 同事, en: Colleague}, pattern: "C-[0-9]{2}"}
cues: [book, 订]
requests:
  - {id: seat, name: {zh: 订座, en: Book a seat}, examples: [book a seat, 订一个座位]}
data_fields:
  who: {label: {zh: 谁, en: Who}, type: entity, entity: colleague}
  day: {label: {zh: 日期, en: Day}, type: date}
phases:
  - id: details
    name: {zh: 信息, en: Details}
    goal: {zh: 已知, en: Known}
    allowed_skills: [ask]
    checkpoints: [who, day]
""",
    "skills/ask.yaml": """\
id: ask
name: {zh: 信息, en: Details}
description: {zh: 询问, en: Asks}
category: intake
kind: prompt
provides: [who, day]
ask: {title: {zh: 座位, en: Seat}, text: {zh: 请填写, en: Fill in}, fields: [who, day]}
""",
}
LISTED = {"C-01": ("C-01",), "陈博": ("C-02",), "Lin Yue": ("C-01",), "Ida": ("C-03",)}


async def asked(message: str, lang: Any = "en", names: dict[str, Any] | None = None) -> Any:
    """Whom the form has, as Lin asks."""
    playbook = loaded(FILES)
    known = Entities((ListKind("colleague", LISTED if names is None else names),))
    run = new_run(
        playbook,
        message=message,
        text=message,
        request="seat",
        lang=lang,
        named=with_self(known.record(message), message, LIN, known),
    )
    walk = await Walk(playbook, run, listed=lambda *_: known).start()
    return walk.run.state.data.get("who")


@table(
    ("message", "who"),
    [
        ("book me a seat for tomorrow", "C-01"),
        ("book a seat for me", "C-01"),
        ("给我订一个座位", "C-01"),
        ("book me a seat for Ida", "C-03"),
        ("tell me, book a seat", None),
        ("book a seat", None),
        ("帮我订一个座位", None),
    ],
)
async def test_me_is_whoever_asks(message: str, who: str | None) -> None:
    assert await asked(message) == who


async def test_whom_the_list_does_not_have_is_asked_for() -> None:
    assert await asked("book me a seat", names={"Ida": ("C-03",)}) is None
