"""Every block of the documents is loaded, parsed or run; what cannot be is in a table, and why.

Commands are in test_documented_commands.py. Where a test of its own shows what an example does,
SHOWN_BY names it.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
import yaml

from bot.definitions.mcp_servers import load_servers
from bot.project import read_project_file
from bot.testing.files.model import ScenarioHead, ScenarioSetup
from bot.wiring.connections import load_connections
from bot.wiring.platforms import load_settings
from engine.frames.state import RunStatus
from engine.playbooks.checks.answers import AnswerNames, read_answers
from engine.playbooks.checks.fields import typed_faults
from engine.playbooks.checks.tools import read_tools
from engine.playbooks.entity import (
    CaseDefinition,
    ElementDefinition,
    EntityDefinition,
    definition_faults,
    element_faults,
)
from engine.playbooks.job_graph import JobsPart
from engine.playbooks.leaf import Leaf
from engine.playbooks.load import load
from engine.playbooks.model import Sync
from engine.playbooks.nesting import flatten_groups
from engine.playbooks.review import ReviewPolicy
from engine.playbooks.skill import DocumentPart, SkillCard
from engine.ports.settings import SettingsGroup
from engine.ports.systems.connections import Connection
from engine.rules.check import validate_logic
from engine.yaml.source import Problems, read_yaml
from tests.docs.quoting import is_quoting
from tests.docs.reading import DONE_WHOLE, ROOT, Page, Piece, blocks, pages
from tests.fakes.building import build
from tests.fakes.garage import TOOLS
from tests.fakes.settings import load_people, make_settings
from tests.fakes.study import MemoryDatabase
from tests.fakes.tables import table

# Blocks that no program can judge: what they are, by their page and first words.
PICTURES = {
    ("CONTRIBUTING.md", "platform -> adapters"): "a drawing of the parts a message goes through",
    ("docs/sop.md", "review: {roles:"): "one line of a node; test_edit_in_the_browser edits so",
    ("docs/sop.md", "depot:"): "a node of an SOP; docs/cookbook.md quotes one of a folder",
    ("docs/sop.md", "how_large:"): "a node of an SOP; docs/records.md has a branch in an example",
    ("docs/records.md", "over:\n  tool:"): "a part of the example, with a comment at each key",
    ("docs/records.md", "batch: {tool"): "one line of an SOP; test_records_of_tools has it",
    ("docs/records.md", "over:\n  visits:"): "a part of playbooks/legacy.yaml",
    ("docs/deploy.md", "server {"): "settings of nginx, which is not among what tests start",
    ("docs/deploy.md", "signoff.example.com {"): "settings of Caddy, which is not there either",
    ("docs/dev.md", "10:19:29  Mia"): "what is printed; tests/scenarios/test_dev.py compares it",
    ("docs/dev.md", "Not taken over"): "what is printed; tests/scenarios/test_dev.py has it",
    ("docs/testing.md", "FAIL "): "what differs; tests/bot/testing/test_play.py shows such lines",
}
# Examples whose effect a test of their own shows, by page and language.
SHOWN_BY = {
    ("CONTRIBUTING.md", "python"): "tests/scenarios/test_lines_walk.py",
    ("docs/packages.md", "python"): "tests/bot/wiring/test_packages.py",
    ("docs/internal-api.md", "sh"): "tests/bot/test_skill_api.py",
    ("docs/internal-api.md", "json"): "tests/bot/test_skill_api.py",
    ("docs/jobs.md", "yaml"): "tests/engine/jobs/test_job_docs.py",
    ("docs/records.md", "yaml"): "tests/engine/sop/test_records_of_tools.py",
    ("docs/sop.md", "yaml"): "tests/engine/sop/sop_stage.py",
    ("docs/sync.md", "json"): "tests/adapters/sync/test_sync_page.py",
    ("docs/sync.md", "python"): "tests/adapters/sync/test_sync_page.py",
    ("docs/testing.md", "yaml"): "tests/bot/testing/test_samples.py",
    ("docs/tool-plans.md", "yaml"): "tests/engine/tool_plan/test_documented_plans.py",
}
ROLES = ("crc", "reviewer", "lead", "admin")


def people(text: str, folder: Path) -> None:
    (folder / "people.yaml").write_text(text + _BO, "utf-8")
    assert load_people(folder / "people.yaml").roles


def servers(text: str, folder: Path) -> None:
    (folder / "mcp.yaml").write_text(text, "utf-8")
    assert load_servers(folder / "mcp.yaml", ROLES)


def case(text: str, folder: Path) -> None:
    assert build(CaseDefinition, read_yaml(text, file="case"), at=("case",)).is_shared


def review(text: str, folder: Path) -> None:
    policy = build(ReviewPolicy, read_yaml(text, file="review"), at=("review",))
    assert policy.roles or policy.person


def card(text: str, folder: Path) -> None:
    assert build(SkillCard, read_yaml(text, file="card"), at=("card",)).review


def jobs(text: str, folder: Path) -> None:
    part = build(JobsPart, read_yaml(text, file="jobs"), at=("jobs",))
    assert part.review
    assert part.made_experts


def sync(text: str, folder: Path) -> None:
    assert build(Sync, read_yaml(text, file="sync"), at=("sync",)).fields


def entities(text: str, folder: Path) -> None:
    source = read_yaml(text, file="entities")
    for name in source.data["entities"]:
        entity = build(EntityDefinition, source, at=("entities", name))
        assert not definition_faults(entity)


def elements(text: str, folder: Path) -> None:
    source = read_yaml(text, file="elements")
    for name in source.data["elements"]:
        assert not element_faults(build(ElementDefinition, source, at=("elements", name)))


def document(text: str, folder: Path) -> None:
    assert build(DocumentPart, read_yaml(text, file="document"), at=("document",)).writer


def fields(text: str, folder: Path) -> None:
    problems = Problems()
    source = flatten_groups(read_yaml(text, file="fields"), problems)
    problems.raise_if_any()
    for name in source.data["data_fields"]:
        leaf = build(Leaf, source, at=("data_fields", name))
        assert not list(typed_faults(leaf))


def rule(text: str, folder: Path) -> None:
    validate_logic(read_yaml(text, file="rule").data["logic"])


_STOCK_API = """\
openapi: 3.1.0
info: {title: Stock, version: "1"}
servers: [{url: "https://stock.example.com"}]
paths:
  /stock:
    get:
      operationId: listStock
      parameters: [{name: item, in: query, required: true, schema: {type: string}}]
      responses: {"200": {description: what there is}}
