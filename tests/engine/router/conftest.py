import pytest

from engine.router.model import RouteContext
from tests.engine.router.routes import CONTEXT


@pytest.fixture
def context() -> RouteContext:
    return CONTEXT
