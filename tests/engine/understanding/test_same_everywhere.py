"""The same messages have the same scores on every processor.

The router adds numbers nowhere else, so they come to the same intents too, for the same reasons.
"""

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.router.score import HALVES, messages
from tests.engine.understanding.routes import TABLE
from tests.fakes.tries import TIMES

ROOT = Path(__file__).parents[3]
CORES = {
    "x86_64": {
        "Nehalem": {"sse4_2"},
        "Sandybridge": {"avx"},
        "Haswell": {"avx2", "fma"},
        "SkylakeX": {"avx2", "fma", "avx512f", "avx512bw", "avx512dq", "avx512vl"},
    },
    "aarch64": {"ARMV8": {"asimd"}, "NEOVERSEN1": {"asimd", "asimddp"}, "NEOVERSEV1": {"sve"}},
}
"""Kernels of OpenBLAS that add in different orders, with what a processor needs for them."""


def core_types() -> tuple[str, ...]:
    """Those that this processor has, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    flags = set(info.read_text().split()) if info.exists() else set()
    known = CORES.get(platform.machine(), {})
    return tuple(name for name, needs in known.items() if needs <= flags)


PROGRAM = """
import json, sys
from engine.understanding.learned.classifier import Classifier, Example
from engine.understanding.learned.training import learn
given = json.load(sys.stdin)
examples = [Example(*each) for each in given["examples"]]
classifier = Classifier(examples, learn(examples, given["said"]))
for text in given["texts"]:
    scores = classifier.scores(text)
    print(json.dumps([text, scores.known, scores.routes, scores.groups]))
"""


def scored(core: str, given: bytes) -> list[str]:
    """How near each text is to everything, in a process that learns and adds as that core."""
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        env={"OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": "1"},
        input=given,
        stdout=subprocess.PIPE,
        check=True,
    )
    return told.stdout.decode().splitlines()


@pytest.mark.skipif(len(core_types()) < 2, reason="the system names one core type or none")
@pytest.mark.more
def test_every_core_type_scores_every_message_alike() -> None:
    given = {
        "examples": [[each.text, each.route, each.group] for each in TABLE.examples],
        "said": [TABLE.normalize(each.text) for each in TABLE.examples],
        "texts": [TABLE.normalize(m["text"]) for half in HALVES for m in messages(half)],
    }
    asked = json.dumps(given).encode()
    first, *others = core_types()
    # The oldest and the newest differ most; those between are judged by `make properties`.
    others = others if TIMES > 1 else others[-1:]
    expected = scored(first, asked)
    assert len(expected) == 600
    for core in others:
        for one, other in zip(expected, scored(core, asked), strict=True):
            assert other == one, core
