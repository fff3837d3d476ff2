"""A service with admin pages, and an operator in front of them."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.admin_client import TOKEN, AdminClient
from tests.fakes.admin_sight import Sight, something_to_see
from tests.scenarios.conftest import Service, Start


@pytest.fixture
async def service(start: Start) -> Service:
    """A service with admin pages."""
    return await start(admin_token=TOKEN)


@pytest.fixture
async def sight(service: Service) -> Sight:
    """Something to see on each of them."""
    return await something_to_see(service)


@pytest.fixture
async def admin(service: Service) -> AsyncIterator[AdminClient]:
    """An operator who is signed in."""
    async with AdminClient(service.url) as client:
        await client.sign_in()
        yield client
