"""What comes of handling a mail, and of one that cannot be handled."""

from dataclasses import dataclass

import structlog

from engine.mail import GIVEN_UP
from engine.ports.storage.store import AsideWrite, Claim, Effects

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class HandlerResult:
    """The effects of a mail, and mail (or "") that goes before all other in its lane.

    With `park` the mail stays, and its lane rests until new mail or an operator wakes it.
    """

    effects: Effects
    front: str = ""
    park: bool = False


def set_aside(claim: Claim) -> HandlerResult:
    """The effects of a mail that could not even be given up: only an operator sees it."""
    if claim.lane.startswith("run:"):
        return HandlerResult(Effects(), park=True)
    return HandlerResult(Effects(aside=(AsideWrite(claim.lane, claim.mail, GIVEN_UP),)))


def unreadable_mail(claim: Claim) -> HandlerResult:
    """The effects of a mail that nothing here can read: it is set aside for an operator."""
    log.error("unreadable_mail", lane=claim.lane)
    aside = AsideWrite(claim.lane, claim.mail, "no version of us that runs here can read it")
    return HandlerResult(Effects(aside=(aside,)))
