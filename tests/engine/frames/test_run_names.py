"""A card that asks again says which run it is about, in the words by which lists name it."""

from typing import Any

import pytest

from adapters.telegram.forms.progress import begin_form
from adapters.telegram.forms.screens import form_screen
from cards.model import Card
from cards.showing.view import FormView
from engine.frames.run_names import repeated_title, run_title
from engine.frames.state import AgentState, Patch, PlannerFrame, PromptFrame
from engine.runs.run_state import merge_patch
from tests.engine.frames.test_audit import clinical
from tests.engine.understanding.domains.folders import read_playbook
from tests.fakes.walk import Walk, new_run

FIRST = {"subject_id": "P003", "visit_date": "2026-11-20", "weight_kg": 60.0, "ecog": 1}
SECOND = {**FIRST, "subject_id": "P004"}


async def sent_back(lang: Any, data: dict[str, Any]) -> Card:
    """The card that asks to correct these."""
    playbook = clinical()
    frames = (PlannerFrame(phase="check"), PromptFrame(skill="visit-correct"))
    state = AgentState(data=data, problems=("too light",))
    walk = Walk(playbook, new_run(playbook, lang=lang, frames=frames, state=state))
    await walk.start()
    return walk.card


@pytest.mark.parametrize(
    ("lang", "titles"),
    [
        (
            "en",
            [
                "Record a visit: please correct · P003 2026-11-20",
                "Record a visit: please correct · P004 2026-11-20",
            ],
        ),
        ("zh", ["录入访视：请修改 · P003 2026-11-20", "录入访视：请修改 · P004 2026-11-20"]),
    ],
)
async def test_two_requests_that_were_sent_back_are_told_apart(lang: Any, titles: Any) -> None:
    cards = [await sent_back(lang, data) for data in (FIRST, SECOND)]
    assert [card.title for card in cards] == titles


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_so_is_each_question_that_telegram_asks_by_itself(lang: Any) -> None:
    card = await sent_back(lang, FIRST)
    form = FormView(
        data="s1:00-card1:submit:1",
        lang=lang,
        title=card.title,
        submit="Submit",
        cancel="Cancel",
        fields=tuple(f.model_copy(update={"value": ""}) for f in card.choices[0].form),
    )
    assert "P003 2026-11-20" in form_screen(begin_form(form, "1")).html


async def test_a_form_that_came_with_faults_is_asked_again_by_name() -> None:
    playbook = clinical()
    frames = (
        PlannerFrame(phase="collect"),
        PromptFrame(skill="visit-collect", asked="00-card1", fields=("weight_kg",)),
    )
    state = AgentState(data={"subject_id": "P003"}, problems=("Weight: one number",))
    walk = Walk(playbook, new_run(playbook, frames=frames, state=state))
    await walk.start()
    assert walk.card.title == "Record a visit: what is missing · P003"


async def test_a_first_question_is_asked_as_it_was() -> None:
    playbook = clinical()
    frames = (PlannerFrame(phase="collect"), PromptFrame(skill="visit-collect"))
    state = AgentState(data={"subject_id": "P003"})
    walk = Walk(playbook, new_run(playbook, frames=frames, state=state))
    await walk.start()
    assert walk.card.title == "Record a visit: what is missing"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({}, "Correct"),
        ({"subject_id": "", "ecog": 2}, "Correct · 2"),
        ({"text": "a" * 100, "ecog": 2.0, "more": "x"}, f"Correct · {'a' * 39}… 2"),
        ({"rows": ({"a": 1},), "subject_id": "P\u202e003"}, "Correct · P⟨U+202E⟩003"),
        ({"text": "a\nb"}, "Correct · a↵b"),
    ],
)
def test_what_names_a_run_is_short_and_hides_nothing(data: Any, told: str) -> None:
    run = new_run(clinical(), state=AgentState(data=data))
    assert repeated_title("Correct", run) == told
    assert run_title(run).startswith(run.name)


@pytest.mark.parametrize(("lang", "told"), [("en", "cat ward 2"), ("zh", "猫病房 2")])
def test_an_option_is_told_by_its_words(lang: Any, told: str) -> None:
    boarding = read_playbook("clinic", "boarding")
    change = Patch(by="lin", data={"ward": "cats", "diet": "2"})
    state = merge_patch(AgentState(), change, boarding, lang)
    assert run_title(new_run(boarding, lang=lang, state=state)).endswith(told)
    again = merge_patch(state, Patch(by="lin", data={"ward": "dogs"}), boarding, lang)
    assert "dogs" not in repeated_title("", new_run(boarding, lang=lang, state=again)).split()
