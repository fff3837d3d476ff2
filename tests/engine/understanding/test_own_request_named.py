"""A question that names a request in other order than its name is about that one."""

import pytest

from engine.understanding.own_work.facts import CaseFact
from engine.understanding.own_work.fitting import best_fits

FACTS = (
    CaseFact("request", "发通知：已完成", ("发通知",), ("已完成",), owner="R1", end="done"),
    CaseFact("value", "类别：停水", ("类别",), ("停水",), path="kind", owner="R1"),
    CaseFact("value", "哪几栋：3栋和5栋", ("哪几栋",), ("3栋和5栋",), path="where", owner="R1"),
)


@pytest.mark.parametrize(
    ("text", "is_sure"),
    [("通知发了吗？", True), ("发通知了吗", True), ("通知贴了吗", False), ("通知收到了吗", False)],
)
def test_the_words_of_a_name_in_other_order_name_it(text: str, is_sure: bool) -> None:
    fits = best_fits(text, FACTS)
    assert fits.fits[0].fact is FACTS[0]
    assert fits.is_sure == is_sure
