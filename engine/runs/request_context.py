"""What a request brings along for skills that read: files it names, and what was said before."""

import re
from collections.abc import Sequence

from engine.frames.state import Attachment, Run
from engine.playbooks.model import Playbook
from engine.playbooks.skill import FILES

MAX_FILES = 20
RECENT_LINES = 6
LINE_CHARS = 300
_FILE = re.compile(
    r"[^\s,;:，；：、。「」《》\"'<>|/\\]{1,100}\.(?:txt|md|csv|json|pdf|docx|xlsx)", re.I
)


def with_request_context(
    run: Run, playbook: Playbook, recent: Sequence[str], *, files: Sequence[str] = ()
) -> Run:
    """The run with what its playbook's skills can use; a playbook without a model needs none.

    `files` came with the request, and stand before those that it only names.
    """
    skills = playbook.skills.values()
    named = [*files, *_FILE.findall(run.message)]
    reads = any(skill.category == FILES for skill in skills)
    names = tuple(dict.fromkeys(named if reads else ()))[:MAX_FILES]
    lines = recent[-RECENT_LINES:] if any(s.system_prompt for s in skills) else ()
    state = run.state.model_copy(
        update={
            "attachments": tuple(Attachment(name=name) for name in names),
            "recent": tuple(line[:LINE_CHARS] for line in lines),
        }
    )
    return run.model_copy(update={"state": state})
