"""The bodies that the internal API takes and gives, and how a request's body is checked."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field as Key
from pydantic import ValidationError

from cards.frozen import Frozen
from cards.texts import SpokenLang
from engine.errors import BadPayload
from engine.frames.state import AgentState, Attachment
from engine.playbooks.model import Playbook, PlaybookFile
from engine.playbooks.nesting import flatten
from engine.runs.skill_output import SkillOutput
from engine.yaml.faults import Fault, describe_errors, key_text, suggestion

GROUPS: Final = ("profile", "decisions", "data")
"""The parts of a state that hold fields."""
_MAX_FAULTS: Final = 50
_MAX_KEYS: Final = 20
_LONGEST_NUMBER: Final = 18
_Text = Annotated[str, Key(max_length=8_000)]
_Name = Annotated[str, Key(max_length=255)]


class SkillState(Frozen):
    """What is known, by field; null is the same as not there. Files by name, earlier messages."""

    profile: dict[str, Any] = {}
    decisions: dict[str, Any] = {}
    data: dict[str, Any] = {}
    attachments: Annotated[tuple[_Name, ...], Key(max_length=100, fail_fast=True)] = ()
    recent: Annotated[tuple[_Text, ...], Key(max_length=50, fail_fast=True)] = ()

    def agent_state(self) -> AgentState:
        """The state of a run, from values that have been checked."""
        groups = {
            name: {key: value for key, value in getattr(self, name).items() if value is not None}
            for name in GROUPS
        }
        files = tuple(Attachment(name=name) for name in self.attachments)
        return AgentState(**groups, attachments=files, recent=self.recent)


class SkillRequest(Frozen):
    """What to run the skill on. Left out, `playbook` is the one that has the skill, `phase` the
    first that allows it, `lang` that of the message, `project` the playbook's.
    """

    playbook: str = ""
    phase: str = ""
    request: str = ""
    state: SkillState = SkillState()
    message: _Text = ""
    lang: SpokenLang | None = None
    project: str = Key("", pattern=r"^([A-Za-z0-9][A-Za-z0-9_-]{0,63})?$")


class ModelUse(Frozen):
    """How often the model was asked, and the tokens of prompts and answers together."""

    calls: int
    tokens: int


class SkillAnswer(Frozen):
    """200. `trace` is for `signoff traces`, null where no traces are kept."""

    trace: str | None
    playbook: str
    skill: str
    output: SkillOutput
    steps: int
    model: ModelUse


RefusalWord = Literal[
    "unauthorized",
    "unknown",
    "no_json",
    "too_large",
    "constraint",
    "failed",
    "no_model",
    "model_away",
    "model_faulty",
    "timeout",
    "store_away",
]


class Refusal(Frozen):
    """Any other status: a word for programs, and a sentence. `trace` when the skill was looked at.

    409: `constraint` keeps the skill from running on this state, or it `failed` on it.
    """

    error: RefusalWord
    why: str
    skill: str = ""
    trace: str | None = None


class WrongField(Frozen):
    """Where in the body something is wrong, as in `state.data.amount`, and what."""

    path: str
    message: str


class Invalid(Frozen):
    """422: everything that is wrong with the body, at most 50 faults."""

    error: Literal["invalid"] = "invalid"
    faults: tuple[WrongField, ...]


class InvalidBody(Exception):
    """The body is invalid; `faults` say where."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(f"{len(faults)} faults")
        self.faults = tuple(
            WrongField(path=".".join(map(key_text, path)), message=message)
            for path, message in faults[:_MAX_FAULTS]
        )


class NoSuchSkill(Exception):
    """The named playbook does not have the skill."""


def read_request(
    raw: bytes, skill: str, playbooks: Mapping[str, Playbook]
) -> tuple[SkillRequest, Playbook]:
    """The body and its playbook. Raises BadPayload, NoSuchSkill, or Faulty with every fault."""
    data = read_json(raw)
    given = data if isinstance(data, dict) else {}
    request, faults = _read_shape(data)
    playbook = _choose_playbook(given.get("playbook") or "", skill, playbooks, faults)
    if playbook is not None:
        faults += _name_faults(given, playbook)
        faults += _value_faults(given.get("state"), playbook)
    if request is None or playbook is None or faults:
        raise InvalidBody(faults)
    return _with_leaves(request, playbook.definition), playbook


