"""What Slack lets an app do only so often: writing to a channel, answering to a response_url."""

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fakes.platforms.limits import Limit, Limits

POSTS = Limit(every_s=1.0, burst=4)
"""About one message a second in a channel, with short bursts."""
UPDATES = Limit(every_s=60 / 50, burst=50)
"""Calls of the third tier are counted per minute."""
RESPONSES, RESPONSE_LIFE_S = 5, 1_800.0


@dataclass
class Allowances:
    """At the server's time, `now`; only who is `paced` is told to wait."""

    now: Callable[[], float]
    paced: bool = False
    _responses: dict[str, tuple[float, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._limits = Limits(self.now)

    def wait_s(self, method: str, channel: str) -> float:
        """How long the app has to wait before that call, 0 when it may be made."""
        if self.paced and method == "chat.update":
            return self._limits.ask(method, UPDATES)
        if self.paced and method == "chat.postMessage":
            return self._limits.ask(channel, POSTS)
        return 0.0

    def open_response(self, number: int) -> str:
        """The name of a fresh response_url, good for five posts within 30 minutes."""
        self._responses[str(number)] = (self.now(), 0)
        return str(number)

    def may_respond(self, name: str) -> bool:
        """Takes one post of that response_url; False when it is used up, too old or unknown."""
        made, used = self._responses.get(name, (0.0, RESPONSES))
        self._responses[name] = (made, used + 1)
        return used < RESPONSES and self.now() - made <= RESPONSE_LIFE_S
