"""Learns what a text does from messages of other fields: `python -m tests.bench.router.learn_acts`.

Writes the weights beside `engine/understanding/learned/acts.py`; with `--crossed` it prints how
well each fifth of the fields is read by what was learned of the others. `acts/*.jsonl` has a line
for each message, `{"text", "lang", "domain", "parts": [{"act", "span", "condition"}]}`, by writers
who had seen neither code nor other messages.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from engine.understanding.learned.acts import (
    ACTS,
    EVEN,
    SCALE,
    act_features,
    act_tokens,
    weighed,
)
from tests.bench.figures import table

HERE = Path(__file__).parent / "acts"
WEIGHTS = Path(__file__).parents[3] / "engine" / "understanding" / "learned" / "acts.tsv"
EPOCHS, RATE, DECAY = 12, 0.15, 0.004
FIELDS = 5
"""A feature of fewer fields is not learned: it is of what is spoken of."""
LEAST = 3
"""Nor is one of fewer texts."""
LIGHTEST = 2
"""What no act has a greater weight of is left out."""
COMMON = 40
"""The tokens of so many fields are common: they tell how things are said."""
FOLDS = 5
READ_SETS = (
    *("november", "december", "late_november", "year_end", "winter"),
    *("ordinary/first", "ordinary/second", "ordinary/third"),
)
"""Messages for the bench's own projects that were read since they were scored: wholes, no parts."""
READ_TIMES = 3
"""So much they weigh: with 3, a set that is left out is ranked better than with 1."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A stretch of a message, which acts are in it (None: not known), and of what field it is.

    It is learned so many `times`.
    """

    text: str
    acts: tuple[bool | None, ...]
    field: str
    times: int = 1


