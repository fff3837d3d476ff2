"""The concrete classes that look at the service's connections, for `signoff doctor`."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pydantic import SecretStr
from slack_sdk.oauth.installation_store import Bot

from adapters.clock import SystemClock
from adapters.openai import OpenAIModel
from adapters.redis.client.client import translated
from adapters.redis.client.connect import connect, durability, faults
from adapters.redis.kept.installations import RedisInstallations
from adapters.slack.workspace.doctor import SlackDoctor
from adapters.telegram.doctor import TelegramDoctor
from bot.people.directory import SHUT_OUT, load_people
from bot.settings import Settings
from bot.wiring.slack import installations
from engine.errors import DefinitionError, ModelError, StoreError, StoreUnavailable
from engine.ports.doctor import Doctor, Finding
from engine.ports.model import Message

_MODEL_S = 20.0
# Waiting changes nothing about these.
_DENIED = ("status 401", "status 403", "status 404")


def doctors(settings: Settings) -> Sequence[Doctor]:
    """One for each connection of the settings, in the order in which they are told."""
    platforms = (_slack(settings), _telegram(settings))
    return (_Store(settings), *platforms, _People(settings), *_models(settings))


def _slack(settings: Settings) -> Doctor:
    if not settings.slack_on:
        return _Off("slack", "SLACK_BOT_TOKEN")
    return SlackDoctor(
        many=_Workspaces(settings) if settings.slack_many else None,
        bot_token=_secret(settings.slack_bot_token),
        app_token=_secret(settings.slack_app_token),
        signing_secret=_secret(settings.slack_signing_secret),
        api_url=settings.slack_api_url or "",
        public_url=settings.public_url or "",
        clock=SystemClock(settings.timezone),
    )


def _telegram(settings: Settings) -> Doctor:
    if settings.telegram_bot_token is None:
        return _Off("telegram", "TELEGRAM_BOT_TOKEN")
    return TelegramDoctor(
        bot_token=_secret(settings.telegram_bot_token),
        api_url=settings.telegram_api_url or "",
        webhook=settings.telegram_webhook_secret is not None,
        public_url=settings.public_url or "",
        clock=SystemClock(settings.timezone),
    )


def _models(settings: Settings) -> Sequence[Doctor]:
    if settings.llm_model is None:
        return [_Off("model", "LLM_MODEL")]
    return [_Model(settings, name) for name in (settings.llm_model, *settings.llm_fallback_models)]


@dataclass(frozen=True, slots=True)
class _People:
    settings: Settings

    async def findings(self) -> Sequence[Finding]:
        """A platform that is connected and on which nobody may ask; nothing where all is well.

        What is wrong in the file itself, `signoff validate` tells.
        """
        on = {"slack": self.settings.slack_on, "telegram": self.settings.telegram_on}
        try:
            people = load_people(self.settings.people)
        except DefinitionError:
            return []
        shut_out = people.shut_out([name for name, connected in on.items() if connected])
        return [
            Finding(check="people", state="wrong", told=f"{name}: {SHUT_OUT}") for name in shut_out
        ]


def _secret(value: SecretStr | None) -> str:
    return value.get_secret_value() if value else ""


@dataclass(frozen=True, slots=True)
class _Off:
    check: str
    setting: str

    async def findings(self) -> Sequence[Finding]:
        told = f"{self.setting} is not set"
        return [Finding(check=self.check, state="off", told=told)]


@dataclass(frozen=True, slots=True)
class _Workspaces:
    """Who installed the Slack app; a connection for each look, as the store has one of its own."""

    settings: Settings

    async def teams(self) -> Sequence[str]:
        async with self._opened() as found:
            return await found.teams()

    async def async_find_bot(self, *, enterprise_id: str | None, team_id: str | None) -> Bot | None:
        async with self._opened() as found:
            return await found.async_find_bot(enterprise_id=enterprise_id, team_id=team_id)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[RedisInstallations]:
        url = self.settings.redis_url
        if url is None:
            raise StoreUnavailable("the service's own store is not started for this")
        try:
            client = await connect(url)
        except DefinitionError as error:
            raise StoreUnavailable(str(error)) from error
        try:
            yield installations(self.settings, client)
        finally:
            await client.aclose()


@dataclass(frozen=True, slots=True)
class _Store:
    """The Redis of the settings; the embedded server is not started for it."""

    settings: Settings

    async def findings(self) -> Sequence[Finding]:
        url, check = self.settings.redis_url, "redis"
        if url is None:
            folder = self.settings.data_dir / "redis"
            return [Finding(check=check, state="ok", told=f"embedded, in {folder}")]
        try:
            client = await connect(url)
            try:
                with translated():
                    unsafe, kept = await faults(client), await durability(client)
            finally:
                await client.aclose()
        except DefinitionError as error:
            return [Finding(check=check, state="wrong", told=str(error), fix="set REDIS_URL right")]
        except StoreError as error:
            fix = "start the server, or set REDIS_URL right"
            return [Finding(check=check, state="unknown", told=str(error), fix=fix)]
        if not unsafe:
            return [Finding(check=check, state="ok", told=kept)]
        lines = [line.removeprefix("REDIS_URL: ") for line in unsafe]
        fix = "mend the server's configuration: docs/operations.md"
        return [Finding(check=check, state="wrong", told=line, fix=fix) for line in lines]


@dataclass(frozen=True, slots=True)
class _Model:
    """One model, asked for a word."""

    settings: Settings
    name: str

    async def findings(self) -> Sequence[Finding]:
        check = f"model {self.name}"
        model = OpenAIModel(
            api_key=_secret(self.settings.openai_api_key),
            base_url=self.settings.openai_base_url or "",
            model=self.name,
            timeout_s=_MODEL_S,
        )
        try:
            told = await model.complete([Message(role="user", content="Answer with: ready")])
        except ModelError as error:
            fix = "look at OPENAI_API_KEY, OPENAI_BASE_URL and the model's name"
            if error.retryable and not any(status in str(error) for status in _DENIED):
                return [Finding(check=check, state="unknown", told=str(error), fix=fix)]
            return [Finding(check=check, state="wrong", told=str(error), fix=fix)]
        finally:
            await model.close()
        return [Finding(check=check, state="ok", told=f"answered, {told.tokens} tokens")]
