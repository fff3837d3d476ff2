"""The concrete classes that look at the service's connections, for `signoff doctor`."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from adapters.oidc.provider import ProviderRefused
from adapters.openai import OpenAIModel, RequestFields, TimeLimits
from adapters.redis.client import Client, translate_errors
from adapters.redis.connect import connect, describe_durability, find_faults, probe_writes
from adapters.redis.keys import Partitions
from adapters.redis.operations import RedisOperations
from adapters.redis.scripts import Scripts
from bot.definitions.projects import find_playbooks, unnamed_project
from bot.definitions.tried_calls import try_calls
from bot.people.directory import NOBODY_MAY_ASK, load_people
from bot.settings import NO_ZONE, Settings
from bot.wiring.connections import load_connections
from bot.wiring.contexts import platform_doctors
from bot.wiring.people import open_identity_provider
from engine.errors import DefinitionError, ModelError, StoreError
from engine.ports.doctor import Diagnosis, Doctor
from engine.ports.identity import ProviderAway
from engine.ports.model import Message
from engine.ports.settings import secret_text
from engine.ports.systems.connections import Connection

_MODEL_S = 20.0
# Waiting changes nothing about these.
_DENIED = ("status 401", "status 403", "status 404")


def open_doctors(settings: Settings) -> Sequence[Doctor]:
    """One for each connection of the settings, in the order in which they are told."""
    platforms = [
        doctor or _Off(name, settings.platforms[name].switch)
        for name, doctor in platform_doctors(settings).items()
    ]
    connections = _connections(settings)
    return (
        _Store(settings),
        _Zone(settings),
        _Project(settings),
        *platforms,
        _People(settings),
        *connections,
        *([_Identity(settings)] if settings.oidc_issuer else []),
        *_models(settings),
    )


def _connections(settings: Settings) -> Sequence[Doctor]:
    try:
        found = load_connections(settings).by_name
    except DefinitionError as error:
        return [_Faulty("connections", error.problems)]
    return [*(_System(each) for each in found.values()), *([_Calls(settings)] if found else [])]


def _models(settings: Settings) -> Sequence[Doctor]:
    if settings.llm_model is None:
        return [_Off("model", "LLM_MODEL")]
    return [_Model(settings, name) for name in (settings.llm_model, *settings.llm_fallback_models)]


@dataclass(frozen=True, slots=True)
class _Zone:
    settings: Settings

    async def findings(self) -> Sequence[Diagnosis]:
        """The time zone that decides which day it is, and whether anybody chose it."""
        zone = self.settings.timezone
        if self.settings.names_zone:
            return [Diagnosis(check="time zone", state="ok", told=zone)]
        return [Diagnosis(check="time zone", state="off", told=f"{zone}; {NO_ZONE}")]


@dataclass(frozen=True, slots=True)
class _Project:
    settings: Settings

    async def findings(self) -> Sequence[Diagnosis]:
        """That conversations have no project, where several could be meant; else nothing.

        What is wrong in the playbooks, `signoff validate` tells.
        """
        told = unnamed_project(self.settings, find_playbooks(self.settings))
        return [Diagnosis(check="project", state="wrong", told=told)] if told else []


@dataclass(frozen=True, slots=True)
class _People:
    settings: Settings

    async def findings(self) -> Sequence[Diagnosis]:
        """A platform that is connected and on which nobody may ask; nothing where all is well.

        What is wrong in the file itself, `signoff validate` tells.
        """
        on = [name for name, doctor in platform_doctors(self.settings).items() if doctor]
        try:
            people = load_people(self.settings.people, self.settings.accounts)
        except DefinitionError:
            return []
        return [
            Diagnosis(check="people", state="wrong", told=f"{name}: {NOBODY_MAY_ASK}")
            for name in people.closed_platforms(on)
        ]


@dataclass(frozen=True, slots=True)
class _Identity:
    settings: Settings

    async def findings(self) -> Sequence[Diagnosis]:
        """Whether the identity provider answers with its addresses and its keys."""
        provider = open_identity_provider(self.settings)
        assert provider is not None, "it is looked at only where there is one"
        try:
            told = await provider.probe()
        except (ProviderAway, ProviderRefused) as error:
            mend = f"{error}; see SIGNOFF_OIDC_ISSUER"
            return [Diagnosis(check="identity provider", state="wrong", told=mend)]
        finally:
            await provider.close()
        return [Diagnosis(check="identity provider", state="ok", told=told)]


@dataclass(frozen=True, slots=True)
class _Faulty:
    check: str
    problems: Sequence[str]

    async def findings(self) -> Sequence[Diagnosis]:
        return [Diagnosis(check=self.check, state="wrong", told=told) for told in self.problems]


@dataclass(frozen=True, slots=True)
class _System:
    """A system outside: whether it answers, and lets us in."""

    connection: Connection

    async def findings(self) -> Sequence[Diagnosis]:
        check = f"connection {self.connection.name}"
        try:
            faults = await self.connection.probe()
        finally:
            await self.connection.close()
        if not faults:
            return [Diagnosis(check=check, state="ok", told="answers")]
        return [Diagnosis(check=check, state="wrong", told=told) for told in faults]


@dataclass(frozen=True, slots=True)
class _Calls:
    """The statements of the folder's tools, which their databases plan and do not carry out."""

    settings: Settings

    async def findings(self) -> Sequence[Diagnosis]:
        """Those that a database does not take; what does not answer is told as a connection."""
        connections = load_connections(self.settings)
        try:
            tried = await try_calls(self.settings, connections.toolbox)
        finally:
            await asyncio.gather(*(each.close() for each in connections.by_name.values()))
        if tried.faults:
            return [Diagnosis(check="calls", state="wrong", told=each) for each in tried.faults]
        told = f"{tried.count} statements are taken"
        return [Diagnosis(check="calls", state="ok", told=told)] if tried.count else []


