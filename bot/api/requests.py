"""`/internal/requests/{key}`: a program asks people for something, and is told what they decided.

Off without SIGNOFF_PROGRAMS. A program acts as a person of people.yaml, who starts the request as
if they had written it: what they may not start, the program may not either, and it decides nothing.
"""

import asyncio
import hmac
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import structlog
from aiohttp import web

from bot.api.bodies import Invalid, InvalidBody
from bot.api.request_bodies import (
    Body,
    CallRefused,
    CardTold,
    RefusalWord,
    RequestStatus,
    WorkRequest,
    card_told,
    check_data,
    read_work,
)
from bot.people.directory import Directory
from bot.programs import Program
from bot.wiring.service import Parts
from cards.buttons import CANCEL_RUN, Button
from cards.model import Principal
from engine.errors import BadPayload, Overloaded, StoreError
from engine.events import Actor, CardTapped, DirectAnswer, MessageReceived, RequestedWork
from engine.frames.replies import Part, ReplyHead, read_parts
from engine.frames.state import Run
from engine.mail import MessageArrived
from engine.playbooks.model import Playbook
from engine.ports.platform import Intake
from engine.ports.storage.archive import Archive
from engine.ports.storage.arrivals import Arrivals
from engine.ports.storage.store import Decisions, Mailbox
from engine.reviews.form_facts import form_facts
from engine.services import Services

log = structlog.get_logger()
REQUESTS: Final = "/internal/requests/{key}"
MAX_BYTES: Final = 256 * 1024
MAX_WAIT_S: Final = 30.0
LOOK_S: Final = 0.5
"""While a program waits, it is looked so often whether anything has changed."""

_LOOKS: Final = 10

OVER: Final = frozenset(
    ("done", "answered", "rejected", "refused", "failed", "withdrawn", "cancelled", "expired")
)
"""States of a part in which nothing more comes."""

_KEY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")
_MOST_CARDS: Final = 50


