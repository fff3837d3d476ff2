"""What operators do about projects: list and add them, bind conversations, see who did what."""

import json
import re
import sys
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.definitions.folder_projects import folder_projects
from bot.definitions.projects import find_playbooks, make_book
from bot.operate.aside import VIA, operator
from bot.settings import Settings
from bot.terminal.output import table_with_header
from bot.wiring.clock import open_clock
from bot.wiring.store import StorePorts, open_store_ports
from cards.texts import languages
from engine.ports.projects import (
    PROJECT_FORM,
    Binding,
    KeptProjects,
    Project,
    ProjectChange,
)
from engine.projects import ProjectBook
from engine.text.language import LocalizedText
from engine.yaml.faults import suggestion

CHANGES: Final = 200
"""So many changes are printed."""

_CONVERSATION = re.compile(r"[^\s,=]+")
_NO_ID = "is no id of a project; write letters, digits, - and _, a letter or digit first"


@dataclass(frozen=True, slots=True)
class ProjectDesk:
    """The projects as they are now, and where they are kept."""

    store: StorePorts
    kept: KeptProjects
    book: ProjectBook
    playbooks: Collection[str]
    now: datetime

    def change(self, project: str, conversation: str = "") -> ProjectChange:
        """A change by the operator; what is done is filled in."""
        return ProjectChange(
            what="added",
            project=project,
            conversation=conversation,
            by=operator(),
            via=VIA,
            at=self.now,
        )


@asynccontextmanager
async def _open_desk(settings: Settings) -> AsyncIterator[ProjectDesk]:
    playbooks = find_playbooks(settings)
    async with open_store_ports(settings) as store:
        kept = await store.projects.load() or KeptProjects()
        book = make_book(settings, folder_projects(settings), playbooks, kept)
        names = [playbook.id for playbook in playbooks]
        yield ProjectDesk(store, kept, book, names, open_clock(settings).now())


async def list_projects(settings: Settings, *, as_json: bool) -> int:
    """Print every project, with the conversations that are its own."""
    async with _open_desk(settings) as desk:
        book, kept = desk.book, desk.kept
    bound: dict[str, list[str]] = {}
    for conversation, project in book.bound.items():
        bound.setdefault(project, []).append(conversation)
    listed = sorted(book.choices, key=lambda each: each.id)
    if as_json:
        told = [_as_json(each, book, kept, bound) for each in listed]
        print(json.dumps(told, ensure_ascii=False))
        return 0
    heads = ("id", "name", "playbooks", "of", "added", "conversations")
    rows = [_row(each, book, bound.get(each.id, ())) for each in listed]
    print(table_with_header([heads, *rows]))
    return 0


async def list_changes(settings: Settings, *, as_json: bool) -> int:
    """Print who added, bound and removed what, the newest first."""
    async with _open_desk(settings) as desk:
        changes = await desk.store.projects.changes(CHANGES)
    if as_json:
        told = [each.model_dump(mode="json") for each in changes]
        print(json.dumps(told, ensure_ascii=False))
    elif changes:
        rows = [(_moment(c.at), c.what, c.project, c.conversation, c.by, c.via) for c in changes]
        print(table_with_header([("at", "what", "project", "conversation", "by", "from"), *rows]))
    else:
        print("nothing was changed")
    return 0


async def add_project(
    settings: Settings,
    name: str,
    *,
    names: Sequence[str],
    playbooks: Sequence[str],
    of: Sequence[str],
) -> int:
    """Add a project; 1 when there is one of that id, or something of it is wrong."""
    async with _open_desk(settings) as desk:
        if fault := _id_fault(name, desk.book) or _playbook_fault(playbooks, desk.playbooks):
            return _refuse(name, fault)
        project = Project(
            id=name,
            name=_read_names(names) or LocalizedText(name),
            playbooks=tuple(playbooks),
            of=dict(_pair(each) for each in of),
            by=operator(),
            at=desk.now,
        )
        if await desk.store.projects.add(project, desk.change(name)) == "taken":
            return _refuse(name, "was there before, and removed; choose another id")
    print(f"{name}: added")
    return 0


async def bind_conversation(settings: Settings, project: str, conversation: str) -> int:
    """Bind a conversation to a project; 1 for one that is not there."""
    async with _open_desk(settings) as desk:
        known = desk.book.projects.get(project)
        if known is None or known.removed:
            return _refuse(project, f"there is no such project; {_known(project, desk.book)}")
        if fault := _conversation_fault(conversation, settings):
            return _refuse(conversation, fault)
        change = desk.change(project, conversation).model_copy(update={"what": "bound"})
        binding = Binding(conversation=conversation, project=project, by=change.by, at=change.at)
        outcome = await desk.store.projects.bind(
            binding, change, is_kept=project in desk.kept.projects
        )
    if outcome == "gone":
        return _refuse(project, "was removed just now")
    print(f"{conversation}: belongs to {project}" + (" already" if outcome == "same" else " now"))
    return 0


