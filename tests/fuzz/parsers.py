"""Everything that reads bytes from outside: whatever they are, an answer or a refusal of ours."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from adapters.slack.inbound.endpoint import parse_body as parse_slack
from adapters.slack.inbound.receive import receive as receive_slack
from adapters.telegram.inbound.receive import BotIdentity
from adapters.telegram.inbound.receive import receive as receive_telegram
from adapters.webchat.page_requests import FormBody, SayBody, TapBody, parse_body
from bot.api.bodies import InvalidBody, NoSuchSkill, read_request
from bot.definitions.loader import load_definitions
from bot.wiring.connections import load_connections
from cards.buttons import BadButton, Button
from engine.errors import BadPayload, Rejected
from engine.playbooks.model import Playbook
from tests.fakes.settings import make_settings

ROOT = Path(__file__).parents[2]
FORM = "application/x-www-form-urlencoded"
Target = Callable[[bytes], None]


def slack_json(raw: bytes) -> None:
    with suppress(Rejected):
        receive_slack(parse_slack(raw, "application/json"))


def slack_form(raw: bytes) -> None:
    with suppress(Rejected):
        receive_slack(parse_slack(raw, FORM))


def telegram(raw: bytes) -> None:
    try:
        payload = json.loads(raw)
    except (ValueError, RecursionError):
        return
    with suppress(Rejected):
        receive_telegram(payload, BotIdentity(id=1, username="signoff_bot"))


def web_chat(raw: bytes) -> None:
    for body in (SayBody, TapBody, FormBody):
        with suppress(BadPayload):
            parse_body(body, raw)


def button(raw: bytes) -> None:
    with suppress(BadButton):
        text = raw.decode("utf-8", "replace")
        assert Button.unpack(text).pack() == text


def skill_body(raw: bytes) -> None:
    with suppress(BadPayload, NoSuchSkill, InvalidBody):
        read_request(raw, "visit-collect", _playbooks())


@cache
def _playbooks() -> Mapping[str, Playbook]:
    folder = ROOT / "playbooks"
    files = {"playbooks": folder, "people": folder / "people.yaml"}
    settings = make_settings(**files)
    return load_definitions(settings, load_connections(settings).toolbox).playbooks


TARGETS: Mapping[str, Target] = {
    "slack_json": slack_json,
    "slack_form": slack_form,
    "telegram": telegram,
    "web_chat": web_chat,
    "button": button,
    "skill_body": skill_body,
}


def examples() -> Iterator[bytes]:
    """What platforms really send."""
    for file in sorted((ROOT / "tests" / "payloads").rglob("*.json")):
        if file.parent.name != "stored":
            yield file.read_bytes()
    yield b"s1:1-abcdefgh:approve:1"
    yield b'{"room": "main", "person": "lin", "id": "12345678", "text": "hi"}'
    yield b'{"playbook": "clinical_qc", "state": {"data": {"subject_id": "P003"}}}'
