"""The scenarios of runs-and-reviews use the same running services as tests/scenarios."""

from tests.scenarios.conftest import http, new_settings, people_file, slack, start, telegram

__all__ = ["http", "new_settings", "people_file", "slack", "start", "telegram"]
