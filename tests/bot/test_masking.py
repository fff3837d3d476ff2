"""What is taken out of traces."""

import pytest

from bot.masking import MASK, compile_mask
from engine.talk.turn.traces import mask_texts


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
    found = mask_texts(body, compile_mask(None))
    assert private not in str(found)
    assert found["text"] == f"请联系{MASK}。"
    assert found["part"] == 1


@pytest.mark.parametrize(
    "plain", ["P003 的 ECOG 是 1", "2026-11-21", "120/80", "A3F9-22", "62.4 kg"]
)
def test_what_is_no_personal_data_stays(plain: str) -> None:
    assert compile_mask(None)(plain) == plain


def test_patterns_of_the_settings_replace_the_own_ones() -> None:
    mask = compile_mask((r"MRN[0-9]+",))
    assert mask("MRN123 a@example.com") == f"{MASK} a@example.com"
    assert compile_mask(())("13800138000") == "13800138000"


def test_a_pattern_of_the_settings_leaves_half_characters_as_they_are() -> None:
    assert compile_mask((r"MRN[0-9]+",))("患者 MRN1 \ud83d") == f"患者 {MASK} \ud83d"


@pytest.mark.parametrize("private", ["a" * 80 + "@example.com", "._%@example.com"])
def test_an_address_is_masked_whole_however_it_begins(private: str) -> None:
    assert "@" not in compile_mask(None)(private)
    assert compile_mask(None)(f"请联系{private}。").startswith(f"请联系{MASK}")
