"""Where the study's records are: the sample in the data folder, or a REDCap server."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from adapters.clock import SystemClock
from adapters.edc.redcap.api import RedcapApi
from adapters.edc.redcap.fields import load_fields
from adapters.edc.redcap.records import RedcapRecords
from adapters.edc.sample import load_protocol
from adapters.edc.sqlite import SqliteRecords
from adapters.edc.sqlite import open_records as open_sample
from bot.settings import Settings
from bot.wiring.clock import open_clock
from engine.errors import DefinitionError, ToolFailed
from engine.playbooks.model import Playbook
from engine.ports.systems.records import NoRecords, Records

STUDY = "clinical_qc"
"""The playbook whose project the study's records are."""

FIELDS = "redcap.yaml"


def open_records(
    settings: Settings, playbooks: Mapping[str, Playbook], stack: AsyncExitStack
) -> Records:
    """Records of the REDCap server that is set, else of the sample study."""
    if not has_study(settings):
        return NoRecords()
    if settings.redcap_on:
        redcap = open_redcap(settings, playbooks[STUDY].definition.project)
        stack.push_async_callback(redcap.close)
        return redcap
    sample = open_study(settings)
    stack.callback(sample.close)
    return sample


def has_study(settings: Settings) -> bool:
    """Whether the folder, or REDCap, has a study."""
    return settings.redcap_on or sample_of(settings.playbooks).is_dir()


def open_study(settings: Settings) -> SqliteRecords:
    """The study in the data folder, made from the sample at the first start.

    Raises DefinitionError for a faulty sample or a file or folder that cannot be used.
    """
    path = settings.data_dir / "study.sqlite3"
    try:
        return open_sample(path, sample_of(settings.playbooks), clock=open_clock(settings))
    except ToolFailed as error:
        raise DefinitionError(f"SIGNOFF_DATA_DIR: {path}: {error}") from error


def open_redcap(settings: Settings, project: str) -> RedcapRecords:
    """The records of the REDCap project that the settings name; asks the server nothing yet.

    `project` is what playbooks call it.

    Raises DefinitionError for a faulty mapping or protocol.
    """
    assert settings.redcap_api_url is not None
    assert settings.redcap_api_token is not None
    fields = mapping_file(settings)
    assert fields is not None
    api = RedcapApi(settings.redcap_api_url, settings.redcap_api_token)
    protocol = load_protocol(sample_of(settings.playbooks))
    return RedcapRecords(api, load_fields(fields), protocol, project=project)


def check_study(settings: Settings) -> None:
    """Raises DefinitionError with every problem of the study that is set; makes the sample's."""
    fields = mapping_file(settings)
    if fields:
        load_fields(fields)
    elif has_study(settings):
        open_study(settings).close()


def study_faults(playbooks: Path, fields: Path | None) -> list[str]:
    """Every problem of the sample study below `playbooks`, and of a REDCap mapping.

    That is `fields`; without one, the sample's own if there is one.
    """
    problems: list[str] = []
    sample = sample_of(playbooks)
    if not sample.is_dir() and fields is None:
        return problems
    try:
        # Loading it once also finds what only the database sees, as a visit that is there twice.
        with TemporaryDirectory() as scratch:
            open_sample(Path(scratch) / "study.sqlite3", sample, clock=SystemClock("UTC")).close()
    except DefinitionError as error:
        problems.extend(error.problems)
    mapping = fields or sample / FIELDS
    if fields or mapping.exists():
        try:
            load_fields(mapping)
        except DefinitionError as error:
            problems.extend(error.problems)
    return problems


def mapping_file(settings: Settings) -> Path | None:
    """The file that says how a REDCap project names our fields; None while none is connected."""
    if not settings.redcap_on:
        return None
    return settings.redcap_fields or sample_of(settings.playbooks) / FIELDS


def sample_of(playbooks: Path) -> Path:
    """The folder of the sample study."""
    return playbooks / "clinical_qc" / "data"
