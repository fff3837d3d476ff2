"""The worked example in CONTRIBUTING.md is held to what the code of the service is held to."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.masking import MASK, compile_key_mask
from bot.wiring.platforms import load_settings
from engine.errors import DefinitionError
from engine.events import Actor
from tests.fakes.lines import registered, written
from tests.fakes.settings import load_people
from tests.fakes.tables import table

ROOM = [code for path, code in written().items() if path.startswith("adapters/")]
TREE = ast.parse("\n".join(ROOM))
FUNCTIONS = [n for n in ast.walk(TREE) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
OWN = ("adapters.lines", "adapters.platform_room")
VOCABULARY = ("engine.events", "engine.ports", "engine.errors", "cards.", *OWN)


def test_the_example_is_one_room_and_one_entry_in_the_code() -> None:
    assert [*written()] == [
        "adapters/lines/platform.py",
        "adapters/lines/room.py",
        "bot/wiring/platforms.py",
    ]
    assert [code for code in ROOM if len(code.splitlines()) >= 200] == []
    assert len(written()["bot/wiring/platforms.py"].split("\n\n")) == 2


def test_it_sees_of_us_only_what_adapters_may_see() -> None:
    ours = {
        node.module or ""
        for node in ast.walk(TREE)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").partition(".")[0] in ("bot", "adapters", "engine", "cards", "tests")
    }
    assert ours
    assert [name for name in ours if not name.startswith(VOCABULARY)] == []


@table("function", FUNCTIONS, ids=lambda function: function.name)
def test_its_functions_are_short_and_the_public_ones_say_what_they_do(
    function: ast.FunctionDef,
) -> None:
    assert function.end_lineno is not None
    assert function.end_lineno - function.lineno < 30
    assert ast.get_docstring(function) or function.name.startswith("_")


def _classes() -> Iterator[ast.ClassDef]:
    yield from (node for node in TREE.body if isinstance(node, ast.ClassDef))


def test_it_is_a_platform_and_an_adapter() -> None:
    from bot.wiring.contexts import Adapter

    platform = next(_classes())
    methods = {node.name for node in platform.body if node in FUNCTIONS}
    wanted = {name for name in dir(Adapter) if not name.startswith("_")} - {"name", "overall"}
    assert wanted <= methods


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The example is a platform; its settings may be set."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LINES_PASSPHRASE", "open-sesame")
    with registered(tmp_path):
        yield monkeypatch


def test_its_settings_are_read_and_its_secrets_masked(given: pytest.MonkeyPatch) -> None:
    settings = load_settings()
    assert [*settings.enabled_platforms] == ["web", "lines"]
    assert "open-sesame" not in repr(settings)
    masked = compile_key_mask(settings.secrets(), settings.key_patterns)
    assert masked("they say open-sesame there") == f"they say {MASK} there"


@pytest.mark.parametrize(
    ("port", "told"),
    [
        ("many", "LINES_PORT: should be a whole number from 1 to 65535, not 'many'"),
        ("8080", "LINES_PORT: should be another port than PORT"),
    ],
)
def test_its_settings_are_checked(given: pytest.MonkeyPatch, port: str, told: str) -> None:
    given.setenv("LINES_PORT", port)
    with pytest.raises(DefinitionError) as caught:
        load_settings()
    assert list(caught.value.problems) == [told]


def test_its_accounts_are_checked(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "people.yaml"
    path.write_text("roles: []\npeople:\n- {id: ana, name: Ana, lines: [Ana]}\n")
    with pytest.raises(DefinitionError) as caught:
        load_people(path)
    (told,) = caught.value.problems
    assert told.endswith(":3: people.0.lines.0: is no account of lines; write local:NAME")
    path.write_text('roles: []\npeople:\n- {id: ana, name: Ana, lines: ["local:ana"]}\n')
    actor = Actor(platform="lines", workspace="local", user="ana")
    assert load_people(path).principal(actor).id == "ana"
