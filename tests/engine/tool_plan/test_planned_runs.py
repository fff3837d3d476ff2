"""A model's plan in a run: steps, cards, approvals, failures; every step persisted (spec 004)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest

from cards.model import Lang
from engine.errors import ModelUnavailable
from engine.ports.library import Library
from engine.ports.records import Visit
from tests.fakes.desk import desk
from tests.fakes.memos import Memos
from tests.fakes.scripted_model import Line, ScriptedModel
from tests.fakes.walk import CHEN, LIN, Study, Walk, crashing, new_run

ASK = "Look up the ECOG of P003, then remember the conclusion"
READ = {"type": "tool", "name": "read_clinical_data", "arguments": {"subject_id": "P003"}}
NOTE = {
    "type": "tool",
    "name": "memory__remember",
    "arguments": {"text": "P003 had ECOG $steps.1.visit.ecog."},
}
REPLY = {"type": "reply", "text": "ECOG is $steps.1.visit.ecog, and it is remembered."}


@dataclass
class Answers:
    """A model that answers the n-th time it is asked with the n-th line, whatever the dialogue."""

    lines: Sequence[Line]
    asked: list[str] = field(default_factory=list)

    async def complete(self, messages: Any, **options: Any) -> Any:
        """The next line."""
        line = self.lines[min(len(self.asked), len(self.lines) - 1)]
        self.asked.append("\n".join(message.content for message in messages))
        return await ScriptedModel([line]).complete(messages[:1], **options)


def study() -> Study:
    return Study({"P003": [Visit(subject_id="P003", visit_date=date(2026, 11, 1), ecog=1)]})


def walk(*lines: Line, changes: tuple[tuple[str, str], ...] = (), lang: Lang = "en") -> Walk:
    playbook = desk(*changes)
    run = new_run(playbook, message=ASK, lang=lang)
    return Walk(playbook, run, Answers(lines), records=study(), library=Library(memory=Memos()))


def memos(found: Walk) -> list[str]:
    assert isinstance(found.library.memory, Memos)
    return found.library.memory.texts


async def test_a_plan_reads_asks_for_approval_of_the_exact_write_writes_and_tells() -> None:
    found = await walk([READ, NOTE, REPLY]).start()
    card = found.card
    assert card.kind == "confirm"
    assert card.review.roles == ("reviewer",)
    assert card.review.four_eyes
    assert "P003 had ECOG 1." in card.text
    assert memos(found) == []
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["P003 had ECOG 1."]
    assert found.run.status == "completed"
    assert "ECOG is 1, and it is remembered." in found.run.part.text
    assert found.run.state.written == ("memory__remember",)


async def test_it_is_the_same_when_every_step_is_first_done_in_vain() -> None:
    found = await crashing(walk([READ, NOTE, REPLY])).start()
    await found.answer("approve", by=CHEN)
    assert memos(found) == ["P003 had ECOG 1."]
    assert found.run.status == "completed"
