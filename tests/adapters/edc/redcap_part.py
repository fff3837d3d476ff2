"""Our side of a REDCap server, as these tests set it up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pydantic import SecretStr

from adapters.edc.redcap.api import TIMEOUT_S, RedcapApi
from adapters.edc.redcap.fields import load_fields
from adapters.edc.redcap.records import RedcapRecords
from tests.adapters.edc.study import SAMPLE
from tests.fakes.redcap_server import TOKEN

MAPPING = SAMPLE / "redcap.yaml"


@asynccontextmanager
async def opened(
    url: str, *, token: str = TOKEN, timeout_s: float = TIMEOUT_S
) -> AsyncIterator[RedcapRecords]:
    """Records over the server at `url`."""
    api = RedcapApi(url, SecretStr(token), timeout_s=timeout_s)
    records = RedcapRecords(api, load_fields(MAPPING), ((), ()), project="SIGNOFF-101")
    try:
        yield records
    finally:
        await records.close()
