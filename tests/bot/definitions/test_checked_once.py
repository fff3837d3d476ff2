"""A folder that is loaded again, as for another service in the process, is not checked again."""

import shutil
from pathlib import Path

import pytest

from bot.definitions.loader import load_definitions
from bot.wiring.connections import load_connections
from engine.errors import DefinitionError
from engine.playbooks.model import Playbook
from tests.fakes.garage import write_garage
from tests.fakes.settings import make_settings

API = """\
openapi: 3.1.0
info: {title: Parts, version: "1"}
servers: [{url: "https://parts.example.com"}]
paths: {}
"""


def load(folder: Path) -> Playbook:
    settings = make_settings(playbooks=folder, people=folder / "people.yaml", data_dir=folder)
    (playbook,) = load_definitions(settings, load_connections(settings).toolbox).playbooks.values()
    return playbook


def test_what_is_unchanged_is_the_same_and_what_is_changed_is_checked(tmp_path: Path) -> None:
    folder = write_garage(tmp_path / "garage")
    first = load(folder)
    assert load(folder) is first
    connections = folder / "connections.yaml"
    text = connections.read_text()
    connections.write_text("{}")
    with pytest.raises(DefinitionError, match="there is no 'workshop'"):
        load(folder)
    # What an API takes stands in a file of its own, which may have changed.
    connections.write_text(text + "parts: {kind: openapi, document: parts.yaml}\n")
    (folder / "parts.yaml").write_text(API)
    assert load(folder) == first
    assert load(folder) is not load(folder)


def test_a_copy_elsewhere_is_the_same_and_its_faults_are_told_of_its_own_files(
    tmp_path: Path,
) -> None:
    first = load(write_garage(tmp_path / "garage"))
    copy = Path(shutil.copytree(tmp_path / "garage", tmp_path / "copy"))
    assert load(copy) is first
    (main,) = copy.glob("*/playbook.yaml")
    main.write_text(main.read_text("utf-8") + "more: 1\n", "utf-8")
    with pytest.raises(DefinitionError, match="more") as told:
        load(copy)
    assert str(main) in str(told.value)
    assert str(tmp_path / "garage") not in str(told.value)
    assert load(tmp_path / "garage") is first
