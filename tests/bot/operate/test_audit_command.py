"""`signoff audit`: who did what in a run, when and from where, masked; and a file of it to keep."""

import json
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.masking import compile_mask
from bot.operate.audit import format_entry, mask_values, show_audit
from bot.settings import Settings
from tests.bot.signoff_process import FILES, ended
from tests.fakes.crank import cranked
from tests.scenarios.conftest import settings_over

Capture = pytest.CaptureFixture[str]
PHONE = "13912345678"
ASK = "录入 P003 今天的访视,ECOG 1,体重 60,血压 120/80"


async def rejected(settings: Settings) -> str:
    """A visit that a bystander may not approve and a reviewer rejects; the run's id."""
    async with cranked(settings) as crank:
        await crank.say("lin", ASK)
        await crank.still()
        card = await crank.card()
        await crank.tap("zhao", card, "approve")
        await crank.fill("chen", card, "reject", {"reason": f"call {PHONE}\x1b[2J first"})
        await crank.still()
        (kept,) = await crank.runs()
    return kept.run.id


async def test_a_log_is_told_line_by_line_in_both_languages_and_masked(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, capsys: Capture
) -> None:
    settings = settings_over(redis_server, tmp_path)
    run = await rejected(settings)
    capsys.readouterr()
    for lang, wanted in (
        (
            "en",
            ("refused, they are not an approver", "sent the form of reject", "By the log alone"),
        ),
        ("zh", ("拒绝，不是审批人", "提交表单：已决定", "仅由日志得出：suspended")),
    ):
        assert await show_audit(settings, run, lang=lang, as_json=False, export=None) == 0
        told = capsys.readouterr().out
        assert [words for words in wanted if words not in told] == []
        assert "zhao [local:zhao web:local:main]" in told
        assert "call *** [2J first" in told
        assert PHONE not in told
        assert "\x1b" not in told
        assert "But what is stored" not in told


async def test_a_program_gets_every_entry_and_a_file_is_written_once_for_the_owner_alone(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, capsys: Capture
) -> None:
    settings = settings_over(redis_server, tmp_path)
    run = await rejected(settings)
    capsys.readouterr()
    assert await show_audit(settings, run, lang="en", as_json=True, export=None) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["standing"]["status"] == "suspended"
    assert PHONE not in json.dumps(told)
    file = tmp_path / "audit.jsonl"
    assert await show_audit(settings, run, lang="en", as_json=False, export=file) == 0
    entries = [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]
    assert entries == told["entries"]
    assert file.stat().st_mode & 0o777 == 0o600
    assert await show_audit(settings, run, lang="en", as_json=False, export=file) == 1
    assert "name a file that is not there yet" in capsys.readouterr().err


async def test_exit_codes_are_those_of_the_other_commands(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path
) -> None:
    found = {**FILES, "REDIS_URL": redis_server.url, "SIGNOFF_DATA_DIR": str(tmp_path / "data")}
    none = await ended(tmp_path, "audit", "0-nothing", **found)
    assert (none.status, "no run is kept under this id" in none.err) == (1, True)
    wrong = await ended(tmp_path, "audit", "0-nothing", **{**found, "PORT": "many"})
    assert wrong.status == 2


def test_a_number_that_looks_like_a_phone_is_masked_and_the_rest_stays_what_it_is() -> None:
    given = {"a": [int(PHONE), 7, 1.5, True, None], PHONE: "x"}
    assert mask_values(given, compile_mask(None)) == {"a": ["***", 7, 1.5, True, None], "***": "x"}


def test_what_another_version_logged_is_told_as_it_is() -> None:
    entry = {"at": "2026-11-21T09:30:00+00:00", "event": "delegated", "by": "chen", "card": "0-c"}
    assert format_entry(entry, "en") == "2026-11-21T09:30:00  chen  delegated 0-c"
    tapped = {**entry, "event": "tap", "choice": "approve", "result": "vetoed"}
    assert format_entry(tapped, "zh").endswith("在卡片 0-c 上点选 approve：vetoed")