async def unbind_conversation(settings: Settings, conversation: str) -> int:
    """Take a binding away; 1 when there is none."""
    async with _open_desk(settings) as desk:
        change = desk.change(desk.book.of(conversation), conversation)
        change = change.model_copy(update={"what": "unbound"})
        if not await desk.store.projects.unbind(conversation, change):
            set_ones = dict(settings.projects)
            why = "is bound by SIGNOFF_PROJECTS" if conversation in set_ones else "is not bound"
            return _refuse(conversation, f"{why}; see `signoff projects list`")
    after = make_book(
        settings,
        folder_projects(settings),
        find_playbooks(settings),
        _without(desk.kept, conversation),
    ).of(conversation)
    print(f"{conversation}: belongs to {after or 'no project'} now, as all do that nobody bound")
    return 0


async def remove_project(settings: Settings, project: str) -> int:
    """Remove a project that was added; 1 while a conversation is bound to it."""
    async with _open_desk(settings) as desk:
        if project not in desk.kept.projects:
            known = project in desk.book.projects
            why = "is the folder's own" if known else f"is none; {_known(project, desk.book)}"
            return _refuse(project, why)
        change = desk.change(project).model_copy(update={"what": "removed"})
        outcome = await desk.store.projects.remove(project, change)
        named = [name for name, own in desk.book.bound.items() if own == project]
    if outcome == "bound":
        return _refuse(project, f"conversations are bound to it: {', '.join(sorted(named))}")
    if outcome == "gone":
        return _refuse(project, "was removed before")
    print(f"{project}: removed; its files, memory, findings and runs are kept, its id stays taken")
    return 0


def _refuse(about: str, why: str) -> int:
    print(f"{about}: {why}", file=sys.stderr)
    return 1


def _id_fault(name: str, book: ProjectBook) -> str:
    if not re.fullmatch(PROJECT_FORM, name):
        return _NO_ID
    same = [each.id for each in book.projects.values() if each.handle == name.casefold()]
    return f"there is a project {same[0]!r} already" if same else ""


def _playbook_fault(playbooks: Sequence[str], known: Collection[str]) -> str:
    wrong = [each for each in playbooks if each not in known]
    return f"there is no playbook {wrong[0]!r}; {suggestion(wrong[0], known)}" if wrong else ""


def _conversation_fault(conversation: str, settings: Settings) -> str:
    platform, _, rest = conversation.partition(":")
    if platform in settings.platforms and rest and _CONVERSATION.fullmatch(conversation):
        return "" if not conversation.endswith(":") else "ends with a colon"
    return "is no conversation; `/project`, asked there by an admin, tells its id"


def _read_names(names: Sequence[str]) -> LocalizedText | None:
    """The name, plain or as LANG=TEXT for each language."""
    if not names:
        return None
    pairs = [_pair(each) if each.partition("=")[0] in languages() else ("", each) for each in names]
    return LocalizedText(dict(pairs))


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip(), value.strip()


def _known(project: str, book: ProjectBook) -> str:
    return suggestion(project, [each.id for each in book.choices])


def _without(kept: KeptProjects, conversation: str) -> KeptProjects:
    left = {name: each for name, each in kept.bindings.items() if name != conversation}
    return KeptProjects(kept.version, kept.projects, left)


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M %Z}" if at else "-"


def _row(project: Project, book: ProjectBook, bound: Sequence[str]) -> tuple[str, ...]:
    mark = " (of all others)" if project.id == book.default else ""
    added = f"{_moment(project.at)} by {project.by}" if project.at else "-"
    return (
        project.id,
        project.name("en"),
        ", ".join(project.playbooks) or "all",
        ", ".join(f"{kind} {value}" for kind, value in project.of.items()) or "-",
        added,
        ", ".join(sorted(bound)) + mark or "-",
    )


def _as_json(
    project: Project, book: ProjectBook, kept: KeptProjects, bound: Mapping[str, Sequence[str]]
) -> dict[str, object]:
    told = project.model_dump(mode="json", include={"id", "name", "playbooks", "of", "by", "at"})
    conversations = []
    for name in sorted(bound.get(project.id, ())):
        binding = kept.bindings.get(name)
        by = binding.model_dump(mode="json", include={"by", "at"}) if binding else {}
        conversations.append({"conversation": name, **by})
    return told | {"default": project.id == book.default, "conversations": conversations}
