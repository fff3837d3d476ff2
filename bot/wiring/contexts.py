"""The contexts of platforms' rooms: ports of the store, and what they may know of people."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from adapters.clock import SystemClock
from adapters.platform_room import Adapter as Adapter
from adapters.platform_room import PlatformContext, ProbeContext
from adapters.redis import keys
from adapters.redis.client import Client
from adapters.redis.connect import connect
from adapters.redis.inbox import RedisInbox
from adapters.redis.own_runs import RedisOwnRuns
from adapters.redis.repositories.cases import RedisCases
from adapters.redis.repositories.chat import RedisChatLog, RedisConversations
from adapters.redis.repositories.leases import RedisLease
from adapters.redis.repositories.logins import RedisLogins
from adapters.redis.repositories.platform_texts import RedisExpiringTexts, RedisPlatformTexts
from adapters.redis.repositories.published import RedisPublished
from adapters.redis.store import RedisDecisions
from bot.definitions.snapshot import PublishedPlaybooks
from bot.file_links import FileLinks
from bot.people.directory import Directory
from bot.people.file import PeopleFile, Person
from bot.people.personal_pages import PersonalHome, PersonalInbox
from bot.people.personal_runs import PersonalRuns
from bot.people.run_links import RunLinks
from bot.serve.delivery.localizer import Localizer
from bot.serve.delivery.reply_cards import ReplyCards
from bot.serve.intake.project_door import RefreshProjects, know_projects
from bot.settings import Settings
from bot.wiring.platforms import PLATFORMS
from bot.wiring.store import StoreConnection
from cards.model import Card, Lang
from cards.texts import languages, say
from engine.errors import DefinitionError, StoreUnavailable
from engine.events import Actor
from engine.ports.accounts import AccountSource
from engine.ports.doctor import Doctor
from engine.ports.identity import IdentityProvider
from engine.ports.pages import NamedPerson

# A Home tab is read often, so only the newest runs are searched.


def open_platforms(
    settings: Settings,
    store: StoreConnection,
    people: Directory,
    stack: AsyncExitStack,
    links: FileLinks,
    refresh_projects: RefreshProjects,
    identity: IdentityProvider | None = None,
) -> dict[str, Adapter]:
    """The platforms that the settings switch on."""
    platforms: dict[str, Adapter] = {}
    for name in settings.enabled_platforms:
        # Lists of runs lead to all of them, once they are there.
        run_links = RunLinks(platforms)
        platforms[name] = open_platform(
            name, settings, store, people, links, run_links, refresh_projects, identity
        )
    for adapter in platforms.values():
        stack.push_async_callback(adapter.close)
    return platforms


def open_platform(
    name: str,
    settings: Settings,
    store: StoreConnection,
    people: Directory,
    links: FileLinks,
    run_links: RunLinks,
    refresh_projects: RefreshProjects = know_projects,
    identity: IdentityProvider | None = None,
) -> Adapter:
    """The platform as its room opens it."""
    partitions, scripts = keys.Partitions(settings.partitions), store.scripts
    inbox = RedisInbox(scripts, partitions)
    clock = SystemClock(settings.timezone)
    waiting = PersonalInbox(inbox, people, clock, settings.timezone, links.on_card)
    runs = PersonalRuns(
        RedisOwnRuns(scripts, partitions),
        people,
        run_links,
        settings.timezone,
        settings.run_days,
        RedisCases(store.client, partitions),
        PublishedPlaybooks(RedisPublished(store.client)),
    )
    decisions = RedisDecisions(scripts, partitions)
    localizer = Localizer(people, settings.timezone)

    async def card(token: str, place: str) -> Card | None:
        found = await decisions.card(token)
        return None if found is None else localizer.localize_card(found.card, place)[0]

    async def may_read(actor: Actor, conversation: str) -> bool:
        if people.file.projects is not None:
            await refresh_projects()
        return people.may_see(people.principal(actor), people.project_of(conversation))

    context = PlatformContext(
        service=settings,
        clock=SystemClock(settings.timezone),
        chat_log=RedisChatLog(scripts, store.blocking, partitions),
        conversations=RedisConversations(scripts, partitions),
        texts=RedisPlatformTexts.over(store.client, name),
        lease=RedisLease(store.client),
        logins=RedisLogins(store.client),
        expiring_texts=RedisExpiringTexts(scripts),
        read_card=card,
        home=PersonalHome(waiting, runs, people),
        runs=runs,
        inbox=waiting,
        reply_cards=ReplyCards(decisions, localizer, links.on_card),
        persons=_persons(people),
        language_of=lambda actor: people.principal(actor).lang,
        identity=identity,
        may_read=may_read,
    )
    return PLATFORMS[name].open(settings.platforms[name], context)


def direct_chat_prefixes(settings: Settings) -> list[str]:
    """What the ids of direct chats begin with, on the platforms that are on."""
    return [place for each in settings.enabled_platforms.values() for place in each.places]


def open_account_sources(
    settings: Settings, stack: AsyncExitStack, store: StoreConnection | None
) -> dict[str, AccountSource | None]:
    """The account source of each platform that has one; None while the platform is off."""
    found: dict[str, AccountSource | None] = {}
    for name, room in PLATFORMS.items():
        if room.accounts is None:
            continue
        found[name] = None
        if name in settings.enabled_platforms:
            source = room.accounts(settings.platforms[name], _probe(name, settings, store))
            stack.push_async_callback(source.close)
            found[name] = source
    return found


def platform_doctors(settings: Settings) -> Mapping[str, Doctor | None]:
    """The doctor of each platform that has one; None while the platform is off."""
    return {
        name: room.doctor(settings.platforms[name], _probe(name, settings, None))
        if name in settings.enabled_platforms
        else None
        for name, room in PLATFORMS.items()
        if room.doctor
    }


def _probe(name: str, settings: Settings, store: StoreConnection | None) -> ProbeContext:
    kept = (
        RedisPlatformTexts.over(store.client, name)
        if store
        else RedisPlatformTexts(_connections(settings.redis_url), name)
    )
    return ProbeContext(settings, SystemClock(settings.timezone), kept)


def _connections(url: str | None) -> Callable[[], AbstractAsyncContextManager[Client]]:
    """Opens a connection for each use, for commands without an open store."""

    @asynccontextmanager
    async def connection() -> AsyncIterator[Client]:
        if url is None:
            raise StoreUnavailable("the service's own store is not started for this")
        try:
            client = await connect(url)
        except DefinitionError as error:
            raise StoreUnavailable(str(error)) from error
        try:
            yield client
        finally:
            await client.aclose()

    return connection


def _roles_of(person: Person, people: Directory, lang: Lang) -> str:
    """The names of the roles that they hold, for who has no label."""
    return say("list.items", lang).join(people.role_name(each, lang) for each in person.roles)


def _persons(people: Directory) -> Callable[[], Sequence[NamedPerson]]:
    """Everybody who has a name in the web chat: one list for each people.yaml that is read."""
    kept: list[tuple[PeopleFile, Sequence[NamedPerson]]] = []

    def read() -> Sequence[NamedPerson]:
        if not kept or kept[0][0] is not people.file:
            kept[:] = [(people.file, _named_persons(people))]
        return kept[0][1]

    return read


def _named_persons(people: Directory) -> Sequence[NamedPerson]:
    return [
        NamedPerson(
            id=p.id,
            name=p.name,
            web=p.web,
            label={lang: p.label(lang) or _roles_of(p, people, lang) for lang in languages()},
            email=p.email,
        )
        for p in people.people
        if p.web
    ]
