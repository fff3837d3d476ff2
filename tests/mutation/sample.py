"""A few mutants in every test run; `make mutate` judges them all."""

import os
import random

from tests.mutation.lua import all_mutants, mutants_of
from tests.mutation.run import copies, equivalents, judged, problems, verdict_line

SAMPLE = 5
SCRIPT = """\
local function f(a)
  if a.x >= 1 and (a.y or not b(a.z)) then return 'no' end
  redis.call('SET', K, 'v', 'NX')
end
"""


def test_every_guard_flag_boundary_and_effect_has_its_mutant() -> None:
    changed = [mutant.applied(SCRIPT) for mutant in mutants_of("f.lua", SCRIPT)]
    conditions = (
        "false",
        "(a.y or not b(a.z))",
        "a.x >= 1",
        "a.x > 1 and (a.y or not b(a.z))",
        "a.x >= 1 and (not b(a.z))",
        "a.x >= 1 and (a.y)",
    )
    whole = "a.x >= 1 and (a.y or not b(a.z))"
    calls = ("redis.call('SET', K, 'v')", "")
    expected = [SCRIPT.replace(whole, condition) for condition in conditions]
    expected += [SCRIPT.replace("redis.call('SET', K, 'v', 'NX')", call) for call in calls]
    assert sorted(changed) == sorted(expected)


def test_what_is_listed_as_equivalent_is_a_mutant_and_has_a_name_of_its_own() -> None:
    names = [mutant.name for mutant in all_mutants()]
    assert len(set(names)) == len(names)
    assert set(equivalents()) <= set(names)


def test_a_sample_of_mutants_fails_the_stores_contract() -> None:
    number = int(os.environ.get("MUTATION_SEED") or random.SystemRandom().randrange(2**32))
    print(f"again with MUTATION_SEED={number}")
    listed = equivalents()
    with copies() as made:
        judgeable = [m for m in all_mutants(made.scripts) if m.name not in listed]
        chosen = random.Random(number).sample(judgeable, SAMPLE)
        verdicts = list(judged(chosen, made))
    print("\n".join(verdict_line(verdict, listed=False) for verdict in verdicts))
    assert problems(verdicts, {}) == []
