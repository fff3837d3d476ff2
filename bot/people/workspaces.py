"""Slack workspaces that install the app themselves are tenants isolated from each other.

What belongs to a conversation is visible to the people of its workspace: those with an account in
it. Who has accounts in two is one person, who acts in each of them on what belongs there.
"""

from collections.abc import Iterable

from cards.model import Principal


def workspace_of(conversation: str) -> str:
    """The Slack workspace of a conversation, or of an account; "" for those of other platforms."""
    platform, _, rest = conversation.partition(":")
    return rest.partition(":")[0] if platform == "slack" else ""


def is_outside(principal: Principal, workspace: str, people: Iterable[str]) -> bool:
    """Whether somebody acts from outside of the workspace, of which `people` are the ids.

    In Slack the workspace counts in which they act; elsewhere, whether they are one of its people.
    """
    account = principal.at or (principal.id if principal.id.startswith("slack:") else "")
    if account:
        return workspace_of(account) != workspace
    return principal.id not in people


def outsider(principal: Principal) -> Principal:
    """The same person under an id that nobody has, without roles or accounts."""
    name = f"outside:{principal.at or principal.id}"
    return Principal(id=name, name=principal.name, lang=principal.lang, zone=principal.zone)
