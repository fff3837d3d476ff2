"""Parts that Slack's payloads have in common."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints

from engine.errors import BadPayload
from engine.events import Actor

ACTION_PREFIX = "signoff:"
FORM_CALLBACK = "signoff"
EMPTIED = ":none"
"""The end of a block's id whose tick empties the field before it."""

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]+$")]
Ts = Annotated[str, StringConstraints(pattern=r"^[0-9]+\.[0-9]+$")]


class PayloadPart(BaseModel):
    """A part of a payload; what we do not read may be anything."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class NamedObject(PayloadPart):
    """A workspace or channel."""

    id: Id


class SlackUser(PayloadPart):
    """Who acted, as interactive payloads name them."""

    id: Id
    name: str = ""
    username: str = ""
    team_id: Id | None = None


class FormOrigin(PayloadPart):
    """What a form carries to find its way back: the button's data and the conversation.

    `standing` are values of its fields that no chooser of Slack's can show.
    """

    button: str
    conversation: str
    standing: dict[str, str] = {}


def actor_of(team: NamedObject | None, user: SlackUser) -> Actor:
    """The person as an actor; raises BadPayload when no workspace is named."""
    workspace = team.id if team else user.team_id
    if workspace is None:
        raise BadPayload("not a Slack payload: team")
    return Actor(
        platform="slack",
        workspace=workspace,
        user=user.id,
        name=user.name or user.username,
        guest=user.team_id not in (None, workspace),
    )


def workspace_of(payload: Mapping[str, Any]) -> str:
    """The workspace that a payload of any kind came from, "" when it names none."""
    team = payload.get("team")
    named = team.get("id") if isinstance(team, Mapping) else None
    return str(payload.get("team_id") or named or "")
