"""A rule that did not pass tells the requester what it found."""

from pathlib import Path

import pytest

from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start
from tests.scenarios.test_run_ends import change
from tests.scenarios.test_web_walk import GOOD

OLD = "message: {zh: 应在 30 到 200 kg 之间, en: should be 30 to 200 kg}"
NOTED = "[fine](http://evil.example) {field} **seen** <b>yes</b>"
QUOTES = f"""{OLD}
        - field: adverse_event
          logic: {{"!": {{var: adverse_event}}}}
          message: {{zh: "*{{field}}* 写着 {{value}}。", en: "*{{field}}* says {{value}}."}}"""


@pytest.mark.parametrize(
    ("request_text", "told"),
    [
        ("录入 P003 今天的访视", f"*不良事件* 写着 {NOTED}。"),
        ("record today's visit of P003", f"*Adverse event* says {NOTED}."),
    ],
)
async def test_a_rule_quotes_a_value_under_its_label_and_only_as_text(
    start: Start, playbooks: Path, request_text: str, told: str
) -> None:
    change(playbooks, "skills/visit-check.yaml", OLD, QUOTES)
    service = await start(playbooks=playbooks)
    async with WebRoom(service.url) as room:
        await room.say("lin", request_text)
        form = await room.card("clarify")
        await room.fill("lin", form, "submit", **GOOD, adverse_event=NOTED)
        back = await room.wait_for(lambda m: bool(m["card"]) and bool(m["card"]["problems"]))
        (problem,) = back["card"]["problems"]
        assert told.replace("<b>", "&lt;b&gt;").replace("</b>", "&lt;/b&gt;") in problem["html"]
        assert [tag for tag in ("<a ", "<strong>", "<em>", "<b>") if tag in problem["html"]] == []