def _with_leaves(request: SkillRequest, definition: PlaybookFile) -> SkillRequest:
    """The request with what its objects have in them by the paths of leaves."""
    state = request.state
    update = {
        "profile": flatten(state.profile, definition.profile_fields),
        "data": flatten(state.data, definition.data_fields),
    }
    return request.model_copy(update={"state": state.model_copy(update=update)})


def read_json(raw: bytes) -> Any:
    """The JSON of a body. Raises BadPayload."""
    try:
        data = json.loads(raw, parse_constant=_reject_number, parse_float=_float, parse_int=_int)
        # Half of a surrogate pair is no text; the store could not keep it.
        json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise BadPayload("the body should be one JSON object in UTF-8") from error
    return data


def _reject_number(text: str) -> Any:
    raise ValueError(text)


def _float(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _reject_number(text)


def _int(text: str) -> int:
    return int(text) if len(text) <= _LONGEST_NUMBER else _reject_number(text)


def _read_shape(data: Any) -> tuple[SkillRequest | None, list[Fault]]:
    state = data.get("state") if isinstance(data, dict) else None
    for path, value in (((), data), (("state",), state)):
        if isinstance(value, dict) and len(value) > _MAX_KEYS:
            return None, [(path, f"should have at most {_MAX_KEYS} keys")]
    try:
        return SkillRequest.model_validate(data), []
    except ValidationError as error:
        return None, describe_errors(SkillRequest, error)


def _choose_playbook(
    name: Any, skill: str, playbooks: Mapping[str, Playbook], faults: list[Fault]
) -> Playbook | None:
    """The playbook that is named, or the only one that has the skill."""
    matching = [each for each in playbooks.values() if skill in each.skills]
    if not isinstance(name, str):
        return None
    if not name and len(matching) == 1:
        return matching[0]
    if not name:
        ids = ", ".join(sorted(each.id for each in matching))
        faults.append((("playbook",), f"is required: several have {skill}: {ids}"))
        return None
    if name not in playbooks:
        hint = suggestion(name, playbooks)
        faults.append((("playbook",), f"there is no playbook {key_text(name)!r}; {hint}"))
        return None
    if skill not in playbooks[name].skills:
        raise NoSuchSkill(f"playbook {name} has no skill {skill}")
    return playbooks[name]


def _name_faults(given: Mapping[str, Any], playbook: Playbook) -> Iterator[Fault]:
    """Faults of `request` and `phase`: the playbook has none of that name."""
    definition = playbook.definition
    request, phase = given.get("request") or "", given.get("phase") or ""
    requests = [each.id for each in definition.requests]
    if isinstance(request, str) and request and request not in requests:
        message = f"there is no request {key_text(request)!r}; {suggestion(request, requests)}"
        yield ("request",), message
        return
    phases = [each.id for each in definition.phases_of(request)] if isinstance(request, str) else []
    if isinstance(phase, str) and phase and phase not in phases:
        yield ("phase",), f"there is no phase {key_text(phase)!r}; {suggestion(phase, phases)}"


def _value_faults(state: Any, playbook: Playbook) -> list[Fault]:
    """Faults of the state, by the typed fields of the playbook."""
    definition, found = playbook.definition, list[Fault]()
    known = {
        "profile": tuple(definition.profile_fields),
        "decisions": definition.decision_fields,
        "data": tuple(definition.data_fields),
    }
    for group in GROUPS:
        values = state.get(group) if isinstance(state, dict) else None
        leaves = flatten(values, known[group]) if isinstance(values, dict) else {}
        for name, value in leaves.items():
            if len(found) >= _MAX_FAULTS:
                return found
            at = ("state", group, name)
            if name not in known[group]:
                message = f"unknown key; {suggestion(name, known[group])}"
                found.append((at, message.removesuffix("; ")))
            elif value is not None:
                path = name if group == "data" else f"{group}.{name}"
                faults = definition.value_faults(path, value)[:_MAX_FAULTS]
                found += [((*at, *inside), message) for inside, message in faults]
    return found
