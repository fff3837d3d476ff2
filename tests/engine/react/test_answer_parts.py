"""One text of a model that answers several parts."""

import pytest

from engine.react.answer_parts import number_answer, split_answer


@pytest.mark.parametrize(
    ("text", "numbers", "parts"),
    [
        ("[2]\nNo.\n[3]\nYes, [1] says.", (2, 3), {2: "No.", 3: "Yes, [1] says."}),
        ("**[2]** No.\n\n## [3]: Yes.", (2, 3), {2: "No.", 3: "Yes."}),
        ("Both: no.", (1, 2), {1: "Both: no."}),
        ("First.\n[2] Then.", (1, 2), {1: "First.", 2: "Then."}),
        ("[1] a\n[2] b\n[1] c", (1, 2), {1: "a", 2: "b\n[1] c"}),
        ("[1] is the source.\n[2] too", (1,), {1: "[1] is the source.\n[2] too"}),
        ("", (1, 2), {}),
    ],
)
def test_each_part_has_what_stands_below_its_mark(
    text: str, numbers: tuple[int, ...], parts: dict[int, str]
) -> None:
    assert split_answer(text, numbers) == parts


def test_people_read_numbers_for_marks_while_it_grows() -> None:
    assert number_answer("[2] No.\n[3] Ye", (2, 3)) == "**2.** No.\n**3.** Ye"
    assert number_answer("[1] says so", (1,)) == "[1] says so"
