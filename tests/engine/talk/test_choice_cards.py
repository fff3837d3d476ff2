"""What a card offers: only what there is when it is asked."""

from datetime import UTC, datetime

from cards.model import Principal
from engine.frames.intents import Candidate, Intent
from engine.frames.replies import Part, ReplyHead
from engine.services import Services
from engine.talk.turn.choice_cards import new_choice_card, with_others, without_unavailable
from tests.fakes.desk import desk
from tests.fakes.services import services_of

KEPT = Candidate(kind="workflow", playbook="visits", request="enter")
GONE = Candidate(kind="workflow", playbook="withdrawn", request="enter")
QUESTION = Candidate(kind="qa_query")


def test_a_playbook_that_was_withdrawn_is_no_longer_offered() -> None:
    intent = Intent(kind="unclear", text="P003", candidates=(GONE, KEPT, QUESTION))
    assert without_unavailable(intent, {"visits"}).candidates == (KEPT, QUESTION)
    assert without_unavailable(intent, {"visits", "withdrawn"}) == intent


DESK = tuple(
    Candidate(kind="workflow", playbook="desk", request=each.id)
    for each in desk().definition.requests
    if not each.not_yet
)


def offered(intent: Intent, services: Services) -> list[str]:
    """The ids of the choices on a card for it."""
    asker = Principal(id="lin", name="Lin")
    at = datetime(2026, 11, 29, tzinfo=UTC)
    head = ReplyHead(
        id="r", conversation="web:w:c", lang="en", principal=asker, text=intent.text, at=at
    )
    part = Part(index=0, intent=intent, state="working", text="")
    return [choice.id for choice in new_choice_card(part, head, services).choices]


def test_what_a_card_had_no_place_for_stands_on_the_next_and_nothing_twice() -> None:
    services = services_of(playbooks={"desk": desk()})
    questions = tuple(Candidate(kind="qa_query", name=name) for name in ("a", "b", "c"))
    first = Intent(kind="unclear", text="desk", candidates=(*questions, *DESK))
    assert offered(first, services) == ["1", "2", "3", "more", "none"]
    further = with_others(first, DESK, services)
    assert further.candidates == (*questions, *DESK)
    assert offered(further, services) == [*map(str, range(4, 4 + len(DESK))), "none"]


def test_a_further_card_offers_nothing_that_is_barred() -> None:
    barred = f"desk/{DESK[0].request}"
    services = services_of(
        playbooks={"desk": desk()}, barred={barred: desk().definition.requests[0]}
    )
    further = with_others(Intent(kind="unclear", text="desk"), DESK, services)
    assert further.candidates == (QUESTION, *DESK[1:])
