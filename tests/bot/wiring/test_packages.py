"""Tools of installed packages: each fault is told at the start, and none at work harms others."""

import asyncio
import threading
from dataclasses import replace
from datetime import date
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pydantic import BaseModel

from bot.wiring.packages import load_package_tools, run_function
from engine.errors import DefinitionError, ToolFailed, ToolRetry, ToolUnsure
from engine.toolbox.package import (
    MAX_RESULT_BYTES,
    BadPackageTool,
    NotDone,
    PackageCall,
    PackageTool,
    read_package_tool,
)
from engine.tools.model import Tool, ToolContext
from engine.tools.registry import call
from tests.bot.signoff_process import ROOT, ended
from tests.docs.reading import blocks
from tests.fakes.garage import write_garage
from tests.fakes.ports import free_port

CONTEXT = ToolContext(today=date(2026, 11, 23), key="k", by="fred")
HEAD = """\
from pydantic import BaseModel
from engine.toolbox.package import PackageTool
class Asked(BaseModel):
    text: str = ""
def answer(asked, call):
    return {}
def tool(name, **more):
    given = {"description": "d", "arguments": Asked, "function": answer, "reads": True}
    return PackageTool(name=name, **{**given, **more})
"""


def install(folder: Path, code: str, name: str = "bad") -> None:
    """A package as an installer leaves it: its module and what it declares."""
    (folder / f"{name}_tools.py").write_text(HEAD + code)
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[signoff.tools]\nall = {name}_tools:TOOLS\n")


FAULTY = [
    (
        "import nothing_here",
        "cannot be loaded: ModuleNotFoundError: No module named 'nothing_here'",
    ),
    ("", "cannot be loaded: AttributeError"),
    ("def TOOLS(): raise OSError('no licence')", "cannot be loaded: OSError: no licence"),
    ("TOOLS = 'find'", "should be a list of tools"),
    ("TOOLS = [1]", "1 is no PackageTool"),
    ("TOOLS = [tool('Find')]", "Find: name: String should match pattern"),
    ("TOOLS = [tool('file__list')]", "there is a tool 'file__list' already"),
    ("TOOLS = [tool('a'), tool('a')]", "there is a tool 'a' already"),
    ("TOOLS = [tool('a', arguments=dict)]", "a: arguments should be a pydantic model"),
    ("TOOLS = [tool('a', function=1)]", "a: function should be a function"),
    ("TOOLS = [tool('a', description='')]", "a: description: String should have at least"),
    ("TOOLS = [tool('a', timeout_s=0)]", "a: timeout_s: Input should be greater"),
    ("TOOLS = [tool('a', keyed=True)]", "a: keyed belongs to tools that write"),
    ("TOOLS = [tool('a', reads=False, cues=['x'])]", "a: examples and cues belong to tools that"),
    ("TOOLS = [tool('a', tell='{b}')]", "a: tell: names b"),
    ("TOOLS = [tool('a', columns={'c': {}})]", "a: columns.c.label: Field required"),
]


@pytest.mark.parametrize(("code", "told"), FAULTY)
def test_a_faulty_package_is_one_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, told: str
) -> None:
    name = f"bad{FAULTY.index((code, told))}"
    install(tmp_path, code, name)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(DefinitionError) as caught:
        load_package_tools({"file__list"})
    (problem,) = caught.value.problems
    assert problem.startswith(f"package {name} 1.0, signoff.tools all: ")
    assert told in problem


async def test_validate_and_the_start_tell_it(tmp_path: Path) -> None:
    folder = write_garage(tmp_path / "garage")
    (tmp_path / "lib").mkdir()
    install(tmp_path / "lib", "TOOLS = [1]")
    variables = {
        "SIGNOFF_PLAYBOOKS": str(folder),
        "SIGNOFF_PEOPLE": str(folder / "people.yaml"),
        "PYTHONPATH": f"{tmp_path / 'lib'}:{ROOT}",
        "PORT": str(free_port()),
    }
    told = "package bad 1.0, signoff.tools all: 1 is no PackageTool"
    validated = await ended(folder, "validate", **variables)
    assert validated.status != 0
    assert told in validated.out + validated.err
    started = await ended(folder, "run", **variables)
    assert (started.status, told in started.err) == (2, True)


