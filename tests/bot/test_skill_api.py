"""The internal API over real HTTP: every status, what it keeps, and that it keeps to its schema."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.operate import traces
from tests.fakes.model_server import fail, say, say_json, slow
from tests.fakes.skill_client import EXECUTE, TOKEN, Client, bearing, connected
from tests.fakes.study import visits_in
from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import ROOT

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPENAPI = "/internal/ai/openapi.json"
VISIT = {
    "subject_id": "P003",
    "visit_date": "2026-10-30",
    "ecog": 1,
    "weight_kg": 60.5,
    "systolic": 120,
    "diastolic": 80,
}
CLIENT = {"state": {"data": {"client": "Example Ltd"}}}
SUMMARY = {"response": "Done.", "data": {"summary": "short"}, "control": {"action": "continue"}}
MOBILE = "13812345678"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(
    redis_server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Client]:
    async with Redis.from_url(redis_server.url) as redis:
        await redis.flushall()
    async with connected(redis_server, tmp_path_factory.mktemp("api")) as client:
        yield client


@pytest.fixture
def anew(redis_server: EmbeddedServer, tmp_path: Path) -> Callable[..., Any]:
    """Another service over the same store, with other settings."""

    def begin(**more: Any) -> Any:
        return connected(redis_server, tmp_path, **more)

    return begin


async def kept(client: Client, trace: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The trace as `signoff traces ID` prints it."""
    capsys.readouterr()
    assert await traces.show_trace(client.service.parts.settings, trace) == 0
    printed = capsys.readouterr().out
    found: dict[str, Any] = json.loads(printed[printed.index("{\n") :])
    return found


async def test_a_skill_answers_with_its_output_and_a_trace_that_operators_can_read(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    client.model.script([say_json(SUMMARY)])
    body = {**CLIENT, "message": f"Call {MOBILE}", "playbook": "letters", "request": "demand"}
    answer = await client.run("summarize", body)
    assert answer.status == 200
    output = answer.body["output"]
    assert (output["response"], output["data"]) == ("Done.", {"summary": "short"})
    assert output["control"]["action"] == "continue"
    assert answer.body["model"]["calls"] == 1
    assert answer.body["model"]["tokens"] > 0
    trace = await kept(client, answer.body["trace"], capsys)
    assert (trace["kind"], trace["outcome"], trace["skill"]) == ("skill", "done", "summarize")
    assert len(trace["steps"]) == answer.body["steps"] == 4
    assert trace["state"] == CLIENT["state"]
    assert trace["text"] == "Call ***"
    assert await traces.list_traces(client.service.parts.settings) == 0
    assert f"{answer.body['trace']}  " in capsys.readouterr().out


async def test_nothing_is_stored_but_the_trace_and_nothing_is_written(client: Client) -> None:
    parts = client.service.parts
    store, data = parts.store.client, parts.settings.data_dir
    before, visits = set(await store.keys("*")), visits_in(data, "P003")
    state = {"data": VISIT, "profile": {"check_status": "passed"}}
    review = await client.run("visit-review", {"state": state})
    assert review.body["output"]["control"]["card"]["roles"] == ["reviewer"]
    record = await client.run(
        "visit-record", {"state": {**state, "decisions": {"review": "approved"}}}
    )
    assert (record.status, record.body["error"]) == (409, "constraint")
    assert record.body["why"] == "record_visit: nobody approved it"
    new = {str(key) for key in set(await store.keys("*")) - before}
    # What workers tell of a model's use they write when their time comes, whoever is served.
    assert {key.split(":")[1] for key in new} - {"model"} <= {"trace", "traces"}
    assert visits_in(data, "P003") == visits


@pytest.mark.parametrize("given", [None, "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x"])
async def test_without_the_token_nothing_is_told(client: Client, given: str | None) -> None:
    headers = {"Authorization": given} if given else {}
    async with aiohttp.ClientSession(base_url=client.service.url, headers=headers) as http:
        for call in (http.get(OPENAPI), http.post(EXECUTE.format("nothing"), json={})):
            async with call as answer:
                assert answer.status == 401
                assert answer.headers["WWW-Authenticate"] == "Bearer"
                assert (await answer.json())["error"] == "unauthorized"


async def test_without_a_token_in_the_settings_the_api_is_off(anew: Callable[..., Any]) -> None:
    async with anew(admin_token=None) as off, bearing(off) as http:
        for call in (http.get(OPENAPI), http.post(EXECUTE.format("letter"), json={})):
            async with call as answer:
                assert answer.status == 404


@pytest.mark.parametrize(
    ("skill", "body", "why"),
    [
        ("visit-chek", {}, "did you mean 'visit-check'?"),
        ("letter", {"playbook": "clinical_qc"}, "playbook clinical_qc has no skill letter"),
    ],
)
async def test_a_skill_that_is_not_there_is_not_found(
    client: Client, skill: str, body: dict[str, Any], why: str
) -> None:
    answer = await client.run(skill, body)
    assert answer.status == 404
    assert why in answer.body["why"]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b'{"state": {"data": {"amount": NaN}}}',
        b'{"state": {"data": {"amount": 1e999}}}',
        b'{"state": {"data": {"amount": ' + b"9" * 400 + b"}}}",
        rb'{"message": "\ud800"}',
        b'{"message": "\xff"}',
        b"[" * 100_000,
    ],
)
async def test_what_is_no_json_is_refused(client: Client, raw: bytes) -> None:
    assert (await client.send("letter", raw)).status == 400


