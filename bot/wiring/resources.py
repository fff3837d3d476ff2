"""The resources beside the store: people, platforms, documents, files."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from adapters.clock import SystemClock
from adapters.documents.store import ProjectDocuments
from adapters.files import ProjectFiles
from adapters.inbox_files import FileLimits, SharedFiles
from adapters.kept_files import SharedFolders
from adapters.knowledge.search import DocumentSearch
from adapters.reader_process import FileReader
from adapters.redis.repositories.platform_texts import RedisExpiringTexts
from adapters.sync.http import HttpRecord, RecordRouter
from adapters.sync.sample import SampleRecord
from bot.definitions.loader import Definitions
from bot.definitions.projects import LiveProjects
from bot.failpoints import Failpoint
from bot.file_links import FileLinks, open_file_links
from bot.people.directory import Directory
from bot.people.groups import Groups
from bot.people.run_links import RunLinks
from bot.serve.intake.admissions import AdmittedAccounts
from bot.settings import Settings
from bot.wiring.clock import open_clock
from bot.wiring.contexts import Adapter, direct_chat_prefixes, open_platforms
from bot.wiring.people import open_admitted_accounts, open_groups, open_identity_provider
from bot.wiring.stand_ins import AS_IN_LIFE, StandIns
from bot.wiring.store import StoreConnection
from engine.ports.identity import IdentityProvider
from engine.ports.inbox_files import FileSource, InboxFiles, KeptFiles
from engine.ports.library import DocumentFiles, Files
from engine.ports.meter import Meter
from engine.ports.platform import SupportsMetering
from engine.ports.systems.sync import SystemOfRecord


@dataclass(frozen=True, slots=True)
class Resources:
    """The resources of a service; failpoints are armed in them."""

    people: Directory
    groups: Groups
    admitted_accounts: AdmittedAccounts
    platforms: Mapping[str, Adapter]
    run_links: RunLinks
    record: SystemOfRecord
    documents: DocumentSearch
    files: Files
    inbox_files: InboxFiles
    kept_files: KeptFiles
    drafts: DocumentFiles
    file_links: FileLinks
    identity: IdentityProvider | None = None


async def open_resources(
    settings: Settings,
    definitions: Definitions,
    store: StoreConnection,
    *,
    meter: Meter,
    stack: AsyncExitStack,
    stand_ins: StandIns = AS_IN_LIFE,
    projects: LiveProjects,
) -> Resources:
    """Open all resources, which close with `stack`. Raises DefinitionError, StoreUnavailable."""
    groups = await open_groups(settings, store, definitions.people, stack)
    admitted = await open_admitted_accounts(store)
    people = replace(
        definitions.people,
        isolated=settings.isolates_workspaces,
        members=groups.members,
        is_entrant=admitted.has,
        project_of=projects.of,
    )
    links = await open_file_links(
        RedisExpiringTexts(store.scripts),
        open_clock(settings),
        days=settings.file_link_days,
        address=settings.public_url or "",
    )
    identity = open_identity_provider(settings)
    if identity is not None:
        stack.push_async_callback(identity.close)
    platforms = stand_ins.platforms or open_platforms(
        settings, store, people, stack, links, projects.refresh, identity
    )
    for platform in platforms.values():
        if isinstance(platform, SupportsMetering):
            platform.count_in(meter)
    files, inbox_files = open_files(settings, platforms)
    documents = DocumentSearch(definitions.documents)
    stack.callback(documents.close)
    arm = Failpoint(settings.failpoint).arm
    return Resources(
        people=replace(people, platforms=direct_chat_prefixes(settings)),
        groups=groups,
        admitted_accounts=admitted,
        platforms={name: arm("platform", each) for name, each in platforms.items()},
        run_links=RunLinks(platforms),
        record=stand_ins.record or _open_record(settings, stack),
        documents=documents,
        files=files,
        inbox_files=inbox_files,
        kept_files=SharedFolders(settings.data_dir / "files"),
        drafts=ProjectDocuments(settings.data_dir / "files"),
        file_links=links,
        identity=identity,
    )


def _open_record(settings: Settings, stack: AsyncExitStack) -> SystemOfRecord:
    """The system of record that each playbook names; nothing is opened before the first change."""
    # What earlier versions made is gone on with.
    older = settings.data_dir / "matters.sqlite3"
    sample = SampleRecord(older if older.exists() else settings.data_dir / "record.sqlite3")
    stack.callback(sample.close)
    http = HttpRecord(settings.sync_secret, open_clock(settings))
    stack.push_async_callback(http.close)
    return RecordRouter(sample=sample, http=http)


def open_files(settings: Settings, platforms: Mapping[str, object]) -> tuple[Files, InboxFiles]:
    """The files of projects and those of the inbox, over one folder and one reader.

    Platforms that hand out no files are left out.
    """
    folder = settings.data_dir / "files"
    reader = FileReader(seconds=settings.file_seconds, memory_mb=settings.file_memory_mb)
    sources = {name: p for name, p in platforms.items() if isinstance(p, FileSource)}
    limits = FileLimits(settings.file_max_mb, settings.file_types, settings.file_seconds)
    return ProjectFiles(folder, reader), SharedFiles(
        folder, sources, reader, limits, SystemClock(settings.timezone)
    )
