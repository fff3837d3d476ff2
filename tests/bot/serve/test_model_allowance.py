"""The day's limits of the model: of a person, of a project, and of all together."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Literal

import pytest

from adapters.redis import keys
from adapters.redis.repositories.model_numbers import SPENT_KEEP_S, RedisModelSpending
from adapters.redis.scripts import Scripts
from bot.serve.work.allowance import Allowance, AllowedModel
from bot.serve.work.model_queue import Asker
from engine.errors import AllowanceUsedUp
from engine.ports.model import Completion, Message
from engine.react import ReActEngine
from engine.tools.model import ToolContext
from tests.bot.telemetry.test_counting import Counts
from tests.fakes.scripted_model import ScriptedModel

ASK = (Message(role="user", content="How much is it?"),)
ANN, BOB, EVE = Asker("ann", "A"), Asker("bob", "A"), Asker("eve", "B")
ANSWER = Completion("It is 5.", tokens=60, cost=0.25)


@dataclass
class Day:
    """A clock in Shanghai, where the day of `moment` has begun eight hours before UTC's."""

    moment: datetime = datetime(2026, 11, 23, 13, 30, tzinfo=UTC)
    day: date = date(2026, 11, 23)

    def now(self) -> datetime:
        return self.moment

    def today(self) -> date:
        return self.day

    def elapsed_s(self) -> float:
        return 0.0


@dataclass
class Office:
    """Processes over one store, in each of which somebody asks."""

    scripts: Scripts
    clock: Day
    allowances: dict[str, Allowance]
    answer: Completion = ANSWER
    meter: Counts = field(default_factory=Counts)

    async def ask(self, asker: Asker | None) -> str:
        """What is answered, by a process of its own."""
        return (await self.model(asker).complete(ASK)).text

    def model(self, asker: Asker | None) -> AllowedModel:
        return AllowedModel(
            ScriptedModel([self.answer]),
            RedisModelSpending(self.scripts.client),
            self.allowances,
            clock=self.clock,
            zone="Asia/Shanghai",
            meter=self.meter,
            asker=lambda: asker,
        )


MakeOffice = Callable[..., Office]


@pytest.fixture
def office(scripts: Scripts) -> MakeOffice:
    return lambda **allowances: Office(scripts, Day(), allowances)


@pytest.mark.parametrize("limit", [Allowance(tokens=100), Allowance(cost=0.4)])
@pytest.mark.parametrize(
    ("whose", "refused"), [("person", [ANN]), ("project", [ANN, BOB]), ("all", [ANN, BOB, EVE])]
)
async def test_who_has_used_up_a_limit_is_refused_until_the_day_ends(
    limit: Allowance, whose: str, refused: list[Asker], office: MakeOffice
) -> None:
    at = office(**{whose: limit})
    for _ in range(2):
        await at.ask(ANN)
    for asker in (ANN, BOB, EVE):
        if asker not in refused:
            assert await at.ask(asker) == "It is 5."
            continue
        with pytest.raises(AllowanceUsedUp, match=whose) as raised:
            await at.ask(asker)
        # Half past nine in the evening there: two and a half hours are left.
        assert raised.value.retry_after_s == pytest.approx(2.5 * 3600 + 1)
    at.clock.day = date(2026, 11, 24)
    assert await at.ask(ANN) == "It is 5."
    assert at.meter == {("day_limits", whose): len(refused)}


async def test_what_is_asked_outside_of_a_conversation_counts_for_all(office: MakeOffice) -> None:
    at = office(all=Allowance(tokens=60), person=Allowance(tokens=1000))
    await at.ask(None)
    with pytest.raises(AllowanceUsedUp):
        await at.ask(ANN)


async def test_a_server_that_tells_no_tokens_has_its_letters_counted(office: MakeOffice) -> None:
    at = office(person=Allowance(tokens=1))
    at.answer = replace(at.answer, tokens=0)
    await at.ask(ANN)
    with pytest.raises(AllowanceUsedUp):
        await at.ask(ANN)


async def test_a_day_is_forgotten_and_names_nobody(office: MakeOffice, scripts: Scripts) -> None:
    at = office(person=Allowance(tokens=100), project=Allowance(tokens=100))
    await at.ask(ANN)
    key = keys.model_spent("2026-11-23")
    assert 0 < await scripts.client.ttl(key) <= SPENT_KEEP_S
    assert "ann" not in str(await scripts.client.hgetall(key))


@pytest.mark.parametrize(
    ("lang", "told"),
    [("zh", "提问人今天的语言模型用量上限"), ("en", "model, of the person who asked")],
)
async def test_a_question_beyond_it_is_told_so(
    lang: Literal["zh", "en"], told: str, office: MakeOffice
) -> None:
    at = office(person=Allowance(tokens=60))
    await at.ask(ANN)
    engine = ReActEngine(at.model(ANN), ())
    result = await engine.run("?", ToolContext(today=date(2026, 11, 23)), lang=lang)
    assert (result.success, result.reason) == (False, "allowance")
    assert told in result.content
