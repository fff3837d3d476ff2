"""Every command: its help, its exit statuses, its JSON, and what the documents say of it."""

import argparse
import json
import re
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.__main__ import main
from bot.cli.table import COMMANDS, Command, parser
from bot.version import VERSION, build
from tests.bot.signoff_process import FILES, ROOT, ended
from tests.fakes.few_examples import few_examples
from tests.fakes.tables import table

PAGE = ROOT / "docs" / "commands.md"
LISTS = (
    ("validate",),
    ("runs", "list"),
    ("people", "list"),
    ("people", "check"),
    ("pending",),
    ("projects", "list"),
    ("projects", "changes"),
    ("traces",),
    ("aside",),
)
"""Every command that lists something out of the store, the playbooks or the settings."""


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command."""
    (every,) = (
        action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    return dict(every.choices)


def options(of: argparse.ArgumentParser) -> set[str]:
    """The long options of a command and of what is below it, as its help shows them."""
    found: set[str] = set()
    for action in of._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= {option for one in action.choices.values() for option in options(one)}
        elif action.help != argparse.SUPPRESS:
            found |= {option for option in action.option_strings if option.startswith("--")}
    return found - {"--help"}


def rows() -> dict[str, list[str]]:
    """The page's table: cells by command."""
    lines = re.findall(r"^\| `signoff ([a-z-]+)[^|]*\|.*$", PAGE.read_text("utf-8"), re.MULTILINE)
    whole = re.findall(r"^\| `signoff [^\n]*$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(set(lines)) == len(lines)
    return {name: row.strip("|").split(" | ") for name, row in zip(lines, whole, strict=True)}


@table("command", COMMANDS, ids=lambda command: command.name)
def test_help_says_every_exit_status(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([command.name, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert end.value.code == 0
    assert said.startswith(f"usage: signoff {command.name} ")
    assert command.exits.startswith("0 ")
    assert f"exit status: {command.exits}" in said


@table("command", COMMANDS, ids=lambda command: command.name)
def test_the_page_has_every_option_and_exit_status(command: Command) -> None:
    usage, does, exits = (cell.strip() for cell in rows()[command.name])
    assert does
    assert options(parsers()[command.name]) == set(re.findall(r"--[a-z-]{2,}", usage))
    plain = exits.replace("`", "")
    assert plain == command.exits.replace("`", "")


def test_the_page_has_no_command_that_is_not_there() -> None:
    assert list(rows()) == [command.name for command in COMMANDS]


@pytest.mark.parametrize(
    "words",
    [
        ("tools", "call", "find", "--arg", "turbine=T1", "my-bot"),
        ("tools", "call", "find", "my-bot", "--arg", "turbine=T1"),
        ("tools", "call", "--arg", "turbine=T1", "find", "my-bot"),
        ("tools", "call", "--arg", "turbine=T1", "--", "find", "my-bot"),
    ],
)
def test_options_stand_where_people_put_them(words: tuple[str, ...]) -> None:
    read = parser().parse_args(words)
    assert (read.tool, read.arg, read.path) == ("find", ["turbine=T1"], Path("my-bot"))


def test_it_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parser().parse_args(["--version"])
    assert (end.value.code, capsys.readouterr().out) == (0, f"signoff {VERSION}, build {build()}\n")


@pytest.mark.parametrize("words", LISTS, ids=" ".join)
async def test_what_lists_tells_programs_in_json(
    words: tuple[str, ...], redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    told = await ended(tmp_path, *words, "--json", **FILES, REDIS_URL=redis_server.url)
    assert told.status == 0
    assert isinstance(json.loads(told.out), list)
    assert "\x1b" not in told.out


async def test_what_a_program_reads_of_examples_is_what_people_read(tmp_path: Path) -> None:
    few = few_examples(tmp_path)
    told = await ended(tmp_path, "lint-examples", **few)
    read = await ended(tmp_path, "lint-examples", "--json", **few)
    assert (read.status, "\x1b" in read.out) == (0, False)
    every = json.loads(read.out)
    *lines, last = told.out.splitlines()
    assert len(lines) == len(every) > 0
    for line, one in zip(lines, every, strict=True):
        assert line.startswith(f"{one['group']}: {one['text']!r} looks like {one['looks_like']}: ")
    assert last.startswith(f"{len(every)} examples ")


async def test_bench_is_that_of_the_checkout(tmp_path: Path) -> None:
    wrong = await ended(tmp_path, "bench", "--only", "nothing")
    assert wrong.status == 2
    assert "nothing" in wrong.err
    helped = await ended(tmp_path, "bench", "--", "--help")
    assert helped.status == 0
    assert "--messages" in helped.out


async def test_without_a_checkout_bench_says_where_it_is(tmp_path: Path) -> None:
    for layer in ("bot", "adapters", "engine", "cards"):
        (tmp_path / layer).symlink_to(ROOT / layer)
    told = await ended(tmp_path, "bench", PYTHONPATH=str(tmp_path))
    assert (told.status, told.out) == (1, "")
    assert told.err == (
        "bench: its programs are not installed; get the source and run `make bench` in it\n"
    )
