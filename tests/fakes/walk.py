"""A run outside of any store: step by step, each written as JSON and read again before the next."""

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from cards.deciding.decision import DecidedCard, decide
from cards.forms import FormFacts
from cards.model import Card, Lang, Principal, Review
from cards.shared_file import SharedFile
from engine.frames.intents import Intent
from engine.frames.outcome import StepContext
from engine.frames.replies import Part
from engine.frames.state import AgentState, ModelFrame, PlannerFrame, Run
from engine.mail import CardDecided, CardExpired, RunContinued, RunMail, RunStarted, parse_mail
from engine.playbooks.model import Playbook
from engine.ports.inbox_files import NO_FILES, InboxFiles
from engine.ports.library import Library
from engine.ports.model import RUN_BUDGET, Model, ModelBudget
from engine.runs.run import StepResult, advance_run
from engine.runs.step_services import step_services
from engine.services import FindEntities, ServiceLimits, Services, entities_without_lists
from engine.toolbox.toolbox import Toolbox
from tests.fakes.services import NOW, services_of
from tests.fakes.study import Study
from tests.fakes.unlogged_cards import unlogged_cards

LIN = Principal(id="lin", name="Lin Yue", roles=("crc",))
CHEN = Principal(id="chen", name="Chen Bo", roles=("reviewer",))
CONVERSATION = "web:local:room"


class People:
    """Lin collects data, Chen reviews."""

    everybody = (LIN, CHEN)

    def scope_to(self, conversation: str, project: str | None = None) -> "People":
        """They are the same everywhere."""
        return self

    def scope_of(self, card: Card) -> "People":
        """They are the same everywhere."""
        return self

    def room_of(self, conversation: str) -> str:
        """No conversation is a thread."""
        return conversation

    def holders(self, roles: Sequence[str]) -> Sequence[Principal]:
        """Who holds one of them."""
        return [p for p in (LIN, CHEN) if set(roles) & set(p.roles)]

    def deciders(self, review: Review) -> Sequence[Principal]:
        """Who may decide by the review."""
        held = self.holders(review.roles)
        return [p for p in (LIN, CHEN) if p in held or p.id in review.persons]

    def reviewer_homes(self, review: Review) -> Sequence[str]:
        """Nobody is reached elsewhere."""
        return ()

    def person_homes(self, persons: Sequence[str], today: date) -> Sequence[str]:
        """Nobody is reached elsewhere."""
        return ()

    def refresh(self, principal: Principal) -> Principal:
        """Everybody is who they were."""
        return principal

    def role_name(self, role: str, lang: str) -> str:
        """The role itself."""
        return role


def new_run(
    playbook: Playbook, *, message: str = "file a claim", lang: Lang = "en", **more: Any
) -> Run:
    """A run of the playbook at its first phase."""
    intent = Intent(kind="workflow", text=message, playbook=playbook.id, why="asked")
    values: dict[str, Any] = {
        "id": "00-run1",
        "playbook": playbook.id,
        "digest": playbook.digest,
        "name": playbook.definition.name(lang),
        "conversation": CONVERSATION,
        "lang": lang,
        "requester": LIN,
        "text": message,
        "message": message,
        "reply": "00-reply1",
        "part": Part(index=0, intent=intent, state="working", text="", run="00-run1"),
        "slot": True,
        "frames": (PlannerFrame(phase=playbook.definition.phases[0].id),),
        "started_at": NOW,
    }
    return Run(**{**values, **more})


def at_skill(playbook: Playbook, skill: str, state: AgentState | None = None, **more: Any) -> Run:
    """A run that has just begun this skill."""
    below = PlannerFrame(phase=playbook.definition.phases[0].id)
    frames = (below, ModelFrame(skill=skill))
    return new_run(playbook, frames=frames, state=state or AgentState(), **more)


