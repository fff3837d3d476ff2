"""Options of a form that a read tool lists, for a garage's bays."""

from collections.abc import Sequence
from typing import Any

import pytest

from cards.deciding.revision import EditedCard, edit
from engine.errors import DefinitionError, ToolFailed
from engine.frames.state import AgentState, PromptFrame
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.playbooks.tool import ToolFacts
from engine.toolbox.toolbox import Toolbox
from engine.tools.arguments import Arguments
from engine.tools.model import Tool, ToolContext
from tests.fakes.tables import table
from tests.fakes.walk import CHEN, NOW, Walk, new_run

MAIN = """\
id: garage
name: {zh: 车间, en: Garage}
project: GARAGE-1
cues: [bay]
requests:
  - {id: book, name: {zh: 预约, en: Book}, examples: [book a bay]}
profile_fields:
  booked: {label: {zh: 已预约, en: Booked}}
data_fields:
  site: {label: {zh: 地点, en: Site}, required: false}
  bay:
    label: {zh: 工位, en: Bay}
    type: choice
    options_from: {tool: list_bays, with: {site: $site}, value: id, label: name}
phases:
  - id: booking
    name: {zh: 预约, en: Booking}
    goal: {zh: 预约, en: A bay is booked}
    allowed_skills: [ask]
    gate_field: profile.booked
    gate_value: "yes"
"""
ASK = """\
id: ask
name: {zh: 询问, en: Ask}
description: {zh: 询问, en: Asks}
category: intake
kind: prompt
provides: [bay, profile.booked]
sets: {profile.booked: "yes"}
ask:
  title: {zh: 工位, en: Which bay}
  text: {zh: 请选择, en: Please choose}
  fields: [bay]
"""
FACTS = {
    "list_bays": ToolFacts(False, frozenset({"site"}), frozenset({"id", "name"})),
    "book_bay": ToolFacts(True),
}


class Site(Arguments):
    """Which site."""

    site: str


class Bays:
    """The bays of each site."""

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self.rows, self.asked = rows, list[str]()

    async def run(self, args: Site, ctx: ToolContext) -> dict[str, Any]:
        self.asked.append(args.site)
        if args.site == "closed":
            raise ToolFailed("tool.timeout", name="list_bays", seconds=5)
        return {"rows": self.rows}

    @property
    def toolbox(self) -> Toolbox:
        """A toolbox with this tool alone."""
        tool = Tool("list_bays", "Lists bays.", Site, True, self.run, lambda result, lang: "")
        return Toolbox(own=[tool])


def playbook(*changes: tuple[str, str]) -> Playbook:
    text = MAIN
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    files = {"playbook.yaml": text, "skills/ask.yaml": ASK}
    return load(files, roles=None, held=None, tools=FACTS)


async def asked(rows: Sequence[dict[str, Any]], site: str = "north") -> tuple[Walk, Bays]:
    bays, book = Bays(rows), playbook()
    run = new_run(book, message="book a bay", state=AgentState(data={"site": site}))
    frames = (run.frames[0], PromptFrame(skill="ask"))
    walk = Walk(book, run.model_copy(update={"frames": frames}), toolbox=bays.toolbox)
    return await walk.start(), bays


ROWS = ({"id": 7, "name": "Lift  7"}, {"id": "b2", "name": None}, {"id": 7}, {"id": None}, {})


async def test_a_form_has_the_options_of_its_tool_and_takes_nothing_else() -> None:
    walk, bays = await asked(ROWS)
    (field,) = next(choice.form for choice in walk.card.choices if choice.form)
    assert (field.type, field.options, field.labels) == ("choice", ("7", "b2"), {"7": "Lift 7"})
    assert bays.asked == ["north"]
    called = [entry for entry in walk.log if entry.get("calls")]
    assert called, "a replay finds what the tool said"
    with pytest.raises(AssertionError, match="Please choose one of: Lift 7, b2"):
        await walk.answer("submit", {"bay": "b3"})
    await walk.answer("submit", {"bay": "lift 7"})
    assert walk.run.state.data["bay"] == "7"


LOOK = """\
id: look
name: {zh: 审核, en: Look}
description: {zh: 审核, en: Looks}
category: review
kind: sop
provides: [decisions.looked]
sop:
  start_node: see
  nodes:
    see:
      type: human_review
      title: {zh: 请审核, en: Please look}
      review: {roles: [reviewer], may_edit: [bay], four_eyes: false}
      presents: [bay]
      decision: looked
      on_approve: end_approved
  outcomes:
    end_approved: {decisions.looked: approved}
    end_rejected: {end: rejected}
"""
LOOKING = """\
  - id: looking
    name: {zh: 审核, en: Looking}
    goal: {zh: 已审核, en: It was looked at}
    allowed_skills: [look, ask]
    gate_field: decisions.looked
    gate_value: approved
"""


