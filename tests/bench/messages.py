"""Messages of people, as Slack and Telegram deliver them, signed."""

import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass

from adapters.clock import SystemClock
from tests.bench import wire
from tests.bench.stubs import BOT_USER, SIGNING_SECRET, TEAM, WEBHOOK_SECRET
from tests.fakes.platforms.slack import payloads

# Not always the same, so that nothing gains by remembering the last text.
_LOOKUPS = ("ECOG of {who}?", "weight of {who}?", "show me the ECOG of {who}", "{who} 的体重")
_SUBJECTS = tuple(f"P{n:03}" for n in range(1, 13))
OPEN_QUESTION = "why would somebody drop out of a study like this one?"
FIRST_CHAT = 100_000


@dataclass(frozen=True, slots=True)
class Kind:
    """A platform: the place of a conversation by its number, and a message there as a request."""

    name: str
    path: str
    place: Callable[[int], str]
    request: Callable[[int, str, int, str], bytes]


def lookup(number: int) -> tuple[str, str]:
    """A question that rules answer, and the subject that every answer to it names."""
    who = _SUBJECTS[number % len(_SUBJECTS)]
    return _LOOKUPS[number % len(_LOOKUPS)].format(who=who), who


def slack(port: int, place: str, number: int, text: str) -> bytes:
    """A direct message as an event, delivered and signed now."""
    ts = f"{1_790_000_000 + number}.000100"
    inner = payloads.inner_message(
        text, kind="message", user=f"U{place[1:]}", channel=place, ts=ts, thread_ts="", team=TEAM
    )
    event = payloads.event(
        inner, team=TEAM, bot_user=BOT_USER, event_id=f"Ev{number:08}", event_time=1
    )
    body = json.dumps(event).encode()
    stamp = str(int(SystemClock("UTC").now().timestamp()))
    base = b"v0:" + stamp.encode() + b":" + body
    digest = hmac.new(SIGNING_SECRET.encode(), base, hashlib.sha256).hexdigest()
    headers = {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": f"v0={digest}",
    }
    return wire.post(port, "/slack/events", body, headers)


def telegram(port: int, place: str, number: int, text: str) -> bytes:
    """A private message as a webhook's update."""
    chat = int(place)
    message = {
        "message_id": 5_000_000 + number,
        "from": {"id": chat, "is_bot": False, "first_name": "Ana", "language_code": "en"},
        "chat": {"id": chat, "type": "private", "first_name": "Ana"},
        "date": 1_790_000_000 + number,
        "text": text,
    }
    headers = {
        "Content-Type": "application/json",
        "X-Telegram-Bot-Api-Secret-Token": WEBHOOK_SECRET,
    }
    body = json.dumps({"update_id": number, "message": message}).encode()
    return wire.post(port, "/telegram/webhook", body, headers)


SLACK = Kind("slack", "/slack/events", "D{:05}".format, slack)
TELEGRAM = Kind("telegram", "/telegram/webhook", lambda number: str(FIRST_CHAT + number), telegram)
