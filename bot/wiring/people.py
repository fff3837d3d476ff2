"""The concrete classes that know people: groups, sign-ins, inboxes, and what is kept of them."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache

from adapters.clock import SystemClock
from adapters.kept_files import SharedFolders
from adapters.oidc.provider import RemoteProvider
from adapters.redis import keys
from adapters.redis.inbox import RedisInbox
from adapters.redis.records import RedisRecords
from adapters.redis.repositories.erasures import RedisErasures
from adapters.redis.repositories.logins import RedisLogins
from adapters.redis.repositories.people import RedisAdmissions, RedisGroups
from adapters.redis.repositories.projects import RedisProjects
from bot.definitions.folder_projects import folder_projects
from bot.definitions.projects import find_playbooks, make_book
from bot.failpoints import Failpoint
from bot.people.directory import Directory
from bot.people.groups import Groups
from bot.serve.intake.admissions import AdmittedAccounts
from bot.settings import Settings
from bot.waits import retry_until_available
from bot.wiring.contexts import open_account_sources
from bot.wiring.store import StoreConnection, build_store_ports, connect_store
from engine.ports.accounts import GroupSource
from engine.ports.clock import Clock
from engine.ports.identity import IdentityProvider
from engine.ports.inbox_files import KeptFiles
from engine.ports.projects import KeptProjects
from engine.ports.records import Erasures, StoredRecords
from engine.ports.storage.admissions import Admissions
from engine.ports.storage.inbox import Inbox
from engine.ports.storage.logins import Logins
from engine.ports.storage.store import Decisions
from engine.projects import ProjectBook


async def open_groups(
    settings: Settings, store: StoreConnection, people: Directory, stack: AsyncExitStack
) -> Groups:
    """The Slack groups that roles name, as all processes know them; without Slack nobody is in any.

    Raises StoreUnavailable.
    """
    # Also where no role names a group yet: people.yaml is read again.
    sources = open_account_sources(settings, stack, store)
    slack = sources.get("slack")
    groups = Groups(
        lambda: people.groups,
        RedisGroups(store.client),
        slack.members if isinstance(slack, GroupSource) else None,
        max_age_s=settings.group_age_s,
        elapsed_s=SystemClock(settings.timezone).elapsed_s,
    )
    await retry_until_available(groups.load)
    return groups


async def open_admitted_accounts(store: StoreConnection) -> AdmittedAccounts:
    """The accounts that were let in beside the file. Raises StoreUnavailable."""
    accounts = AdmittedAccounts(RedisAdmissions(store.client))
    await retry_until_available(accounts.load)
    return accounts


@dataclass(frozen=True, slots=True)
class PeopleAccess:
    """What commands about people need of the store; `people` hold roles of groups as last known."""

    people: Directory
    inbox: Inbox
    logins: Logins
    admissions: Admissions


@asynccontextmanager
async def open_people_access(settings: Settings, people: Directory) -> AsyncIterator[PeopleAccess]:
    """The store's ports for commands about people. Raises as `open_parts` does."""
    async with AsyncExitStack() as stack:
        store = await connect_store(settings, stack)
        scripts = store.scripts
        stack.push_async_callback(scripts.drain)
        groups = await open_groups(settings, store, people, stack)
        kept = await RedisProjects(store.client).load() or KeptProjects()

        @cache
        def book() -> ProjectBook:
            # Only cards of earlier versions do not say whose they are.
            return make_book(settings, folder_projects(settings), find_playbooks(settings), kept)

        yield PeopleAccess(
            people=replace(
                people,
                isolated=settings.isolates_workspaces,
                members=groups.members,
                project_of=lambda conversation: book().of(conversation),
            ),
            inbox=RedisInbox(scripts, keys.Partitions(settings.partitions)),
            logins=RedisLogins(store.client),
            admissions=RedisAdmissions(store.client),
        )


def open_identity_provider(
    settings: Settings, clock: Clock | None = None
) -> IdentityProvider | None:
    """The provider, which is asked when somebody signs in; None where there is none."""
    if settings.oidc_issuer is None:
        return None
    # What reads its tokens is loaded where there is a provider.
    from adapters.oidc.sign_in import OpenIdConnect

    clock = clock or SystemClock(settings.timezone)
    return OpenIdConnect(
        RemoteProvider(settings.oidc_issuer, clock),
        clock,
        client_id=settings.oidc_client_id or "",
        client_secret=settings.oidc_client_secret,
        scopes=settings.oidc_scopes,
        claim=settings.oidc_claim,
    )


@dataclass(frozen=True, slots=True)
class PersonalData:
    """What commands about people's data need of the store, and of the folder of files."""

    records: StoredRecords
    erasures: Erasures
    decisions: Decisions
    logins: Logins
    files: KeptFiles

    async def sign_out(self, person: str) -> None:
        """End all of the person's sign-ins. Raises StoreUnavailable."""
        await self.logins.leave_everywhere(person)


@asynccontextmanager
async def open_personal_data(settings: Settings) -> AsyncIterator[PersonalData]:
    """The ports, until the block ends. Raises as `connect_store` does."""
    async with AsyncExitStack() as stack:
        store = await connect_store(settings, stack)
        ports = build_store_ports(settings, store, stack)
        arm = Failpoint(settings.failpoint).arm
        yield PersonalData(
            records=arm("records", RedisRecords(store.client)),
            erasures=RedisErasures(store.client),
            decisions=ports.decisions,
            logins=RedisLogins(store.client),
            files=SharedFolders(settings.data_dir / "files"),
        )
