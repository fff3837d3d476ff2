"""Skills that are equally good: a model that is away is waited for, then the requester chooses."""

from datetime import timedelta
from typing import Any

import pytest

from cards.model import Lang
from engine.errors import MODEL_REST_S, AllowanceUsedUp, BadModelOutput, ModelUnavailable
from engine.frames.state import PlannerFrame
from engine.mail import AlarmRang, RunContinued, RunStarted
from engine.planner.llm_planner import MAX_WAITS
from engine.ports.model import Completion
from engine.runs.run import StepResult
from tests.engine.planner.test_strategies import MATTER
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.walk import NOW, Walk, new_run


class Away:
    """Away so often, then it chooses."""

    def __init__(self, times: int, rest_s: float = 0.0) -> None:
        self.left = times
        self.rest_s = rest_s

    async def complete(self, messages: Any, **asked: Any) -> Completion:
        """Its choice, or an outage."""
        self.left -= 1
        if self.left >= 0:
            raise ModelUnavailable("away", rest_s=self.rest_s)
        return Completion('{"skill": "second-intake", "reason": "it is shorter"}')


def tie(model: Any = None, lang: Lang = "en", **more: Any) -> Walk:
    return Walk(MATTER, new_run(MATTER, lang=lang), model, **more)


async def ring(walk: Walk, stepped: StepResult) -> StepResult:
    """The one alarm that was set rings."""
    (timer,) = [t for t in stepped.effects.timers if t.id.startswith("alarm:")]
    return await walk.tell(AlarmRang(id=timer.id.removeprefix("alarm:")))


@pytest.mark.parametrize("model", [None, ScriptedModel([BadModelOutput("no JSON")])])
@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_without_a_models_choice_the_requester_chooses_by_the_skills_labels(
    model: Any, lang: Lang
) -> None:
    walk = await tie(model, lang).start()
    assert (walk.run.status, walk.card.kind) == ("suspended", "select")
    skills = [MATTER.skills[name] for name in walk.frame.choices]
    assert {skill.id for skill in skills} == {"matter-intake", "second-intake", "file-classify"}
    labels = [choice.label for choice in walk.card.choices]
    assert labels[:-1] == [skill.name(lang) for skill in skills]
    assert all(skill.description(lang) in walk.card.text for skill in skills)
    assert walk.run.part.state == "needs_you"


async def test_what_was_chosen_runs() -> None:
    walk = await tie().start()
    number = walk.frame.choices.index("second-intake") + 1
    await walk.answer(str(number))
    assert "Lin Yue chose it" in "".join(walk.whys)
    assert (walk.frame.kind, walk.frame.skill) == ("model", "second-intake")
    assert walk.card.kind == "clarify"


async def test_what_a_migration_asks_anew_forgets_the_choices() -> None:
    walk = await tie().start()
    walk.run = walk.run.model_copy(update={"status": "running", "waiting": ()})
    walk.model = Away(0)
    await walk.step(RunContinued())
    below = walk.run.frames[0]
    assert isinstance(below, PlannerFrame)
    assert below.choices == ()
    assert walk.frame.skill == "second-intake"


async def test_the_requester_may_withdraw_instead() -> None:
    walk = await tie().start()
    await walk.answer("withdraw")
    assert walk.run.status == "stopped"


@pytest.mark.parametrize("rest_s", [0.0, 600.0])
async def test_a_model_that_is_away_is_asked_again_after_its_rest(rest_s: float) -> None:
    walk = tie(Away(1, rest_s))
    stepped = await walk.tell(RunStarted())
    assert (walk.run.status, walk.run.waiting) == ("suspended", ())
    assert "the language model is away" in walk.run.part.text
    (timer,) = [t for t in stepped.effects.timers if t.id.startswith("alarm:")]
    assert timer.at is not None
    assert timer.at > NOW + timedelta(seconds=max(MODEL_REST_S, rest_s))
    await ring(walk, stepped)
    assert "llm_planner: the model: it is shorter" in "".join(walk.whys)


@pytest.mark.parametrize(
    ("lang", "told"),
    [("en", "of this project, is used up"), ("zh", "本项目今天的语言模型用量上限已用完")],
)
async def test_a_limit_of_the_day_is_named_and_waited_for(lang: Lang, told: str) -> None:
    walk = tie(ScriptedModel([AllowanceUsedUp("project", rest_s=7200.0)]), lang)
    stepped = await walk.tell(RunStarted())
    assert told in walk.run.part.text
    (timer,) = [t for t in stepped.effects.timers if t.id.startswith("alarm:")]
    assert timer.at is not None
    assert timer.at > NOW + timedelta(seconds=7200)


async def test_a_model_that_stays_away_leaves_the_choice_to_the_requester() -> None:
    walk = tie(Away(99))
    stepped = await walk.tell(RunStarted())
    waits = 0
    while walk.run.waiting == ():
        stepped, waits = await ring(walk, stepped), waits + 1
    assert waits == MAX_WAITS
    assert walk.card.kind == "select"


async def test_an_alarm_that_rings_late_changes_nothing() -> None:
    walk = await tie().start()
    before = walk.run
    assert (await walk.tell(AlarmRang(id="planner:1"))).effects.runs == ()
    assert walk.run == before
