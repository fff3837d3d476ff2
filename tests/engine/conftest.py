"""Fixtures of the engine's tests."""

import pytest

from tests.fakes.study import Study, sample_study


@pytest.fixture
def records() -> Study:
    return sample_study()
