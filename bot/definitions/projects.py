"""Which project a conversation belongs to (design §6)."""

from collections.abc import Callable, Iterable

from bot.people.workspaces import workspace_of


def by_conversation(
    pairs: Iterable[tuple[str, str]], default: str, *, apart: bool = False
) -> Callable[[str], str]:
    """From a conversation to its project; of the pairs, the longest beginning of its id counts.

    A beginning ends where the id does or at a colon of it: `slack:T1:C2` has the threads of that
    channel, and not the channel `slack:T1:C22`. Where Slack's workspaces are `apart`, one of which
    no pair speaks has a project of its own (`slack-T1`), and not the `default`.
    """
    projects = dict(pairs)

    def project(conversation: str) -> str:
        beginning = conversation
        while beginning:
            if beginning in projects:
                return projects[beginning]
            beginning = beginning.rpartition(":")[0]
        team = workspace_of(conversation) if apart else ""
        return f"slack-{team}" if team else default

    return project
