"""What is taken out of traces."""

import pytest

from bot.masking import DEFAULT_MASK, MASK, masking
from engine.turn.traces import masked


@pytest.mark.parametrize(
    "private",
    [
        "lin.yue+study@example.com",
        "11010519491231002X",
        "13800138000",
        "+86 138-0013-8000",
        "+44 20 7946 0018",
    ],
)
def test_personal_data_is_masked_wherever_it_stands(private: str) -> None:
    body = {"text": f"请联系{private}。", "steps": [{"observation": f"[{private}]"}], "part": 1}
    found = masked(body, masking(DEFAULT_MASK))
    assert private not in str(found)
    assert found["text"] == f"请联系{MASK}。"
    assert found["part"] == 1


@pytest.mark.parametrize(
    "plain", ["P003 的 ECOG 是 1", "2026-11-21", "120/80", "A3F9-22", "62.4 kg"]
)
def test_what_is_no_personal_data_stays(plain: str) -> None:
    assert masking(DEFAULT_MASK)(plain) == plain


def test_patterns_of_the_settings_replace_the_own_ones() -> None:
    mask = masking((r"MRN[0-9]+",))
    assert mask("MRN123 a@example.com") == f"{MASK} a@example.com"
    assert masking(())("13800138000") == "13800138000"
