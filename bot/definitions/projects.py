"""Which project a conversation belongs to (design §6)."""

from collections.abc import Callable, Iterable

from bot.people.workspaces import workspace_of
from engine.playbooks.model import Playbook


def shared_project(playbooks: Iterable[Playbook]) -> str:
    """The project of all of the playbooks; "" where they have several."""
    projects = {playbook.definition.project for playbook in playbooks}
    return projects.pop() if len(projects) == 1 else ""


def project_finder(
    pairs: Iterable[tuple[str, str]], default: Callable[[], str], *, isolated: bool = False
) -> Callable[[str], str]:
    """A function from a conversation to its project; the longest matching prefix of its id counts.

    A prefix ends where the id does or at a colon of it: `slack:T1:C2` has the threads of that
    channel, and not the channel `slack:T1:C22`. Where Slack's workspaces are `isolated`, one that
    no pair names has a project of its own (`slack-T1`), and not what `default` gives.
    """
    projects = dict(pairs)

    def project(conversation: str) -> str:
        prefix = conversation
        while prefix:
            if prefix in projects:
                return projects[prefix]
            prefix = prefix.rpartition(":")[0]
        team = workspace_of(conversation) if isolated else ""
        return f"slack-{team}" if team else default()

    return project
