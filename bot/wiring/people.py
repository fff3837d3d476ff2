"""The concrete classes that know people: their groups, accounts, logins and inboxes."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from adapters.clock import SystemClock
from adapters.redis import keys
from adapters.redis.inbox import RedisInbox
from adapters.redis.kept.admissions import RedisAdmissions
from adapters.redis.kept.groups import RedisGroups
from adapters.redis.kept.logins import RedisLogins
from adapters.redis.listing import RedisListing
from adapters.redis.scripts import Scripts
from adapters.redis.store import RedisDecisions
from adapters.slack.workspace.accounts import SlackAccounts
from adapters.telegram.accounts import TelegramAccounts
from adapters.webchat.doors import Choose, Door, Links, ProxyHeader, WebPerson
from bot.people.directory import Directory
from bot.people.groups import Groups
from bot.people.slack_home import SlackHome
from bot.people.web_inbox import WebInbox
from bot.serve.delivery.readers import Readers
from bot.serve.intake.entrants import Entrants
from bot.settings import Settings
from bot.stopping import patiently
from bot.wiring.slack import slack_workspaces
from bot.wiring.store import Store, open_store
from cards.model import Card
from engine.ports.storage.admissions import Admissions
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.logins import Logins

# A Home tab is looked at every few seconds, so only the newest runs are.
_HOME_LOOKS = 2_000


async def open_groups(
    settings: Settings, store: Store, people: Directory, stack: AsyncExitStack
) -> Groups:
    """The Slack groups that roles name, as all processes know them; without Slack nobody is in any.

    Raises StoreUnavailable.
    """
    accounts = open_slack_accounts(settings, stack, store) if people.groups else None
    groups = Groups(
        people.groups,
        RedisGroups(store.client),
        accounts.members if accounts else None,
        max_age_s=settings.group_age_s,
        elapsed_s=SystemClock(settings.timezone).elapsed_s,
    )
    await patiently(groups.load)
    return groups


async def open_entrants(store: Store) -> Entrants:
    """Who was let in beside the file, as of now. Raises StoreUnavailable."""
    entrants = Entrants(RedisAdmissions(store.client))
    await patiently(entrants.load)
    return entrants


def open_slack_accounts(
    settings: Settings, stack: AsyncExitStack, store: Store | None
) -> SlackAccounts | None:
    """What asks Slack about accounts and groups; None while it is off."""
    workspaces = slack_workspaces(settings, store)
    if workspaces is None:
        return None
    accounts = SlackAccounts(workspaces)
    stack.push_async_callback(accounts.close)
    return accounts


def open_telegram_accounts(settings: Settings, stack: AsyncExitStack) -> TelegramAccounts | None:
    """What asks Telegram about accounts; None while it is off."""
    if settings.telegram_bot_token is None:
        return None
    token = settings.telegram_bot_token.get_secret_value()
    accounts = TelegramAccounts(bot_token=token, api_url=settings.telegram_api_url or "")
    stack.push_async_callback(accounts.close)
    return accounts


def web_persons(people: Directory) -> list[WebPerson]:
    """Everybody who has a name in the web chat."""
    return [
        WebPerson(
            id=p.web, name=p.name, role_label={"zh": p.label.zh, "en": p.label.en}, person=p.id
        )
        for p in people.people
        if p.web
    ]


def web_door(settings: Settings, store: Store, persons: Sequence[WebPerson]) -> Door:
    """How visitors of the web chat say who they are."""
    if settings.web_user_header:
        return ProxyHeader(settings.web_user_header, settings.web_trusted_proxy, persons)
    if settings.web_login == "link":
        return Links(
            RedisLogins(store.client),
            persons,
            session_s=settings.web_session_h * 3600,
            secure=(settings.public_url or "").startswith("https:"),
        )
    return Choose()


def web_inbox(settings: Settings, store: Store, people: Directory) -> WebInbox:
    """What waits for a visitor of the web chat."""
    inbox = RedisInbox(Scripts(store.client), keys.Partitions(settings.partitions))
    return WebInbox(inbox, people, SystemClock(settings.timezone), settings.timezone)


def slack_home(settings: Settings, store: Store, people: Directory) -> SlackHome:
    """What a person's Home tab in Slack shows."""
    listing = RedisListing(
        Scripts(store.client), keys.Partitions(settings.partitions), looks=_HOME_LOOKS
    )
    return SlackHome(web_inbox(settings, store, people), listing, people)


def open_card(
    settings: Settings, store: Store, people: Directory
) -> Callable[[str, str], Awaitable[Card | None]]:
    """Reads a card by its token as it is shown at a place, for a platform that redraws buttons."""
    decisions = RedisDecisions(Scripts(store.client), keys.Partitions(settings.partitions))

    readers = Readers(people, settings.timezone)

    async def card(token: str, place: str) -> Card | None:
        found = await decisions.card(token)
        return None if found is None else readers.card(found.card, place)[0]

    return card


@dataclass(frozen=True, slots=True)
class Desk:
    """What commands about people need of the store; `people` hold roles of groups as last known."""

    people: Directory
    inbox: Inbox
    logins: Logins
    admissions: Admissions


@asynccontextmanager
async def open_desk(settings: Settings, people: Directory) -> AsyncIterator[Desk]:
    """The store as commands about people see it; raises as `open_parts` does."""
    async with AsyncExitStack() as stack:
        store = await open_store(settings, stack)
        scripts = Scripts(store.client)
        stack.push_async_callback(scripts.idle)
        groups = await open_groups(settings, store, people, stack)
        yield Desk(
            people=people.kept_apart(settings.slack_many).resolved(groups.members),
            inbox=RedisInbox(scripts, keys.Partitions(settings.partitions)),
            logins=RedisLogins(store.client),
            admissions=RedisAdmissions(store.client),
        )