async def test_only_json_is_taken_and_of_one_mebibyte_at_most(client: Client) -> None:
    assert (await client.send("letter", b"{}", **{"Content-Type": "text/plain"})).status == 415
    assert (await client.send("letter", b" " * 2**20 + b"{}")).status == 413


async def test_all_wrong_fields_are_named_at_once(client: Client) -> None:
    state = {
        "profile": {"route": "war", "rout": "court"},
        "decisions": {"letter": [1], "other": True},
        "data": {"amount": "much", "due": "30.10.2026", "points": [{"claim": 7}], "client": None},
        "recnt": [],
    }
    body = {
        "state": state,
        "phase": "settel",
        "lang": "fr",
        "mesage": "hello",
        "project": "../other",
    }
    answer = await client.run("letter", body)
    assert answer.status == 422
    faults = {fault["path"]: fault["message"] for fault in answer.body["faults"]}
    assert faults["state.profile.rout"] == "unknown key; did you mean 'route'?"
    assert faults["state.data.due"] == "should be a date like 2026-01-31, not '30.10.2026'"
    assert faults["state.recnt"] == "unknown key; did you mean 'recent'?"
    assert faults["mesage"] == "unknown key; did you mean 'message'?"
    assert "did you mean 'settle'?" in faults["phase"]
    assert set(faults) == {
        "state.profile.route",
        "state.profile.rout",
        "state.decisions.letter",
        "state.decisions.other",
        "state.data.amount",
        "state.data.due",
        "state.data.points.0.claim",
        "state.recnt",
        "mesage",
        "phase",
        "lang",
        "project",
    }


@pytest.mark.parametrize(
    ("body", "path", "told"),
    [
        ([], "", "should be a mapping"),
        ({"project": "MATTER-9\n"}, "project", "should be text of the form"),
        ({"state": 1}, "state", "should be a mapping"),
        ({"playbook": "leters"}, "playbook", "did you mean 'letters'?"),
        ({"playbook": 1}, "playbook", "should be text"),
        ({"request": "demnd"}, "request", "did you mean 'demand'?"),
        ({"request": "demand", "phase": "settle"}, "phase", "there is no phase 'settle'"),
        ({"message": "x" * 8001}, "message", "at most 8000"),
        ({"state": {"attachments": [1] * 9}}, "state.attachments.0", "should be text"),
        ({f"k{n}": n for n in range(1000)}, "", "at most 20 keys"),
        ({"state": {f"k{n}": n for n in range(1000)}}, "state", "at most 20 keys"),
    ],
)
async def test_a_wrong_field_is_told_with_its_path(
    client: Client, body: Any, path: str, told: str
) -> None:
    answer = await client.run("letter", body)
    assert answer.status == 422
    (fault,) = answer.body["faults"]
    assert fault["path"] == path
    assert told in fault["message"]


async def test_of_very_many_faults_the_first_fifty_are_told(client: Client) -> None:
    answer = await client.run("letter", {"state": {"data": {f"k{n}": n for n in range(9000)}}})
    assert (answer.status, len(answer.body["faults"])) == (422, 50)


async def test_of_several_playbooks_with_the_skill_one_must_be_named(
    client: Client, anew: Callable[..., Any], tmp_path: Path
) -> None:
    twice = tmp_path / "twice"
    shutil.copytree(client.service.parts.settings.playbooks, twice)
    shutil.copytree(twice / "letters", twice / "mail")
    text = (twice / "mail" / "playbook.yaml").read_text("utf-8")
    (twice / "mail" / "playbook.yaml").write_text(
        text.replace("id: letters", "id: mail", 1), "utf-8"
    )
    # A store of its own, for its playbooks are then current for every process of that store.
    apart = f"{client.service.parts.settings.redis_url}?db=1"
    async with anew(playbooks=twice, redis_url=apart) as both:
        answer = await both.run("intake", {})
        assert answer.status == 422
        (fault,) = answer.body["faults"]
        assert fault["path"] == "playbook"
        assert fault["message"].endswith("letters, mail")
        assert (await both.run("intake", {"playbook": "mail"})).body["playbook"] == "mail"


