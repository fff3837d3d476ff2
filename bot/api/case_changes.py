"""`POST /internal/cases/changes`: a system of record says what has changed (docs/sync.md).

Off without SIGNOFF_SYNC_SECRET, by which each change is signed.
"""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import structlog
from aiohttp import web
from pydantic import Field as Key
from pydantic import SecretStr, ValidationError

from cards.frozen import Frozen
from engine.errors import Overloaded, StoreError
from engine.frames.case import CaseAuthor, CaseChange, CaseLetter, CaseName
from engine.mail import CaseLetterArrived
from engine.playbooks.entity import BY_PLACE
from engine.playbooks.model import Playbook
from engine.ports.clock import Clock
from engine.ports.storage.store import Mailbox
from engine.text.entity_kinds import entities_of

log = structlog.get_logger()
CHANGES: Final = "/internal/cases/changes"
MAX_BYTES = 256 * 1024
SKEW_S = 300
"""How far the sender's clock may be from ours."""


class CaseChanges(Frozen):
    """Fields of a case by path, None for one that is cleared; `by` is who changed them there.

    `case` is the key: an entity's id, the project, or the conversation.
    """

    project: str = Key(min_length=1, max_length=100)
    playbook: str
    case: str = Key(min_length=1, max_length=200)
    fields: dict[str, Any] = Key(min_length=1, max_length=200)
    by: str = Key(default="", max_length=100)


@dataclass(frozen=True, slots=True)
class CaseChangesAnswer:
    """What the system of record is answered: the HTTP status, and why it is refused, "" if not.

    `case` is the id of the case whose lane has it, `repeated` when the key came before.
    """

    status: int
    error: str = ""
    case: str = ""
    repeated: bool = False

    def response(self) -> web.Response:
        """As JSON."""
        if self.error:
            return web.json_response({"error": self.error}, status=self.status)
        told = {"case": self.case, "repeated": self.repeated}
        return web.json_response(told, status=self.status)


class CaseChangesApi:
    """Puts each change into its case's lane, once by its Idempotency-Key."""

    def __init__(
        self,
        playbooks: Callable[[], Mapping[str, Playbook]],
        mailbox: Mailbox,
        clock: Clock,
        secret: SecretStr,
    ) -> None:
        self._playbooks = playbooks
        self._mailbox = mailbox
        self._clock = clock
        self._secret = secret.get_secret_value().encode()

    def routes(self) -> list[web.AbstractRouteDef]:
        """The route of the web process."""
        return [web.post(CHANGES, self._take)]

    async def _take(self, request: web.Request) -> web.Response:
        try:
            raw = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return _refused(413, "the body is too large")
        if len(raw) > MAX_BYTES:
            return _refused(413, f"the body should be at most {MAX_BYTES} bytes")
        if not self._is_genuine(request.headers, raw):
            return _refused(401, "Signoff-Timestamp and Signoff-Signature should sign the body")
        answer = await self.take(raw, request.headers.get("Idempotency-Key", ""))
        return answer.response()

    async def take(self, raw: bytes, key: str) -> CaseChangesAnswer:
        """The answer to a body whose signature holds."""
        if not 0 < len(key) <= 200:
            told = "Idempotency-Key should be a name of at most 200 characters"
            return CaseChangesAnswer(400, told)
        try:
            changes = CaseChanges.model_validate_json(raw)
        except ValidationError as error:
            faults = [
                f"{'.'.join(map(str, fault['loc'])) or 'body'}: {fault['msg']}"
                for fault in error.errors(include_url=False, include_context=False)
            ]
            return CaseChangesAnswer(400, "; ".join(faults))
        return await self._put(changes, key)

    async def _put(self, changes: CaseChanges, key: str) -> CaseChangesAnswer:
        playbook = self._playbooks().get(changes.playbook)
        if playbook is None or not playbook.definition.case.is_shared:
            return CaseChangesAnswer(404, f"no playbook {changes.playbook[:60]!r} has cases")
        if faults := _faults(changes, playbook):
            return CaseChangesAnswer(422, "; ".join(faults))
        name = CaseName(
            project=changes.project,
            playbook=playbook.id,
            of=playbook.definition.case.of,
            key=_normal_key(changes.case, playbook),
        )
        author = CaseAuthor(by="system", name=changes.by, at=self._clock.now())
        letter = CaseLetter(
            case=name,
            key=key,
            changes={
                path: CaseChange.model_validate({"value": value, "forced": True})
                for path, value in changes.fields.items()
            },
            author=author,
        )
        mail = CaseLetterArrived(letter=letter).stored()
        try:
            new = await self._mailbox.put(name.lane, mail, update_id=f"case:{name.id}:{key}")
        except Overloaded as error:
            return CaseChangesAnswer(429, str(error))
        except StoreError as error:
            log.warning("store_away", error=str(error))
            return CaseChangesAnswer(503, "the store is away; try again")
        return CaseChangesAnswer(202, case=name.id, repeated=not new)

    def _is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        timestamp = headers.get("Signoff-Timestamp", "")
        if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
            return False
        if abs(self._clock.now().timestamp() - int(timestamp)) > SKEW_S:
            return False
        signed = b":".join((b"v1", timestamp.encode(), body))
        good = "v1=" + hmac.new(self._secret, signed, hashlib.sha256).hexdigest()
        given = headers.get("Signoff-Signature", "")
        return hmac.compare_digest(good.encode(), given.encode())


def _faults(changes: CaseChanges, playbook: Playbook) -> list[str]:
    """What keeps the values from standing in the case."""
    definition = playbook.definition
    found = [f"{path}: each request has its own" for path in definition.case.own]
    found = [fault for fault in found if fault.partition(":")[0] in changes.fields]
    for path, value in changes.fields.items():
        if definition.leaf(path) is None and not path.startswith("decisions."):
            found.append(f"{path}: no such field")
        elif value is not None:
            faults = definition.value_faults(path, value)
            found += [".".join((path, *map(str, at))) + f": {fault}" for at, fault in faults]
    return found


def _normal_key(key: str, playbook: Playbook) -> str:
    """The id as requests of the case write it."""
    of = playbook.definition.case.of
    if of in BY_PLACE:
        return key
    named = entities_of(playbook.definition.pattern_kinds).kinds_and_ids(key)
    ids = [id_ for kind, id_ in named if kind == of]
    return ids[0] if len(ids) == 1 else key


def _refused(status: int, reason: str) -> web.Response:
    return CaseChangesAnswer(status, reason).response()
