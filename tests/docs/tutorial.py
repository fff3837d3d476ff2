"""Does what docs/tutorial.md says: writes its files, gives its commands, talks as its people do.

A block whose first line is `# my-bot/...` is a file. `sh` blocks are commands, `console` blocks are
commands with what they print. A line `- **Ada** writes “...”` is something that happens in the web
chat; a line that begins so and cannot be read is an error.
"""

import re
import shlex
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGTERM
from typing import Any, Self

from tests.bot.signoff_process import answering, ended, running, serving
from tests.docs.reading import DONE_WHOLE, ROOT
from tests.fakes import file_makers as made
from tests.fakes.forge import Forged
from tests.fakes.platforms.patience import START_S, until
from tests.fakes.ports import free_port
from tests.fakes.web_room import Message, WebRoom, button, text_of

_STEP = re.compile(
    r"^```(?P<kind>\w+)\n(?P<text>.*?)^```"
    r"|^- (?P<said>\*\*[^\n]*)$"
    r"|^!\[[^]]+\]\(pictures/(?P<picture>[\w-]+)\.png\)$",
    re.M | re.S,
)
_FILE = re.compile(r"# (?P<path>[\w./-]+\.\w+|my-bot/\.env)(?P<more>, at the end)?\n")
_FILES = ("yaml", "python", "env", "markdown")
_ELSEWHERE = ("python3 -m venv", ". bot-env", "pip install")
"""Commands that tests/install gives, which builds the wheel and installs it."""
_CHANGED = '"event": "playbooks_changed", "process": "worker"'
_PORTS = ("8080", "8765")


@dataclass(frozen=True, slots=True)
class Step:
    """Something to do: a block of the page by its language, a line of a conversation (`said`), or
    a `picture` by its name.
    """

    kind: str
    text: str


def steps() -> Iterator[Step]:
    """All that the page has the reader do, in order."""
    for found in _STEP.finditer((ROOT / DONE_WHOLE).read_text("utf-8")):
        kind = found["kind"] or ("said" if found["said"] else "picture")
        yield Step(kind, found["text"] or found["said"] or found["picture"])


def write_files(folder: Path, port: int) -> None:
    """The files as they are at the end of the page; the system that stands in is at that port."""
    for step in steps():
        if step.kind in _FILES:
            _write_file(folder, step.text.replace(_PORTS[1], str(port)))


def _write_file(folder: Path, text: str) -> Path:
    found = _FILE.match(text)
    assert found, f"which file is this?\n{text[:200]}"
    path = folder / found["path"]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a" if found["more"] else "w", encoding="utf-8") as file:
        file.write(text[found.end() :])
    return path


