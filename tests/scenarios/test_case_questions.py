"""Questions in a conversation that has a case are answered from it (spec 000 §3.3)."""

import json
import re
import shutil
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import yaml

from tests.fakes.model_server import ModelServer, Reply, say, say_json
from tests.fakes.tour import write_tour
from tests.fakes.web_room import Message, WebRoom, new_id, text_of
from tests.scenarios.conftest import ROOT, Service, Start, nothing_goes_on
from tests.scenarios.test_cases import is_done
from tests.scenarios.test_model_walk import settings

RIDER = b"The hall has a Steinway grand piano.\nParking for two buses is behind the hall.\n"


async def ask(room: WebRoom, person: str, question: str) -> str:
    """The answer, without marks."""
    known = set(room.shown)
    await room.say(person, question)

    def answers(message: Message) -> bool:
        new = any(view is message for key, view in room.shown.items() if key not in known)
        states = [part["state"] for part in message["parts"]]
        return new and bool(states) and "working" not in states

    message = await room.wait_for(answers)
    return re.sub(r"<[^>]+>", "", "\n".join(part["html"] for part in message["parts"]))


async def planned(start: Start, folder: Path, **more: Any) -> Service:
    """The choir's service."""
    write_tour(folder)
    return await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        project="CHOIR",
        languages=("en", "zh"),
        timezone="Europe/Berlin",
        **more,
    )


async def plan(room: WebRoom, service: Service) -> None:
    """Mia plans the tour, and shares what the hall sent."""
    await room.say("mia", "plan a tour")
    form = await room.card("clarify")
    values = {"city": "Bergen", "hall": "Grieghallen", "singers": "42", "day": "2027-06-12"}
    await room.fill("mia", form, "submit", **values)
    await room.wait_for(is_done)
    await nothing_goes_on(service, room.room)


async def test_a_question_is_answered_from_the_case_its_files_or_with_what_is_known(
    start: Start, tmp_path: Path
) -> None:
    service = await planned(start, tmp_path / "choir")
    async with WebRoom(service.url) as room:
        before = await ask(room, "jon", "is the bus booked?")
        assert "You could ask" in before
        assert "Known of" not in before
        await plan(room, service)
        await room.share("mia", "", rider__txt=RIDER)
        await room.wait_for(lambda message: "rider" in text_of(message))
        for person in ("mia", "jon"):
            told = await ask(room, person, "where do we sing?")
            assert "Grieghallen" in told
            assert "Price of a room" not in told
            told = await ask(room, person, "does the hall have a piano?")
            assert "Steinway grand piano" in told
            assert "rider.txt" in told
            told = await ask(room, person, "where can the buses park?")
            assert "Parking for two buses" in told
            told = await ask(room, person, "who conducts us?")
            assert "I am not sure what you mean" in told
            assert "Grieghallen" in told
            assert "all of it" in told
            assert len(told) < 350
            told = await ask(room, person, "谁来指挥?")
            assert "全部内容" in told
            for words in ("all of it", "/case", "全部内容"):
                told = await ask(room, person, words)
                assert "Bergen" in told
                assert "42" in told
            told = await ask(room, person, "what do we know so far?")
            assert "not sure" not in told
            assert "City: Bergen" in told
            assert "Not known so far: Hotel, Price of a room" in told
        assert "Hello" in await ask(room, "jon", "hello")


async def test_a_request_of_another_tells_who_decided_and_why_to_all_who_share_the_case(
    start: Start, tmp_path: Path
) -> None:
    service = await planned(start, tmp_path / "choir")
    async with WebRoom(service.url) as room:
        await plan(room, service)
        await room.say("mia", "book the hotel")
        form = await room.wait_for(lambda m: bool(m["card"]) and '"Hotel"' in text_of(m["card"]))
        await room.fill("mia", form["card"], "submit", hotel="Fjord Inn", price="900 EUR")
        card = await room.card("confirm")
        _, sent = await room.fill("eva", card, "reject", reason="over our budget")
        assert sent["ok"]
        await nothing_goes_on(service)
        told = await ask(room, "jon", "what happens with our breakfast?")
        assert "Hotel: Fjord Inn" in told
        assert "over our budget" in told


