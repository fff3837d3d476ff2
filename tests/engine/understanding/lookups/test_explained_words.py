"""A look-up answers only what it explains whole, in any folder; the rest is named or asked."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.definitions.loader import load_definitions
from bot.wiring.connections import load_connections
from cards.model import Lang, Principal
from engine.errors import ModelUnavailable
from engine.frames.intents import Intent, Lookup
from engine.understanding.context import RouteContext
from engine.understanding.lookups.find import find, name_left_out
from engine.understanding.lookups.partly import find_nearest
from engine.understanding.router.chain import route
from tests.engine.understanding.lookups.warehouse import TODAY, TOOLS
from tests.engine.understanding.routes import CONTEXT
from tests.fakes.entities import WAREHOUSE
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settings import make_settings

EXAMPLES = Path(__file__).parents[4] / "examples"
Folders = dict[str, RouteContext]


def folder_context(folder: Path) -> RouteContext:
    """What a project folder answers, read from its files; the current folder is that one."""
    settings = make_settings(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
    )
    definitions = load_definitions(settings, load_connections(settings).toolbox)
    table = definitions.route_table()
    return replace(CONTEXT, table=table, entities=table.entities, tools=definitions.tools)


@pytest.fixture(scope="module")
def folders() -> Iterator[Folders]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXPENSES_TOKEN", "not-a-secret")
        found = {"study": CONTEXT}
        for name in ("leave", "expenses"):
            patch.chdir(EXAMPLES / name)
            found[name] = folder_context(EXAMPLES / name)
        yield found


async def asked(text: str, context: RouteContext, *, away: bool) -> Intent:
    """How the text is read, without a model or with one that is away."""
    lang: Lang = "en" if text.isascii() else "zh"
    here = replace(context, lang=lang, principal=Principal(id="li", name="Li"))
    model = ScriptedModel([ModelUnavailable("away")] * 9) if away else None
    (intent,) = (await route(text, here, model)).intents
    return intent


MORE_THAN_A_LOOK_UP = [
    ("study", "What was P003's lowest weight?"),
    ("study", "Has P003's ECOG got worse?"),
    ("study", "Has P003's weight gone down?"),
    ("study", "What is P003's weight gain?"),
    ("study", "What is P003's ECOG except at screening?"),
    ("study", "How many subjects are enrolled in arm A?"),
    ("study", "how many subjects dropped out"),
    ("study", "which visits of P003 are out of window"),
    ("study", "Which subjects are out of window?"),
    ("study", "P003 的 ECOG 变差了吗"),
    ("study", "P003 体重最低是多少"),
    ("study", "P003 的体重有没有下降"),
    ("study", "P003 的访视窗口什么时候结束"),
    ("study", "有多少受试者脱落"),
    ("study", "谁的 ECOG 最差"),
    ("study", "A 组有多少受试者"),
    ("leave", "who in the office is on leave longest"),
    ("leave", "do I have more days left than Ben"),
    ("leave", "How many days did I have left last year?"),
    ("leave", "which of my leave is the longest"),
    ("leave", "my latest leave"),
    ("leave", "show my leave that was rejected"),
    ("leave", "我还有几天年假可以结转"),
    ("leave", "我的休假有哪些被驳回"),
    ("leave", "办公室最先休假的是谁"),
    ("leave", "仓库谁没有休假"),
    ("expenses", "my latest expense"),
    ("expenses", "which of my expenses is the highest"),
    ("expenses", "how many of my claims were paid"),
    ("expenses", "total of my expenses"),
    ("expenses", "what is the lowest amount among my claims"),
    ("expenses", "was expense E-1234 ever rejected"),
    ("expenses", "What was the status of E-1234 last week?"),
    ("expenses", "E-1234 是谁批的"),
]


@pytest.mark.parametrize(("folder", "text"), MORE_THAN_A_LOOK_UP)
@pytest.mark.parametrize("away", [False, True])
async def test_what_asks_for_more_is_never_answered_as_if_it_did_not(
    folder: str, text: str, away: bool, folders: Folders
) -> None:
    intent = await asked(text, folders[folder], away=away)
    assert intent.lookup is None or intent.left


WHOLE = [
    ("study", "What was P003's latest weight?", "read_clinical_data"),
    ("study", "P003 的 ECOG 是多少", "read_clinical_data"),
    ("study", "现在有多少受试者", "get_project_stats"),
    ("leave", "how many days of leave have I booked", "my_balance"),
    ("leave", "我的休假有哪些", "my_leave"),
    ("leave", "who in the warehouse is on leave", "team_calendar"),
    ("expenses", "what is the status of my expense E-1234", "find_expense"),
    ("expenses", "list my expenses", "list_expenses"),
]


@pytest.mark.parametrize(("folder", "text", "tool"), WHOLE)
@pytest.mark.parametrize("away", [False, True])
async def test_what_a_look_up_explains_is_answered_by_it_whole(
    folder: str, text: str, tool: str, away: bool, folders: Folders
) -> None:
    intent = await asked(text, folders[folder], away=away)
    assert intent.lookup is not None
    assert (intent.lookup.tool, intent.left) == (tool, "")


@pytest.mark.parametrize(
    ("folder", "text", "tool", "left"),
    [
        ("study", "What was P003's lowest weight?", "read_clinical_data", "lowest"),
        ("study", "how many subjects dropped out", "get_project_stats", "dropped"),
        ("study", "有多少受试者脱落", "get_project_stats", "脱落"),
        ("leave", "who in the office is on leave longest", "team_calendar", "longest"),
        ("leave", "我的休假有哪些被驳回", "my_leave", "被驳回"),
        ("expenses", "total of my expenses", "list_expenses", "total"),
        ("expenses", "how many of my claims were paid", "list_expenses", "how many paid"),
    ],
)
def test_what_is_known_is_found_with_the_words_that_it_leaves_out(
    folder: str, text: str, tool: str, left: str, folders: Folders
) -> None:
    at = folders[folder]
    found = find_nearest(text, at.tools, today=at.today, entities=at.entities)
    assert found is not None
    assert (found[0].tool, found[1]) == (tool, left)


@pytest.mark.parametrize(
    "text",
    ["How do I look up my leave?", "who in the warehouse is never on leave", "what is a tax haven"],
)
def test_how_it_is_done_what_is_not_so_and_what_nobody_knows_have_no_nearest(
    text: str, folders: Folders
) -> None:
    at = folders["leave"]
    assert find_nearest(text, at.tools, today=at.today, entities=at.entities) is None


@pytest.mark.parametrize(
    ("text", "explained"),
    [
        ("what is the worst pain of P003", True),
        ("P003 的最差疼痛是多少", True),
        ("is the pain of P003 worst", False),
        ("P003 的疼痛最差吗", False),
        ("is the pain of P003 worse", False),
    ],
)
async def test_a_word_that_compares_is_explained_only_by_a_whole_label(
    text: str, explained: bool, folders: Folders
) -> None:
    tools = tuple(
        replace(
            tool,
            labels=(*tool.labels, "Worst pain", "Worse than before", "最差疼痛"),
            cues={**tool.cues, "pain": {"field": "ecog"}, "疼痛": {"field": "ecog"}},
        )
        if tool.name == "read_clinical_data"
        else tool
        for tool in CONTEXT.tools
    )
    intent = await asked(text, replace(CONTEXT, tools=tools), away=False)
    assert (intent.lookup is not None and not intent.left) is explained


RULES = replace(
    TOOLS[-1],
    name="rules",
    cues={},
    examples=("建筑垃圾放哪里", "旧沙发怎么扔", "垃圾什么时候扔", "访客要什么证件"),
)
OWED = replace(
    next(tool for tool in TOOLS if tool.name == "read_order"),
    name="owed",
    cues={"欠": {}, "欠费": {}, "交清": {}},
    examples=("W0815 的费用交清了吗", "W0815 在不在"),
)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("建筑垃圾放哪儿", "rules"),
        ("旧沙发咋扔", "rules"),
        ("垃圾啥时候扔？", "rules"),
        ("垃圾多会儿扔", "rules"),
        ("访客要啥证件", "rules"),
        ("W0816 在吗", "owed"),
        ("W0816 的费用交清了没", "owed"),
        ("W0816 的费用交清没有？", "owed"),
        ("建筑垃圾放过哪儿", None),
        ("W0816 的费用没交清", None),
    ],
)
def test_words_that_ask_the_same_are_one(text: str, tool: str | None) -> None:
    found = find(text, (RULES, OWED), today=TODAY, entities=WAREHOUSE)
    assert (found[0].tool if found else None) == tool


@pytest.mark.parametrize("text", ["查一下 W0816 的欠费", "W0816 欠费"])
def test_a_word_of_a_cue_is_not_cut_by_a_shorter_cue(text: str) -> None:
    lookup = Lookup(tool="owed", arguments={"order": "W0816"})
    assert name_left_out(text, lookup, (OWED,), today=TODAY, entities=WAREHOUSE) == ""
