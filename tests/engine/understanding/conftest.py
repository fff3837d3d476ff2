import pytest

from engine.understanding.context import RouteContext
from tests.engine.understanding.routes import CONTEXT


@pytest.fixture
def context() -> RouteContext:
    return CONTEXT
