"""A whole service in this process, over a clock, a chat and tools that a test has in its hand."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final
from uuid import uuid4

from pydantic import SecretStr

from bot.api.case_changes import CaseChangesAnswer, CaseChangesApi
from bot.api.skills import ApiAnswer, open_skill_api
from bot.serve.work.pulse import Pulse
from bot.testing.files.model import ProgramCall, RecordChange, ScenarioSetup
from bot.testing.harness.folder import PLATFORM, WORKSPACE, PlayedFolder
from bot.testing.harness.platform import PlayedChat
from bot.testing.harness.script import ScriptedAnswers
from bot.testing.harness.stubs import StubbedRecord
from bot.wiring.clock import MovedClock
from bot.wiring.service import Parts, open_parts
from bot.wiring.stand_ins import ScratchStore, StandIns, next_due_s, open_scratch_store
from bot.wiring.work import build_delivery, build_lanes, build_model_queue
from engine.events import Actor, Outcome, Update
from engine.ports.model import Model

BEGIN: Final = "2026-03-02T09:00"
"""When a test begins that does not say so: a Monday."""

_PATIENCE_S = 30.0
"""A step waits for what is due so soon after it."""

_FAR_S = 3600.0
"""What is due later than that, the store does not tell by itself."""

_LONGEST_S = 300.0
_SIGNED: Final = SecretStr("stands-in")
_MOST_ROUNDS = 20_000


class NotSettled(Exception):
    """The service did not come to rest; the text says how it stands."""


class ServiceUnderTest:
    """The service of one test, driven by hand: nothing of it goes on by itself."""

    def __init__(
        self, parts: Parts, folder: PlayedFolder, clock: MovedClock, chat: PlayedChat
    ) -> None:
        self.parts = parts
        self.folder = folder
        self.clock = clock
        self.chat = chat
        self._api = open_skill_api(parts)
        playbooks, mailbox = folder.definitions.playbooks, parts.store.mailbox
        self._changes = CaseChangesApi(lambda: playbooks, mailbox, clock, _SIGNED)
        self._delivery = build_delivery(parts)
        self._lanes = build_lanes(parts, self._delivery, build_model_queue(parts), Pulse())
        self._follow_clock()

    def _follow_clock(self) -> None:
        self.parts.store.scripts.offset_ms = self.clock.offset_ms

    def actor(self, person: str) -> Actor:
        """A person's account in the chat."""
        account = self.folder.account(person)
        return Actor(platform=PLATFORM, workspace=WORKSPACE, user=account, name=person)

    async def give(self, update: Update) -> Outcome:
        """Hand an update to the service, as a platform does."""
        return await self.parts.intake(update)

    async def answer(self, call: ProgramCall) -> ApiAnswer:
        """What a program with the token gets when it sends that."""
        return await self._api.execute(call.calls, json.dumps(call.sends).encode())

    async def take(self, change: RecordChange) -> CaseChangesAnswer:
        """What the system of record is answered when it sends that, signed with its secret."""
        playbooks = self.folder.definitions.playbooks.values()
        having = [each.definition for each in playbooks if each.definition.case.is_shared]
        of = {}
        if len(having) == 1:
            project = having[0].project or self.parts.settings.project
            of = {"playbook": having[0].id, "project": project}
        body = json.dumps({**of, **change.sends}).encode()
        return await self._changes.take(body, change.key or self.new_id())

    @staticmethod
    def new_id() -> str:
        """An id that no other update has."""
        return f"test-{uuid4().hex}"

    async def rest(self, for_s: float = 0.0) -> None:
        """Let so much time pass, and return once nothing is left to do. Raises NotSettled.

        What is due within half a minute after that is done too.
        """
        left_s = for_s
        async with asyncio.timeout(_LONGEST_S):
            for _ in range(_MOST_ROUNDS):
                lanes_s, lanes = await self._lanes.handle_due()
                rows_s, rows = await self._delivery.send_due()
                if lanes or rows:
                    continue
                next_s = min(lanes_s, rows_s)
                if next_s >= _FAR_S and left_s > _FAR_S:
                    next_s = await next_due_s(self.parts.store, self.clock)
                # The store counts in milliseconds.
                next_s = max(next_s, 0.001)
                if next_s <= left_s:
                    left_s -= next_s
                elif left_s > 0:
                    next_s, left_s = left_s, 0.0
                elif next_s > _PATIENCE_S:
                    return
                self.clock.jump(next_s)
                self._follow_clock()
        raise NotSettled("the service does not come to rest: something is due again and again")


class Harness:
    """Where the tests of one folder are played, one after the other."""

    def __init__(
        self, folder: PlayedFolder, store: ScratchStore, data: Path, model: Model | None = None
    ) -> None:
        self.folder = folder
        self._model = model
        self._store = store
        self._data = data
        self._number = 0

    @asynccontextmanager
    async def serve(self, given: ScenarioSetup) -> AsyncIterator[ServiceUnderTest]:
        """A service with an empty store, as is given; all of it ends with the block."""
        self._number += 1
        clock, chat = MovedClock(self.folder.settings.timezone), PlayedChat()
        clock.start_at(given.now or BEGIN)
        data = self._data / f"data-{self._number}"
        update: dict[str, object] = {"redis_url": self._store.url, "data_dir": data}
        if given.model != "real":
            update["llm_model"] = None
        if given.project:
            update["project"] = given.project
        stand_ins = StandIns(
            clock=clock,
            store=self._store.connection,
            definitions=self.folder.definitions,
            snapshot=self.folder.snapshot,
            model=self._model if given.model == "real" else _scripted(given),
            platforms={PLATFORM: chat},
            record=StubbedRecord(self.folder.systems),
        )
        await self._store.empty()
        settings = self.folder.settings.model_copy(update=update)
        async with open_parts(settings, stand_ins=stand_ins) as parts:
            if not self.folder.snapshot.table.learned:
                await parts.reloader.learn()
            await parts.entity_lists.refresh()
            yield ServiceUnderTest(parts, self.folder, clock, chat)
        await asyncio.to_thread(shutil.rmtree, data, ignore_errors=True)


def _scripted(given: ScenarioSetup) -> Model | None:
    return ScriptedAnswers(given.model) if isinstance(given.model, tuple) else None


@asynccontextmanager
async def open_harness(folder: PlayedFolder, model: Model | None = None) -> AsyncIterator[Harness]:
    """A store for as many tests as there are, emptied before each, in the folder's own data.

    Tests that give a real model have that `model`, where there is one, else that of the settings.
    """
    data = folder.settings.data_dir
    try:
        async with open_scratch_store(folder.settings) as store:
            yield Harness(folder, store, data, model)
    finally:
        for connection in folder.definitions.toolbox.connections.values():
            await connection.close()
