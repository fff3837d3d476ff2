"""What checks found: the newest check of a name stands, newest first, so many and no more."""

import asyncio
import json
import random
from datetime import UTC, datetime, timedelta

import pytest

from adapters.redis import keys
from adapters.redis.repositories.findings import RedisFindings
from adapters.redis.scripts import Scripts
from engine.errors import StoreError
from engine.ports.storage.findings import Check, Finding, ProjectFindings, Withdrawal

PROJECT = "MATTER-7"
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def findings(scripts: Scripts) -> RedisFindings:
    return RedisFindings(scripts, most=5)


def check(who: str, minute: int, found: int, **changes: object) -> Check:
    finding = Finding(field="ecog", label="ECOG “评分”", message="应在 0 到 5 之间 😀", value="7")
    base = Check(
        project=PROJECT,
        playbook="clinical_qc",
        record=who,
        skill="visit-check",
        node="ranges",
        run="0-run",
        conversation="web:local:main",
        at=NOON + timedelta(minutes=minute),
        findings=(finding,) * found,
        found=found,
    )
    return base.model_copy(update=changes)


async def stands(findings: RedisFindings, project: str = PROJECT) -> list[tuple[str, int]]:
    standing = await findings.of(project, 10)
    return [(one.record, one.found) for one in standing.checks]


async def test_what_was_found_stands_as_it_was_newest_first(findings: RedisFindings) -> None:
    assert await findings.of(PROJECT, 10) == ProjectFindings()
    older, newer = check("P001", 1, 1), check("P002", 2, 2)
    assert [await findings.keep(newer), await findings.keep(older)] == [0, 0]
    assert await findings.of(PROJECT, 10) == ProjectFindings(
        3,
        (
            newer,
            older,
        ),
    )
    assert await findings.of(PROJECT, 1) == ProjectFindings(3, (newer,))


async def test_a_later_check_takes_the_place_of_the_one_before(findings: RedisFindings) -> None:
    await findings.keep(check("P001", 1, 3))
    await findings.keep(check("P001", 2, 1))
    assert await findings.of(PROJECT, 10) == ProjectFindings(1, (check("P001", 2, 1),))
    await findings.keep(check("P001", 3, 0))
    assert await findings.of(PROJECT, 10) == ProjectFindings()
    await findings.keep(check("P001", 4, 2))
    assert await findings.of(PROJECT, 10) == ProjectFindings(2, (check("P001", 4, 2),))


async def test_many_that_are_kept_at_once_stand_as_if_kept_one_by_one(
    findings: RedisFindings,
) -> None:
    many = [check("P001", 1, 2), check("P002", 2, 2), check("P003", 3, 0), check("P004", 4, 2)]
    assert await findings.keep(*many) == 2
    assert await stands(findings) == [("P004", 2), ("P002", 2)]
    assert await findings.keep(*many[1:]) == 0
    assert await findings.keep(*(check(f"P00{n}", 9, 0) for n in (2, 4))) == 0
    assert await findings.of(PROJECT, 10) == ProjectFindings()
    assert await findings.keep() == 0


@pytest.mark.parametrize("found", [0, 2])
async def test_an_older_check_changes_nothing_whenever_it_comes(
    found: int, findings: RedisFindings
) -> None:
    await findings.keep(check("P001", 5, 1))
    assert await findings.keep(check("P001", 4, found)) == 0
    assert await findings.of(PROJECT, 10) == ProjectFindings(1, (check("P001", 5, 1),))
    await findings.keep(check("P001", 6, 0))
    assert await findings.keep(check("P001", 5, 1)) == 0
    assert await findings.of(PROJECT, 10) == ProjectFindings()


async def test_a_repeat_changes_nothing_and_at_one_moment_the_last_that_came_stands(
    findings: RedisFindings,
) -> None:
    for _ in range(3):
        await findings.keep(check("P001", 1, 2))
    assert await findings.of(PROJECT, 10) == ProjectFindings(2, (check("P001", 1, 2),))
    await findings.keep(check("P001", 1, 0))
    assert await stands(findings) == []


@pytest.mark.parametrize(
    "other", [{"record": "P002"}, {"node": "more"}, {"skill": "other"}, {"playbook": "another"}]
)
async def test_a_pass_closes_only_what_the_same_node_found_in_the_same_record(
    other: dict[str, str], findings: RedisFindings
) -> None:
    await findings.keep(check("P001", 1, 1))
    await findings.keep(check("P001", 2, 0, **other))
    assert await stands(findings) == [("P001", 1)]


async def test_over_the_bound_the_oldest_checks_give_way_and_it_is_said(
    findings: RedisFindings,
) -> None:
    for minute, found in enumerate((2, 1, 2)):
        assert await findings.keep(check(f"P{minute}", minute, found)) == 0
    assert await findings.keep(check("P9", 9, 1)) == 2
    assert await stands(findings) == [("P9", 1), ("P2", 2), ("P1", 1)]
    assert await findings.keep(check("P9", 10, 4)) == 3
    standing = await findings.of(PROJECT, 10)
    assert (standing.findings, standing.dropped) == (4, 5)
    # One that came too late for the bound is the oldest itself.
    assert await findings.keep(check("P0", 3, 2)) == 2
    assert await stands(findings) == [("P9", 4)]
    await findings.keep(check("P9", 11, 0))
    assert await findings.of(PROJECT, 10) == ProjectFindings()


