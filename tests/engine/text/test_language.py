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
