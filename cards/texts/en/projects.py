"""Projects: whose a conversation is, who may see it, and new ones."""

TEXTS = {
    "project.hidden": (
        "This conversation belongs to a project that you may not see, so nothing was looked up or"
        " started. An administrator says who may."
    ),
    "project.hidden_card": "This belongs to a project that you may not see; nothing was recorded.",
    "project.hidden_work": (
        "“{name}” belongs to a project that you may not see, so nothing was started."
    ),
    "project.no_work": (
        "“{name}” cannot be done in this conversation's project, so nothing was started."
    ),
    "project.other_work": (
        "This conversation belongs to project {project}, which has no “{name}”, so nothing was"
        " started. It can be done in: {projects}. An administrator moves a conversation to another"
        " project with /project."
    ),
    "project.here": "This conversation belongs to project {name}.",
    "project.place": "For `signoff projects` it is `{place}`.",
    "project.by_default": (
        "This conversation belongs to project {name}, as all do that nobody has moved to another."
    ),
    "project.none_here": "This conversation belongs to no project.",
    "project.nothing_to_choose": (
        "There is no other project that everybody here may see. Any other is chosen with /project"
        " and its name."
    ),
    "project.unknown": "There is no project {name} that you may see.",
    "project.title": "Which project does this conversation belong to?",
    "project.choose": (
        "From the next message on, files, memory, findings and runs are those of the project."
        " Any other is chosen with /project and its name."
    ),
    "project.unbind": "None of its own",
    "project.leave": "Leave it",
    "project.bound": (
        "This conversation belongs to project {name} now. Runs that began before stay in their own."
    ),
    "project.unbound": "This conversation has no project of its own any more.",
    "project.not_bound": "This conversation had no project of its own.",
    "tool.project.done": "Project {name} ({id}) was added.",
    "tool.project.bound": (
        "Project {name} ({id}) was added, and this conversation belongs to it from now on."
    ),
    "tool.project.unapproved": "A project is added only by what people approved.",
    "tool.project.nowhere": "There is no place here that keeps projects.",
    "tool.project.taken": "There is a project {id} already, or was; choose another id.",
    "tool.project.no_id": (
        "{id} is no id of a project: write up to 64 letters, digits, - and _, a letter or digit"
        " first."
    ),
    "tool.project.no_place": "There is no conversation here that could belong to a project.",
    "project.gone": "There is no project {name} any more; nothing was changed.",
}
