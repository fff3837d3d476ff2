"""Which words of a text the examples of others have too, for whoever writes the examples."""

from collections.abc import Collection

from engine.understanding.learned.lessons import ELSEWHERE, QUESTION, tokens
from engine.understanding.learned.table import RouteTable
from engine.understanding.lookups.words import SMALL_WORDS

MOST_WORDS, MOST_GROUPS = 3, 2
"""So many words are named, each with so many of those that share it."""

TALK_FILE, ANSWER = "talk.yaml", "answer:"


def tell_shared(said: str, group: str, others: Collection[str], table: RouteTable) -> str:
    """What of a folded text examples of its group have, and examples of others have too.

    As in "'linen' of order_linen, 'metro' of supplier_terms"; the words that the fewest have come
    first. "" where nothing is shared.
    """
    places = table.lessons.places
    own = {w for name in _beside(group, table) for w in places.get(name, ())}
    having = {
        word: [name for name in sorted(others) if word in places.get(name, ())]
        for word in tokens(said) & own
    }
    shared = sorted((len(names), word) for word, names in having.items() if names and _tells(word))
    return ", ".join(
        f"{word!r} of {_names(having[word], word, table)}" for _, word in shared[:MOST_WORDS]
    )


def _tells(word: str) -> bool:
    """Whether it is a word that could tell work from other work."""
    return word not in SMALL_WORDS and len(word) > 1


def tell_unanchored(said: str, playbook: str, table: RouteTable) -> str:
    """Why nothing in a folded text tells that it is of this playbook's work."""
    own = table.lessons.tokens[playbook]
    if not any(own[word] for word in tokens(said) if _tells(word)):
        return "none of its words stands in an example of that work"
    work = [route.playbook for route in table.routes if route.playbook != playbook] + [ELSEWHERE]
    others = [name for name in table.lessons.places if _route_of(name, table) in work]
    group = next(name for name in table.lessons.places if _route_of(name, table) == playbook)
    if told := tell_shared(said, group, others, table):
        return f"{told} too"
    return "too few of its examples have its words"


def _beside(group: str, table: RouteTable) -> list[str]:
    """The groups of the same route."""
    route = _route_of(group, table)
    return [name for name in table.lessons.places if _route_of(name, table) == route]


def _names(groups: list[str], word: str, table: RouteTable) -> str:
    """The groups, those first of which most examples have the word."""
    places = table.lessons.places
    most = sorted(groups, key=lambda name: -len(places[name][word]))
    named = " and ".join(map(name_of, most[:MOST_GROUPS]))
    return f"{named} and {len(most) - MOST_GROUPS} more" if len(most) > MOST_GROUPS else named


def name_of(group: str) -> str:
    """A group as whoever writes a folder knows it: a request, a tool, or a list of talk.yaml."""
    of, _, name = group.partition("/")
    if group.startswith(ANSWER):
        of, _, name = group.removeprefix(ANSWER).partition(":")
        return f"{of}/answers.yaml ({name})"
    return f"{TALK_FILE} ({name})" if of == "talk" else group


def _route_of(group: str, table: RouteTable) -> str:
    """The route of a group: a playbook, elsewhere, or another."""
    of, _, name = group.partition("/")
    return name if of == "talk" else of if table.playbook(of) else QUESTION
