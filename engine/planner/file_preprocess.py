"""Attachments are read before anything is decided about them (spec 003)."""

from engine.planner.situation import Plan, Situation
from engine.playbooks.skill import FILES


async def file_preprocess(now: Situation) -> Plan | None:
    """The first skill for files, while an attachment is not read."""
    unread = [each.name for each in now.state.attachments if not each.read]
    reader = next((skill for skill in now.available if skill.category == FILES), None)
    if not unread or reader is None:
        return None
    return Plan("call_skill", reader.id, f"not read yet: {', '.join(unread)}")