@dataclass
class Tutorial:
    """A reader who does every step in a folder of their own; `async with` ends what they started.

    `heard` is what Signoff said last.
    """

    folder: Path
    room: WebRoom = field(init=False)
    heard: str = ""
    done: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._ports = {port: str(free_port()) for port in _PORTS}
        self._variables = {"PORT": self._ports["8080"]}
        self.url = f"http://127.0.0.1:{self._ports['8080']}"
        self.room = WebRoom(self.url)
        self._bot: Forged | None = None
        self._changes: int | None = None
        self._before: dict[str, str] = {}

    async def __aenter__(self) -> Self:
        self._ends = AsyncExitStack()
        await self._ends.enter_async_context(self.room)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._ends.aclose()

    async def do(self, step: Step) -> None:
        """One step, as the page says it. Raises AssertionError where something else happens."""
        text = step.text
        for port, own in self._ports.items():
            text = text.replace(port, own)
        match step.kind:
            case "said":
                await self._converse(text)
            case "sh":
                for line in text.splitlines():
                    await self._command(line)
            case "console":
                await self._transcript(text)
            case kind:
                assert kind in _FILES, f"a block of which kind? {kind}"
                self._write(text)
        self.done.append(step.kind)

    def _write(self, text: str) -> None:
        path = _write_file(self.folder, text)
        if self._bot and self._changes is None and "playbooks" in path.parts:
            self._changes = self._count_changes()

    async def _command(self, line: str) -> None:
        words = shlex.split(line)
        if line.startswith(_ELSEWHERE):
            return
        if words[:2] == ["signoff", "run"]:
            await self._run(words[1:])
        elif words[0] == "signoff":
            told = await ended(self.folder, *words[1:], **self._variables)
            assert told.status == 0, told.err
        elif words[0] == "python3":
            await self._ends.enter_async_context(running(self.folder, sys.executable, *words[1:]))
        elif words[:2] == ["rm", "-r"]:
            for name in words[2:]:
                path = self.folder / name
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        else:
            raise AssertionError(f"nobody gives this command: {line}")

    async def _run(self, words: list[str]) -> None:
        """Stop the bot that runs, as Ctrl-C does, and start it."""
        if self._bot:
            self._bot.send_signal(SIGTERM)
            await self._bot.wait()
        starting = serving(self.folder, *words, **self._variables)
        self._bot, self._changes = await self._ends.enter_async_context(starting), None
        await answering(self.url)

    async def _transcript(self, text: str) -> None:
        for command in re.split(r"^\$ ", text, flags=re.M)[1:]:
            line, _, printed = command.partition("\n")
            folder = self.folder
            for part in line.strip("()").split(" && "):
                words = shlex.split(part)
                if words[0] == "cd":
                    folder = folder / words[1]
                    continue
                assert words[0] == "signoff", f"nobody gives this command: {line}"
                told = await ended(folder, *words[1:], **self._variables)
                assert (told.out, told.status) == (printed, 0), told.err

    async def _converse(self, line: str) -> None:
        for pattern, act in self._acts():
            if found := re.fullmatch(pattern, line):
                given = found.groupdict()
                if "who" in given:
                    given["who"] = given["who"].lower()
                await act(**given)
                return
        raise AssertionError(f"who does what? {line}")

    def _acts(self) -> tuple[tuple[str, Callable[..., Awaitable[None]]], ...]:
        who = r"\*\*(?P<who>\w+)\*\*"
        return (
            (r"\*\*Signoff\*\* says “(?P<said>.*)”", self._hears),
            (rf"{who} writes “(?P<text>.*)”", self._writes),
            (rf"{who} sends the file “(?P<file>[\w.]+)”, and writes “(?P<text>.*)”", self._writes),
            (rf"{who} fills in (?P<fields>.*), and presses “(?P<label>.*)”", self._presses),
            (rf"{who} presses “(?P<label>[^”]*)”", self._presses),
            (rf"{who} sees a card with “(?P<said>.*)” that \w+ cannot approve", self._sees),
        )

    async def _writes(self, who: str, text: str, file: str = "") -> None:
        await self._taken_over()
        self._before = {key: text_of(each) for key, each in self.room.shown.items()}
        files = {file.replace(".", "__"): made.pdf(["A receipt"])} if file else {}
        await self.room.share(who, text, **files)

    async def _hears(self, said: str) -> None:
        def is_new(message: Message) -> bool:
            key = next(key for key, each in self.room.shown.items() if each is message)
            return said in _plain(message) and text_of(message) != self._before.get(key)

        await self.room.wait_for(is_new)
        self.heard = said

    async def _presses(self, who: str, label: str, fields: str = "") -> None:
        card = await self._card(who, label)
        (choice,) = (b for b in card["buttons"] if b["label"] == label)
        given = dict(re.findall(r"(?:, )?([A-Z][\w ]*) “([^”]*)”", fields))
        name = choice["data"].split(":")[2]
        if not given and not choice["form"]:
            _, told = await self.room.tap(who, card, name)
        else:
            names = {each["label"].split(" (")[0]: each for each in choice["form"]}
            values = {each["name"]: str(each.get("value") or "") for each in choice["form"]}
            values |= {names[label]["name"]: value for label, value in given.items()}
            _, told = await self.room.fill(who, card, name, **values)
        assert told.get("ok"), told

    async def _sees(self, who: str, said: str) -> None:
        card = await self._card(who, "Approve")
        assert said in text_of(card)
        _, told = await self.room.tap(who, card, button(card, "approve").split(":")[2])
        assert told["ok"] is False

    async def _card(self, who: str, label: str) -> Message:
        """The newest open card with that button."""

        def matches(message: Message) -> bool:
            card = message["card"]
            labels = [b["label"] for b in card["buttons"]] if card else []
            return label in labels and not card["outcome"]

        card: Message = (await self.room.wait_for(matches))["card"]
        return card

    async def _taken_over(self) -> None:
        """The bot has taken over what was written while it ran."""
        if self._changes is None:
            return
        before, self._changes = self._changes, None

        async def is_taken_over() -> bool:
            return self._count_changes() > before

        await until(is_taken_over, START_S)

    def _count_changes(self) -> int:
        with suppress(FileNotFoundError):
            return (self.folder / "stderr.log").read_text("utf-8").count(_CHANGED)
        return 0


def _plain(message: Any) -> str:
    """What a message says, without tags."""
    return re.sub(r"<[^>]+>", "", text_of(message))