class Refused(Exception):
    """The program's call is refused, with this status."""

    def __init__(self, status: int, error: RefusalWord, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.body = CallRefused(error=error, why=why)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a program is: the person that it acts as, their account, and where they are reached."""

    principal: Principal
    actor: Actor
    conversation: str


@dataclass(frozen=True, slots=True)
class RequestsApi:
    """The API. `services()` are those of now, with the playbooks that are current."""

    programs: tuple[Program, ...]
    services: Callable[[], Services]
    people: Directory
    mailbox: Mailbox
    arrivals: Arrivals
    decisions: Decisions
    archive: Archive
    intake: Intake

    def routes(self) -> list[web.AbstractRouteDef]:
        """The routes of the web process."""
        return [
            web.put(REQUESTS, self._guarded(self._put)),
            web.get(REQUESTS, self._guarded(self._get)),
            web.delete(REQUESTS, self._guarded(self._delete)),
        ]

    def _guarded(
        self, handler: Callable[[web.Request, Caller, str], Awaitable[web.Response]]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            try:
                key = request.match_info["key"]
                if not _KEY.fullmatch(key):
                    told = "the key should be 1 to 100 of A-Z, a-z, 0-9 and ._:-"
                    raise Refused(404, "unknown", told)
                return await handler(request, self._caller(request), key)
            except Refused as refused:
                return _json(refused.status, refused.body)
            except StoreError as error:
                log.warning("store_away", error=str(error))
                told = "the store is away; try again"
                return _json(503, CallRefused(error="store_away", why=told))

        return handle

    def _caller(self, request: web.Request) -> Caller:
        """Who sends it. Raises Refused."""
        given = request.headers.get("Authorization", "").encode("utf-8", "surrogateescape")
        person = ""
        for program in self.programs:
            expected = f"Bearer {program.token.get_secret_value()}".encode()
            if hmac.compare_digest(given, expected):
                person = program.person
        if not person:
            raise Refused(401, "unauthorized", "Authorization: Bearer is wrong")
        if (found := self.people.web_account(person)) is None:
            told = f"people.yaml should have {person}, with a `web` name"
            raise Refused(403, "not_allowed", told)
        actor, conversation = found
        principal = self.people.principal(actor)
        if not self.people.is_admitted(principal):
            raise Refused(403, "not_allowed", f"{person} is not admitted")
        return Caller(principal, actor, conversation)

    async def _put(self, request: web.Request, caller: Caller, key: str) -> web.Response:
        if request.content_type != "application/json":
            raise Refused(415, "no_json", "Content-Type should be application/json")
        try:
            raw = await request.read()
        except web.HTTPRequestEntityTooLarge:
            raw = b" " * (MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise Refused(413, "too_large", f"the body should be at most {MAX_BYTES} bytes")
        try:
            work, playbook = await asyncio.to_thread(read_work, raw, self.services().playbooks)
            if await self._was_asked(work, caller, key):
                return _json(200, await self._status(caller, key))
            data = self._checked(work, playbook, caller)
        except BadPayload as error:
            raise Refused(400, "no_json", str(error)) from error
        except InvalidBody as error:
            return _json(422, Invalid(faults=error.faults))
        if await self._begin(work, data, playbook, caller, key):
            return _json(202, await self._status(caller, key))
        return await self._repeated(work, caller, key)

    async def _repeated(self, work: WorkRequest, caller: Caller, key: str) -> web.Response:
        """The answer where something was put under this key that nobody has taken up yet."""
        for _ in range(_LOOKS):
            if await self._was_asked(work, caller, key):
                return _json(200, await self._status(caller, key))
            await asyncio.sleep(LOOK_S)
        told = "a request under this key has not been taken up yet; send it again"
        raise Refused(503, "store_away", told)

    async def _was_asked(self, work: WorkRequest, caller: Caller, key: str) -> bool:
        """Whether this was asked under this key before. Raises Refused where something else was."""
        found = await self._reply(caller, key)
        if found is None:
            return False
        if found[1].intent.digest != work.digest:
            raise Refused(409, "conflict", f"another request was made under {key!r}")
        return True

    def _checked(self, work: WorkRequest, playbook: Playbook, caller: Caller) -> dict[str, object]:
        """The values, if the person may start it. Raises Refused, or InvalidBody."""
        able = self.services().limited_to(caller.principal, caller.conversation)
        name = f"{playbook.id}/{work.request}"
        if name in able.barred or playbook.id not in able.playbooks:
            raise Refused(403, "not_allowed", f"{caller.principal.id} may not start {name}")
        entities = able.entities(caller.conversation, caller.principal)
        people = self.people.scope_to(caller.conversation)
        return check_data(work, playbook, form_facts(people, able.today, entities))

    async def _begin(
        self,
        work: WorkRequest,
        data: dict[str, object],
        playbook: Playbook,
        caller: Caller,
        key: str,
    ) -> bool:
        """Put it into the person's lane; False where something was put under the key before."""
        lang = work.lang or caller.principal.lang or "en"
        (asked,) = (each for each in playbook.definition.requests if each.id == work.request)
        update = MessageReceived(
            id=_update_id(caller, key),
            conversation=caller.conversation,
            actor=caller.actor,
            text=work.text or asked.name(lang) or playbook.definition.name(lang),
            begins=RequestedWork(
                playbook=playbook.id,
                request=work.request,
                data=data,
                lang=work.lang,
                digest=work.digest,
                key=key,
            ),
        )
        principal = caller.principal.model_copy(update={"stands_for": (), "at": ""})
        mail = MessageArrived(update=update, principal=principal).stored()
        try:
            return await self.mailbox.put(_lane(caller), mail, update_id=update.id)
        except Overloaded as error:
            raise Refused(429, "too_many", str(error)) from error

    async def _get(self, request: web.Request, caller: Caller, key: str) -> web.Response:
        try:
            wait_s = min(float(request.query.get("wait", "0")), MAX_WAIT_S)
        except ValueError:
            raise Refused(400, "no_json", "wait should be a number of seconds") from None
        mark, waited_s = request.query.get("mark", ""), 0.0
        status = await self._status(caller, key)
        while status.mark == mark and waited_s < wait_s:
            await asyncio.sleep(LOOK_S)
            waited_s += LOOK_S
            status = await self._status(caller, key)
        return _json(200, status)

    async def _delete(self, request: web.Request, caller: Caller, key: str) -> web.Response:
        status = await self._status(caller, key)
        if status.over:
            return _json(200, status)
        if not status.run:
            raise Refused(409, "conflict", "it has not been taken up yet; try again in a moment")
        tap = CardTapped(
            id=f"{_update_id(caller, key)}:cancel",
            conversation=caller.conversation,
            actor=caller.actor,
            button=Button(token=status.run, choice=CANCEL_RUN, revision=1).pack(),
        )
        outcome = await self.intake(tap)
        if not isinstance(outcome, DirectAnswer):
            raise Refused(503, "store_away", "it was not recorded; try again")
        return _json(200, await self._status(caller, key))

    async def _reply(self, caller: Caller, key: str) -> tuple[ReplyHead, Part] | None:
        """What was made of the request under this key; None while nobody has taken it up."""
        update = _update_id(caller, key)
        reply = self.services().derived_id(caller.conversation, "reply", update)
        if (stored := await self.decisions.reply(reply)) is None:
            return None
        return ReplyHead.model_validate_json(stored[0]), read_parts(stored[1])[0]

    async def _status(self, caller: Caller, key: str) -> RequestStatus:
        """How it stands. Raises Refused where there is no such request."""
        found = await self._reply(caller, key)
        if found is None:
            update = _update_id(caller, key)
            if not await self.arrivals.has(_lane(caller), update_id=update):
                raise Refused(404, "unknown", f"{caller.principal.id} has no request {key!r}")
            return RequestStatus(key=key, state="accepted", over=False).marked()
        part = found[1]
        status = RequestStatus(
            key=key,
            state=part.state,
            over=part.state in OVER,
            text=part.full_text(),
            run=part.run,
            playbook=part.intent.playbook,
            request=part.intent.request,
        )
        if part.run and (history := await self.archive.history(part.run)):
            run = Run.model_validate_json(history.body)
            state = run.state.model_dump(mode="json", include={"data", "profile", "decisions"})
            cards = await self._cards(history.entries)
            status = status.model_copy(update={**state, "cards": cards})
        return status.marked()

    async def _cards(self, entries: tuple[str, ...]) -> tuple[CardTold, ...]:
        """The cards of a run, in the order in which they were opened."""
        changed = (card for body in entries for card in json.loads(body).get("changed_cards", ()))
        tokens = dict.fromkeys(str(card["token"]) for card in changed)
        found = [await self.decisions.card(token) for token in [*tokens][:_MOST_CARDS]]
        return tuple(card_told(each.card) for each in found if each)


def _update_id(caller: Caller, key: str) -> str:
    return f"program:{caller.principal.id}:{key}"


def _lane(caller: Caller) -> str:
    return f"talk:{caller.conversation}"


def _json(status: int, body: Body) -> web.Response:
    text = body.model_dump_json()
    answer = web.Response(text=text, content_type="application/json", status=status)
    if status == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def open_requests_api(parts: Parts, programs: tuple[Program, ...]) -> RequestsApi:
    """The API over the parts of a service."""
    return RequestsApi(
        programs=programs,
        services=parts.handler.turn_services,
        people=parts.resources.people,
        mailbox=parts.store.mailbox,
        arrivals=parts.store.arrivals,
        decisions=parts.store.decisions,
        archive=parts.store.archive,
        intake=parts.intake,
    )
