"""Every command of the documents is parsed by what runs it; those that need no service are run."""

import argparse
import re
import shlex
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.cli.table import COMMANDS, parser
from tests.bot.signoff_process import FILES, ended
from tests.conftest import PARTITIONS
from tests.docs.reading import DONE_WHOLE, ROOT, Piece, blocks, words
from tests.fakes.few_examples import few_examples
from tests.fakes.tables import table

# What stands for something of the reader's, in the commands that are run.
GIVEN = {
    "PLAYBOOK": "clinical_qc",
    "TEXT": "ECOG of P003?",
    "PERSON": "lin",
    "ACCOUNT": "telegram:77",
    "PATH": str(ROOT / "playbooks"),
    "my-bot": str(ROOT / "playbooks"),
}
# What the empty store has none of: then the command says so and ends with 1.
NOT_THERE = {"RUN", "ID", "DIR", "CASE"}
ENTERS = {"route", "lint-examples"}
"""They do nothing in a folder that is not there, and end as with a wrong setting."""
# Commands that need nothing but the checkout and an empty store.
RUN = {
    "validate",
    "graph",
    "route",
    "lint-examples",
    "traces",
    "aside",
    "cases",
    "pending",
    "runs list",
    "people list",
    "people check",
}
# Commands that are only parsed here, and what shows what they do.
PARSED = {
    "init": "tests/bot/starting/test_init.py",
    "schema": "tests/bot/starting/test_schemas.py",
    "run": "tests/bot/processes/test_processes.py",
    "web": "tests/bot/processes/test_processes.py",
    "worker": "tests/bot/processes/test_processes.py",
    "dev": "tests/scenarios/test_dev.py",
    "test": "tests/bot/testing/test_play.py",
    "eval": "tests/eval/test_command.py",
    "doctor": "tests/bot/operate/test_doctor.py",
    "tools list": "tests/bot/operate/test_tools_command.py",
    "tools call": "tests/bot/operate/test_tools_command.py",
    "tools probe": "tests/bot/operate/test_tools_command.py",
    "chat": "tests/scenarios/test_terminal_walk.py",
    "ask": "tests/scenarios/test_terminal_walk.py",
    "bench": "tests/bot/test_command_table.py",
    "explain": "tests/scenarios/test_run_traces.py",
    "audit": "tests/bot/operate/test_audit_command.py",
    "replay": "tests/scenarios/test_run_traces.py",
    "retry": "tests/bot/operate/test_aside.py",
    "runs trace": "tests/scenarios/test_run_traces.py",
    "runs migrate": "tests/reviews/test_versions.py",
    "runs stop": "tests/bot/operate/test_job_orders.py",
    "runs fail": "tests/bot/operate/test_job_orders.py",
    "runs recover": "tests/bot/operate/test_job_orders.py",
    "upgrade-folder": "tests/bot/operate/test_folder_upgrade.py",
    "projects list": "tests/bot/operate/test_projects_command.py",
    "projects changes": "tests/bot/operate/test_projects_command.py",
    "projects add": "tests/bot/operate/test_projects_command.py",
    "projects bind": "tests/bot/operate/test_projects_command.py",
    "projects unbind": "tests/bot/operate/test_projects_command.py",
    "projects remove": "tests/bot/operate/test_projects_command.py",
    "memory list": "tests/bot/operate/test_memory_command.py",
    "memory forget": "tests/bot/operate/test_memory_command.py",
    "people add": "tests/bot/operate/test_people_file.py",
    "people import": "tests/bot/operate/test_people_file.py",
    "people export": "tests/bot/operate/test_personal_data.py",
    "people erase": "tests/bot/operate/test_personal_data.py",
    "people link": "tests/bot/operate/test_people_commands.py",
    "people unlink": "tests/bot/operate/test_people_commands.py",
    "people admit": "tests/bot/operate/test_people_commands.py",
    "people revoke": "tests/bot/operate/test_people_commands.py",
}
# What is said of several commands, and `signoff --version`.
NO_COMMANDS = {"runs", "people", "memory", ""}
# Pages whose shell blocks a test runs whole.
RUN_WHOLE = {
    "docs/backup.md": "tests/docs/test_backup.py",
    "docs/internal-api.md": "tests/bot/test_skill_api.py",
    "docs/programs.md": "tests/scenarios/test_asking_programs.py",
    DONE_WHOLE: "tests/docs/tutorial.py",
}
# Programs that are not ours, and why they are not run.
NOT_RUN = {
    "SIGNOFF_SYNC_SECRET=...": "tests/scenarios/test_case_changes.py starts the receiver",
    ".venv/bin/python": "tests/scenarios/test_expenses_walk.py starts the sample's API",
    "bot-env/bin/pip": "tests/install/test_wheel.py installs the wheel",
    "curl": "tests/fakes/web_room.py sends the same requests to a service",
    "cp": "the test of names sees that what is copied is there",
    "docker": "needs Docker; tests/image carries the Dockerfile's steps out",
    "export": "sets a variable",
    "honcho": "tests/bot/processes/test_processes.py starts the Procfile's processes",
    "install": "needs root",
    "journalctl": "needs systemd",
    "openssl": "makes a secret",
    "printf": "writes to the command behind it",
    "python3": "installs; tests/image does the same in a fresh root",
    "/opt/signoff/bin/pip": "installs; tests/image does the same in a fresh root",
    "redis-cli": "tests/docs/test_cluster_move.py copies keys as it does",
    "sqlite3": "tests/fakes/leave.py makes the sample's database of the same file",
    "systemctl": "needs systemd; tests/image checks the units",
    "useradd": "needs root",
}
_WHOLE = re.compile(r"\.venv/bin/signoff|signoff")
_OPTIONAL = re.compile(r"\[([^]]+)\]")


