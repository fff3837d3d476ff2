"""The expenses sample from the request to the write, over its API, when things go wrong too."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes import file_makers as made
from tests.fakes.expenses import TOKEN, ExpensesServer, copy_expenses
from tests.fakes.web_room import Message, WebRoom, button, new_id, text_of
from tests.scenarios.conftest import Service, Start

TAXI = {
    "kind": "taxi",
    "amount": "38.50 EUR",
    "spent_on": "2026-02-03",
    "purpose": "To the fair",
    "receipt": "taxi.pdf",
}


@pytest.fixture
async def api() -> AsyncIterator[ExpensesServer]:
    async with ExpensesServer() as server:
        yield server


@pytest.fixture
async def service(
    start: Start, api: ExpensesServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Service:
    monkeypatch.setenv("EXPENSES_TOKEN", TOKEN)
    folder = copy_expenses(tmp_path / "expenses", api.url)
    return await start(
        playbooks=folder / "playbooks",
        people=folder / "people.yaml",
        connections=folder / "connections.yaml",
        languages=("en",),
    )


@pytest.fixture
async def room(service: Service) -> AsyncIterator[WebRoom]:
    async with WebRoom(service.url) as room:
        yield room


async def claim(room: WebRoom, **changed: str) -> None:
    """Ada claims a taxi, with a receipt in the form, or what is changed of it."""
    await room.say("ada", "please claim an expense")
    form = await room.card("clarify")
    values = {**TAXI, **changed}
    _, sent = await room.upload("ada", made.pdf(["Taxi 38.50 EUR"]))
    files = {"receipt": {"id": sent["id"], "name": values["receipt"]}} if values["receipt"] else {}
    fill = {"button": button(form, "submit"), "values": values, "files": files}
    _, told = await room.post("forms", "ada", **fill, id=new_id())
    assert told["ok"], told


async def ended(room: WebRoom, state: str, *words: str) -> str:
    """What the reply says once a part of it is in that state and says these words."""

    def matches(message: Message) -> bool:
        parts = [each for each in message["parts"] if each["state"] == state]
        return bool(parts) and all(word in text_of(message) for word in words)

    return text_of(await room.wait_for(matches))


def written(api: ExpensesServer) -> list[str]:
    """The purposes of what was written."""
    return [each["purpose"] for each in api.ledger.claims.values()][3:]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("what is the status of my expense E-1234?", "E-1234 (hotel, 240 EUR) is paid."),
        ("is e-1235 paid", "E-1235 (taxi, 38.5 EUR) is submitted."),
        ("status of E-9999", "Nothing was found."),
        ("show my expenses", "E-1235"),
    ],
)
async def test_a_question_is_answered_from_the_api(room: WebRoom, said: str, told: str) -> None:
    await room.say("ada", said)
    await ended(room, "answered", told)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("what is the limit for hotels?", "Hotels up to 1,500 EUR"),
        ("when are expenses paid?", "with the next salary"),
        ("do I need a receipt?", "above 25 EUR needs a receipt"),
    ],
)
async def test_a_question_about_the_policy_is_answered_from_its_document(
    room: WebRoom, said: str, told: str
) -> None:
    await room.say("ada", said)
    await ended(room, "answered", told)


async def test_a_claim_is_approved_by_a_manager_and_written_once(
    room: WebRoom, api: ExpensesServer
) -> None:
    await claim(room)
    card = await room.card("confirm")
    for word in ("Taxi", "38.5", "EUR", "2026-02-03", "To the fair", "taxi.pdf"):
        assert word in text_of(card)
    (receipt,) = [row for row in card["rows"] if row["value"] == "taxi.pdf"]
    assert receipt["link"].endswith("/taxi.pdf")
    assert (await room.tap("ada", card, "approve"))[1]["ok"] is False
    assert (await room.tap("finn", card, "approve"))[1]["ok"] is False
    assert written(api) == []
    assert (await room.tap("mona", card, "approve"))[1]["ok"]
    await ended(room, "done", "E-1237")
    (new,) = [each for each in api.ledger.claims.values() if each["number"] == "E-1237"]
    assert new["owner"] == "ada"
    assert new["approved_by"] == "mona"
    assert new["amount"] == {"value": 38.5, "currency": "EUR"}


async def test_finance_approves_too_what_is_above_500(room: WebRoom, api: ExpensesServer) -> None:
    await claim(room, kind="hotel", amount="640 EUR")
    card = await room.card("confirm")
    assert (await room.tap("mona", card, "approve"))[1]["ok"]
    await room.wait_for(lambda m: "1 of 2" in text_of(m))
    assert written(api) == []
    assert (await room.tap("finn", card, "approve"))[1]["ok"]
    await ended(room, "done", "E-1237")
    assert written(api) == ["To the fair"]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"amount": "120 EUR"}, "more than the policy pays"),
        ({"amount": "38.50 USD"}, "claims are in EUR"),
        ({"receipt": ""}, "is needed above 25 EUR"),
    ],
)
async def test_what_the_policy_does_not_pay_is_refused_with_the_reason(
    room: WebRoom, api: ExpensesServer, changed: dict[str, str], told: str
) -> None:
    await claim(room, **changed)
    await ended(room, "refused", "Nothing was submitted", told)
    assert written(api) == []


async def test_a_rejection_is_told_with_its_reason(room: WebRoom, api: ExpensesServer) -> None:
    await claim(room)
    card = await room.card("confirm")
    _, told = await room.fill("mona", card, "reject", reason="Take the tram")
    assert told["ok"], told
    await ended(room, "rejected", "Mona Reyes", "Take the tram")
    assert written(api) == []


async def test_an_answer_that_is_lost_is_asked_for_with_the_same_key(
    room: WebRoom, api: ExpensesServer
) -> None:
    api.troubles.extend(["lost", "busy"])
    await claim(room)
    await room.tap("mona", await room.card("confirm"), "approve")
    await ended(room, "done", "E-1237")
    assert written(api) == ["To the fair"]
    assert len(api.keys) == 3
    assert len({*api.keys}) == 1


async def test_an_api_that_is_away_is_told(room: WebRoom, api: ExpensesServer) -> None:
    api.away = True
    await room.say("ada", "what is the status of my expense E-1234?")
    await ended(room, "failed", "expenses")


@pytest.fixture
def tries_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is tried again by itself once, at once, and not for half a minute."""
    monkeypatch.setattr("engine.tool_plan.away_calls.RETRY_AFTER_S", (0.1,))


