"""A client of the internal API that holds every answer against the API's own description."""

import io
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from jsonschema import Draft202012Validator

from adapters.redis.server.embedded import EmbeddedServer
from bot.api.openapi import describe
from tests.fakes.few_examples import few_examples
from tests.fakes.letters import write_letters
from tests.fakes.model_server import ModelServer
from tests.scenarios.conftest import Service, running, settings_over

TOKEN = "hush-hush"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
EXECUTE = "/internal/ai/skills/{}/execute"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    body: Any


class Client:
    """Calls the API, and checks every answer against its own description."""

    def __init__(self, service: Service, model: ModelServer) -> None:
        self.service = service
        self.model = model
        self._http = aiohttp.ClientSession(base_url=service.url, headers=BEARER)
        described = describe(service.parts.reloader.current.snapshot.playbooks)
        self._schemas = described["components"]
        self._responses = described["paths"]["/internal/ai/skills/{skill}/execute"]["post"][
            "responses"
        ]

    async def close(self) -> None:
        await self._http.close()

    async def run(self, skill: str, body: Any) -> Answer:
        return await self.send(skill, json.dumps(body).encode())

    async def send(self, skill: str, raw: bytes, **headers: str) -> Answer:
        sent = {"Content-Type": "application/json", **headers}
        async with self._http.post(
            EXECUTE.format(skill), data=io.BytesIO(raw), headers=sent
        ) as answer:
            found = Answer(answer.status, await answer.json())
        (content,) = self._responses[str(found.status)]["content"].values()
        whole = {**content["schema"], "components": self._schemas}
        Draft202012Validator(whole).validate(found.body)
        return found


@asynccontextmanager
async def connected(
    redis_server: EmbeddedServer, folder: Path, **more: Any
) -> AsyncIterator[Client]:
    """A service with the token, the small playbook and a scripted model; and a client of it."""
    playbooks = Path(few_examples(folder)["SIGNOFF_PLAYBOOKS"])
    write_letters(playbooks)
    async with ModelServer() as model, AsyncExitStack() as stack:
        given = {
            "playbooks": playbooks,
            "admin_token": TOKEN,
            "openai_api_key": model.api_key,
            "openai_base_url": model.base_url,
            "llm_model": "stub",
            "llm_concurrency": 20,
            **more,
        }
        service = await stack.enter_async_context(
            running(settings_over(redis_server, folder, **given))
        )
        client = Client(service, model)
        stack.push_async_callback(client.close)
        yield client
        assert model.faults == []


def bearing(client: Client) -> aiohttp.ClientSession:
    """A plain HTTP client with the token."""
    return aiohttp.ClientSession(base_url=client.service.url, headers=BEARER)
