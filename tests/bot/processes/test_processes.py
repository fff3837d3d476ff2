"""The command line: wrong settings, taken ports, and the commands around it."""

import asyncio
import gc
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from bot.cli.processes import Serve, load_and_freeze
from bot.cli.table import COMMANDS as TABLE
from bot.settings import Settings
from tests.bot.signoff_process import FILES, PLAYBOOKS, ROOT, ended, environment
from tests.fakes.ports import free_port

NO_WEBCHAT = {"SIGNOFF_WEBCHAT": "off", "TELEGRAM_BOT_TOKEN": "1:x"}
COMMANDS = tuple(command.name for command in TABLE)


async def test_help_lists_every_command(tmp_path: Path) -> None:
    told = await ended(tmp_path, "--help")

    assert all(re.search(rf"^ +{command}\s", told.out, re.MULTILINE) for command in COMMANDS)


def loaded_by(code: str, folder: Path, **given: str) -> set[str]:
    """The modules that a process with these settings has loaded after `code`."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"],
        cwd=folder,
        env=environment(folder, given),
        capture_output=True,
        check=True,
        text=True,
    )
    return set(done.stdout.split())


def test_the_command_line_itself_loads_no_part_of_the_service(tmp_path: Path) -> None:
    thinking = {"engine.talk.turn", "engine.understanding"}
    heavy = {"adapters", "aiohttp", "openai", "redis", "yaml"} | thinking
    loaded = loaded_by("import bot.__main__, bot.cli.table as t; t.parser()", tmp_path)
    assert "bot.cli.processes" in loaded
    assert not heavy & loaded


def test_a_service_loads_what_models_and_servers_of_tools_need_only_for_them(
    tmp_path: Path,
) -> None:
    without = "asyncio.run(McpTools((), ()).run())"
    service = "bot.processes.web, bot.processes.worker"
    loading = f"import asyncio, {service}; from adapters.connections.mcp.tools import McpTools"
    loaded = loaded_by(f"{loading}; {without}", tmp_path)
    assert "bot.wiring.service" in loaded
    assert not {"openai", "mcp"} & loaded


LOADING = (
    "from bot.cli.command import load_settings;"
    " from bot.cli.processes import load_and_freeze, load_processes;"
    " load_and_freeze(lambda: load_processes(load_settings()))"
)
PAGES_AND_APIS = {"bot.pages.routes", "bot.api.skills", "bot.api.case_changes"}


def test_a_process_loads_only_what_its_settings_ask_for(tmp_path: Path) -> None:
    platforms = {"telegram", "httpx", "slack_sdk", "cryptography.fernet"}
    files_and_data = {"openpyxl", "docx", "psycopg", "jsonschema", "referencing", "anyio"}
    others = {"numpy", "jwt", "email_validator", "rich", "opentelemetry", "prometheus_client"}
    loaded = loaded_by(LOADING, tmp_path)
    assert {"bot.processes.web", "bot.processes.worker", "adapters.webchat.platform"} <= loaded
    assert not (platforms | files_and_data | others | PAGES_AND_APIS) & loaded
    assert not [name for name in loaded if name.startswith("bot.pages")]
    assert not [name for name in loaded if re.match(r"adapters\.connections\..*\.model", name)]


def test_pages_and_apis_that_settings_ask_for_are_loaded_before_a_process_serves(
    tmp_path: Path,
) -> None:
    loaded = loaded_by(
        LOADING, tmp_path, SIGNOFF_ADMIN_TOKEN="a" * 32, SIGNOFF_SYNC_SECRET="b" * 32
    )
    assert loaded >= PAGES_AND_APIS


def test_the_collector_rests_while_a_process_loads_and_then_goes_on() -> None:
    def fails() -> Serve:
        raise ImportError

    async def serve(settings: Settings, stop: asyncio.Event) -> None:
        return None

    def load() -> Serve:
        assert not gc.isenabled()
        return serve

    assert load_and_freeze(load) is serve
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    with pytest.raises(ImportError):
        load_and_freeze(fails)
    assert gc.isenabled()


async def test_no_command_is_an_error(tmp_path: Path) -> None:
    told = await ended(tmp_path)

    assert told.status == 2
    assert told.err.splitlines()[-1].startswith("signoff: error: ")


@pytest.mark.parametrize("command", ["run", "web", "worker", "validate"])
async def test_a_wrong_setting_is_one_line_and_status_2(command: str, tmp_path: Path) -> None:
    told = await ended(tmp_path, command, PORT="http")

    line = "PORT: should be a whole number from 1 to 65535, not 'http'\n"
    assert (told.status, told.out, told.err) == (2, "", line)


async def test_a_half_set_platform_is_one_line_and_status_2(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("SLACK_BOT_TOKEN=xoxb-hush\n")

    told = await ended(tmp_path, "run")

    assert told.status == 2
    assert told.err == (
        "SLACK_SIGNING_SECRET or SLACK_APP_TOKEN: should be set, because SLACK_BOT_TOKEN is set\n"
    )


@pytest.mark.parametrize("command", ["run", "web"])
async def test_a_taken_port_is_one_line_that_names_it(command: str, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])

        told = await ended(
            tmp_path,
            command,
            PORT=port,
            SIGNOFF_PLAYBOOKS=str(PLAYBOOKS),
            SIGNOFF_PEOPLE=str(PLAYBOOKS / "people.yaml"),
        )

    lines = [line for line in told.err.splitlines() if not line.startswith("{")]
    assert told.status == 2
    assert len(lines) == 1
    assert lines[0].startswith("PORT: should be a free port")


async def test_an_address_of_another_machine_names_its_setting(tmp_path: Path) -> None:
    told = await ended(tmp_path, "run", SIGNOFF_HOST="203.0.113.1", **NO_WEBCHAT, **FILES)

    assert told.status == 2
    assert told.err == "SIGNOFF_HOST: should be an address of this machine, not '203.0.113.1'\n"


@pytest.mark.parametrize("command", ["run", "worker"])
async def test_a_data_folder_that_cannot_be_is_one_line_and_status_2(
    command: str, tmp_path: Path
) -> None:
    (tmp_path / "data").write_text("")

    told = await ended(tmp_path, command, PORT=str(free_port()), **FILES)

    assert told.status == 2
    assert told.err.startswith("SIGNOFF_DATA_DIR: ")
    assert told.err.count("\n") == 1


async def test_validate_says_ok_for_the_playbooks_that_come_along(tmp_path: Path) -> None:
    told = await ended(
        tmp_path, "validate", str(PLAYBOOKS), SIGNOFF_PEOPLE=str(PLAYBOOKS / "people.yaml")
    )

    assert (told.status, told.out, told.err) == (0, "ok\n", "")


async def test_validate_of_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    people = str(PLAYBOOKS / "people.yaml")
    by_setting = await ended(tmp_path, "validate", SIGNOFF_PEOPLE=people)
    by_hand = await ended(tmp_path, "validate", "/nope", SIGNOFF_PEOPLE=people)

    line = "SIGNOFF_PLAYBOOKS: playbooks: there is no such folder\n"
    assert (by_setting.status, by_setting.out, by_setting.err) == (1, line, "")
    line = "/nope: there is no such folder\n"
    assert (by_hand.status, by_hand.out, by_hand.err) == (1, line, "")


async def test_validate_lists_faults_of_people_playbooks_and_sample_together(
    tmp_path: Path,
) -> None:
    folder = copied(tmp_path)
    changed(folder / "people.yaml", "roles: [crc]", "roles: [crk]")
    changed(folder / "clinical_qc" / "playbook.yaml", "[visit-collect]", "[visit-colect]")
    changed(
        folder / "clinical_qc" / "data" / "study.sql", "CREATE TABLE visits", "CREATE TABEL visits"
    )

    told = await ended(tmp_path, "validate")

    assert told.status == 1
    first, second, *sample = told.out.splitlines()
    assert first.startswith("playbooks/people.yaml:")
    assert "there is no role 'crk'" in first
    assert second.startswith("playbooks/clinical_qc/playbook.yaml:")
    assert "there is no skill 'visit-colect'" in second
    assert len(sample) == 1
    assert sample[0].startswith("playbooks/connections.yaml:6: study.create: ")
    assert "study.sql:11: near" in sample[0]


async def test_validate_misses_sample_data_that_is_not_there(tmp_path: Path) -> None:
    (copied(tmp_path) / "clinical_qc" / "data" / "study.sql").unlink()

    told = await ended(tmp_path, "validate")

    assert (told.status, told.out.count("\n")) == (1, 1)
    assert told.out.startswith("playbooks/connections.yaml:6: study.create: ")
    assert "study.sql cannot be read" in told.out


@pytest.mark.parametrize("command", ["validate", "run", "worker"])
async def test_settings_of_before_say_where_redcap_is_set_up_now(
    command: str, tmp_path: Path
) -> None:
    redcap = {"REDCAP_API_URL": "https://redcap.invalid/api/", "REDCAP_API_TOKEN": "hush"}

    told = await ended(tmp_path, command, PORT=str(free_port()), **FILES, **redcap)

    lines = [line for line in told.err.splitlines() if not line.startswith("{")]
    assert told.status == 2
    assert lines == [
        "REDCAP_API_URL: is no setting any more; a REDCap project is a connection of "
        "connections.yaml, as docs/redcap.md shows"
    ]


async def test_run_tells_a_faulty_definition_once_and_ends_with_2(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    changed(folder / "people.yaml", "roles: [crc]", "roles: [crk]")
    changed(
        folder / "clinical_qc" / "data" / "study.sql", "CREATE TABLE visits", "CREATE TABEL visits"
    )

    told = await ended(tmp_path, "run", PORT=str(free_port()))

    first, *sample = told.err.splitlines()
    assert told.status == 2
    assert "there is no role 'crk'" in first
    assert len(sample) == 1
    assert "study.sql:11: near" in sample[0]


def copied(folder: Path) -> Path:
    return Path(shutil.copytree(PLAYBOOKS, folder / "playbooks"))


def changed(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def make_targets() -> dict[str, str]:
    text = (ROOT / "Makefile").read_text("utf-8")
    return dict(re.findall(r"^(\w+):.*\n((?:\t.*\n)+)", text, re.MULTILINE))


def test_readme_ci_and_makefile_name_the_same_two_commands() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```\w*\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    ci = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()

    assert "make run\nmake test\n" in blocks
    assert ci[-1] == "exec make test"
    assert "signoff run" in make_targets()["run"]
    assert "-m pytest" in make_targets()["test"]


def test_ci_script_can_be_run() -> None:
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111 == 0o111


def pins(name: str) -> dict[str, str]:
    """What a lock has for each package: its version and all hashes."""
    text = (ROOT / name).read_text("utf-8")
    # Hashes and nothing else follow a pin: nothing tells where from.
    line = r"([a-z0-9.-]+)(==[\w.]+(?: ; [^@/:]+?)?(?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n"
    assert re.fullmatch(f"(?:{line})+", text)
    found = re.findall(line, text)
    return {f"{name}{pin.split()[0]}": pin[pin.index("--hash") :] for name, pin in found}


@pytest.mark.parametrize(
    ("lock", "extras"), [("requirements.lock", ()), ("requirements-dev.lock", ("dev",))]
)
def test_every_allowed_dependency_is_pinned_with_its_hashes(
    lock: str, extras: tuple[str, ...]
) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    for extra in extras:
        wanted += project["project"]["optional-dependencies"][extra]
    names = {plain(re.split(r"[\[<>=;\s]", line, maxsplit=1)[0]) for line in wanted}

    assert names <= {plain(pin.split("==")[0]) for pin in pins(lock)}


IMPORTED = re.compile(r"^[ ]*(?:from|import) ([\w.]+)(?= import | as |$)", re.M)


def test_what_the_service_imports_is_pinned() -> None:
    ours = {"bot", "adapters", "engine", "cards"}
    files = [path for top in ours for path in (ROOT / top).rglob("*.py")]
    # As the formatter writes them, one a line: a syntax tree of every file takes a second and more.
    named = {name for path in files for name in IMPORTED.findall(path.read_text("utf-8"))}
    assert named >= {"redis.asyncio", "bot.settings", "asyncio", "aiohttp", "openai"}
    others = {name.partition(".")[0] for name in named} - ours - sys.stdlib_module_names
    brought = packages_distributions()
    pinned = {plain(pin.split("==")[0]) for pin in pins("requirements.lock")}
    assert {name for name in others if pinned.isdisjoint(map(plain, brought[name]))} == set()


def test_the_tests_run_with_what_the_service_runs_with() -> None:
    tests = pins("requirements-dev.lock")

    assert pins("requirements.lock").items() < tests.items()


def test_nothing_is_installed_that_no_hash_is_known_of() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")

    for text in (dockerfile, makefile):
        assert "install --require-hashes -r" in re.sub(r"--no-cache-dir ", "", text)
        assert re.search(r"install (--no-cache-dir )?--no-deps --no-build-isolation", text)
    for target in ("$(STAMP)", "$(DEV_STAMP)"):
        recipe = makefile.partition(f"\n{target}:")[2].partition("\n\n")[0]
        assert recipe.index("$(LOCKED)") < recipe.index("$(ITSELF)")


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