async def test_an_approved_write_is_done_by_itself_where_the_api_is_back_in_seconds(
    room: WebRoom, api: ExpensesServer
) -> None:
    await claim(room)
    review = await room.card("confirm")
    await api.go_down()
    await room.tap("mona", review, "approve")
    await room.wait_for(lambda m: "It is tried again in 2 s" in text_of(m["parts"]))
    await api.come_up()
    await ended(room, "done", "E-1237")
    assert len({*api.keys}) == 1


@pytest.mark.usefixtures("tries_once")
async def test_an_approved_write_waits_while_the_api_is_down_and_is_done_once_it_is_up(
    room: WebRoom, api: ExpensesServer
) -> None:
    await claim(room)
    review = await room.card("confirm")
    await api.go_down()
    await room.tap("mona", review, "approve")
    retry = await waits(room, "Nothing was written", "To the fair")
    assert [each["label"] for each in retry["buttons"]] == ["Try again", "Give up"]
    # Who approved reads who is to say so.
    await room.wait_for(lambda m: " is asked when to try again" in text_of(m["parts"]))
    assert (await room.tap("mona", retry, "again"))[1]["ok"] is False, "it is for who asked"
    await room.say("ada", "/pending")
    await room.wait_for(lambda m: "Not done yet" in text_of(m) and not m["card"])
    await room.tap("ada", retry, "again")
    again = await waits(room, "Nothing was written", but=retry)
    await api.come_up()
    await room.tap("ada", again, "again")
    await ended(room, "done", "E-1237")
    (new,) = [each for each in api.ledger.claims.values() if each["number"] == "E-1237"]
    assert (new["owner"], new["approved_by"]) == ("ada", "mona")
    assert len({*api.keys}) == 1


@pytest.mark.usefixtures("tries_once")
async def test_an_approved_write_can_be_given_up_while_the_api_is_down(
    room: WebRoom, api: ExpensesServer
) -> None:
    await claim(room)
    review = await room.card("confirm")
    await api.go_down()
    await room.tap("mona", review, "approve")
    await room.tap("ada", await waits(room, "Nothing was written"), "give_up")
    await ended(room, "failed", "Ada", "has given it up")
    assert written(api) == []


async def waits(room: WebRoom, *words: str, but: Message | None = None) -> Message:
    """The open card that says these words, another one than the first."""

    def matches(message: Message) -> bool:
        card = message["card"]
        told = all(word in text_of(message) for word in words)
        return bool(
            card and card["buttons"] and told and card["buttons"] != (but or {}).get("buttons")
        )

    return dict((await room.wait_for(matches))["card"])


async def test_a_write_that_the_api_refuses_is_told_in_its_words(
    room: WebRoom, api: ExpensesServer
) -> None:
    await claim(room, purpose="Me")
    await room.tap("mona", await room.card("confirm"), "approve")
    await ended(room, "failed", "purpose is too short")
    assert written(api) == []


async def test_a_room_belongs_to_the_project_of_the_folder(service: Service) -> None:
    assert service.parts.services.project("web:local:main") == "EXPENSES"


async def test_a_room_belongs_to_the_project_that_a_setting_names(start: Start) -> None:
    service = await start(project="MATTER-7")
    assert service.parts.services.project("web:local:main") == "MATTER-7"
