"""What people may see of an answer that is still being written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.react.growth import PREAMBLE_CHARS, AnswerGrowth, marked_answer
from engine.react.prompts import RUN_LETTERS, letters_of, recites_prompt, recites_run, system_prompt
from tests.fakes.tables import table

TEXT = "The weight of P003 went down from visit to visit, and a monitor should look at it. " * 4
OWN = [line for line in system_prompt("en").splitlines() if len(letters_of(line)) >= 40]


def shown(text: str, *, step: int = 3, before: str = "") -> list[str]:
    """Everything that was shown of a text that came in pieces."""
    told: list[str] = []

    def show(so_far: str) -> bool:
        told.append(so_far)
        return True

    growth = AnswerGrowth(show)
    growth.begin(before)
    for at in range(0, len(text), step):
        growth.hear(text[at : at + step])
    return told


def test_a_marked_answer_grows_and_its_end_is_held_back() -> None:
    told = shown(f"<answer>\n{TEXT}")
    assert all(TEXT.startswith(so_far) for so_far in told)
    assert told == sorted(told, key=len)
    left = TEXT.strip().removeprefix(told[-1])
    assert RUN_LETTERS <= len(letters_of(left)) < RUN_LETTERS + 20


@pytest.mark.parametrize("text", [TEXT, f"Use <answer> so: {TEXT}", f"&lt;answer>\n{TEXT}"])
def test_a_text_without_a_mark_grows_too(text: str) -> None:
    told = shown(text)
    assert all(text.startswith(so_far) for so_far in told)
    assert len(told[0]) > PREAMBLE_CHARS
    assert len(text) - len(told[-1]) < 2 * RUN_LETTERS


@pytest.mark.parametrize(
    "text",
    [
        "Let me look at the records of P003 and its visits first, before I say more about it.",
        f"<think>{TEXT}",
        f" \n<Thinking>\n{TEXT}\n{TEXT}",
    ],
)
def test_what_may_lead_to_a_call_and_what_is_thought_are_shown_to_nobody(text: str) -> None:
    assert shown(text) == []


@pytest.mark.parametrize("closes", ["</think>", "</think>\n\n<answer>\n"])
def test_what_follows_a_thought_grows(closes: str) -> None:
    text = f"<think>hm, {TEXT}{closes}{TEXT}"
    told = shown(text)
    assert told
    assert all(TEXT.startswith(so_far) for so_far in told)
    assert marked_answer(text) == TEXT.strip()


@pytest.mark.parametrize("mark", ["", "<answer>\n"])
def test_what_turns_out_to_be_a_thought_is_taken_back_at_once(mark: str) -> None:
    thoughts = "I wonder about P003 and what its visits say. " * 8
    told = shown(f"{mark}{thoughts}</think>\nShort.")
    assert thoughts.startswith(told[0])
    assert told[-1] == "", "before there is any answer to show"
    told = shown(f"{mark}{thoughts}</think>\n{TEXT}")
    after = told[told.index("") + 1 :]
    assert after
    assert all(TEXT.startswith(so_far) for so_far in after)


def test_a_mark_within_thoughts_is_none() -> None:
    growth = AnswerGrowth(lambda so_far: True)
    for piece in (f"<answer>\n{TEXT}", "</think>\nI look it up."):
        growth.hear(piece)
    assert not growth.has_shown, "a tool may still be called"


def test_what_was_said_before_the_mark_is_left_out() -> None:
    text = f"I look again.\n<answer>\n{TEXT}\n</answer>"
    assert "look again" not in "".join(shown(text))
    assert marked_answer(text) == TEXT.strip()


def test_an_answer_in_pieces_goes_on_where_it_stopped() -> None:
    told = shown(TEXT, before=f"<answer>{TEXT}")
    assert told[0].startswith(TEXT[:200])
    assert told[-1].startswith(TEXT + TEXT[:100])


@table(
    ("text", "answer"),
    [
        ("<answer>\nyes\n</answer>", "yes"),
        ("<Answer>yes</ANSWER>\n", "yes"),
        ("yes", "yes"),
        ("Use `a <answer> b` there.", "Use `a <answer> b` there."),
        ("<answer>\n</answer>", ""),
        ("<answer>\nThe tag </answer> ends it.", "The tag </answer> ends it."),
    ],
)
def test_the_answer_is_what_was_marked_or_the_whole(text: str, answer: str) -> None:
    assert marked_answer(text) == answer


def test_a_name_or_key_is_shown_when_it_is_written_to_its_end() -> None:
    key = "xoxb-" + "1234567890" * 8
    told = shown(f"<answer>\n{TEXT}{key} {TEXT}")
    assert all(key in so_far or "xoxb" not in so_far for so_far in told)
    assert key in told[-1]


@given(
    line=st.sampled_from(OWN),
    at=st.integers(0, len(TEXT)),
    step=st.integers(1, 60),
    skipped=st.integers(0, 15),
)
def test_nothing_is_shown_of_a_recital_and_nothing_after_it(
    line: str, at: int, step: int, skipped: int
) -> None:
    answer = f"{TEXT[:at]}\n{line[skipped:]}\n{TEXT}"
    told = shown(f"<answer>\n{answer}", step=step)
    for so_far in told:
        assert not recites_run(letters_of(so_far))
        assert not recites_prompt(so_far)
        assert len(so_far) <= at + 1
