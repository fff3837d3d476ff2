"""Learns where a message is parted: `python -m tests.bench.router.learn_cuts`.

Writes the weights beside `engine/understanding/learned/cuts.py`; with `--crossed` it prints how
well each fifth of the fields is read by what was learned of the others. The messages are those of
`learn_acts.py`, whose writers say where each part stands.
"""

import sys
from collections.abc import Iterator, Sequence

from engine.understanding.grammar.places import find_places
from engine.understanding.learned.cuts import cut_features
from tests.bench.figures import table
from tests.bench.router import learn_acts
from tests.bench.router.learn_acts import WANTED, Sample, crossed, keep, messages, spans

WEIGHTS = learn_acts.WEIGHTS.with_name("cuts.tsv")


def samples() -> Iterator[tuple[Sample, frozenset[str]]]:
    """Every place of a message, whether something is wanted on both sides, and its features."""
    for message in messages():
        text, acts = message["text"], [part["act"] for part in message["parts"]]
        own, places = spans(message), find_places(text)
        between = {
            (own[at][1], own[at + 1][0])
            for at in range(len(own) - 1)
            if acts[at] in WANTED and acts[at + 1] in WANTED
        }
        for place, features in zip(places, cut_features(text, places), strict=True):
            both = any(place.start <= begin and end <= place.end for end, begin in between)
            around = f"{text}|{place.start}"
            yield Sample(around, (both,), message["domain"]), frozenset(features)


def main(arguments: Sequence[str]) -> None:
    """Learn, write the weights; with `--crossed` print how well what was left out is read."""
    every, found = zip(*samples(), strict=True)
    if "--crossed" in arguments:
        print(table("Fields that were left out in turn", crossed(every, found, ("both wanted",))))
    keep(WEIGHTS, every, found, "")


if __name__ == "__main__":
    main(sys.argv[1:])
