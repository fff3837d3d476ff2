"""What is learned of examples, and that it may be kept."""

import struct
from array import array
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.text.entities import fold
from engine.understanding.learned import classifier, training
from engine.understanding.learned.classifier import (
    ALGORITHM,
    BIAS,
    HALF,
    RARE,
    RIDGE,
    Classifier,
    Example,
    Learned,
    RowSum,
    digest_of,
    find,
    hash_of,
)
from engine.understanding.learned.features import extract_features
from engine.understanding.learned.lessons import normalize
from engine.understanding.learned.training import balance_of, kernel_of, learn, solve
from tests.bench.router.score import HALVES, messages
from tests.engine.understanding.routes import TABLE
from tests.fakes.entities import SUBJECTS

FEATURES = "ca224ce2b481"
"""Of the features of every message of the bench, as ALGORITHM has them."""

EXAMPLES = [
    Example(text, route, f"{route}/{group}")
    for route, group, texts in (
        ("leave", "ask", ("take a day off", "book my holiday", "请两天假", "休年假")),
        ("leave", "cancel", ("cancel my holiday", "取消请假")),
        ("talk", "talk", ("good morning", "thanks a lot", "你好")),
    )
    for text in texts
]
SAID = [example.text for example in EXAMPLES]


def test_examples_score_near_one_for_their_own_and_near_zero_for_others() -> None:
    made = Classifier(EXAMPLES, learn(EXAMPLES, SAID))
    own = made.scores("book my holiday")
    assert own.routes["leave"] > 0.7 > 0.3 > own.routes["talk"]
    assert own.groups["leave/ask"] > own.groups["leave/cancel"]
    assert own.known == 1.0
    assert made.scores("xyzzy").known == 0.0


def test_the_system_is_solved_exactly_over_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "BLOCK", 4)
    learned = solve(EXAMPLES, SAID)
    groups = [e.group for e in EXAMPLES]
    system = kernel_of(learned.rows, learned.counts)
    assert np.array_equal(system, system.T)
    system[np.diag_indices(len(SAID))] += RIDGE / np.sqrt(balance_of(groups))
    wanted = [[e.route == r for r in ("leave", "talk")] for e in EXAMPLES]
    assert np.abs((system @ learned.weights)[:, :2] - np.array(wanted)).max() < 1e-12


def test_what_was_kept_scores_as_what_was_learned() -> None:
    lessons = TABLE.lessons
    kept = Learned.unpack(lessons.teach())
    assert kept
    again = Classifier(TABLE.examples, kept)
    for message in messages("dev"):
        text = normalize(message["text"])
        assert again.scores(text) == lessons.classifier.scores(text)


@pytest.mark.parametrize("rare", [0, 1, RARE])
def test_a_text_scores_as_the_sum_of_what_its_features_weigh(
    monkeypatch: pytest.MonkeyPatch, rare: int
) -> None:
    """Features of many examples and of few, and of none, told by the regression itself."""
    monkeypatch.setattr(training, "RARE", rare)
    solved, made = solve(EXAMPLES, SAID), Classifier(EXAMPLES, learn(EXAMPLES, SAID))
    texts = [*SAID, "cancel the day", "holiday holiday xyzzy", "休假吗", ""]
    examples = np.zeros((len(SAID), len(solved.names)))
    for row, (places, values) in enumerate(solved.rows):
        examples[row, places] = values
    for text in texts:
        features = extract_features(text)
        known = [name for name in solved.names if name in features]
        strange = sum(v**2 for name, v in features.items() if name not in known)
        asked = np.zeros(len(solved.names))
        for name in known:
            at = solved.names.index(name)
            asked[at] = features[name] * (np.log((len(SAID) + 1) / (1 + solved.counts[at])) + 0.3)
        strange *= (np.log(len(SAID) + 1) * classifier.STRANGE) ** 2
        asked /= np.sqrt(asked @ asked + strange) or 1.0
        wanted = (examples @ asked + BIAS) @ solved.weights
        found = made.scores(text)
        assert [*found.routes.values(), *found.groups.values()] == pytest.approx(wanted, abs=1e-6)


def test_a_feature_is_found_where_its_hash_stands_and_others_nowhere() -> None:
    names = sorted((f"w:{number}" for number in range(2000)), key=hash_of)
    hashes = array("Q", map(hash_of, names))
    asked = [find(hashes, name) for name in (names[7], "c:七", names[1999], "", names[0])]
    assert asked == [7, -1, 1999, -1, 0]
    assert find(array("Q"), "w:7") == -1


@example([(1.7648384230802e-307, [0])])
@given(
    st.integers(1, 9).flatmap(
        lambda columns: st.lists(
            st.tuples(
                st.floats(0, 1e4),
                st.lists(st.integers(0, 2 * HALF - 1), min_size=columns, max_size=columns),
            ),
            max_size=20,
        )
    )
)
def test_shares_of_rows_add_up_whatever_their_size(
    given_rows: list[tuple[float, list[int]]],
) -> None:
    columns = len(given_rows[0][1]) if given_rows else 3
    matrix = b"".join(struct.pack(f"<{columns}I", *row) for _, row in given_rows)
    found = RowSum(matrix, columns, 31)({n: share for n, (share, _) in enumerate(given_rows)})
    whole = sum(share for share, _ in given_rows)
    for column in range(columns):
        wanted = sum(share * (row[column] - HALF) / HALF for share, row in given_rows)
        # Each share is taken to half a unit, of which there are 2**30 and more; those of next to
        # nothing are smaller than any number is.
        assert abs(found[column] - wanted) <= max(whole * len(given_rows) * 2.0**-29, 1e-290)


@pytest.mark.parametrize("body", [b"", b"nothing", b"x\x9c\x03\x00\x00\x00\x00\x01"])
def test_what_cannot_be_read_is_not_taken(body: bytes) -> None:
    assert Learned.unpack(body) is None
    whole = learn(EXAMPLES, SAID).pack()
    assert Learned.unpack(whole[:-9]) is None


def test_other_examples_or_another_algorithm_have_another_digest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    digests = {
        digest_of(EXAMPLES, SAID),
        digest_of(EXAMPLES[1:], SAID[1:]),
        digest_of([replace(EXAMPLES[0], group="x"), *EXAMPLES[1:]], SAID),
        digest_of(EXAMPLES, ["other", *SAID[1:]]),
    }
    for name, value in (("ALGORITHM", 0), ("RIDGE", 1.0), ("STRANGE", 1.0), ("BIAS", 1.0)):
        with monkeypatch.context() as patch:
            patch.setattr(classifier, name, value)
            digests.add(digest_of(EXAMPLES, SAID))
    assert len(digests) == 8
    assert digest_of(list(EXAMPLES), list(SAID)) in digests


def test_features_that_change_raise_the_algorithms_number() -> None:
    """What is kept is found by ALGORITHM: raise it, then put the digest that is found here."""
    texts = [fold(SUBJECTS.marked(m["text"])) for half in HALVES for m in messages(half)]
    found = repr([sorted(extract_features(text).items()) for text in texts])
    assert (ALGORITHM, sha256(found.encode()).hexdigest()[:12]) == (4, FEATURES)
