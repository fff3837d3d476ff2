"""What a program sends to ask people for something, and what it is told of it."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import Field as Key
from pydantic import ValidationError

from bot.api.bodies import Invalid, InvalidBody, read_json
from cards.forms import FormFacts
from cards.frozen import Frozen
from cards.model import Card, Decision, Vote
from cards.texts import SpokenLang, say
from cards.values import BadValue
from engine.playbooks.leaf import Leaf, value_faults
from engine.playbooks.model import Playbook, Request
from engine.playbooks.nesting import flatten
from engine.yaml.faults import Fault, describe_errors, suggestion

REASON: Final = "reason"
"""The field of a rejection that says why."""
MAX_TEXT: Final = 2_000


class WorkRequest(Frozen):
    """A request of a playbook, with what is known by data field; what is lacking is asked for.

    Left out, `playbook` is the only one with that request. `text` is what people read as asked.
    """

    request: str = Key(min_length=1, max_length=100)
    playbook: str = Key("", max_length=100)
    data: dict[str, Any] = Key(default={}, max_length=200)
    text: str = Key("", max_length=MAX_TEXT)
    lang: SpokenLang | None = None

    @property
    def digest(self) -> str:
        """Fixes all that was sent."""
        body = json.dumps(self.model_dump(mode="json"), ensure_ascii=False, sort_keys=True)
        return hashlib.blake2b(body.encode(), digest_size=12).hexdigest()


class VoteTold(Frozen):
    """One person's vote: the choice, when, why where they rejected it."""

    person: str
    name: str
    choice: str
    at: datetime
    reason: str = ""


class CardTold(Frozen):
    """A card of the request. `waiting_for` names whose answer an open one awaits.

    `choice`, `reason` and `values` are of the decision, "" and nothing while there is none; `votes`
    are of all who had a say, the last of whom decided.
    """

    kind: str
    title: str
    status: str
    waiting_for: str = ""
    deadline: datetime | None = None
    choice: str = ""
    reason: str = ""
    values: dict[str, Any] = {}
    votes: tuple[VoteTold, ...] = ()


class RequestStatus(Frozen):
    """How a request stands: the state, whether that is the end, and what people read (Markdown).

    `data`, `profile` and `decisions` are what the run knows by now. `mark` differs whenever
    anything here does.
    """

    key: str
    state: str
    over: bool
    text: str = ""
    run: str = ""
    playbook: str = ""
    request: str = ""
    data: dict[str, Any] = {}
    profile: dict[str, Any] = {}
    decisions: dict[str, Any] = {}
    cards: tuple[CardTold, ...] = ()
    mark: str = ""

    def marked(self) -> "RequestStatus":
        """The same with its mark."""
        body = hashlib.blake2b(self.model_dump_json().encode(), digest_size=9).hexdigest()
        return self.model_copy(update={"mark": body})


RefusalWord = Literal[
    "unauthorized",
    "not_allowed",
    "unknown",
    "no_json",
    "too_large",
    "conflict",
    "too_many",
    "store_away",
]


class CallRefused(Frozen):
    """Any other status but 422: a word for programs, and a sentence."""

    error: RefusalWord
    why: str


Body = RequestStatus | CallRefused | Invalid


def read_work(raw: bytes, playbooks: Mapping[str, Playbook]) -> tuple[WorkRequest, Playbook]:
    """The body and its playbook. Raises BadPayload or InvalidBody."""
    data = read_json(raw)
    try:
        work = WorkRequest.model_validate(data)
    except ValidationError as error:
        raise InvalidBody(describe_errors(WorkRequest, error)) from error
    able = {
        playbook.id: playbook
        for playbook in playbooks.values()
        if any(each.id == work.request and not each.not_yet for each in _requests(playbook))
    }
    if work.playbook in able:
        return _flat(work, able[work.playbook]), able[work.playbook]
    if not work.playbook and len(able) == 1:
        (playbook,) = able.values()
        return _flat(work, playbook), playbook
    raise InvalidBody(_unknown(work, able, playbooks))


def _requests(playbook: Playbook) -> tuple[Request, ...]:
    return playbook.definition.requests


def _flat(work: WorkRequest, playbook: Playbook) -> WorkRequest:
    """What stands in objects by the paths of leaves."""
    data = flatten(work.data, tuple(playbook.definition.data_fields))
    known = {name: value for name, value in data.items() if value is not None}
    return work.model_copy(update={"data": known, "playbook": playbook.id})


def _unknown(
    work: WorkRequest, able: Mapping[str, Playbook], playbooks: Mapping[str, Playbook]
) -> list[Fault]:
    if work.playbook and work.playbook not in playbooks:
        hint = suggestion(work.playbook, playbooks)
        return [(("playbook",), f"there is no playbook {work.playbook[:60]!r}; {hint}")]
    if not work.playbook and able:
        return [(("playbook",), f"is required: several have it: {', '.join(sorted(able))}")]
    names = [each.id for playbook in playbooks.values() for each in _requests(playbook)]
    hint = suggestion(work.request, names)
    return [(("request",), f"there is no request {work.request[:60]!r}; {hint}")]


def check_data(work: WorkRequest, playbook: Playbook, facts: FormFacts) -> dict[str, Any]:
    """The values as they are kept, with ids for what they name.

    Raises InvalidBody with every fault.
    """
    leaves, lang = playbook.definition.data_fields, work.lang or "en"
    faults: list[Fault] = []
    found: dict[str, Any] = {}
    for name, value in work.data.items():
        leaf = leaves.get(name)
        if leaf is None:
            faults.append((("data", name), f"unknown key; {suggestion(name, leaves)}"))
        elif leaf.type == "file":
            faults.append((("data", name), "is a file: people are asked for it"))
        elif wrong := value_faults(leaf, value, facts.today):
            faults += [(("data", name, *at), message) for at, message in wrong]
        else:
            try:
                found[name] = _meant(leaf, value, facts)
            except BadValue as fault:
                faults.append((("data", name), say(fault.key, lang, **fault.values)))
    if faults:
        raise InvalidBody([(at, message.removesuffix("; ")) for at, message in faults])
    return found


def _meant(leaf: Leaf, value: Any, facts: FormFacts) -> Any:
    """The id of whom or what a value names; the value where it names nobody. Raises BadValue."""
    if leaf.type == "person" and facts.person:
        return facts.person(str(value))
    if leaf.entity and facts.entity and isinstance(value, str):
        return facts.entity(leaf.entity, value)
    return value


def card_told(card: Card) -> CardTold:
    """The card as programs are told of it."""
    decision = card.decision
    last = _last_vote(decision) if decision else ()
    values = dict(decision.values) if decision else {}
    reason = str(values.pop(REASON, ""))
    return CardTold(
        kind=card.kind,
        title=card.title,
        status=card.status,
        waiting_for=card.waiting_for if card.status == "open" else "",
        deadline=card.deadline,
        choice=decision.choice if decision else "",
        reason=reason,
        values=values,
        votes=(*map(_vote_told, card.votes), *last),
    )


def _vote_told(vote: Vote) -> VoteTold:
    return VoteTold(
        person=vote.person, name=vote.name, choice=vote.choice, at=vote.at, reason=vote.reason
    )


def _last_vote(decision: Decision) -> tuple[VoteTold, ...]:
    told = VoteTold(
        person=decision.person,
        name=decision.name,
        choice=decision.choice,
        at=decision.at,
        reason=str(decision.values.get(REASON, "")),
    )
    return (told,)