@dataclass(frozen=True, slots=True)
class _Off:
    check: str
    setting: str

    async def findings(self) -> Sequence[Diagnosis]:
        told = f"{self.setting} is not set"
        return [Diagnosis(check=self.check, state="off", told=told)]


@dataclass(frozen=True, slots=True)
class _Store:
    """The Redis of the settings; the embedded server is not started for it."""

    settings: Settings

    async def findings(self) -> Sequence[Diagnosis]:
        url, check = self.settings.redis_url, "redis"
        if url is None:
            folder = self.settings.data_dir / "redis"
            there = "" if folder.is_dir() else "; there is none yet, a start makes it"
            return [Diagnosis(check=check, state="ok", told=f"embedded, in {folder}{there}")]
        waiting: list[Diagnosis] = []
        try:
            client = await connect(url)
            try:
                with translate_errors():
                    unsafe, kept = await find_faults(client), await describe_durability(client)
                waiting = await _look_inside(client, self.settings)
            finally:
                await client.aclose()
        except DefinitionError as error:
            return [
                Diagnosis(check=check, state="wrong", told=str(error), fix="set REDIS_URL right")
            ]
        except StoreError as error:
            fix = "start the server, or set REDIS_URL right"
            return [Diagnosis(check=check, state="unknown", told=str(error), fix=fix)]
        if not unsafe:
            return [Diagnosis(check=check, state="ok", told=kept), *waiting]
        lines = [line.removeprefix("REDIS_URL: ") for line in unsafe]
        fix = "mend the server's configuration: docs/operations.md"
        wrong = [Diagnosis(check=check, state="wrong", told=line, fix=fix) for line in lines]
        return [*wrong, *waiting]


async def _look_inside(client: Client, settings: Settings) -> list[Diagnosis]:
    """Whether it takes a write, who works, and what was set aside. Raises StoreError."""
    try:
        await probe_writes(client, settings.partitions)
    except StoreError as error:
        told, fix = f"takes no write: {error}", "look at its memory, disk, role and our rights"
        return [Diagnosis(check="redis write", state="wrong", told=told, fix=fix)]
    partitions = Partitions(settings.partitions)
    operations = RedisOperations(Scripts(client, run_days=settings.run_days), partitions)
    found = await operations.backlog()
    work = f"{found.workers} take mail" if found.workers else "none takes mail now"
    aside = f"{found.aside} messages set aside, {found.blocked} runs blocked"
    is_well = not (found.aside or found.blocked)
    fix = "" if is_well else "`signoff aside` lists them"
    return [
        Diagnosis(check="redis write", state="ok", told="taken"),
        Diagnosis(check="workers", state="ok", told=work),
        Diagnosis(check="set aside", state="ok" if is_well else "wrong", told=aside, fix=fix),
    ]


@dataclass(frozen=True, slots=True)
class _Model:
    """One model, asked for a word."""

    settings: Settings
    name: str

    async def findings(self) -> Sequence[Diagnosis]:
        check = f"model {self.name}"
        model = OpenAIModel(
            api_key=secret_text(self.settings.openai_api_key),
            base_url=self.settings.openai_base_url or "",
            model=self.name,
            limits=TimeLimits(total_s=_MODEL_S),
            fields=RequestFields(self.settings.llm_request_fields),
        )
        try:
            told = await model.complete([Message(role="user", content="Answer with: ready")])
        except ModelError as error:
            fix = "look at OPENAI_API_KEY, OPENAI_BASE_URL and the model's name"
            if error.retryable and not any(status in str(error) for status in _DENIED):
                return [Diagnosis(check=check, state="unknown", told=str(error), fix=fix)]
            return [Diagnosis(check=check, state="wrong", told=str(error), fix=fix)]
        finally:
            await model.close()
        return [Diagnosis(check=check, state="ok", told=f"answered, {told.tokens} tokens")]
