"""The page of a run that a model worked on."""

from tests.fakes.admin_client import TOKEN, AdminClient
from tests.fakes.admin_sight import audit, run_in
from tests.fakes.matter_model import MatterModel
from tests.fakes.model_server import ModelServer
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Start
from tests.scenarios.test_litigation_walk import ASK, Matter
from tests.scenarios.test_model_walk import settings


async def test_each_call_of_a_model_is_told_with_how_long_it_took(start: Start) -> None:
    async with ModelServer(MatterModel("en")) as model:
        prices = {"stub-model": (1.0, 2.0)}
        service = await start(**settings(model), admin_token=TOKEN, llm_prices=prices)
        async with WebRoom(service.url) as room, AdminClient(service.url) as admin:
            await room.say("lin", ASK["en"])
            await Matter(service, room).until("phase_done:intake")
            run = await run_in(service, room)
            entries = await audit(service, run)
            calls = [call for entry in entries for call in entry.get("calls", ())]
            took = [
                call["answer"]["seconds"] if call["kind"] == "model" else call["seconds"]
                for call in calls
            ]
            (seconds, *_) = (
                s for call, s in zip(calls, took, strict=True) if call["kind"] == "model"
            )
            assert 0 < seconds < 60
            total = sum(took)
            await admin.sign_in()
            page = await admin.get(f"/runs/{run}?lang=en")
            shown = page.html.split("<summary>Model ")[1].split("</summary>")[0]
            assert f"{seconds:.2f} s" in shown
            assert "Tokens" in shown
            assert "Cost" in shown
            assert f"Seconds {total:.2f}" in page.text
