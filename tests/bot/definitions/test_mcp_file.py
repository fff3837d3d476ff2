"""The file of outside servers: what it may say, where its faults stand, and a worker with it."""

import signal
from pathlib import Path

import pytest

from bot.definitions.mcp_servers import load_servers
from engine.errors import DefinitionError
from engine.ports.systems.remote_tools import Http, Server, Stdio
from tests.bot.signoff_process import FILES, ROOT, ended, serving
from tests.fakes.forge import stand_in
from tests.fakes.mcp_running import is_gone
from tests.fakes.platforms.patience import START_S, end_of, until
from tests.fakes.ports import free_port
from tests.fakes.tables import table

TEXT = """\
servers:
  - name: time
    command: mcp-server-time
    args: [--local-timezone, UTC]
    env: {TOKEN: $NOTES_TOKEN, PRICE: "5 $$"}
    readonly: [convert_time]
    only: [convert_time]
  - name: notes
    url: https://notes.example.com/mcp
    headers: {Authorization: Bearer $NOTES_TOKEN}
    timeout_s: 2.5
    roles: [reviewer]
"""
JSON = '{"servers": [{"name": "a", "url": "http://127.0.0.1:9/mcp"}]}'


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NOTES_TOKEN", "hush")


def written(text: str) -> Path:
    path = Path("mcp.yaml")
    path.write_text(text, "utf-8")
    return path


def load(text: str, roles: tuple[str, ...] | None = ("reviewer",)) -> tuple[Server, ...]:
    return load_servers(written(text), roles)


def test_servers_are_read_with_their_secrets_in_place() -> None:
    time, notes = load(TEXT)

    env = {"TOKEN": "hush", "PRICE": "5 $"}
    assert time.at == Stdio("mcp-server-time", ("--local-timezone", "UTC"), env)
    assert time.readonly == time.only == {"convert_time"}
    assert (time.timeout_s, notes.only) == (10, frozenset())
    headers = {"Authorization": "Bearer hush"}
    assert notes.at == Http("https://notes.example.com/mcp", headers)
    assert (notes.timeout_s, notes.roles) == (2.5, ("reviewer",))
    assert "hush" not in repr((time, notes))


def test_json_is_read_and_no_file_is_no_server() -> None:
    assert load(JSON) == (Server("a", Http("http://127.0.0.1:9/mcp")),)
    assert load_servers(None, ()) == ()


def test_a_reference_may_name_a_variable_of_the_env_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTES_TOKEN")
    Path(".env").write_text("NOTES_TOKEN=from the file\n")

    time, _ = load(TEXT)
    assert isinstance(time.at, Stdio)
    assert time.at.env["TOKEN"] == "from the file"


WRONG = [
    ("name: notes", "name: time", "8: servers.1.name: stands twice"),
    ("name: notes", "name: my_notes", "8: servers.1.name: should be text of the form"),
    ("  command: mcp-server-time", "  bin: x", "3: servers.0.bin: unknown key"),
    (
        "    command: mcp-server-time\n",
        "",
        "2: servers.0: should have either a command or a url",
    ),
    (
        "url: https",
        "args: [x]\n    url: https",
        "9: servers.1.args: does not go together with the other keys here",
    ),
    ("https://notes", "ftp://notes", "9: servers.1.url: should be an http:// or https:// address"),
    ("$NOTES_TOKEN,", "$NOWHERE,", "5: servers.0.env.TOKEN: there is no variable NOWHERE"),
    ("$$", "$", "5: servers.0.env.PRICE: write $$ for a $ that begins no variable's name"),
    ("Authorization:", "My token:", "10: servers.1.headers.My token: cannot be sent as a header"),
    ("timeout_s: 2.5", "timeout_s: 0", "11: servers.1.timeout_s: should be more than 0, not 0"),
    ("[reviewer]", "[boss]", "12: servers.1.roles.0: there is no role 'boss'"),
]


@table(("old", "new", "problem"), WRONG)
def test_a_fault_is_named_where_it_stands(old: str, new: str, problem: str) -> None:
    assert old in TEXT
    with pytest.raises(DefinitionError) as caught:
        load(TEXT.replace(old, new, 1))

    assert any(line.startswith(f"mcp.yaml:{problem}") for line in caught.value.problems)
    assert "hush" not in str(caught.value)


def test_a_secret_that_makes_no_header_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTES_TOKEN", "hush\nX-Admin: yes")
    with pytest.raises(DefinitionError) as caught:
        load(TEXT)

    (problem,) = caught.value.problems
    assert problem == "mcp.yaml:10: servers.1.headers.Authorization: cannot be sent as a header"


def test_roles_are_not_checked_while_nobody_knows_them() -> None:
    assert len(load(TEXT, None)) == 2


def test_a_file_that_is_not_there_names_the_setting() -> None:
    with pytest.raises(DefinitionError, match=r"SIGNOFF_MCP: nowhere.yaml cannot be read"):
        load_servers(Path("nowhere.yaml"), ())


@pytest.mark.parametrize("command", ["validate", "run"])
async def test_a_faulty_file_is_told_by_the_command(tmp_path: Path, command: str) -> None:
    written(TEXT.replace("[reviewer]", "[boss]"))
    given = {"SIGNOFF_MCP": "mcp.yaml", "NOTES_TOKEN": "x", "PORT": str(free_port())}

    told = await ended(tmp_path, command, **FILES, **given)

    assert told.status == (1 if command == "validate" else 2)
    assert "mcp.yaml:12: servers.1.roles.0: there is no role 'boss'\n" in told.out + told.err


async def test_a_worker_opens_the_servers_and_ends_them_with_itself(tmp_path: Path) -> None:
    server = {"PYTHONPATH": str(ROOT)}
    program, *words = stand_in("tests.fakes.old_mcp_server", f"{tmp_path}/pid")
    written(
        f"servers:\n  - name: s\n    command: {program}\n"
        f"    args: [{', '.join(words)}]\n    env: {server}\n"
        "  - name: away\n    command: no-such-command\n"
    )
    log = tmp_path / "stderr.log"
    async with serving(tmp_path, "worker", **FILES, SIGNOFF_MCP="mcp.yaml") as process:
        await until(lambda: log.exists() and "mcp_server_open" in log.read_text(), START_S)
        child = int((tmp_path / "pid").read_text())
        assert not is_gone(child)
        process.send_signal(signal.SIGTERM)
        status = await end_of(process)

    assert status == 0
    assert is_gone(child)
    assert "worker_started" in log.read_text()
    assert '"mcp_server_away"' in log.read_text()
    assert "Traceback" not in log.read_text()
