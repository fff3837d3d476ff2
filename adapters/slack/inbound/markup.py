"""Slack's marked-up message text to plain text."""

import re

_ENTITY = re.compile(r"<(?P<target>[^<>|]+)(?:\|(?P<label>[^<>]*))?>")

_LEADING_MENTION = re.compile(r"\s*<(?:@|!)")


def has_mention(text: str, user: str) -> bool:
    """Whether `text` mentions the user of that id; never for an empty id."""
    return bool(user) and _mention(user).search(text) is not None


def has_leading_mention(text: str) -> bool:
    """Whether `text` begins with a mention of a user or of all."""
    return _LEADING_MENTION.match(text) is not None


def remove_mention(text: str, user: str) -> str:
    """Return the text without mentions of that user, trimmed."""
    return _mention(user).sub(" ", text).strip() if user else text.strip()


def to_plain_text(text: str) -> str:
    """Return the text as a person reads it: entities resolved, `&amp; &lt; &gt;` decoded once."""
    resolved = _ENTITY.sub(_resolve, text)
    return resolved.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _mention(user: str) -> re.Pattern[str]:
    return re.compile(rf"[ \t]{{0,9}}<@{re.escape(user)}(?:\|[^<>]*)?>[ \t]*")


def _resolve(entity: re.Match[str]) -> str:
    target, label = entity["target"], entity["label"] or ""
    mark, name = target[0], target[1:]
    if mark in "@#":
        return mark + (label or name)
    if mark == "!":
        return label or "@" + name
    return _link(target, label)


def _link(url: str, label: str) -> str:
    if not label:
        return url.removeprefix("mailto:")
    return label if label in url else f"{label} ({url})"
