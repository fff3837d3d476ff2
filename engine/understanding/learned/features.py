"""What a piece of a message is compared by: words, letters, its edges, and how it is said."""

import re
from datetime import date
from itertools import pairwise

from engine.text import wording
from engine.text.entities import ENTITY_MARKS, masked

_LATIN = re.compile(r"[a-z][a-z'-]*")
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_MARK = re.compile(rf"[{ENTITY_MARKS}●◆?!]")
_WORD = re.compile(rf"[a-z][a-z'-]*|[{ENTITY_MARKS}●◆]")
_TOKEN = re.compile(rf"[a-z][a-z'-]*|[\u3400-\u9fff]|[{ENTITY_MARKS}●◆?]")
_ANY_DAY = date(2000, 1, 1)
_SIGNS = (
    ("asks", wording.asks),
    ("how", wording.asks_how),
    ("shows", wording.reads),
    ("writes", wording.writes),
    ("denies", wording.denies),
    ("told", wording.told),
    ("if", wording.conditional),
)

Features = dict[str, float]


def extract_features(said: str) -> Features:
    """Weights by feature of a folded text; marked entities, days and numbers count as marks."""
    plain = masked(said, _ANY_DAY)
    found: Features = {}
    for word in _LATIN.findall(plain):
        found[f"w:{word}"] = 1.0
        framed = f"<{word}>"
        for at in range(len(framed) - 3):
            found[f"l:{framed[at : at + 4]}"] = 0.4
    words = _WORD.findall(plain)
    for one, other in pairwise(words):
        found[f"w:{one} {other}"] = 0.8
    for run in _CHINESE.findall(plain):
        for letter in run:
            found[f"c:{letter}"] = 0.35
        for at in range(len(run) - 1):
            found[f"c:{run[at : at + 2]}"] = 1.0
            if at + 3 <= len(run):
                found[f"c:{run[at : at + 3]}"] = 0.5
    found.update(_edges(plain))
    found.update({f"m:{mark}": 0.4 for mark in _MARK.findall(plain)})
    found.update({f"s:{name}": 1.0 for name, holds in _SIGNS if holds(said)})
    return found


def _edges(plain: str) -> Features:
    """How the piece begins and ends, which tells a request from a question or a report."""
    tokens = _TOKEN.findall(plain)
    if not tokens:
        return {}
    found = {f"^{tokens[0]}": 1.0, f"{tokens[-1]}$": 0.7}
    if len(tokens) > 1:
        found[f"^{tokens[0]} {tokens[1]}"] = 1.0
        found[f"{tokens[-2]} {tokens[-1]}$"] = 0.7
    return found
