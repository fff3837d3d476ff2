"""What a model is told before it is asked for anything in a turn (design §13)."""

from collections.abc import Sequence

from cards.model import Card
from cards.moments import READERS_OWN
from engine.frames.replies import ReplyHead
from engine.frames.shared_files import kept_names
from engine.services import Services
from engine.talk.mine.cases import CasesHere, known_to_model
from engine.talk.mine.decisions import decisions_here
from engine.talk.turn.session import Session, speaker_name
from engine.understanding.briefing import Briefing


def zone_of(head: ReplyHead, services: Services) -> str:
    """The time zone (IANA) in which a model is told of moments to this person."""
    zone = head.principal.zone
    return services.zone if zone in ("", READERS_OWN) else zone


async def make_briefing(
    head: ReplyHead,
    session: Session,
    services: Services,
    *,
    here: CasesHere,
    cards: Sequence[Card],
) -> Briefing:
    """Who writes, when, after what, and what is known here and still open."""
    zone = zone_of(head, services)
    files = [name for case in here.cases for name in case.document.files]
    came = kept_names(head.files)
    return Briefing(
        today=services.today,
        zone=zone,
        person=speaker_name(head.principal),
        known=known_to_model(here, head.lang),
        decisions=await decisions_here(head, services, here),
        files=(
            *dict.fromkeys(name for name in files if name not in came),
            *(f"{name} (came with this message)" for name in came),
        ),
        conversation=session.prompt_lines(zone),
        cards=cards,
    )
