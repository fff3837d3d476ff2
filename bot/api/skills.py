"""`POST /internal/ai/skills/{skill}/execute`: one skill on a given state (spec 000 §3.1).

Off without SIGNOFF_ADMIN_TOKEN. It stores only a trace, writes nothing and asks nobody.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import structlog
from aiohttp import web
from pydantic import SecretStr

from bot.api.bodies import (
    Invalid,
    InvalidBody,
    ModelUse,
    NoSuchSkill,
    Refusal,
    SkillAnswer,
    SkillRequest,
    read_request,
)
from bot.api.openapi import EXECUTE, OPENAPI, describe
from bot.http.caller import has_admin_token
from bot.wiring.service import Parts
from engine.errors import BadPayload, StoreError
from engine.playbooks.model import Playbook
from engine.ports.storage.archive import Archive
from engine.runs.skill_execution import ExecutionOutcome, SkillExecution, SkillResult, execute_skill
from engine.runs.skill_output import SkillOutput, skill_output
from engine.services import Services
from engine.talk.turn.traces import trace_writes
from engine.text.language import detect_language
from engine.yaml.faults import suggestion

log = structlog.get_logger()
_STATUS: Final[Mapping[ExecutionOutcome, int]] = {
    "constraint": 409,
    "failed": 409,
    "model_faulty": 502,
    "no_model": 503,
    "model_away": 503,
    "timeout": 504,
}
Handler = Callable[[web.Request], Awaitable[web.Response]]


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    """What a program gets: the HTTP status and the body."""

    status: int
    body: SkillAnswer | Refusal | Invalid


@dataclass(frozen=True, slots=True)
class SkillApi:
    """The API. `playbooks()` are the current ones; `within_s` bounds one execution."""

    playbooks: Callable[[], Mapping[str, Playbook]]
    services: Services
    archive: Archive
    within_s: float

    def routes(self, token: SecretStr) -> list[web.AbstractRouteDef]:
        """The routes of the web process, for requests with the token."""
        return [
            web.post(EXECUTE, _require_token(self._execute, token)),
            web.get(OPENAPI, _require_token(self._openapi, token)),
        ]

    async def _openapi(self, request: web.Request) -> web.Response:
        return web.json_response(describe(self.playbooks()))

    async def _execute(self, request: web.Request) -> web.Response:
        skill = request.match_info["skill"]
        if unknown := self._find_unknown(skill):
            return _json(unknown)
        if request.content_type != "application/json":
            return _json(_refused(415, "no_json", "Content-Type should be application/json"))
        try:
            raw = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return _json(_refused(413, "too_large", "the body should be at most 1 MiB"))
        return _json(await self.execute(skill, raw))

    def _find_unknown(self, skill: str) -> ApiAnswer | None:
        """The answer where no playbook has the skill."""
        skills = {name for playbook in self.playbooks().values() for name in playbook.skills}
        if skill in skills:
            return None
        told = f"there is no skill {skill[:60]!r}; {suggestion(skill[:60], skills)}"
        return _refused(404, "unknown", told.removesuffix("; "))

    async def execute(self, skill: str, raw: bytes) -> ApiAnswer:
        """The answer to a body that somebody with the token sends."""
        if unknown := self._find_unknown(skill):
            return unknown
        try:
            # In a thread, since a large body takes a while to check.
            body, playbook = await asyncio.to_thread(read_request, raw, skill, self.playbooks())
        except BadPayload as error:
            return _refused(400, "no_json", str(error))
        except NoSuchSkill as error:
            return _refused(404, "unknown", str(error))
        except InvalidBody as error:
            return ApiAnswer(422, Invalid(faults=error.faults))
        return await self._run_skill(self._execution(body, playbook, skill))

    def _execution(self, body: SkillRequest, playbook: Playbook, skill: str) -> SkillExecution:
        return SkillExecution(
            id=self.services.new_id(f"api:{skill}"),
            playbook=playbook,
            skill=playbook.skills[skill],
            state=body.state.agent_state(),
            message=body.message,
            lang=body.lang or detect_language(body.message),
            project=body.project or playbook.definition.project,
            phase=body.phase,
            request=body.request,
        )

    async def _run_skill(self, execution: SkillExecution) -> ApiAnswer:
        try:
            people = self.services.people.scope_to("")
            services = replace(self.services.frozen_at(self.services.now), people=people)
            executed = await execute_skill(execution, services, within_s=self.within_s)
            output = skill_output(execution, executed)
            trace = await self._store_trace(execution, executed, output)
        except StoreError as error:
            log.warning("store_away", skill=execution.skill.id, error=str(error))
            return _refused(
                503, "store_away", "the store is away; try again", skill=execution.skill.id
            )
        if output is None:
            status, why = _STATUS[executed.outcome], executed.why
            return _refused(status, executed.outcome, why, skill=execution.skill.id, trace=trace)
        answer = SkillAnswer(
            trace=trace,
            playbook=execution.playbook.id,
            skill=execution.skill.id,
            output=output,
            steps=len(executed.steps),
            model=_use(executed),
        )
        return ApiAnswer(200, answer)

    async def _store_trace(
        self, execution: SkillExecution, executed: SkillResult, output: SkillOutput | None
    ) -> str | None:
        """Store how the skill ran: the trace's id, or None where no traces are kept."""
        body = {
            "kind": "skill",
            "at": self.services.now.isoformat(),
            "conversation": execution.conversation,
            "text": execution.message,
            "playbook": execution.playbook.id,
            "digest": execution.playbook.digest,
            "skill": execution.skill.id,
            "state": execution.state.model_dump(mode="json", exclude_defaults=True),
            "outcome": executed.outcome,
            "why": executed.why,
            "model": _use(executed).model_dump(),
            "steps": list(executed.steps),
            "output": output.model_dump(mode="json") if output else None,
        }
        # In a thread, since a long state takes a while to mask.
        writes = await asyncio.to_thread(trace_writes, execution.id, body, self.services.tracing)
        for write in writes:
            await self.archive.keep(write)
        return execution.id if writes else None


def _use(executed: SkillResult) -> ModelUse:
    answers = [call.get("answer", {}) for call in executed.asked_model]
    return ModelUse(calls=len(answers), tokens=sum(a.get("tokens", 0) for a in answers))


def _refused(
    status: int, error: str, why: str, *, skill: str = "", trace: str | None = None
) -> ApiAnswer:
    told = {"error": error, "why": why, "skill": skill, "trace": trace}
    return ApiAnswer(status, Refusal.model_validate(told))


def _require_token(handler: Handler, token: SecretStr) -> Handler:
    async def guarded(request: web.Request) -> web.Response:
        if not has_admin_token(request, token):
            answer = _json(_refused(401, "unauthorized", "Authorization: Bearer is wrong"))
            answer.headers["WWW-Authenticate"] = "Bearer"
            return answer
        return await handler(request)

    return guarded


def _json(answer: ApiAnswer) -> web.Response:
    text = answer.body.model_dump_json()
    return web.Response(text=text, content_type="application/json", status=answer.status)


def open_skill_api(parts: Parts) -> SkillApi:
    """The API over the parts of a service."""
    return SkillApi(
        playbooks=lambda: parts.reloader.current.snapshot.playbooks,
        services=parts.services,
        archive=parts.store.archive,
        within_s=parts.settings.skill_api_s,
    )