def lines() -> list[Piece]:
    """Each command on its own: lines of blocks cut at `&&`, `|` and comments, and words in code."""
    found = [w for w in words() if w.text.split()[:1] and _is_program(w.text.split()[0])]
    for block in blocks("sh"):
        text = re.sub(r"\\\n\s*", " ", block.text)
        if block.page in RUN_WHOLE:
            continue
        for line in text.splitlines():
            found += _parts(block, line)
    for block in blocks("console"):
        for line in block.text.splitlines():
            found += _parts(block, line[2:]) if line.startswith("$ ") else []
    return found


def _parts(block: Piece, line: str) -> list[Piece]:
    found = re.split(r"&&|\|\||\|", re.sub(r"(^|\s)#.*", "", line))
    return [Piece(block.page, block.line, part.strip()) for part in found if part.strip()]


def _is_program(word: str) -> bool:
    return bool(_WHOLE.fullmatch(word)) or word in NOT_RUN or word == "make"


def ours() -> list[Piece]:
    return [p for p in lines() if _WHOLE.fullmatch(p.text.split()[0]) and len(p.text.split()) > 1]


def variants(text: str) -> list[list[str]]:
    """The words behind `signoff`, with and without what may be left out, up to a redirection."""
    text = re.sub(r"\s>.*", "", text.replace("...", ""))
    pieces = _OPTIONAL.split(text)
    kept = product(*([piece] if n % 2 == 0 else ["", piece] for n, piece in enumerate(pieces)))
    return [shlex.split("".join(parts))[1:] for parts in kept]


whole = cache(parser)


def parsed(given: list[str]) -> bool:
    try:
        whole().parse_args(given)
    except SystemExit as end:
        return end.code == 0
    return True


def named(given: list[str]) -> str:
    """The command that these words are, as `runs list`; empty when there is none."""
    at, found = whole(), list[str]()
    for word in given:
        choices = next((a for a in at._actions if isinstance(a, argparse._SubParsersAction)), None)
        if choices is None:
            break
        if word not in choices.choices:
            return ""
        found.append(word)
        at = choices.choices[word]
    return " ".join(found)


@table("line", ours(), ids=lambda line: f"{line}-{line.text}")
def test_a_command_of_ours_is_taken(line: Piece) -> None:
    for given in variants(line.text):
        name = named(given)
        # In a sentence a command may be called by its name alone.
        assert parsed(given) or (name and given == name.split()), f"{line}: {line.text}"


def test_every_command_of_ours_is_run_or_shown_elsewhere() -> None:
    told = {named(given) for line in ours() for given in variants(line.text)} - NO_COMMANDS
    assert told - RUN - PARSED.keys() == set(), "put it into RUN or PARSED"
    shown = {PARSED[name] for name in told & PARSED.keys()}
    assert [test for test in sorted(shown) if not (ROOT / test).is_file()] == []


def test_every_command_is_documented() -> None:
    told = {given[0] for line in ours() for given in variants(line.text)}
    assert {command.name for command in COMMANDS} - told == set()


def to_run() -> list[tuple[str, ...]]:
    found = {
        tuple(GIVEN.get(word, word) for word in given)
        for line in ours()
        for given in variants(line.text)
        if named(given) in RUN and parsed(given)
    }
    return sorted(found)


@pytest.mark.parametrize("given", to_run(), ids=" ".join)
async def test_a_command_that_needs_only_the_checkout_does_its_work(
    given: tuple[str, ...], redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    # Each of some thousand examples would be judged without itself, which takes its time.
    folder = few_examples(tmp_path) if given[0] == "lint-examples" else FILES
    done = await ended(
        tmp_path,
        *given,
        given=b"ECOG of P003?\n",
        REDIS_URL=redis_server.url,
        SIGNOFF_PARTITIONS=str(PARTITIONS),
        SIGNOFF_DATA_DIR=str(tmp_path / "data"),
        **folder,
    )
    missing = 2 if given[0] in ENTERS else 1
    assert done.status == (missing if NOT_THERE & set(given) else 0), done.err
    assert "Traceback" not in done.err


def test_a_program_that_is_not_ours_is_known() -> None:
    told = {line.text.split()[0] for line in lines()}
    told = {word for word in told if not _WHOLE.fullmatch(word)} - {"make"}
    assert told - NOT_RUN.keys() == set(), "say in NOT_RUN why it is not run"


@pytest.mark.parametrize("page", RUN_WHOLE)
def test_a_page_whose_blocks_are_run_whole_is_read_by_that_test(page: str) -> None:
    assert Path(page).name in (ROOT / RUN_WHOLE[page]).read_text("utf-8")


def test_a_wrong_command_would_be_found() -> None:
    assert variants("signoff pending [PERSON]") == [["pending"], ["pending", "PERSON"]]
    assert not parsed(["runs", "explode", "RUN"])
    assert named(["runs", "explode"]) == ""
    assert named(["runs", "trace", "RUN"]) == "runs trace"
