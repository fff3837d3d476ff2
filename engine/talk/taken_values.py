"""The values that were taken from a message, with the words that gave each of them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from cards.clipping import clip
from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.frames.leaves import LabelledValue, value_rows
from engine.frames.replies import Part, ReplyHead
from engine.frames.state import Run
from engine.playbooks.model import Playbook
from engine.services import Services

MOST_VALUES = 40
WORDS_CHARS = 120


async def read_values(
    part: Part, head: ReplyHead, lang: Lang, services: Services
) -> tuple[str, ...]:
    """A line (Markdown) for each value that the part gave to its run or form, as its log has it."""
    run = part.run or await _run_of_card(part.intent.card, services)
    kept = await services.own_runs.read([run]) if run else ()
    if not kept:
        return ()
    playbook = await services.playbook(Run.model_validate_json(kept[0].body).digest)
    entries = [json.loads(entry) for entry in await services.own_runs.log(run)]
    ours = [entry for entry in entries if _is_of(entry, part, head)]
    given = [
        (path, words, {**part.intent.values, **entry.get("changes", {})}.get(path))
        for entry in ours
        for path, words in entry.get("read", {}).items()
    ]
    lines = [_line(*each, playbook=playbook, lang=lang) for each in given[:MOST_VALUES]]
    unused = [say("why.unused", lang, words=_quoted(e["unused"])) for e in ours if e.get("unused")]
    return (*lines, *dict.fromkeys(unused))


async def _run_of_card(token: str, services: Services) -> str:
    found = await services.decisions.card(token) if token else None
    return found.card.run if found else ""


def _is_of(entry: Mapping[str, Any], part: Part, head: ReplyHead) -> bool:
    """Whether the entry says what this message gave: as an answer, or as what began the run."""
    if part.intent.card:
        return bool(entry.get("reply") == head.id)
    words: Sequence[str] = [*entry.get("read", {}).values(), *filter(None, [entry.get("unused")])]
    return "outcome" in entry and bool(words) and all(each in head.text for each in words)


def _line(path: str, words: str, value: Any, *, playbook: Playbook | None, lang: Lang) -> str:
    leaf = playbook.definition.leaf(path) if playbook else None
    label = leaf.label(lang) if leaf else path
    told = LabelledValue(label=label, value=value, leaf=leaf, path=path)
    rows = value_rows((told,), lang) if value not in (None, "") else ()
    if not rows:
        return say("why.word", lang, label=literal(label), words=_quoted(words))
    shown = literal(clip(rows[0].value, WORDS_CHARS))
    return say("why.value", lang, label=literal(label), value=shown, words=_quoted(words))


def _quoted(words: str) -> str:
    return literal(clip(" ".join(words.split()), WORDS_CHARS))
