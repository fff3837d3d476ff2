"""What is learned of examples, and that it may be kept."""

from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from engine.text.entities import fold
from engine.understanding.learned import classifier
from engine.understanding.learned.classifier import (
    ALGORITHM,
    RIDGE,
    Classifier,
    Example,
    FeatureIndex,
    Learned,
    balance_of,
    digest_of,
    kernel_of,
    learn,
)
from engine.understanding.learned.features import extract_features
from engine.understanding.learned.lessons import normalize
from tests.bench.router.score import HALVES, messages
from tests.engine.understanding.routes import TABLE
from tests.fakes.entities import SUBJECTS

FEATURES = "372709100b12"
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
    monkeypatch.setattr(classifier, "BLOCK", 4)
    learned = learn(EXAMPLES, SAID)
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


def test_a_feature_is_found_where_its_name_stands_and_others_nowhere() -> None:
    names = [f"w:{number}" for number in range(2000)]
    index = FeatureIndex("\n".join(names).encode())
    known, places = index.find(["w:7", "c:七", "w:1999", "", "w:0"])
    assert known.tolist() == [True, False, True, False, True]
    assert places.tolist() == [7, 1999, 0]
    assert index.find([])[1].tolist() == []


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
    assert (ALGORITHM, sha256(found.encode()).hexdigest()[:12]) == (2, FEATURES)
