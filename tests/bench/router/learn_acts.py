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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import exp
from pathlib import Path
from zlib import crc32

from engine.understanding.learned.acts import ACTS, SCALE, act_features
from tests.bench.figures import table

HERE = Path(__file__).parent / "acts"
WEIGHTS = Path(__file__).parents[3] / "engine" / "understanding" / "learned" / "acts.tsv"
EPOCHS, RATE, DECAY = 12, 0.15, 0.004
LEAST = 2
"""A feature of fewer texts is not learned."""
FIELDS = 3
"""Nor is one of fewer fields: it is of what is spoken of."""
FOLDS = 5
READ_SETS = ("november", "december", "late_november", "year_end", "winter")
"""Messages for the bench's own projects that were read since they were scored: wholes, no parts."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A stretch of a message, which acts are in it, and of what field it is."""

    text: str
    acts: tuple[bool, ...]
    field: str


def samples() -> Iterator[Sample]:
    """Every message, each of its parts, and each two parts that stand side by side."""
    for path in sorted(HERE.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            yield from _samples_of(json.loads(line))
    for name in READ_SETS:
        for line in (HERE.parent / f"{name}.jsonl").read_text("utf-8").splitlines():
            message = json.loads(line)
            yield Sample(message["text"], _acts_of_kinds(message["parts"]), message["domain"])


def _acts_of_kinds(parts: Sequence[dict[str, str]]) -> tuple[bool, ...]:
    hung = [bool(part.get("condition")) for part in parts if part["kind"] == "request"]
    return (False in hung, True in hung, any(part["kind"] == "question" for part in parts))


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
    own = {part["act"] for part in parts}
    return tuple(act in own for act in ACTS)


def learn(rows: Sequence[Sequence[int]], labels: Sequence[bool], n: int) -> list[float]:
    """Weights of a logistic regression, by descent in a fixed order; the last is the bias."""
    weights, squares = [0.0] * (n + 1), [1.0] * (n + 1)
    order = list(range(len(rows)))
    chance = random.Random(7)
    for _ in range(EPOCHS):
        chance.shuffle(order)
        for at in order:
            row = rows[at]
            odds = weights[n] + sum(weights[i] for i in row)
            error = (1.0 if labels[at] else 0.0) - 1 / (1 + exp(-max(-30.0, min(30.0, odds))))
            weights[n] += RATE * error * 0.1
            for i in row:
                slope = error - DECAY * weights[i]
                squares[i] += slope * slope
                weights[i] += RATE * slope / squares[i] ** 0.5
    return weights


def fitted(every: Sequence[Sample], found: Sequence[frozenset[str]]) -> dict[str, list[int]]:
    """The weights by feature, whole numbers; those of "" are added to every text."""
    counts: Counter[str] = Counter()
    fields: dict[str, set[str]] = {}
    for sample, own in zip(every, found, strict=True):
        counts.update(own)
        for name in own:
            fields.setdefault(name, set()).add(sample.field)
    names = sorted(n for n, c in counts.items() if c >= LEAST and len(fields[n]) >= FIELDS)
    places = {name: at for at, name in enumerate(names)}
    rows = [[places[name] for name in sorted(own) if name in places] for own in found]
    learned = [learn(rows, [s.acts[k] for s in every], len(names)) for k in range(len(ACTS))]
    made = {
        name: [round(weights[at] * SCALE) for weights in learned]
        for at, name in enumerate([*names, ""])
    }
    return {name: weights for name, weights in made.items() if any(weights) or not name}


def score(weights: dict[str, list[int]], own: frozenset[str]) -> list[int]:
    """What the weights say of a text."""
    sums = list(weights[""])
    for name in own:
        for at, weight in enumerate(weights.get(name, ())):
            sums[at] += weight
    return sums


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
                for act, value, has in zip(
                    ACTS, score(weights, found[at]), every[at].acts, strict=True
                ):
                    told[act].append((value, has))
    rows = {}
    for act, pairs in told.items():
        yes = [has for value, has in pairs if value > 2 * SCALE]
        no = [has for value, has in pairs if value < -2 * SCALE]
        rows[act] = {
            "n": len(pairs),
            "right": sum((value > 0) == has for value, has in pairs) / len(pairs),
            "clearly yes": len(yes) / len(pairs),
            "of these right": sum(yes) / max(1, len(yes)),
            "clearly no": len(no) / len(pairs),
            "of these right ": 1 - sum(no) / max(1, len(no)),
        }
    return rows


def digest_of(every: Sequence[Sample]) -> str:
    """Names what was learned from, in the first line of the weights."""
    body = json.dumps([[sample.text, sample.acts, sample.field] for sample in every])
    return sha256(body.encode()).hexdigest()


def main(arguments: Sequence[str]) -> None:
    """Learn, write the weights; with `--crossed` print how well what was left out is read."""
    every = list(samples())
    found = [frozenset(act_features(sample.text)) for sample in every]
    if "--crossed" in arguments:
        print(table("Fields that were left out in turn", crossed(every, found)))
    lines = (
        "\t".join([name, *map(str, own)]) for name, own in sorted(fitted(every, found).items())
    )
    WEIGHTS.write_text("\n".join([digest_of(every), *lines]) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