async def looked_at(rows: Sequence[dict[str, Any]], said: str, chosen: str) -> Walk:
    """A run whose bay was chosen, by the message or in the form, and is to be looked at."""
    main = MAIN.replace("phases:\n", "decision_fields: [looked]\nphases:\n") + LOOKING
    files = {"playbook.yaml": main, "skills/ask.yaml": ASK, "skills/look.yaml": LOOK}
    book = load(files, roles=("reviewer",), held=("reviewer",), tools=FACTS)
    run = new_run(book, message=said, text=said, state=AgentState(data={"site": "north"}))
    frames = (run.frames[0], PromptFrame(skill="ask"))
    toolbox = Bays(rows).toolbox
    walk = await Walk(book, run.model_copy(update={"frames": frames}), toolbox=toolbox).start()
    if chosen:
        await walk.answer("submit", {"bay": chosen})
    return walk


TWINS = ({"id": 7, "name": "Lift"}, {"id": 8, "name": "Lift"}, {"id": 9, "name": "Pit"})


@pytest.mark.parametrize(
    ("said", "chosen", "shown"),
    [("book a bay", "9", "Pit"), ("book a bay, Pit", "", "Pit"), ("book a bay", "8", "Lift (8)")],
)
async def test_later_cards_show_the_label_of_what_was_chosen(
    said: str, chosen: str, shown: str
) -> None:
    walk = await looked_at(TWINS, said, chosen)
    assert walk.card.title == "Please look"
    assert [row.value for row in walk.card.rows] == [shown]
    assert walk.run.state.data["bay"] in ("9", "8"), "rules and tools have the value"


async def test_what_a_reviewer_chooses_instead_is_shown_by_its_label_too() -> None:
    walk = await looked_at(TWINS, "book a bay", "9")
    card = walk.card
    changed = edit(
        card, CHEN, "edit", NOW, revision=card.revision, values={"bay": "7"}, approvers=[CHEN]
    )
    assert isinstance(changed, EditedCard)
    assert "Lift (7)" in changed.card.rows[0].value
    walk.cards[card.token] = changed.card
    await walk.answer("approve", by=CHEN)
    assert walk.run.state.data["bay"] == "7"
    assert walk.run.state.labels == {"bay": {"7": "Lift (7)"}}


async def test_a_run_says_why_nobody_can_choose() -> None:
    for rows, site, told in (
        ([], "north", "There is nothing to choose from for Bay."),
        ([{"id": str(n)} for n in range(1001)], "north", "Bay: more than 1000"),
        (ROWS, "closed", "list_bays"),
    ):
        walk, _ = await asked(rows, site)
        assert walk.run.status == "failed"
        assert told in walk.run.part.text


@table(
    ("change", "problem"),
    [
        (("tool: list_bays", "tool: list_bay"), "options_from.tool: there is no tool 'list_bay'"),
        (("tool: list_bays", "tool: book_bay"), "'book_bay' writes; a list comes from a tool"),
        (("value: id", "value: key"), "options_from.value: there is no column 'key'"),
        (("label: name}", "label: title}"), "options_from.label: there is no column 'title'"),
        (("with: {site", "with: {town"), "options_from.with.town: there is no argument 'town'"),
        (("$site", "$sight"), "options_from.with.site: 'sight' is not among data_fields"),
        (("type: choice", "type: text"), "options_from: belongs to a choice or an entity"),
        (("type: choice", "type: choice\n    options: [a]"), "options_from: belongs to a choice"),
    ],
)
def test_what_is_wrong_with_a_source_of_options_is_told_at_load(
    change: tuple[str, str], problem: str
) -> None:
    with pytest.raises(DefinitionError) as caught:
        playbook(change)
    assert any(problem in each for each in caught.value.problems), caught.value.problems


async def said(text: str, rows: Sequence[dict[str, Any]] = ROWS, **known: str) -> Walk:
    """What a message gives for a bay that says whom the run is about."""
    bays, book = Bays(rows), playbook(("type: choice", "type: choice\n    identity: true"))
    run = new_run(book, message=text, text=text, state=AgentState(data=dict(known)))
    frames = (run.frames[0], PromptFrame(skill="ask"))
    return await Walk(book, run.model_copy(update={"frames": frames}), toolbox=bays.toolbox).start()


NAMED = ({"id": "B-17", "name": "Long ramp"}, {"id": "B-18", "name": "Pit"})


@pytest.mark.parametrize("text", ["book a bay B-17", "book the long ramp", "bay: Long ramp"])
async def test_a_message_chooses_among_what_is_listed(text: str) -> None:
    walk = await said(text, NAMED, site="north")
    assert (walk.run.state.data.get("bay"), walk.run.waiting) == ("B-17", ())


async def test_what_is_none_of_those_listed_is_told_as_not_used() -> None:
    walk = await said("book a bay B-99", NAMED, site="north")
    assert "bay" not in walk.run.state.data
    assert "B-99" in walk.card.text.replace("\\", "")
    (field,) = next(choice.form for choice in walk.card.choices if choice.form)
    assert field.options == ("B-17", "B-18")


async def test_no_choice_is_read_while_its_list_is_not_asked_for() -> None:
    walk = await said("book a bay B-17", [], site="north")
    assert "There is nothing to choose from for Bay." in walk.run.part.text
    assert "bay" not in walk.run.state.data
