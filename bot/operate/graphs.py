"""`signoff graph`: playbooks and job graphs as pictures or data."""

import json
import sys
from pathlib import Path
from typing import Literal, assert_never

from adapters.filesystem import read_text
from bot.definitions.loader import SETTING_PREFIX, load_playbook, try_load_people
from bot.operate.runs import find_run
from bot.settings import Settings
from bot.wiring.connections import load_connections
from bot.wiring.store import open_store_ports
from cards.model import Lang
from engine.errors import DefinitionError
from engine.jobs.graph import job_graph_of
from engine.jobs.views import done_and_running, draw_jobs
from engine.playbooks.drawing.graph import build_graph
from engine.playbooks.drawing.mermaid import to_mermaid
from engine.playbooks.drawing.model import Graph
from engine.playbooks.drawing.svg import draw
from engine.playbooks.load import MAIN
from engine.playbooks.model import Playbook
from engine.yaml.source import Problems, read_yaml

Form = Literal["mermaid", "svg", "json"]


def show_graph(settings: Settings, name: str, *, form: Form, lang: Lang) -> int:
    """Print the graph of a playbook, by id or path.

    Raises DefinitionError with every problem of a faulty one, and for one that is not there.
    """
    _print(_format_graph(build_graph(_playbook(settings, name), lang), form))
    return 0


async def show_jobs(settings: Settings, run_id: str, *, form: Form, lang: Lang) -> int:
    """Print the graph of a run's jobs with their states; 1 when the run has none."""
    async with open_store_ports(settings) as store:
        found = await find_run(store, run_id, settings)
    if found is None:
        return 1
    jobs, graph = job_graph_of(found.run), draw_jobs(found.run, found.playbook, lang)
    if jobs is None or graph is None:
        print(f"{run_id}: it is in no job graph", file=sys.stderr)
        return 1
    done, under_way = done_and_running(jobs)
    _print(
        draw(graph, visited=done, waiting=under_way)
        if form == "svg"
        else _format_graph(graph, form)
    )
    return 0


def _print(text: str) -> None:
    # In UTF-8, whatever the locale is, as a picture has to be.
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def _format_graph(graph: Graph, form: Form) -> str:
    match form:
        case "mermaid":
            return to_mermaid(graph)
        case "svg":
            return draw(graph)
        case "json":
            data = graph.model_dump(mode="json", include={"nodes", "edges"})
            return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    assert_never(form)


def _playbook(settings: Settings, name: str) -> Playbook:
    # A faulty people.yaml leaves roles unchecked; the playbook is drawn all the same.
    people = try_load_people(settings, Problems())
    found = _find_by_id(settings.playbooks, name) or _find_by_path(Path(name))
    if found is None:
        known = ", ".join(sorted(map(_read_id, _mains(settings.playbooks)))) or "none"
        raise DefinitionError(
            f"PLAYBOOK: there is no playbook {name!r};"
            f" {SETTING_PREFIX}{settings.playbooks} has: {known}"
        )
    # Tools are those of the folder that the playbook lies in.
    beside = settings.model_copy(update={"playbooks": found.parent.parent})
    toolbox = load_connections(beside).toolbox
    return load_playbook(found, people, toolbox, settings.languages, settings.skills)


def _mains(playbooks: Path) -> list[Path]:
    return sorted(playbooks.glob(f"*/{MAIN}"))


def _find_by_id(playbooks: Path, name: str) -> Path | None:
    # Most playbooks are in a folder of that name, so the others need not be read first.
    mains = sorted(_mains(playbooks), key=lambda main: main.parent.name != name)
    return next((main for main in mains if _read_id(main) == name), None)


def _find_by_path(path: Path) -> Path | None:
    main = path if path.name == MAIN else path / MAIN
    try:
        return main if main.is_file() else None
    except OSError:
        # No file can have such a name, or nobody may look there.
        return None


def _read_id(main: Path) -> str:
    """The id that a playbook.yaml gives, or its folder's name when it cannot be read."""
    try:
        data = read_yaml(read_text(main), file=str(main)).data
    except (OSError, UnicodeDecodeError, DefinitionError):
        data = None
    given = data.get("id") if isinstance(data, dict) else None
    return given if isinstance(given, str) else main.parent.name