def samples() -> Iterator[Sample]:
    """Every message, each of its parts, and each two parts that stand side by side."""
    for path in sorted(HERE.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield from _samples_of(json.loads(line))
    for name in READ_SETS:
        for line in (HERE.parent / f"{name}.jsonl").read_text("utf-8").splitlines():
            message = json.loads(line)
            acts = _acts_of_kinds(message["parts"])
            yield Sample(message["text"], acts, message["domain"], times=READ_TIMES)


def _acts_of_kinds(parts: Sequence[dict[str, str]]) -> tuple[bool | None, ...]:
    hung = [bool(part.get("condition")) for part in parts if part["kind"] == "request"]
    kinds = {part["kind"] for part in parts}
    if "other" in kinds:
        return (None,) * len(ACTS)
    asked = sum(part["kind"] == "question" for part in parts)
    # What wants nothing may only tell, or hold something off.
    off = None if "none" in kinds else False
    wants = len(hung) + asked
    return (False in hung, True in hung, asked > 0, off, wants > 1, wants > 0)


def _samples_of(message: dict[str, object]) -> Iterator[Sample]:
    text, parts, field = str(message["text"]), message["parts"], str(message["domain"])
    assert isinstance(parts, list)
    yield Sample(text, _acts(parts), field)
    if len(parts) < 2:
        return
    places = []
    for part in parts:
        begin = text.find(part["span"], places[-1][0] if places else 0)
        places.append((begin, begin + len(part["span"])))
        yield Sample(part["span"], _acts([part]), field)
    for at in range(len(parts) - 1 if len(parts) > 2 else 0):
        begin, end = places[at][0], places[at + 1][1]
        if 0 <= begin < end:
            yield Sample(text[begin:end], _acts(parts[at : at + 2]), field)


def _acts(parts: Sequence[dict[str, str]]) -> tuple[bool, ...]:
    own = [part["act"] for part in parts]
    wants = sum(act in ("request", "conditional", "question") for act in own)
    return (*(act in own for act in ACTS[:-2]), wants > 1, wants > 0)


def learn(
    every: Sequence[Sample], rows: Sequence[NDArray[np.int64]], sizes: Sequence[int], n: int
) -> NDArray[np.float64]:
    """Weights of a logistic regression for each act, by descent in a fixed order; last the bias.

    Where it is not known whether an act is in a text (NaN) nothing is learned of that.
    """
    weights, squares = np.zeros((n + 1, len(ACTS))), np.ones((n + 1, len(ACTS)))
    acts = np.array([sample.acts for sample in every], float)
    chance = random.Random(7)
    order = [at for at, sample in enumerate(every) for _ in range(sample.times)]
    for epoch in range(EPOCHS):
        chance.shuffle(order)
        rate = RATE * (1 - epoch / EPOCHS)
        for at in order:
            row, share = rows[at], (EVEN / sizes[at]) ** 0.5
            odds = weights[n] + share * weights[row].sum(0)
            error = np.nan_to_num(acts[at] - 1 / (1 + np.exp(-np.clip(odds, -30, 30))))
            weights[n] += rate * error * 0.1
            slope = share * error - DECAY * weights[row]
            squares[row] += slope * slope
            weights[row] += rate * slope / np.sqrt(squares[row])
    return weights


def common_of(every: Sequence[Sample]) -> frozenset[str]:
    """The tokens that messages of many fields have, whatever they are about."""
    fields: dict[str, set[str]] = {}
    for sample in every:
        for token in act_tokens(sample.text):
            fields.setdefault(token, set()).add(sample.field)
    return frozenset(token for token, own in fields.items() if len(own) >= COMMON)


def found_in(every: Sequence[Sample], common: Collection[str]) -> list[frozenset[str]]:
    """The features of each sample."""
    return [frozenset(act_features(sample.text, common)) for sample in every]


def fitted(every: Sequence[Sample], found: Sequence[frozenset[str]]) -> dict[str, tuple[int, ...]]:
    """The weights by feature, whole numbers; those of "" are added to every text."""
    counts: Counter[str] = Counter()
    fields: dict[str, set[str]] = {}
    for sample, own in zip(every, found, strict=True):
        counts.update(own)
        for name in own:
            fields.setdefault(name, set()).add(sample.field)
    names = sorted(n for n, c in counts.items() if c >= LEAST and len(fields[n]) >= FIELDS)
    places = {name: at for at, name in enumerate(names)}
    rows = [np.array(sorted(places[n] for n in own if n in places), int) for own in found]
    learned = learn(every, rows, [max(1, len(own)) for own in found], len(names))
    made = {
        name: tuple(round(float(weight) * SCALE) for weight in learned[at])
        for at, name in enumerate([*names, ""])
    }
    return {n: own for n, own in made.items() if not n or max(map(abs, own)) >= LIGHTEST}


def crossed(
    every: Sequence[Sample], found: Sequence[frozenset[str]]
) -> dict[str, dict[str, float]]:
    """Of fields that were left out: how often a clear score is right, and how many are clear."""
    told: dict[str, list[tuple[int, bool]]] = {act: [] for act in ACTS}
    for fold in range(FOLDS):
        out = [crc32(s.field.encode()) % FOLDS == fold for s in every]
        kept = [at for at, left in enumerate(out) if not left]
        weights = fitted([every[at] for at in kept], [found[at] for at in kept])
        for at, left in enumerate(out):
            if left:
                scores = weighed(weights, found[at])
                for act, value, has in zip(ACTS, scores, every[at].acts, strict=True):
                    if has is not None:
                        told[act].append((value, has))
    rows = {}
    for act, pairs in told.items():
        yes = [has for value, has in pairs if value > 2 * SCALE]
        no = [has for value, has in pairs if value < -2 * SCALE]
        rows[act] = {
            "n": len(pairs),
            "right": sum((value > 0) == has for value, has in pairs) / len(pairs),
            "ranked right": area(pairs),
            "clearly yes": len(yes) / len(pairs),
            "of these right": sum(yes) / max(1, len(yes)),
            "clearly no": len(no) / len(pairs),
            "of these right ": 1 - sum(no) / max(1, len(no)),
        }
    return rows


def area(pairs: Sequence[tuple[int, bool]]) -> float:
    """How often a text with the act scores more than one without: the area under the curve."""
    values = np.array([value for value, _ in pairs])
    has = np.array([own for _, own in pairs])
    without = np.sort(values[~has])
    below = np.searchsorted(without, values[has]) + np.searchsorted(without, values[has], "right")
    return float(below.sum() / 2 / max(1, has.sum() * len(without)))


def digest_of(every: Sequence[Sample]) -> str:
    """Names what was learned from, in the first line of the weights."""
    body = json.dumps([[sample.text, sample.acts, sample.field] for sample in every])
    return sha256(body.encode()).hexdigest()


def main(arguments: Sequence[str]) -> None:
    """Learn, write the weights; with `--crossed` print how well what was left out is read."""
    every = list(samples())
    common = common_of(every)
    found = found_in(every, common)
    if "--crossed" in arguments:
        print(table("Fields that were left out in turn", crossed(every, found)))
    learned = sorted(fitted(every, found).items())
    lines = ("\t".join([name, *map(str, own)]) for name, own in learned)
    head = (digest_of(every), " ".join(sorted(common)))
    WEIGHTS.write_text("\n".join([*head, *lines]) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
