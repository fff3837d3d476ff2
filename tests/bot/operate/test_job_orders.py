"""`signoff runs stop|fail|recover RUN` and `signoff graph --run RUN`, through real processes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from tests.bot.signoff_process import FILES, PLAYBOOKS, answering, ended, serving
from tests.fakes.job_playbook import says
from tests.fakes.model_server import API_KEY, ModelServer
from tests.fakes.platforms.patience import until
from tests.fakes.ports import free_port
from tests.fakes.team_server import TeamScript
from tests.fakes.web_room import WebRoom, text_of

Variables = dict[str, str]


@pytest.fixture
async def team() -> AsyncIterator[tuple[TeamScript, ModelServer]]:
    """A team of which one asks a question first."""
    script = TeamScript({"visits": [says(None, question="Which cycles?")] * 2})
    async with ModelServer(script) as server:
        yield script, server


def variables(redis_server: EmbeddedServer, model: ModelServer, port: int) -> Variables:
    return {
        **FILES,
        "REDIS_URL": redis_server.url,
        "OPENAI_API_KEY": API_KEY,
        "OPENAI_BASE_URL": model.base_url,
        "LLM_MODEL": "stub-model",
        "PORT": str(port),
    }


async def told(folder: Path, wanted: str, *words: str, **given: str) -> str:
    """What the command prints, as soon as it says that."""

    async def found() -> str:
        answer = await ended(folder, *words, **given)
        return answer.out if wanted in answer.out else ""

    return str(await until(found))


async def test_an_operator_stops_and_recovers_a_graph_between_processes(
    redis: Redis,
    redis_server: EmbeddedServer,
    tmp_path: Path,
    team: tuple[TeamScript, ModelServer],
) -> None:
    script, model = team
    port = free_port()
    given = variables(redis_server, model, port)
    async with serving(tmp_path, "web", **given):
        await answering(f"http://127.0.0.1:{port}")
        async with WebRoom(f"http://127.0.0.1:{port}") as room:
            async with serving(tmp_path, "worker", **given):
                await room.say("lin", "prepare a monitoring report for P003")
                asked = await room.card("clarify")
                listed = await told(tmp_path, "jobs:monitoring-report", "runs", "list", **given)
                line = next(each for each in listed.splitlines() if "jobs:" in each)
                run = line.split("  ")[0]
                drawn = await ended(tmp_path, "graph", "--run", run, **given)
                assert (drawn.status, drawn.out[:12]) == (0, "flowchart TB")
                svg = await ended(
                    tmp_path, "graph", "--run", run, "--format", "svg", "--lang", "zh", **given
                )
                assert 'id="job:visits"' in svg.out
                early = await ended(tmp_path, "runs", "recover", run, **given)
                assert (early.status, early.out) == (1, "")
                assert "its job graph is running" in early.err
                wrong = await ended(tmp_path, "runs", "fail", run, "visit", **given)
                assert "there is no job 'visit'; there are: visits, windows, report" in wrong.err
                stop = await ended(tmp_path, "runs", "stop", run, "--why", "an audit", **given)
                assert (stop.status, stop.out) == (0, f"{run}: stop is on its way\n")
                card = await room.card("select")
                assert "an audit" in text_of(card)
                await room.card("clarify", closed=True)
                _, late = await room.fill("lin", asked, "submit", answer="two")
                assert late["ok"] is False
            # No worker is up: the order waits for the next one.
            going = await ended(tmp_path, "runs", "recover", run, **given)
            assert going.status == 0
            async with serving(tmp_path, "worker", **given):
                again = await room.card("clarify")
                why = await ended(tmp_path, "explain", run, **given)
                assert "waiting  visits by records, attempt 2" in why.out
                fail = await ended(tmp_path, "runs", "fail", run, "visits", **given)
                assert fail.status == 0
                failed = await room.card("select")
                assert "operator" in text_of(failed)
                await room.tap("lin", failed, "recover")
                await room.card("phase_done")
                over = await told(tmp_path, "completed", "explain", run, **given)
                assert "run " in over
                gone = await ended(tmp_path, "runs", "stop", run, **given)
                assert "the run has ended: completed" in gone.err
                none = await ended(tmp_path, "graph", "--run", run, **given)
                assert none.status == 1
    assert again["token"] != asked["token"]
    assert script.asked.count("windows") == 1
    assert script.asked.count("leader") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("graph",), "either PLAYBOOK or --run RUN is needed"),
        (("graph", "clinical_qc", "--run", "x"), "either PLAYBOOK or --run RUN is needed"),
    ],
)
async def test_a_graph_is_of_a_playbook_or_of_a_run(
    tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    answer = await ended(tmp_path, *words, SIGNOFF_PLAYBOOKS=str(PLAYBOOKS))
    assert answer.status == 2
    assert told in answer.err