"""


def connections(text: str, folder: Path) -> None:
    (folder / "connections.yaml").write_text(text, "utf-8")
    (folder / "stock-api.yaml").write_text(_STOCK_API, "utf-8")
    (folder / "ledger.sql").write_text("CREATE TABLE entries (text TEXT);\n", "utf-8")
    names = ("ERP_TOKEN", "STOCK_KEY", "STAFF_PASSWORD", "NOTES_KEY")
    with pytest.MonkeyPatch.context() as patch:
        for name in names:
            patch.setenv(name, f"sample-{name}")
        made = load_connections(make_settings(connections=folder / "connections.yaml"))
    assert len(made.secrets) == len(names)
    _made.update(made.by_name)


def tools(text: str, folder: Path) -> None:
    page = next(block for block in blocks("yaml") if block.text.startswith("erp:"))
    connections(page.text, folder)
    problems, source = Problems(), read_yaml(text, file="tools.yaml")
    made = read_tools(source, problems, taken=(), connections=_made)
    assert problems == []
    assert made["list_stock"].arguments_schema is not None


def answers(text: str, folder: Path) -> None:
    problems, source = Problems(), read_yaml(text, file="answers.yaml")
    read = read_yaml(TOOLS, file="tools.yaml")
    tools = read_tools(read, problems, taken=(), connections=None)
    documents = {"rules.en.md": ("Waste",), "rules.zh.md": ("废弃物",)}
    read_answers(source, problems, AnswerNames(tools, documents, ("foreman",), ("en", "zh")))
    assert problems == []


def folder_file(text: str, folder: Path) -> None:
    path = folder / "signoff.yaml"
    path.write_text(text, "utf-8")
    assert read_project_file(path).projects


def project(text: str, folder: Path) -> None:
    (folder / "connections.yaml").write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EDC_TOKEN", "sample")
        made = load_connections(make_settings(connections=folder / "connections.yaml"))
    _made.update(made.by_name)


def project_tools(text: str, folder: Path) -> None:
    page = next(block for block in blocks("yaml") if block.text.startswith("edc:"))
    project(page.text, folder)
    problems, source = Problems(), read_yaml(text, file="tools.yaml")
    assert len(read_tools(source, problems, taken=(), connections=_made)) == 2
    assert problems == []


def stand_tools(text: str, folder: Path) -> None:
    tables = "CREATE TABLE stands (fair TEXT, stand TEXT, person TEXT, key TEXT UNIQUE);"
    _one_tool(text, MemoryDatabase("fairs", tables), "book_stand")


def item_tools(text: str, folder: Path) -> None:
    tables = "CREATE TABLE loans (item TEXT, person TEXT, returned_on TEXT, key TEXT UNIQUE);"
    _one_tool(text, MemoryDatabase("store", tables), "lend_item")


def order_tools(text: str, folder: Path) -> None:
    tables = "CREATE TABLE orders (number INTEGER PRIMARY KEY, what TEXT, key TEXT UNIQUE);"
    _one_tool(text, MemoryDatabase("shop", tables), "order_part")


def _one_tool(text: str, store: MemoryDatabase, name: str) -> None:
    problems, source = Problems(), read_yaml(text, file="tools.yaml")
    assert [*read_tools(source, problems, taken=(), connections={store.name: store})] == [name]
    assert problems == []


def scenarios(text: str, folder: Path) -> None:
    source = read_yaml(text, file="tests.yaml")
    for number in range(len(source.data)):
        build(ScenarioHead, source, at=(number,))


def setup(text: str, folder: Path) -> None:
    build(ScenarioSetup, read_yaml(text, file="tests.yaml"), at=("given",))


_made: dict[str, Connection] = {}

# What a YAML block is, by its first key; a whole file says its path in its first line instead.
LOADERS: dict[str, Callable[[str, Path], None]] = {
    "roles": people,
    "timezone": folder_file,
    "servers": servers,
    "review": review,
    "case": case,
    "card": card,
    "jobs": jobs,
    "sync": sync,
    "entities": entities,
    "elements": elements,
    "document": document,
    "data_fields": fields,
    "erp": connections,
    "find_expense": tools,
    "opening_hours": answers,
    "edc": project,
    "list_absences": project_tools,
    "book_stand": stand_tools,
    "lend_item": item_tools,
    "order_part": order_tools,
    "logic": rule,
    "test": scenarios,
    "given": setup,
}
# The delegate of the example is somebody else of the reader's file.
_BO = "\n  - {id: bo, name: Bo, web: bo, roles: [reviewer]}\n"
_PARTY = re.compile(r"\s+participant (\w+) as ")
_ARROW = re.compile(r"\s+(\w+)-?->>(\w+): .")
_LANGUAGES = {"yaml", "json", "python", "sh", "console", "env", "text", "markdown", "mermaid"}

_EXAMPLES = [p for p in pages() if p.files() and not is_quoting(p) and p.name != DONE_WHOLE]


@table("page", pages(), ids=lambda page: page.name)
def test_every_block_says_what_it_is(page: Page) -> None:
    told = [f"{block}: {block.kind!r}" for block in page.blocks if block.kind not in _LANGUAGES]
    assert told == [], f"should be one of {sorted(_LANGUAGES)}"


def test_a_block_that_nothing_judges_is_in_the_table() -> None:
    told = {(block.page, block.text[:200]) for block in blocks("text")}
    unknown = [
        found
        for found in told
        if not any(found[0] == page and found[1].startswith(text) for page, text in PICTURES)
    ]
    assert unknown == []
    assert len(told) == len(PICTURES)


@pytest.mark.parametrize("page", _EXAMPLES, ids=lambda page: page.name)
def test_the_files_of_an_example_are_a_playbook(page: Page) -> None:
    book = load(page.files(), roles=ROLES, held=ROLES)
    assert len(book.skills) == len(page.files()) - 1


@pytest.mark.parametrize("block", blocks("yaml"), ids=str)
def test_a_yaml_block_is_what_it_says(
    block: Piece, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if re.match(r"# \S+\.yaml\n", block.text):
        return  # with the other files of its page, above
    monkeypatch.setenv("NOTES_TOKEN", "sample")
    data = yaml.safe_load(block.text)
    first = next(iter(data[0] if isinstance(data, list) else data))
    assert first in LOADERS, f"{block}: say what it is in LOADERS"
    LOADERS[first](block.text, tmp_path)


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_a_json_block_is_json(block: Piece) -> None:
    assert json.loads(block.text)


@pytest.mark.parametrize("block", blocks("env"), ids=str)
def test_settings_of_an_example_are_taken(block: Piece, monkeypatch: pytest.MonkeyPatch) -> None:
    given = dict(line.split("=", 1) for line in block.text.split())
    for name, value in given.items():
        monkeypatch.setenv(name, value.replace("...", "0123456789ABCDEF0123456789ABCDEF"))
    taken = load_settings()
    groups = [taken, *taken.platforms.values()]
    values = {v: getattr(g, name) for g in groups for name, v in g.variables().items()}
    usual = {v: getattr(g, n) for g in map(_usual, groups) for n, v in g.variables().items()}
    assert [name for name in given if values[name] == usual[name]] == []


def _usual(group: SettingsGroup) -> SettingsGroup:
    return type(group).model_construct()


@table("block", blocks("python"), ids=str)
def test_a_python_block_is_run_by_a_test_of_its_page(block: Piece) -> None:
    compile(block.text, str(block), "exec")
    assert (block.page, "python") in SHOWN_BY, f"{block}: no test shows what it does"


@table(("page", "kind"), SHOWN_BY)
def test_the_test_that_shows_an_example_reads_its_page(page: str, kind: str) -> None:
    assert any(block.page == page for block in blocks(kind))
    text = (ROOT / SHOWN_BY[page, kind]).read_text("utf-8")
    assert Path(page).name in text


@table("block", blocks("mermaid"), ids=str)
def test_a_drawing_names_only_what_there_is(block: Piece) -> None:
    kind, *drawn = block.text.splitlines()
    if kind == "stateDiagram-v2":
        states = {word for line in drawn for word in line.split(":")[0].split(" --> ")}
        assert {state.strip() for state in states} == {"[*]", *get_args(RunStatus)}
    elif kind == "flowchart LR":
        # A box says what the page says.
        (page,) = (page for page in pages() if page.name == block.page)
        told = " ".join(page.text.replace(block.text, "").lower().split())
        boxes = re.findall(r'\["([^"]+)"\]', block.text)
        assert [box for box in boxes if box.lower() not in told] == []
        assert len(boxes) > 2
    elif kind == "flowchart TB":
        # Made out of the imports.
        assert Path(block.page).name == "rooms.md"
    else:
        assert kind == "sequenceDiagram"
        parties = {found[1] for line in drawn if (found := _PARTY.match(line))}
        arrows = [_ARROW.match(line) for line in drawn if not _PARTY.match(line)]
        assert all(found and {found[1], found[2]} <= parties for found in arrows)


def test_the_capacity_table_has_the_numbers_of_the_bench() -> None:
    (page,) = (page for page in pages() if page.name == "docs/capacity.md")
    measured = (ROOT / "tests" / "bench" / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| .* \| (.*?) \|$", page.text, re.MULTILINE)
    numbers = [number for row in rows for number in re.findall(r"[0-9][0-9.,]*[0-9]", row)]
    assert len(numbers) > 15
    told = [n for n in numbers if not re.search(rf"(?<![\d.]){re.escape(n)}(?![\d.])", measured)]
    assert told == []


def test_a_loader_refuses_what_is_wrong(tmp_path: Path) -> None:
    wrong = {
        "roles": "roles: [{id: a}]\npeople:",
        "timezone": "timezone: Nowhere",
        "servers": "servers: [{name: x y}]",
        "review": "review: {quorum: 0}",
        "case": "case: {own: x}",
        "card": "card: {kind: confirm, review: {quorum: 0}}",
        "jobs": "jobs: {made_experts: {tools: []}}",
        "sync": "sync: {to: sample}",
        "entities": "entities: {order: {pattern: W}}",
        "elements": "elements: {order: {name: x, pattern: '('}}",
        "document": "document: {file: x}",
        "data_fields": "data_fields: {amount: {type: cash}}",
        "logic": "logic: {all: [{var: lines}]}",
        "erp": "erp: {kind: http}",
        "find_expense": "find_expense: {description: x, reads: {connection: nowhere}}",
        "opening_hours": "opening_hours: {examples: [when], text: x, tool: y}",
        "edc": "edc: {kind: redcap, address: http://x}",
        "list_absences": "list_absences: {description: x, reads: {connection: nowhere}}",
        "book_stand": "book_stand: {description: x, reads: {connection: nowhere}}",
        "lend_item": "lend_item: {description: x, reads: {connection: nowhere}}",
        "order_part": "order_part: {description: x, reads: {connection: nowhere}}",
        "test": "- {test: a, steps: []}",
        "given": "given: {now: noon}",
    }
    assert wrong.keys() == LOADERS.keys()
    for name, text in wrong.items():
        with pytest.raises(Exception, match=":"):
            LOADERS[name](text, tmp_path)