async def test_nothing_is_kept_of_checks_but_what_stands_and_so_many_names(
    findings: RedisFindings, scripts: Scripts
) -> None:
    base = keys.findings(PROJECT)
    for minute in range(8):
        await findings.keep(check(f"P{minute}", minute, 0))
    assert await scripts.client.zrange(f"{base}:closed", 0, -1) == [
        check(f"P{minute}", 0, 0).name for minute in range(3, 8)
    ]
    await findings.keep(check("P7", 8, 1))
    assert await scripts.client.zcard(f"{base}:closed") == 4
    await findings.keep(check("P7", 9, 0))
    names = (base, f"{base}:at", f"{base}:numbers")
    assert [await scripts.client.exists(name) for name in names] == [0, 0, 0]


async def test_in_whatever_order_checks_come_the_newest_of_each_name_stands(
    scripts: Scripts,
) -> None:
    findings, dice = RedisFindings(scripts), random.Random(7)
    checks = [check(f"P{i % 4}", i, dice.randrange(3)) for i in range(40)]
    dice.shuffle(checks)
    for first in range(0, 40, 8):
        await asyncio.gather(*(findings.keep(one) for one in checks[first : first + 8]))
    newest = {one.record: one for one in sorted(checks, key=lambda one: one.at)}
    left = [one for one in sorted(newest.values(), key=lambda one: one.at) if one.found]
    total = sum(one.found for one in left)
    assert await findings.of(PROJECT, 10) == ProjectFindings(total, tuple(left[::-1]))


@pytest.mark.parametrize("other", ["MATTER-8", "MATTER-7:at", "}", "{x}", ""])
async def test_projects_do_not_mix_whatever_they_are_called(
    other: str, findings: RedisFindings
) -> None:
    await findings.keep(check("P001", 1, 1))
    await findings.keep(check("P001", 2, 0, project=other))
    assert (await stands(findings), await stands(findings, other)) == ([("P001", 1)], [])


async def test_a_project_whose_key_holds_something_else_is_an_error(
    findings: RedisFindings, scripts: Scripts
) -> None:
    await scripts.client.set(keys.findings(PROJECT), "x")
    with pytest.raises(StoreError):
        await findings.keep(check("P001", 1, 1))
    assert (await findings.of(PROJECT, 10)).findings == 0


async def test_what_a_run_found_is_withdrawn_with_it(findings: RedisFindings) -> None:
    # It names the other run, which did not find it.
    kept = check("P001-r1", 1, 2, run="r2")
    await findings.keep(kept, check("P002", 1, 1, run="r1"), check("r1", 1, 2, run="r1"))
    ended = Withdrawal(project=PROJECT, run="r1", at=kept.at)
    assert await findings.withdraw(ended.model_copy(update={"record": "r1"})) == 2
    assert (await findings.of(PROJECT, 10)).findings == 3
    assert await findings.withdraw(ended) == 1
    assert await findings.withdraw(ended) == 0
    assert await findings.of(PROJECT, 10) == ProjectFindings(2, (kept,))
    # A check that is older than the withdrawal and comes late is closed already.
    assert await findings.keep(check("P002", 0, 1, run="r1")) == 0
    assert await findings.of(PROJECT, 10) == ProjectFindings(2, (kept,))
    assert await findings.withdraw(Withdrawal(project=PROJECT, run="r2", at=kept.at)) == 2
    assert await findings.of(PROJECT, 10) == ProjectFindings()


async def test_nothing_is_kept_of_what_is_withdrawn_but_so_many_names(
    findings: RedisFindings, scripts: Scripts
) -> None:
    base = keys.findings(PROJECT)
    for run, count in (("r1", 5), ("r2", 2)):
        await findings.keep(*(check(f"{run}-{n}", n, 1, run=run) for n in range(count)))
        ended = Withdrawal(project=PROJECT, run=run, at=check("P001", 9, 0).at)
        assert await findings.withdraw(ended) == count
        names = (base, f"{base}:at", f"{base}:numbers")
        assert [await scripts.client.exists(name) for name in names] == [0, 0, 0]
    assert await scripts.client.zcard(f"{base}:closed") == 5


async def test_what_an_older_version_kept_is_read_and_withdrawn(
    findings: RedisFindings, scripts: Scripts
) -> None:
    now = check("P001", 1, 2, run="r1")
    old = now.model_dump(mode="json", exclude={"requester", "title"})
    base = keys.findings(PROJECT)
    await scripts.client.hset(base, now.name, json.dumps(old))
    await scripts.client.zadd(f"{base}:at", {now.name: 1})
    await scripts.client.hset(f"{base}:numbers", "kept", 2)
    (read,) = (await findings.of(PROJECT, 10)).checks
    assert (read, read.about) == (now, "P001")
    assert await findings.withdraw(Withdrawal(project=PROJECT, run="r1", at=now.at)) == 2
