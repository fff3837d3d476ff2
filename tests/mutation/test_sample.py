"""That the mutants are all found, and that the most important ones are killed by their tests.

`make mutate` judges them all, by the whole contract.
"""

import re
from collections.abc import Iterator

from tests.mutation.lua import LUA, all_mutants, mutants_of
from tests.mutation.run import copies, equivalents, judged
from tests.mutation.thresholds import moved_thresholds

SCRIPT = """\
local function f(a)
  if a.x >= 1 and (a.y or not b(a.z)) then return 'no' end
  redis.call('SET', K, 'v', 'NX')
  redis.call('SET', K, a.v or '', 'PX', g(1, 2))
  redis.call('HSET', K, 'p', a.p, 'q', 1)
  return math.max(a.x, 0)
end
"""
CHANGES = (
    ("a.x >= 1 and (a.y or not b(a.z))", "false"),
    ("a.x >= 1 and (a.y or not b(a.z))", "(a.y or not b(a.z))"),
    ("a.x >= 1 and (a.y or not b(a.z))", "a.x >= 1"),
    ("a.x >= 1", "a.x > 1"),
    ("a.y or not b(a.z)", "not b(a.z)"),
    ("a.y or not b(a.z)", "a.y"),
    ("redis.call('SET', K, 'v', 'NX')", ""),
    (", 'NX'", ""),
    ("redis.call('SET', K, a.v or '', 'PX', g(1, 2))", ""),
    (", 'PX', g(1, 2)", ""),
    (" or ''", ""),
    ("redis.call('HSET', K, 'p', a.p, 'q', 1)", ""),
    (", 'p', a.p", ""),
    (", 'q', 1", ""),
    ("math.max(a.x, 0)", "a.x"),
    ("math.max(a.x, 0)", "0"),
)
# The refusals on which the four promises rest (design §1), and the test that each must fail.
SAMPLE = {
    "commit.lua: `if held[1] ~= ARGV[3] or (held[2] or '0') ~= ARGV[4] then return {'FENCED'} end`"
    ", never": "test_a_worker_whose_lease_went_to_another_writes_nothing",
    "effects.lua: refusal: `if tonumber(card[1]) ~= c.expect then return {'STALE', 'card version'}"
    " end`, never": "test_a_decision_on_a_card_that_changed_meanwhile_is_stale",
    "effects.lua: refusal: `if c.status == 'decided' and tonumber(card[3]) > 0 and now >="
    " tonumber(card[3]) then`, never": (
        "test_a_decision_after_the_deadline_is_refused_by_the_servers_clock"
    ),
    "enqueue.lua: `if redis.call('EXISTS', event) == 1 then`, never": (
        "test_a_repeated_update_is_put_once_and_still_wakes_its_lane"
    ),
}
_REFUSAL = r"return (?:\{'(?:FENCED|STALE|REPLAY)'|refused\b|0\b|-1\b)"
_BLOCK = re.compile(rf"--[^\n]*|\b(?:if|elseif|for|while|function|end)\b|{_REFUSAL}")


def guards_of_refusals(source: str) -> Iterator[int]:
    """Where the `if` begins that guards each refusal; -1 for one without."""
    open_blocks: list[tuple[str, int]] = []
    for found in _BLOCK.finditer(source):
        match found.group():
            case "if" | "for" | "while" | "function" as word:
                open_blocks.append((word, found.start()))
            case "elseif":
                open_blocks[-1] = ("if", found.start())
            case "end":
                open_blocks.pop()
            case text if text.startswith("return"):
                guards = [start for word, start in open_blocks if word == "if"]
                yield guards[-1] if guards else -1


def test_every_guard_flag_boundary_and_effect_has_its_mutant() -> None:
    changed = [mutant.applied(SCRIPT) for mutant in mutants_of("f.lua", SCRIPT)]
    assert sorted(changed) == sorted(SCRIPT.replace(*change, 1) for change in CHANGES)


def test_no_refusal_of_a_script_is_missed() -> None:
    found = 0
    for path in sorted(LUA.glob("*.lua")):
        source = path.read_text()
        never = [m.start for m in mutants_of(path.name, source) if m.name.endswith(", never")]
        taken_away = {source[:start].rstrip().rindex("if") for start in never}
        for guard in guards_of_refusals(source):
            found += 1
            word = guard + 4 if source.startswith("elseif", guard) else guard
            assert word in taken_away, f"{path.name}: {source[guard : guard + 80]}"
    assert found == sum(len(re.findall(_REFUSAL, path.read_text())) for path in LUA.glob("*.lua"))
    assert found > len(SAMPLE)


def test_what_is_listed_is_a_mutant_and_has_a_name_of_its_own() -> None:
    names = [mutant.name for mutant in all_mutants()]
    assert len(set(names)) == len(names)
    assert {*SAMPLE, *equivalents()} <= set(names)


def test_a44_a_sample_of_mutants_fails_the_stores_contract() -> None:
    with copies(workers=1, tests=tuple(SAMPLE.values())) as made:
        chosen = [mutant for mutant in all_mutants(made.scripts) if mutant.name in SAMPLE]
        killers = {verdict.mutant.name: verdict.killer for verdict in judged(chosen, made)}
    assert killers == SAMPLE


def test_every_threshold_of_the_router_is_moved_both_ways() -> None:
    moved = [(m.name, m.value) for m in moved_thresholds()]
    assert {"FIRM", "SHOWN", "KNOWN", "CLAUSE", "SETTLED", "START"} <= {name for name, _ in moved}
    assert [value for name, value in moved if name == "SETTLED"] == [1, 3]
    assert [value for name, value in moved if name == "KNOWN"] == [0.54, 0.56]
