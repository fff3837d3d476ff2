"""What a card offers: only what there is when it is asked."""

from engine.frames.intents import Candidate, Intent
from engine.talk.turn.choice_cards import without_unavailable

KEPT = Candidate(kind="workflow", playbook="visits", request="enter")
GONE = Candidate(kind="workflow", playbook="withdrawn", request="enter")
QUESTION = Candidate(kind="qa_query")


def test_a_playbook_that_was_withdrawn_is_no_longer_offered() -> None:
    intent = Intent(kind="unclear", text="P003", candidates=(GONE, KEPT, QUESTION))
    assert without_unavailable(intent, {"visits"}).candidates == (KEPT, QUESTION)
    assert without_unavailable(intent, {"visits", "withdrawn"}) == intent
