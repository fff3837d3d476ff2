"""Skills that all playbooks of a folder share: each has those that it names, checked with it."""

import pytest

from engine.errors import DefinitionError
from engine.playbooks.legacy import NO_LEGACY
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.playbooks.skill_files import read_skills, shared_skills_used
from engine.yaml.source import Problems
from tests.fakes.garage import APPROVE, ASK, MAIN, WRITE

WITHOUT_PLAN = WRITE[: WRITE.index("plan:")].replace("kind: tool_plan", "kind: prompt") + (
    "ask: {title: {zh: 写, en: W}, text: {zh: 写, en: W}, fields: [bay]}\n"
)
PRESENTS = APPROVE.replace("shows: write-booking", "presents: [bay, day]")
OWN = {
    "playbook.yaml": MAIN,
    "skills/approve-booking.yaml": PRESENTS,
    "skills/write-booking.yaml": WITHOUT_PLAN,
}
SHARED = {"shared/ask-booking.yaml": ASK}
UNUSED = {"shared/tea.yaml": ASK.replace("ask-booking", "tea").replace("[bay, day]", "[sugar]")}


def loaded(own: dict[str, str], shared: dict[str, str]) -> Playbook:
    return load(own, roles=None, held=None, shared=shared)


def problems(own: dict[str, str], shared: dict[str, str]) -> list[str]:
    with pytest.raises(DefinitionError) as caught:
        loaded(own, shared)
    return list(caught.value.problems)


def test_a_playbook_has_the_shared_skills_that_it_names_and_no_others() -> None:
    found = loaded(OWN, SHARED | UNUSED)
    assert set(found.skills) == {"approve-booking", "write-booking", "ask-booking"}
    changed = {"shared/ask-booking.yaml": ASK.replace("Which bay", "What bay")}
    assert loaded(OWN, changed).digest != found.digest
    assert loaded(OWN, SHARED).digest == found.digest


def test_a_playbook_that_names_none_is_what_it_was() -> None:
    own = OWN | {"skills/ask-booking.yaml": ASK}
    assert loaded(own, UNUSED) == loaded(own, {})


def test_what_a_shared_skill_names_comes_with_it() -> None:
    shared = {"shared/approve.yaml": APPROVE, "shared/write.yaml": WRITE, **SHARED, **UNUSED}
    definition = loaded(OWN, SHARED).definition
    phases = tuple(phase for phase in definition.phases if phase.id != "writing")
    less = definition.model_copy(update={"phases": phases})
    found = shared_skills_used(less, {}, read_skills(shared, Problems(), NO_LEGACY))
    assert set(found) == {"ask-booking", "approve-booking", "write-booking"}


def test_a_name_is_one_skill() -> None:
    own = OWN | {"skills/mine.yaml": ASK}
    assert problems(own, SHARED) == [
        "skills/mine.yaml:1: id: skill 'ask-booking' is shared in shared/ask-booking.yaml; "
        "give this one another name"
    ]


def test_what_a_shared_skill_needs_and_a_playbook_lacks_is_told_with_both() -> None:
    shared = {"shared/ask-booking.yaml": ASK.replace("fields: [bay, day]", "fields: [bay, hour]")}
    (problem,) = problems(OWN, shared)
    assert problem.startswith("shared/ask-booking.yaml:10: ask.fields.1: there is no data field")
    assert problem.endswith("; playbook hoists uses it")


def test_a_shared_skill_that_is_faulty_in_itself_is_told_where_it_stands() -> None:
    shared = {"shared/ask-booking.yaml": ASK.replace("kind: prompt", "kind: promt")}
    (problem,) = problems(OWN, shared)
    assert problem.startswith("shared/ask-booking.yaml:5: kind: should be ")