async def test_a_button_below_a_short_answer_tells_all_even_after_a_restart(
    start: Start, tmp_path: Path
) -> None:
    service = await planned(start, tmp_path / "choir")
    async with WebRoom(service.url) as room:
        await plan(room, service)
        assert "not sure" in await ask(room, "jon", "who conducts us?")
        (menu,) = (m["card"] for m in room.shown.values() if m["card"] and offers_all(m["card"]))
    again = await planned(start, tmp_path / "choir")
    async with WebRoom(again.url) as room:
        before = set(room.shown)
        status, _ = await room.tap("jon", menu, "whole_case")
        assert status == 202

        def tells_all(message: Message) -> bool:
            is_new = any(v is message for key, v in room.shown.items() if key not in before)
            return is_new and "Singers" in text_of(message)

        assert "Bergen" in text_of(await room.wait_for(tells_all))


def offers_all(card: Message) -> bool:
    """Whether the card has the button for all of the case."""
    return any(each["data"].split(":")[2] == "whole_case" for each in card["buttons"])


async def test_an_entity_says_which_case_and_an_unknown_one_gets_nothing_of_another(
    start: Start, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(ROOT / "examples/cookbook/case", tmp_path / "fair"))
    path = folder / "people.yaml"
    people = yaml.safe_load(path.read_text())
    people["people"].append({"id": "guest", "name": "Gil", "web": "gil"})
    people["projects"] = [{"project": "FAIRS", "people": ["ida", "otto", "max"]}]
    people["projects"].append({"project": "CANTEEN", "everybody": True})
    path.write_text(yaml.safe_dump(people))
    service = await start(
        playbooks=folder / "playbooks",
        people=path,
        project="FAIRS",
        languages=("en",),
        timezone="Europe/Berlin",
        projects=(("web:local:open", "CANTEEN"),),
    )
    rooms = (WebRoom(service.url, name) for name in ("main", "second", "open"))
    async with AsyncExitStack() as stack:
        room, other, open_room = [await stack.enter_async_context(each) for each in rooms]
        await room.say("ida", "settle the size of the stand")
        await room.fill("ida", await room.card("clarify"), "submit", fair="F-12", metres="40")
        await room.wait_for(is_done)
        for person in ("ida", "otto"):
            assert "Square metres: 40" in await ask(room, person, "how large is the stand?")
            assert "Square metres: 40" in await ask(other, person, "how big is it at F-12?")
            told = await ask(room, person, "how big is the stand for F-13?")
            assert "Nothing is known of F-13" in told
            assert "40" not in told
        assert "40" not in await ask(other, "otto", "how large is the stand?")
        assert "40" in await ask(other, "otto", "/case F-12")
        assert "not sure" in await ask(room, "otto", "who carries it there?")
        *_, menu = (m["card"] for m in room.shown.values() if m["card"] and offers_all(m["card"]))
        for where, person in ((room, "gil"), (open_room, "gil"), (open_room, "ida")):
            before = set(where.shown)
            await where.tap(person, menu, "whole_case")
            new = [view for key, view in where.shown.items() if key not in before]
            assert "40" not in text_of(new)
        telling = ("/case F-12", "/case", "all of it")
        asking = ("how big is it at F-12?", "how large is the stand?", "which fair is it?")
        for asked in (*asking, *telling):
            status, told = await room.post("messages", "gil", text=asked, id=new_id())
            assert status == 200
            assert "may not see" in text_of(told)
            assert "40" not in await ask(open_room, "gil", asked)
            assert "40" not in await ask(open_room, "ida", asked)


async def test_with_a_model_the_case_is_what_it_is_given_as_data(
    start: Start, tmp_path: Path
) -> None:
    asked = "where do we sing?"
    heard: list[str] = []

    def answer(request: dict[str, Any]) -> Reply:
        if "response_format" in request:
            intent = {"text": asked, "kind": "qa_query", "playbook": "", "depends_on": []}
            return say_json({"intents": [intent]})
        heard.append(json.dumps(request["messages"], ensure_ascii=False))
        return say("In Bergen.")

    async with ModelServer(answer) as model:
        service = await planned(start, tmp_path / "choir", **settings(model))
        async with WebRoom(service.url) as room, WebRoom(service.url, "second") as other:
            await plan(room, service)
            assert "In Bergen." in await ask(room, "jon", asked)
            assert "What is known: <data>" in heard[-1]
            assert "Grieghallen" in heard[-1]
            await ask(other, "jon", asked)
            assert "Grieghallen" not in heard[-1]
        assert model.faults == []
