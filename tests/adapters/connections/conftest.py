"""A REDCap server with the sample's visits, and a connection to it."""

from collections.abc import AsyncIterator

import pytest

from tests.adapters.connections.redcap_part import Edc, opened
from tests.fakes.redcap_server import RedcapServer
from tests.fakes.redcap_study import sample_project


@pytest.fixture
async def server() -> AsyncIterator[RedcapServer]:
    async with RedcapServer(sample_project()) as server:
        yield server
    assert server.faults == []


@pytest.fixture
async def redcap(server: RedcapServer) -> AsyncIterator[Edc]:
    async with opened(server.url) as edc:
        yield edc
