"""What a text says of a choice without saying which option: "it's urgent"."""

import re
from collections.abc import Collection, Sequence

from cards.model import Field
from engine.text.values import cue_pattern

_CLAUSES = re.compile(r"[,;，；。!！\n]|\.\s|\.$")


def unheard_clauses(text: str, fields: Sequence[Field], known: Collection[str] = ()) -> list[str]:
    """Clauses with a cue of a choice that has no value; cues that are `known` say nothing of it."""
    lacking = [f for f in fields if f.type == "choice" and not f.value]
    words = [cue for f in lacking for cue in f.cues if cue not in known]
    said = re.compile(cue_pattern(words), re.IGNORECASE)
    return [each.strip() for each in _CLAUSES.split(text) if said.search(each)] if words else []
