"""Small talk and politeness, also where somebody says nothing else for a long time."""

import pytest

from engine.understanding.learned.politeness import strip_politeness
from engine.understanding.router.spoken import _STATUS, _WITHDRAW
from engine.understanding.smalltalk import is_smalltalk
from tests.fakes.tables import table


@table(
    "text", ["辛苦了", "辛苦了" * 40, "谢谢你好" * 40, "ok thanks a lot!", "早上好,谢谢啦~", "好了"]
)
def test_talk_is_talk_however_much_of_it_there_is(text: str) -> None:
    assert is_smalltalk(text)


@table(
    "text",
    [
        "",
        "辛苦了" * 40 + "x",
        "谢谢你好" * 40 + "查",
        "thanksgiving",
        "好了解",
        "hi " * 60 + "P001",
    ],
)
def test_talk_with_something_else_in_it_is_none(text: str) -> None:
    assert not is_smalltalk(text)


@table(
    ("said", "left"),
    [
        ("查一下血压好吗?", "查一下血压"),
        ("录入访视, thanks, please", "录入访视"),
        ("can you show labs ? ", "show labs"),
        ("麻烦请假三天", "请假三天"),
        ("我想请购两台泵", "请购两台泵"),
        ("请购买两台泵", "购买两台泵"),
        ("请领导看一下", "领导看一下"),
        ("呀啊" * 2000 + "查", "呀啊" * 2000 + "查"),
    ],
)
def test_politeness_is_taken_off_at_both_ends(said: str, left: str) -> None:
    assert strip_politeness(said)[0] == left


@pytest.mark.parametrize("said", ["算了吧", "never mind, thanks", "我想撤回 这个", "不要,不要了"])
def test_a_withdrawal_is_one_with_small_words_behind_it(said: str) -> None:
    assert _WITHDRAW.fullmatch(said)


@pytest.mark.parametrize("said", ["审批到哪一步了?", "what's the status of my review", "批准了吗"])
def test_a_question_after_a_review_is_one(said: str) -> None:
    assert _STATUS.fullmatch(said)
