"""Where the study's records are: the sample in the data folder, or a REDCap server."""

from pathlib import Path

from adapters.clock import SystemClock
from adapters.edc.redcap.api import RedcapApi
from adapters.edc.redcap.fields import load_fields
from adapters.edc.redcap.records import RedcapRecords
from adapters.edc.sample import load_protocol
from adapters.edc.sqlite import SqliteRecords, open_records
from bot.settings import Settings
from engine.errors import DefinitionError, ToolFailed

FIELDS = "redcap.yaml"


def open_study(settings: Settings) -> SqliteRecords:
    """The study in the data folder, made from the sample at the first start.

    Raises DefinitionError for a faulty sample or a file or folder that cannot be used.
    """
    path = settings.data_dir / "study.sqlite3"
    try:
        clock = SystemClock(settings.timezone)
        return open_records(path, sample_of(settings.playbooks), clock=clock)
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


def mapping_file(settings: Settings) -> Path | None:
    """The file that says how a REDCap project names our fields; None while none is connected."""
    if not settings.redcap_on:
        return None
    return settings.redcap_fields or sample_of(settings.playbooks) / FIELDS


def sample_of(playbooks: Path) -> Path:
    """The folder of the sample study."""
    return playbooks / "clinical_qc" / "data"
