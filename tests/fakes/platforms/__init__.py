"""Slack and Telegram on this machine, strict where they are strict, and failing on demand.

How to use them, and what of them was never seen on the live platforms: README.md beside this file.
"""

from tests.fakes.platforms.faults import Fault
from tests.fakes.platforms.file_host import Hosted
from tests.fakes.platforms.slack.server import SlackServer
from tests.fakes.platforms.telegram.server import TelegramServer

__all__ = ["Fault", "Hosted", "SlackServer", "TelegramServer"]