@dataclass
class Walk:
    """Steps a run as a worker would; with `crashing`, every step is first done in vain."""

    playbook: Playbook
    run: Run
    model: Model | None = None
    records: Study = field(default_factory=Study)
    crashing: bool = False
    log: list[dict[str, Any]] = field(default_factory=list)
    cards: dict[str, Card] = field(default_factory=dict)
    posts: list[Any] = field(default_factory=list)
    on_step: Callable[[Run], None] = lambda run: None
    kept: tuple[Run | None, str] = (None, "")
    """The run as it was read from the text that its last step wrote."""
    front: str = ""
    library: Library = field(default_factory=Library)
    files: InboxFiles = NO_FILES
    run_budget: ModelBudget = RUN_BUDGET
    toolbox: Toolbox | None = None
    listed: FindEntities = entities_without_lists

    @property
    def card(self) -> Card:
        """The one card that the run waits for."""
        (token,) = self.run.waiting
        return self.cards[token]

    @property
    def informed(self) -> list[Card]:
        """The cards that it only informed with."""
        return [card for card in self.cards.values() if card.status == "told"]

    @property
    def frame(self) -> Any:
        """The top frame."""
        return self.run.frames[-1]

    @property
    def whys(self) -> list[str]:
        """Why each step went as it did."""
        return [entry["why"] for entry in self.log]

    async def start(self) -> "Walk":
        """Until it rests."""
        await self.tell(RunStarted())
        return self

    async def step(self, mail: RunMail) -> StepResult:
        """One step alone; after another of the same worker, unless that one died."""
        follows = mail.kind == "continued"
        if self.crashing:
            await self._step(mail, follows)
        stepped = await self._step(mail, follows and not self.crashing)
        self._commit(stepped)
        return stepped

    async def tell(self, mail: RunMail) -> StepResult:
        """The mail, and whatever follows at once."""
        stepped = await self.step(mail)
        for _ in range(600):
            if not self.front:
                return stepped
            following = parse_mail(self.front)
            assert isinstance(following, RunContinued)
            stepped = await self.step(following)
        raise AssertionError("the run never rests")

    async def answer(
        self,
        choice: str,
        values: Mapping[str, str] | None = None,
        by: Principal = LIN,
        **uploads: SharedFile,
    ) -> StepResult:
        """Somebody decides the card; its form may bring files, by field name."""
        card, facts = self.card, FormFacts(uploads=uploads)
        verdict = decide(card, by, choice, NOW, revision=card.revision, values=values, facts=facts)
        assert isinstance(verdict, DecidedCard), verdict
        return await self.tell(CardDecided(card=card.token, decision=verdict.decision))

    async def expire(self) -> StepResult:
        """Nobody does."""
        return await self.tell(CardExpired(card=self.card.token))

    async def _step(self, mail: RunMail, follows: bool) -> StepResult:
        read, stored = self.kept[0] is self.run, self.run.stored()
        run = self.run if read else Run.model_validate_json(stored)
        assert run == self.run, "what is stored is the run"
        assert stored == self.kept[1] or not read, "no step changes a run in place"
        mail = parse_mail(mail.model_dump_json())  # type: ignore[assignment]
        services = step_services(self.services(), run, self.playbook)
        context = StepContext(run, self.playbook, services, follows)
        return await advance_run(mail, context)

    def services(self) -> Services:
        """What its steps may use."""
        steps, numbers = self.run.steps, itertools.count()
        return services_of(
            people=People(),
            model=self.model,
            new_id=lambda _: f"00-card{steps:06d}{'+' * next(numbers)}",
            library=self.library,
            files=self.files,
            project=lambda _: self.playbook.definition.project,
            limits=ServiceLimits(run=self.run_budget),
            toolbox=self.toolbox or self.records.toolbox,
            listed_entities=self.listed,
        )

    def _commit(self, stepped: StepResult) -> None:
        assert unlogged_cards(stepped.effects) == ()
        self.front = stepped.front
        for write in stepped.effects.runs:
            self.run = Run.model_validate_json(write.body)
            self.kept = self.run, write.body
            self.on_step(self.run)
        for _, entry in stepped.effects.log:
            entry.encode()
            self.log.append(json.loads(entry))
        for card in stepped.effects.cards:
            self.cards[card.card.token] = card.card
        self.posts.extend(stepped.effects.posts)


def crashing(walk: Walk) -> Walk:
    """The same walk, in which every step is done twice and kept once."""
    return replace(walk, crashing=True, log=[], cards={}, posts=[])
