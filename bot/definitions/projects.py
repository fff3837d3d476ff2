"""Which project a conversation belongs to (design §6)."""

from collections.abc import Callable, Iterable

from bot.definitions.loader import try_load_playbooks
from bot.people.workspaces import workspace_of
from bot.project import find_project_file
from bot.settings import Settings
from engine.playbooks.model import Playbook
from engine.toolbox.toolbox import Toolbox
from engine.yaml.source import Problems


def shared_project(playbooks: Iterable[Playbook]) -> str:
    """The project of all of the playbooks; "" where they have several."""
    projects = {playbook.definition.project for playbook in playbooks}
    return projects.pop() if len(projects) == 1 else ""


def unnamed_project(settings: Settings, playbooks: Iterable[Playbook]) -> str:
    """That conversations have no project, where several could be meant; "" where all is well."""
    projects = sorted({playbook.definition.project for playbook in playbooks})
    if settings.project or len(projects) < 2:
        return ""
    file = find_project_file(settings.playbooks)
    place = f"{file}:1: project" if file else "SIGNOFF_PROJECT"
    return (
        f"{place}: names none, and the playbooks are of several ({', '.join(projects)}): a"
        " conversation that SIGNOFF_PROJECTS does not name has no project, so it keeps no files,"
        " remembers nothing and searches no documents; name one"
    )


def find_playbooks(settings: Settings) -> list[Playbook]:
    """The playbooks of the folder that can be read, whoever the people and connections are."""
    found = try_load_playbooks(
        settings.playbooks,
        None,
        Problems(),
        prefix="",
        toolbox=Toolbox(are_known=False),
        languages=settings.languages,
        skills=settings.skills,
    )
    return list(found.values())


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
