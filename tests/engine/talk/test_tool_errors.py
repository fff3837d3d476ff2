from datetime import UTC, datetime

import pytest

from cards.model import Lang, Principal
from engine.errors import ToolFailed, ToolRetry
from engine.frames.intents import Intent, Lookup
from engine.frames.replies import ReplyHead
from engine.services import Services
from engine.talk.turn.answers import answer_at_once
from tests.fakes.services import services_of
from tests.fakes.study import sample_study


def test_failure_is_told_in_both_languages_and_to_the_model_in_english() -> None:
    failed = ToolFailed("connection.away", name="study")
    assert failed.text("zh") == "目前连不上 study。"
    assert failed.text("en") == "study cannot be reached at the moment."
    assert str(failed) == failed.text("en")


def test_failure_without_a_sentence_cannot_be_raised() -> None:
    with pytest.raises(KeyError):
        ToolFailed("connection.no_such_sentence")


def test_hint_is_for_the_model_and_not_for_people() -> None:
    retry = ToolRetry("Wrong arguments when. when: Extra inputs are not permitted")
    assert str(retry).startswith("Wrong arguments when.")
    assert retry.text("zh") == "没能理解给出的条件或数值，请换一种写法。"
    assert "argument" not in retry.text("en")


@pytest.fixture
async def services() -> Services:
    """A turn's services whose study database is closed."""
    records = sample_study()
    await records.close()
    return services_of(records=records, tools=records.reading)


def head(lang: Lang) -> ReplyHead:
    asker = Principal(id="lin", name="Lin")
    at = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
    return ReplyHead(id="r", conversation="web:w:c", lang=lang, principal=asker, text="?", at=at)


@pytest.mark.parametrize(
    ("lang", "arguments", "told"),
    [
        ("zh", {"subject_id": "P003"}, "不再访问 study：服务即将结束。"),
        ("en", {"subject_id": "P003"}, "study is not asked any more: the service is about to end."),
        ("zh", {"subject_id": 3}, "没能理解给出的条件或数值，请换一种写法。"),
        ("en", {}, "What was given could not be understood; please put it another way."),
    ],
)
async def test_look_up_that_fails_says_so_in_the_persons_language(
    lang: Lang, arguments: dict[str, str], told: str, services: Services
) -> None:
    lookup = Lookup(tool="read_clinical_data", arguments=arguments)
    intent = Intent(kind="qa_query", text="?", lookup=lookup)
    assert await answer_at_once(intent, head(lang), services) == ("failed", told)
