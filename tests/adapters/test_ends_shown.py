"""No platform shows as done what was rejected, refused, withdrawn, cut short or cancelled."""

import json
from pathlib import Path
from typing import get_args

from adapters.slack.outbound.blocks import message
from adapters.telegram.outbound.render import render as for_telegram
from adapters.webchat.render import render_message as for_page
from cards.showing.view import NOT_DONE, MessageView, PartState, PartView
from engine.playbooks.end_kinds import RunEnd
from tests.fakes.tables import table

STATIC = Path(__file__).parents[2] / "adapters" / "webchat" / "static"


def test_a_part_has_a_state_for_every_end() -> None:
    assert set(get_args(RunEnd)) - {"done"} == NOT_DONE


@table("state", sorted(NOT_DONE))
def test_what_was_not_done_is_never_shown_as_done(state: PartState) -> None:
    part = PartView(number=1, state=state, label="expense", text="“Expense”: as it ended")
    view = MessageView(lang="en", parts=(part,))
    for shown in (json.dumps(message(view), ensure_ascii=False), str(for_telegram(view))):
        assert "as it ended" in shown
        assert "✅" not in shown
    assert for_page(view)["parts"][0]["state"] == state


@table("state", sorted(get_args(PartState)))
def test_the_page_has_a_word_for_every_state_in_both_languages(state: str) -> None:
    scripts = [path.read_text("utf-8") for path in STATIC.glob("texts.*.js")]
    blocks = [script.partition("states: {")[2] for script in scripts]
    assert len(blocks) == 2
    assert all(f'{state}: "' in block.partition("}")[0] for block in blocks)
