import unicodedata

from cards.model import Lang
from engine.text.language import detect_language
from tests.fakes.tables import table


@table(
    ("text", "fallback", "lang"),
    [
        ("查一下 ECOG", "en", "zh"),
        ("ECOG 1", "zh", "en"),
        ("Привет", "zh", "en"),
        ("1, 70.5, 120/80", "zh", "zh"),
        ("1, 70.5, 120/80", "en", "en"),
        ("👍", "zh", "zh"),
        ("??", "zh", "zh"),
        ("", "en", "en"),
    ],
)
def test_a_text_without_letters_takes_the_language_of_before(
    text: str, fallback: Lang, lang: Lang
) -> None:
    assert detect_language(text, fallback) == lang


def test_whatever_unicode_names_a_unified_ideograph_is_chinese() -> None:
    blocks = (range(0x2E00, 0xA000), range(0xF900, 0xFB00), range(0x1F100, 0x1F300))
    edges = (range(0x1FFF0, 0x20010), range(0x2F7F0, 0x2F810), range(0x30000, 0x30010))
    letters = [chr(code) for each in (*blocks, *edges) for code in each]
    named = {letter: name for letter in letters if (name := unicodedata.name(letter, ""))}
    found = {letter for letter in named if detect_language(letter) == "zh"}
    assert found == {letter for letter, name in named.items() if "CJK UNIFIED" in name}
