"""What is written in traditional Chinese means what it means in simplified Chinese."""

import json
import os
from importlib.resources import files
from typing import Any

import pytest

from engine.text.entities import is_traditional, simplified
from tests.bench.router import blind

_LETTERS = files("engine.text").joinpath("traditional.txt").read_text("utf-8").splitlines()
TO_TRADITIONAL = {ord(one): other for other, one in reversed([*zip(*_LETTERS, strict=True)])}
"""A letter of traditional Chinese for each simplified one that has any."""


def _lines(name: str) -> list[dict[str, Any]]:
    texts = (blind.HERE / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in texts]


def _told(line: dict[str, Any]) -> str:
    """What is told of a message, in simplified Chinese, without what it was like."""
    intents = [{k: v for k, v in each.items() if k != "why"} for each in line["intents"]]
    return simplified(json.dumps(intents, ensure_ascii=False))


async def _assert_same(domain: str, texts: list[str]) -> None:
    os.environ.setdefault("EXPENSES_TOKEN", "none")
    folder = blind.FOLDERS[domain]
    written = await blind.routed(texts, folder)
    plain = await blind.routed([simplified(text) for text in texts], folder)
    for text, one, other in zip(texts, written, plain, strict=True):
        assert _told(one) == _told(other), text


@pytest.mark.parametrize("domain", ["clinical", "law", "expenses", "leave"])
async def test_messages_by_people_who_write_it(domain: str) -> None:
    lines = [line for name in ("solstice", "first_frost") for line in _lines(name)]
    texts = [line["text"] for line in lines if line["domain"] == domain]
    written = [text for text in texts if is_traditional(text)]
    assert written
    await _assert_same(domain, written)


@pytest.mark.parametrize("domain", ["clinical", "law", "expenses", "leave"])
async def test_other_messages_written_so(domain: str) -> None:
    lines = [*_lines("november"), *_lines("year_end")]
    texts = [line["text"].translate(TO_TRADITIONAL) for line in lines if line["domain"] == domain]
    written = [text for text in texts if is_traditional(text)]
    assert len(written) >= 10
    await _assert_same(domain, written)
