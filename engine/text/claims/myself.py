"""Where a text says that something is for who wrote it: "book me a seat", 给我."""

import re

_ME = re.compile(r"(?:(?<![a-z])(?P<before>[a-z]{1,20})\s)?(?<![a-z])(?P<me>me|myself)(?![a-z'])")
_ZH_ME = re.compile(r"[给替为]我(?!们|[看说讲])|我自己|我本人|(?<!日)本人")
_NOT_FOR = frozenset(
    [
        "tell",
        "show",
        "let",
        "help",
        "remind",
        "ask",
        "find",
        "inform",
        "notify",
        "excuse",
        "believe",
        "from",
        "by",
        "with",
        "than",
        "like",
        "call",
        "email",
        "about",
        "except",
        "not",
        "without",
    ]
)
"""Words before "me" with which nothing is done for who says it."""


def find_self(text: str) -> tuple[int, int] | None:
    """Where a text says that something is for who wrote it."""
    for match in _ME.finditer(text.lower()):
        if match["before"] not in _NOT_FOR:
            return match.span("me")
    found = _ZH_ME.search(text)
    return found.span() if found else None
