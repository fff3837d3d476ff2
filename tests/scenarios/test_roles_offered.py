"""A request or a tool that names roles is offered to who holds one, and started by nobody else."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from adapters.redis.server.embedded import EmbeddedServer
from bot.people.directory import Directory
from cards.model import Principal
from engine.errors import DefinitionError
from engine.frames.intents import Candidate, Intent
from engine.playbooks.load import load
from engine.services import Services, startable_playbooks
from engine.talk.turn.choice_cards import without_unavailable
from engine.understanding.router.model_answer import answer_schema
from engine.understanding.router.prompt import route_names
from tests.engine.understanding.routes import CONTEXT
from tests.fakes.crank import Crank, cranked
from tests.fakes.desk import desk, desk_files
from tests.fakes.services import services_of
from tests.fakes.settings import load_people
from tests.fakes.stored import read_hash
from tests.fakes.study import Study
from tests.scenarios.conftest import ROOT, settings_over
from tests.scenarios.test_run_ends import change

WORK = "录入 P003 今天的访视,ECOG 1,体重 60,血压 120/80"
LIN = Principal(id="lin", name="Lin", roles=("crc",))
CHEN = Principal(id="chen", name="Chen", roles=("reviewer",))


async def replies(crank: Crank) -> str:
    """Everything that was replied in the room."""
    found = [key async for key in crank.client.scan_iter(match="*reply:*")]
    bodies = [await read_hash(crank.client, key) for key in found]
    return "\n".join(str(body) for body in bodies)


async def test_only_a_holder_of_the_role_starts_the_work_and_is_shown_how(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, playbooks: Path
) -> None:
    named = "  - id: visit-entry\n"
    change(playbooks, "playbook.yaml", named, f"{named}    roles: [crc]\n")
    async with cranked(settings_over(redis_server, tmp_path, playbooks=playbooks)) as crank:
        await crank.say("chen", WORK, "of-chen")
        await crank.say("chen", "/help", "help-chen")
        await crank.still()
        assert await crank.runs("of-chen") == []
        told = await replies(crank)
        assert "只有以下角色可以发起：研究协调员" in told
        example = (
            crank.parts.reloader.current.snapshot.playbooks["clinical_qc"]
            .definition.requests[0]
            .examples[0]
        )
        assert example not in told
        await crank.say("lin", WORK, "of-lin")
        await crank.still()
        (run,) = await crank.runs("of-lin")
        assert run.run.request == "visit-entry"


async def test_who_lost_the_role_while_a_card_asked_which_starts_nothing(
    redis: Redis, redis_server: EmbeddedServer, tmp_path: Path, playbooks: Path
) -> None:
    named = "  - id: visit-entry\n"
    change(playbooks, "playbook.yaml", named, f"{named}    roles: [crc]\n")
    settings = settings_over(redis_server, tmp_path, playbooks=playbooks)
    async with cranked(settings) as crank:
        await crank.say("lin", "查一下 P003 的 ECOG,如果大于 1 就录入今天的访视")
        await crank.still()
        card = await crank.card()
    people = tmp_path / "people.yaml"
    text = (ROOT / "playbooks" / "people.yaml").read_text(encoding="utf-8")
    people.write_text(text.replace("roles: [crc]", "roles: []", 1), encoding="utf-8")
    async with cranked(settings.model_copy(update={"people": people})) as crank:
        await crank.tap("lin", card, "1")
        await crank.still()
        assert await crank.runs() == []
        assert "只有以下角色可以发起" in await replies(crank)


def test_a_playbook_of_which_nothing_is_left_is_left_out_and_the_digest_stays() -> None:
    roled = ("examples:\n", "roles: [reviewer]\n    examples:\n")
    files = desk_files()
    files["playbook.yaml"] = files["playbook.yaml"].replace(*roled, 1)
    both = {"desk": load(files, roles=("crc", "reviewer"), held=("crc", "reviewer"))}
    left, barred = startable_playbooks(both, LIN)
    assert (dict(left), list(barred)) == ({}, ["desk/look-up"])
    mine, nothing = startable_playbooks(both, CHEN)
    assert (mine, dict(nothing)) == (both, {})
    plain = {"plain": desk()}
    assert startable_playbooks(plain, LIN)[0] is plain


def test_a_role_that_nobody_listed_is_told_where_it_stands() -> None:
    files = desk_files()
    text = files["playbook.yaml"].replace("examples:\n", "roles: [crcc]\n    examples:\n", 1)
    with pytest.raises(DefinitionError) as raised:
        load({**files, "playbook.yaml": text}, roles=("crc", "reviewer"), held=("crc", "reviewer"))
    (problem,) = raised.value.problems
    assert "requests.0.roles.0: there is no role in people.yaml 'crcc'" in problem


def test_the_router_neither_shows_nor_takes_a_barred_request_of_the_model() -> None:
    every = [name for name, _ in CONTEXT.requests]
    context = replace(CONTEXT, barred=every[:1])
    asked: Any = answer_schema(route_names(context))
    routes = asked["properties"]["pieces"]["items"]["properties"]["route"]["enum"]
    assert every[0] not in routes
    assert every[1] in routes


def test_did_you_mean_offers_nothing_barred() -> None:
    meant = tuple(
        Candidate(kind="workflow", playbook="desk", request=name) for name in ("look-up", "note")
    )
    intent = Intent(kind="unclear", text="desk", candidates=meant, why="")
    left = without_unavailable(intent, {"desk"}, {"desk/note"})
    assert [each.request for each in left.candidates] == ["look-up"]


def services(people: Directory) -> Services:
    """A turn's, with one tool that names a role."""
    first, *others = Study().reading
    tools = (replace(first, roles=("reviewer",)), *others)
    return services_of(people=people, playbooks={"desk": desk()}, tools=tools)


def test_a_tool_is_there_for_who_may_use_it_and_nothing_is_for_a_stranger(tmp_path: Path) -> None:
    people = load_people(ROOT / "playbooks" / "people.yaml")
    every = services(people)
    of_chen, of_lin = every.limited_to(CHEN), every.limited_to(LIN)
    assert of_chen.tools == every.tools
    assert of_lin.tools == every.tools[1:]
    stranger = every.limited_to(Principal(id="telegram:77", name="Nia"))
    assert (stranger.tools, stranger.playbooks) == ((), {})


def test_what_a_tool_tells_of_is_known_to_who_may_use_it_and_start_nothing(tmp_path: Path) -> None:
    """Who may not start every request was known no id that only look-ups tell of."""
    people = load_people(ROOT / "playbooks" / "people.yaml")
    files = desk_files()
    only_staff = files["playbook.yaml"].replace("examples:\n", "roles: [reviewer]\n    examples:\n")
    known = "entities: {order: {name: Order, pattern: 'W-[0-9]{4}'}}\n"
    roles = ("crc", "reviewer")
    work = load({**files, "playbook.yaml": known + only_staff}, roles=roles, held=roles)
    tool = replace(Study().reading[0], playbook="desk")
    for tools, ids in (((tool,), ("W-0815",)), ((replace(tool, roles=("reviewer",)),), ())):
        every = services_of(people=people, playbooks={"desk": work}, tools=tools)
        of_lin = every.limited_to(LIN)
        assert of_lin.playbooks == {}
        assert of_lin.entities("room", LIN).ids("where is W-0815?") == ids