async def test_a_constraint_that_is_not_met_is_named(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = await client.run("summarize", {"lang": "zh"})
    assert (answer.status, answer.body["error"]) == (409, "constraint")
    assert answer.body["skill"] == "summarize"
    assert answer.body["why"].startswith("summarize cannot run: client")
    trace = await kept(client, answer.body["trace"], capsys)
    assert (trace["outcome"], trace["why"]) == ("constraint", answer.body["why"])
    assert (await client.run("inner", {})).body["why"] == "inner cannot run: it is internal"


async def test_a_skill_that_only_the_api_runs_runs_here(client: Client) -> None:
    client.model.script([say_json(SUMMARY)])
    assert (await client.run("outside", {})).status == 200


async def test_a_model_that_gives_no_usable_answer_is_a_bad_gateway(client: Client) -> None:
    client.model.script([say("no"), say("no"), say("no")])
    answer = await client.run("letter", {})
    assert (answer.status, answer.body["error"]) == (502, "model_faulty")


async def test_a_model_that_is_away_or_not_set_is_unavailable(
    client: Client, anew: Callable[..., Any]
) -> None:
    client.model.script(lambda request: fail(503))
    answer = await client.run("letter", {})
    assert (answer.status, answer.body["error"]) == (503, "model_away")
    async with anew(openai_api_key=None, openai_base_url=None, llm_model=None) as without:
        answer = await without.run("letter", {})
        assert (answer.status, answer.body["error"]) == (503, "no_model")
        assert (await without.run("visit-check", {"state": {"data": VISIT}})).status == 200


async def test_a_skill_that_takes_too_long_is_given_up(anew: Callable[..., Any]) -> None:
    async with anew(skill_api_s=0.1) as hasty:
        hasty.model.script([slow(asyncio.Event())])
        answer = await hasty.run("letter", {})
        assert (answer.status, answer.body["error"]) == (504, "timeout")
        assert answer.body["trace"]


async def test_where_no_traces_are_kept_none_is_named(anew: Callable[..., Any]) -> None:
    async with anew(trace_days=0) as forgetful:
        answer = await forgetful.run("visit-check", {"state": {"data": VISIT}})
        assert (answer.status, answer.body["trace"]) == (200, None)


async def test_twenty_slow_skills_keep_nobody_else_waiting(anew: Callable[..., Any]) -> None:
    """While all of them wait for the model, a message is taken and answered."""
    go_on = asyncio.Event()
    async with anew() as busy, WebRoom(busy.service.url, "beside") as room:
        busy.model.script(lambda request: slow(go_on, json.dumps(SUMMARY)))
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(busy.run("summarize", CLIENT)) for _ in range(20)]
            while busy.model.now < 20:
                busy.model.arrived.clear()
                await busy.model.is_asked()
            await room.say("lin", "/help")
            await room.wait_for(lambda m: "/pending" in text_of(m))
            assert not any(each.done() for each in asked)
            go_on.set()
    assert {each.result().status for each in asked} == {200}


async def test_the_description_is_sound_and_names_every_skill(client: Client) -> None:
    async with bearing(client) as http, http.get(OPENAPI) as answer:
        assert answer.status == 200
        described = await answer.json()
    validate(described)
    operation = described["paths"]["/internal/ai/skills/{skill}/execute"]["post"]
    skills = {
        name
        for p in client.service.parts.reloader.current.snapshot.playbooks.values()
        for name in p.skills
    }
    assert set(operation["parameters"][0]["schema"]["enum"]) == skills
    statuses = {200, 400, 401, 404, 409, 413, 415, 422, 502, 503, 504}
    assert set(operation["responses"]) == {str(status) for status in statuses}
    wanted = operation["requestBody"]["content"]["application/json"]["schema"]
    fits = Draft202012Validator({**wanted, "components": described["components"]})
    fits.validate({**CLIENT, "playbook": "letters"})
    assert not fits.is_valid({"state": {"data": {"client": 7}}})
    assert not fits.is_valid({"mesage": ""})


async def test_the_example_of_the_documentation_does_what_it_says(client: Client) -> None:
    text = (ROOT / "docs" / "internal-api.md").read_text("utf-8")
    command = re.search(r"```sh\n(curl.*?)```", text, re.DOTALL)
    shown = re.search(r"```json\n(.*?)```", text, re.DOTALL)
    assert command is not None
    assert shown is not None
    script = command[1].replace("http://127.0.0.1:8080", client.service.url)
    process = await asyncio.create_subprocess_exec(
        "bash",
        "-c",
        script,
        env={"SIGNOFF_ADMIN_TOKEN": TOKEN, "PATH": "/usr/bin:/bin"},
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await process.communicate()
    found, told = json.loads(out), json.loads(shown[1])
    assert {**found, "trace": ""} == {**told, "trace": ""}
