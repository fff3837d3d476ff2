"""What a mistyped English word does that holds work back."""

from engine.understanding.grammar.rule import Role

_HOLDING: dict[Role, tuple[str, ...]] = {
    "hang": (
        *("if", "unless", "until", "provided", "providing", "assuming", "when", "whenever"),
        *("once", "before", "after"),
    ),
    "off": ("not", "never", "nobody", "nothing"),
}
_WORDS = frozenset(
    (
        *("of", "provide", "provides", "ever", "one", "ones", "then", "hen", "while", "ton", "no"),
        *("note", "noted", "notes", "rafter", "afters"),
    )
)
"""Words of their own that are a slip away from those."""


def _slips_of(word: str) -> set[str]:
    """The word with two letters swapped; a longer one with one left out, or written twice."""
    found = {word[:n] + word[n + 1] + word[n] + word[n + 2 :] for n in range(len(word) - 1)}
    for n in range(len(word)) if len(word) > 3 else ():
        found |= {word[:n] + word[n + 1 :], word[: n + 1] + word[n:]}
    return found


SLIPS: dict[str, Role] = {
    slip: role
    for role, words in _HOLDING.items()
    for word in words
    for slip in _slips_of(word) - _WORDS - {word}
}
"""What a mistyped word does that holds work back."""