class Asked(BaseModel):
    text: str = ""


def made(function: Any, **more: Any) -> Tool[Any]:
    given = {"name": "say", "description": "Says.", "arguments": Asked, "reads": True, **more}
    return read_package_tool(PackageTool(function=function, **given), "package a 1", run_function)


async def test_a_function_knows_who_asked_and_when() -> None:
    heard: list[PackageCall] = []

    def listen(asked: Asked, call: PackageCall) -> dict[str, str]:
        heard.append(call)
        return {"said": asked.text}

    result = await call(made(listen, reads=False), {"text": "hi"}, replace(CONTEXT, project="P"))
    assert result == {"found": True, "said": "hi"}
    assert heard == [PackageCall("", "fred", "P", date(2026, 11, 23), "k")]
    with pytest.raises(ToolRetry, match="Wrong arguments text"):
        await call(made(listen), {"text": 1}, CONTEXT)


async def test_what_is_not_done_is_told_with_its_words_as_plain_text() -> None:
    def refuse(asked: Asked, call: PackageCall) -> None:
        raise NotDone("no *stock*")

    with pytest.raises(ToolFailed) as caught:
        await call(made(refuse, reads=False), {}, CONTEXT)
    assert not isinstance(caught.value, ToolUnsure)
    assert caught.value.text("en") == "`say` did nothing: no \\*stock\\*"


@pytest.mark.parametrize(
    "answer",
    [
        object(),
        [1],
        "a text",
        {"big": "x" * (MAX_RESULT_BYTES + 1)},
        OSError("no disk"),
    ],
)
async def test_what_is_no_result_fails_a_read_and_leaves_a_write_open(answer: Any) -> None:
    async def give(asked: Asked, call: PackageCall) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(ToolFailed) as caught:
        await call(made(give), {}, CONTEXT)
    assert not isinstance(caught.value, ToolUnsure)
    assert "no disk" not in str(caught.value)
    with pytest.raises(ToolUnsure):
        await call(made(give, reads=False), {}, CONTEXT)


async def test_a_function_that_blocks_holds_up_nobody() -> None:
    free = Event()

    def block(asked: Asked, call: PackageCall) -> None:
        free.wait(20)

    try:
        with pytest.raises(ToolFailed, match="seconds"):
            await call(made(block, timeout_s=0.1), {}, CONTEXT)
        with pytest.raises(ToolUnsure):
            await call(made(block, timeout_s=0.1, reads=False), {}, CONTEXT)
        waiting = [
            asyncio.create_task(call(made(block, timeout_s=0.1), {}, CONTEXT)) for _ in range(40)
        ]
        told = [str(e) for e in await asyncio.gather(*waiting, return_exceptions=True)]
        assert sum("Too many slow tools" in each for each in told) == 10
    finally:
        free.set()
        # What goes on behind the next test would hold its places.
        for thread in threading.enumerate():
            if thread.name == "package-tool":
                thread.join(20)


async def test_the_documented_package_is_one() -> None:
    (block,) = (block for block in blocks("python") if block.page == "docs/packages.md")
    written: dict[str, Any] = {"__name__": "documented"}
    exec(block.text, written)
    (tool,) = (read_package_tool(each, "package a 1", run_function) for each in written["TOOLS"])
    done = await call(tool, {"number": "T-16", "amount": 2}, CONTEXT)
    assert done == {"found": True, "number": "T-16", "amount": 2}
    with pytest.raises(ToolFailed, match="there is no tyre T-17"):
        await call(tool, {"number": "T-17", "amount": 2}, CONTEXT)


def test_what_a_package_gives_is_looked_at_whole() -> None:
    with pytest.raises(BadPackageTool, match="is no PackageTool"):
        read_package_tool(None, "package a 1", run_function)
