"""Which project a conversation belongs to, and what serves it (design §6)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from cards.model import Lang
from engine.ports.projects import Project


def no_tenant(conversation: str) -> str:
    """No workspace is a tenant of its own."""
    return ""


@dataclass(frozen=True, slots=True)
class ProjectBook:
    """The projects of a moment, and whose each conversation is.

    `projects` are by id. `bound` are projects by the beginning of a conversation's id, which ends
    where the id does or at a colon of it: `chat:T1:C2` has the threads of that channel, and not the
    channel `chat:T1:C22`. Of several the longest counts. `default` is the project of all others.
    `tenant` is the project of a conversation that nobody bound, where workspaces know nothing of
    each other.
    """

    projects: Mapping[str, Project] = field(default_factory=dict)
    bound: Mapping[str, str] = field(default_factory=dict)
    default: str = ""
    tenant: Callable[[str], str] = no_tenant

    def of(self, conversation: str) -> str:
        """The project of the conversation, "" for none."""
        return self._bound_to(conversation) or self.default

    def is_bound(self, conversation: str) -> bool:
        """Whether somebody said to which project it belongs, and it is no default."""
        return self._bound_to(conversation) != ""

    def serves(self, project: str, playbook: str, own: str) -> bool:
        """Whether what is a playbook's, which names its `own` project or "", serves the project.

        Where no project is known, everything does.
        """
        if not project:
            return True
        chosen = self.projects[project].playbooks if project in self.projects else ()
        return own in ("", project) and (not chosen or playbook in chosen)

    def run_project(self, conversation: str, playbook: str, own: str) -> str | None:
        """The project of a run of the playbook that is asked for there; None where none can be.

        It is the conversation's. Where nobody said which that is, a playbook with a project of its
        own has its runs there.
        """
        here = self.of(conversation)
        if self.serves(here, playbook, own) and (here or not own):
            return here
        is_free = own and not self.is_bound(conversation)
        return own if is_free and self.serves(own, playbook, own) else None

    def runs_in(self, playbook: str, own: str) -> Iterable[str]:
        """The projects that may run the playbook."""
        return (each.id for each in self.choices if self.serves(each.id, playbook, own))

    def name(self, project: str, lang: Lang) -> str:
        """The project as people call it."""
        return self.projects[project].name(lang) if project in self.projects else project

    @property
    def choices(self) -> Iterable[Project]:
        """Every project that a conversation may be bound to."""
        return (each for each in self.projects.values() if not each.removed)

    def _bound_to(self, conversation: str) -> str:
        prefix = conversation
        while prefix:
            if prefix in self.bound:
                return self.bound[prefix]
            prefix = prefix.rpartition(":")[0]
        return self.tenant(conversation)


NO_PROJECTS = ProjectBook()
