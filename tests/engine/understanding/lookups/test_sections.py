"""A section answers a question whose every word it explains, in a domain that nobody built in."""

import pytest

from engine.ports.library import Document, Section
from engine.text.entity_kinds import NO_ENTITIES
from engine.understanding.lookups.sections import SectionIndex, index_sections
from engine.understanding.lookups.text import look_at
from tests.engine.understanding.lookups.warehouse import TODAY
from tests.fakes.tables import table

SCHOOL = Document(
    project="SCHOOL",
    playbook="lessons",
    file="handbook.md",
    title="Handbook of the music school",
    sections=(
        Section(heading="", paragraphs=("It holds for pupils and their parents.",)),
        Section(
            heading="Cancelling a lesson",
            paragraphs=("A lesson is cancelled at least 24 hours before; later ones are paid.",),
        ),
        Section(
            heading="Renting an instrument",
            paragraphs=("Instruments are rented for a term. Violins cost 30 EUR, cellos 45 EUR.",),
        ),
        Section(
            heading="Paying fees", paragraphs=("Fees for lessons are paid by the 5th of a month.",)
        ),
    ),
)
SCHULE_ZH = Document(
    project="SCHOOL",
    playbook="lessons",
    file="handbook.zh.md",
    title="音乐学校手册",
    sections=(
        Section(heading="取消课程", paragraphs=("课程须至少提前二十四小时取消，逾期照常收费。",)),
        Section(heading="租用乐器", paragraphs=("乐器按学期租用，小提琴每学期 30 欧元。",)),
        Section(heading="补课", paragraphs=("因老师生病停课的，当学期内补课。",)),
    ),
)
INDEX = SectionIndex((SCHOOL, SCHULE_ZH))


def section(text: str, index: SectionIndex = INDEX) -> str | None:
    found = index.find(look_at(text, NO_ENTITIES, TODAY))
    return str(found[0].arguments["section"]) if found else None


@table(
    ("text", "heading"),
    [
        ("How do I cancel a lesson?", "Cancelling a lesson"),
        ("How many hours before is a lesson cancelled?", "Cancelling a lesson"),
        ("What does it cost to rent a cello?", "Renting an instrument"),
        ("应该怎么取消课程", "取消课程"),
        ("What does renting a violin cost?", "Renting an instrument"),
        ("can I rent an instrument for 30 EUR?", "Renting an instrument"),
        ("show me how fees are paid", "Paying fees"),
        ("怎么取消课程？", "取消课程"),
        ("租用小提琴要多少欧元", "租用乐器"),
        ("老师生病了怎么补课？", "补课"),
    ],
)
def test_the_section_that_has_every_word_answers(text: str, heading: str | None) -> None:
    assert section(text) == heading


@table(
    "text",
    [
        "How do I cancel a lesson with Mr Brown?",
        "What does renting a piano cost?",
        "can I rent an instrument for 25 EUR?",
        "was my lesson cancelled?",
        "When is it paid?",
        "When is this lesson?",
        "Has she paid the fees?",
        "What are the fees for lessons tomorrow?",
        "I cancel the lesson.",
        "don't show how to cancel a lesson",
        "If fees are paid, what does renting a violin cost?",
        "cancel a lesson",
        "What do violins and cellos cost?",  # of which section?
        "怎么取消钢琴课程？",
        "他取消课程了吗",
        "取消课程",
        "租用乐器要谁批准？",
        "",
        "?",
    ],
)
def test_what_leaves_a_word_unexplained_or_is_no_general_question_is_not(text: str) -> None:
    assert section(text) is None


def test_two_sections_that_fit_alike_answer_nothing() -> None:
    twice = SCHOOL.model_copy(update={"file": "copy.md"})
    assert section("How do I cancel a lesson?", SectionIndex((SCHOOL, twice))) is None


def test_each_project_has_its_own() -> None:
    other = SCHOOL.model_copy(update={"project": "CHOIR"})
    index = index_sections((SCHULE_ZH, other))
    for project, heading in (("SCHOOL", None), ("CHOIR", "Cancelling a lesson")):
        own = index.among(lambda _, named, project=project: named == project)
        assert section("How do I cancel a lesson?", own) == heading


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("list the fees for lessons", "Fees"),
        ("When is the waiting list closed?", None),
        ("Who may waive fees by a background check?", None),
    ],
)
def test_what_may_be_bidden_is_a_word_of_its_own_behind_another(
    text: str, heading: str | None
) -> None:
    fees = Section(
        heading="Fees",
        paragraphs=("The waiting room is closed at 8. Who may waive fees for lessons? Nobody.",),
    )
    other = Section(heading="Waiting", paragraphs=("Rooms are closed by background noise.",))
    index = SectionIndex((SCHOOL.model_copy(update={"sections": (fees, other)}),))
    assert section(text, index) == heading


ALARM = Document(
    project="HOUSE",
    playbook="house",
    file="alarm.md",
    title="Alarm",
    sections=(
        Section(
            heading="Emergencies",
            paragraphs=("Gas leak: close the valve, open a window and call 119 from outside.",),
        ),
        Section(heading="Leaks of water", paragraphs=("The desk sends a plumber.",)),
        Section(
            heading="紧急联系办法",
            paragraphs=("燃气泄漏先关阀开窗，到室外再打 119。困在电梯里请按红色按钮。",),
        ),
        Section(heading="办证", paragraphs=("办理租客证请带合同。",)),
    ),
)


@table(
    ("text", "heading"),
    [
        ("what do we do when gas leaks?", "Emergencies"),
        ("if there is a gas leak, what should I do?", "Emergencies"),
        ("What to do in case of a gas leak", "Emergencies"),
        ("what do we do when the roof leaks?", None),
        ("if gas leaks, who pays?", None),
        ("燃气漏了怎么办", "紧急联系办法"),
        ("万一燃气泄漏怎么办？", "紧急联系办法"),
        ("如果被困在电梯里了的话怎么办", None),
        ("燃气没了怎么办", None),
        ("屋顶漏了怎么办", None),
    ],
)
def test_who_asks_what_to_do_in_a_case_is_told_what_is_written_of_it(
    text: str, heading: str | None
) -> None:
    assert section(text, SectionIndex((ALARM,))) == heading
