"""The platforms that the settings switch on: a line each in `PLATFORMS` (design §9)."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Protocol

from aiohttp import web

from adapters.clock import SystemClock
from adapters.redis import keys
from adapters.redis.kept.chat import RedisChatLog, RedisConversations
from adapters.redis.kept.rooms import RedisLease
from adapters.redis.kept.slate import RedisSlate
from adapters.redis.scripts import Scripts
from adapters.slack.platform import SlackPlatform
from adapters.telegram.platform import TelegramPlatform
from adapters.webchat.platform import WebChat
from bot.people.directory import OWN_WEB_HOMES, Directory
from bot.settings import Settings
from bot.wiring.files import web_uploads
from bot.wiring.people import open_card, slack_home, web_door, web_inbox, web_persons
from bot.wiring.slack import secret, slack_install, slack_workspaces
from bot.wiring.store import Store
from engine.ports.platform import Intake, Platform


class Adapter(Platform, Protocol):
    """A platform with its way in: routes of the web process, and a listener beside them."""

    def routes(self, intake: Intake) -> Sequence[web.AbstractRouteDef]:
        """What the web process serves for it."""
        ...

    async def listen(self, intake: Intake) -> None:
        """Receive over sockets or by polling until cancelled, or return at once."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


def _slack(settings: Settings, store: Store, people: Directory) -> Adapter | None:
    workspaces = slack_workspaces(settings, store)
    if workspaces is None:
        return None
    return SlackPlatform(
        workspaces=workspaces,
        signing_secret=secret(settings.slack_signing_secret),
        app_token=secret(settings.slack_app_token),
        clock=SystemClock(settings.timezone),
        home=slack_home(settings, store, people),
        install=slack_install(settings, store),
        speaks=lambda actor: people.principal(actor).lang,
    )


def _telegram(settings: Settings, store: Store, people: Directory) -> Adapter | None:
    if settings.telegram_bot_token is None:
        return None
    return TelegramPlatform(
        bot_token=settings.telegram_bot_token.get_secret_value(),
        webhook_secret=secret(settings.telegram_webhook_secret),
        api_url=settings.telegram_api_url or "",
        public_url=settings.public_url or "",
        per_s=settings.telegram_per_s,
        lease=RedisLease(store.client),
        slate=RedisSlate(store.client),
        card=open_card(settings, store, people),
    )


def _web(settings: Settings, store: Store, people: Directory) -> Adapter | None:
    if not settings.webchat:
        return None
    persons = web_persons(people)
    partitions = keys.Partitions(settings.partitions)
    return WebChat(
        log=RedisChatLog(store.client, store.blocking, partitions),
        people=persons,
        door=web_door(settings, store, persons),
        inbox=web_inbox(settings, store, people),
        conversations=RedisConversations(Scripts(store.client), partitions),
        uploads=web_uploads(settings),
        public_url=settings.public_url or "",
    )


Build = Callable[[Settings, Store, Directory], Adapter | None]
# One line per platform; None means that its settings leave it off.
PLATFORMS: dict[str, Build] = {"slack": _slack, "telegram": _telegram, "web": _web}


def open_platforms(
    settings: Settings, store: Store, people: Directory, stack: AsyncExitStack
) -> dict[str, Adapter]:
    """The platforms that the settings switch on."""
    built = {name: build(settings, store, people) for name, build in PLATFORMS.items()}
    platforms = {name: adapter for name, adapter in built.items() if adapter is not None}
    for adapter in platforms.values():
        stack.push_async_callback(adapter.close)
    return platforms


def places(settings: Settings, platforms: Mapping[str, Adapter]) -> list[str]:
    """Connected platforms as people's homes name them; Telegram's carry the bot's id.

    Where people sign in to the web chat, each has a home of their own there.
    """
    places = [name for name in platforms if name != "telegram"]
    if "web" in platforms and (settings.web_user_header or settings.web_login != "off"):
        places.append(OWN_WEB_HOMES)
    if settings.telegram_bot_token is not None:
        bot_id = settings.telegram_bot_token.get_secret_value().partition(":")[0]
        places.append(f"telegram:{bot_id}")
    return places
