"""People ask, fill in, sign off and cancel in a terminal: `signoff ask` and `signoff chat`."""

import asyncio
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from tests.bot.signoff_process import FILES, Ended, ended
from tests.conftest import PARTITIONS, ROOT
from tests.fakes.ports import free_port
from tests.fakes.study import visits_in
from tests.fakes.terminal import chatting, in_terminal
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import Service, Start
from tests.scenarios.test_crash_walk import kill_all, run
from tests.scenarios.test_web_walk import to_review, today

QUESTION = {"zh": "P003 的 ECOG 是多少?", "en": "What is the ECOG of P003?"}
ANSWER = {
    "zh": "P003 的 ECOG：1（访视日期 2026-10-28）\n",
    "en": "ECOG of P003: 1 (visit of 2026-10-28)\n",
}
RECORD = {"zh": "录入 P003 今天的访视", "en": "record today's visit of P003"}
REVIEWED = "record today's visit of P004: ECOG 1, weight 60.5, blood pressure 121/77"


async def asked(folder: Path, service: Service, *words: str, **variables: str) -> Ended:
    return await ended(folder, "ask", "--url", service.url, *words, **variables)


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_ask_prints_one_reply_and_ends(start: Start, tmp_path: Path, lang: str) -> None:
    service = await start()
    told = await asked(tmp_path, service, QUESTION[lang])
    assert (told.status, told.err) == (0, "")
    assert told.out == ANSWER[lang]


async def test_what_others_say_in_the_room_is_not_the_reply(start: Start, tmp_path: Path) -> None:
    service = await start()
    replies = await asyncio.gather(
        *(asked(tmp_path, service, "--as", who, QUESTION[lang]) for who, lang in BOTH)
    )
    assert [reply.out for reply in replies] == [ANSWER[lang] for _, lang in BOTH]


BOTH = (("lin", "zh"), ("chen", "en"))


async def test_a_card_for_the_person_is_printed_with_numbers_and_status_3(
    start: Start, tmp_path: Path
) -> None:
    service = await start()
    told = await asked(tmp_path, service, "--room", "a-b", f"{QUESTION['en']} And {RECORD['en']}")
    assert told.status == 3
    lines = told.out.splitlines()
    assert lines[:2] == ["1. What is the ECOG of P003? (answered)", f"  {ANSWER['en'].strip()}"]
    assert lines[-2:] == ["  1) Submit", "  2) Withdraw"]
    command = f"signoff chat --url {service.url} --as lin --room a-b"
    assert told.err == f"to choose: {command}\n"
    more = await asked(tmp_path, service, RECORD["en"].replace("P003", "P001"))
    assert "More that waits for you (1): " in more.err


async def test_a_question_that_is_not_answered_comes_with_what_to_choose_from(
    start: Start, tmp_path: Path
) -> None:
    service = await start()
    told = await asked(tmp_path, service, UNANSWERED)
    assert told.status == 3
    assert "[Choose] Did you mean …?" in told.out.splitlines()
    assert re.search(r"^  1\) .+\n  2\) ", told.out, re.MULTILINE), told.out
    assert told.err == f"to choose: signoff chat --url {service.url} --as lin --room main\n"
    reply = json.loads((await asked(tmp_path, service, "--json", UNANSWERED)).out)
    assert (reply["status"], reply["card"]["kind"]) == ("needs_you", "select")
    assert [one["number"] for one in reply["card"]["choices"]][:2] == [1, 2]


UNANSWERED = "how many did we enrol this month and how many screen failures"


async def test_every_card_that_a_message_opens_is_printed(start: Start, tmp_path: Path) -> None:
    service = await start()
    two = f"{RECORD['en']}. {UNANSWERED}?"
    told = await asked(tmp_path, service, two)
    assert told.status == 3
    titles = [line for line in told.out.splitlines() if line.startswith("[")]
    assert titles == ["[Details] Record a visit: what is missing", "[Choose] Did you mean …?"]
    numbers = re.findall(r"^  ([0-9])\) ", told.out, re.MULTILINE)
    assert numbers == [str(n) for n in range(1, len(numbers) + 1)]
    # All that waits is printed: nothing more is spoken of.
    assert told.err == f"to choose: signoff chat --url {service.url} --as lin --room main\n"
    reply = json.loads((await asked(tmp_path, service, "--json", "--room", "b", two)).out)
    assert [card["kind"] for card in reply["cards"]] == ["clarify", "select"]
    assert reply["card"] == reply["cards"][0]


async def test_what_a_form_holds_already_is_shown(start: Start, tmp_path: Path) -> None:
    service = await start()
    told = await asked(tmp_path, service, f"{REVIEWED} on the big stage")
    assert told.status == 3
    assert "Not used: “on the big stage”" in told.out
    rows = [" ".join(line.split()) for line in told.out.splitlines()]
    for row in ("Subject P004", "ECOG score 1", "Weight 60.5 kg", "Systolic pressure 121 mmHg"):
        assert row in rows, told.out


async def test_ask_tells_programs_the_same_as_json(start: Start, tmp_path: Path) -> None:
    service = await start()
    told = await asked(tmp_path, service, "--json", RECORD["en"])
    assert (told.status, told.err) == (3, "")
    reply = json.loads(told.out)
    assert (reply["status"], reply["room"], reply["lang"]) == ("needs_you", "main", "en")
    assert [part["state"] for part in reply["parts"]] == ["needs_you"]
    choices = reply["card"]["choices"]
    assert [(one["number"], one["label"]) for one in choices] == [(1, "Submit"), (2, "Withdraw")]
    assert [field["name"] for field in choices[0]["fields"]][:2] == ["ecog", "weight_kg"]
    plain = json.loads((await asked(tmp_path, service, "--json", QUESTION["en"])).out)
    assert (plain["status"], plain["card"]) == ("answered", None)
    assert plain["parts"][0]["text"] == ANSWER["en"].strip()


async def test_several_requests_are_listed_with_the_buttons_that_cancel_them(
    start: Start, tmp_path: Path
) -> None:
    service = await start()
    for subject in ("P001", "P003"):
        await asked(tmp_path, service, RECORD["en"].replace("P003", subject))
    for command in ("/mine", "/runs", "/cancel"):
        told = await asked(tmp_path, service, command)
        assert "Traceback" not in told.err
        assert "1) Cancel" in told.out, told
        assert "P001" in told.out
        assert "P003" in told.out


async def test_outside_of_a_folder_times_are_by_the_clock_of_the_machine(
    start: Start, tmp_path: Path
) -> None:
    service = await start()
    assert (await asked(tmp_path, service, REVIEWED)).status == 4
    moments = []
    for zone in ("America/Lima", "Asia/Tokyo"):
        # A copied process would have the clock of the one that it is copied from.
        own = {"PORT": service.url.rpartition(":")[2], "TZ": zone, "PYTHONPATH": str(ROOT)}
        told = await ended(tmp_path, "ask", "/mine", **own)
        found = re.search(r"[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}", told.out)
        assert found is not None, told
        moments.append(datetime.strptime(found[0], "%m-%d %H:%M").replace(tzinfo=UTC))
    assert moments[1] - moments[0] == timedelta(hours=14)


async def test_what_waits_for_somebody_else_is_status_4(start: Start, tmp_path: Path) -> None:
    service = await start()
    told = await asked(tmp_path, service, REVIEWED)
    assert told.status == 4
    assert "  Weight              60.5 kg\n" in told.out


async def test_an_answer_to_a_form_is_told_with_what_its_request_comes_to(
    start: Start, tmp_path: Path
) -> None:
    service = await start()
    assert (await asked(tmp_path, service, RECORD["en"])).status == 3
    told = await asked(tmp_path, service, "ECOG 1, weight 60.5, blood pressure 121/77")
    assert told.status == 4, told.out + told.err
    assert "“Record a visit”: submitted, waiting for review by data reviewer" in told.out
    # Somebody else decides: there is nothing for them to choose.
    assert "[Sign-off] Please review" in told.out
    assert "1) " not in told.out
    await asked(tmp_path, service, "--room", "b", "--json", RECORD["en"])
    both = await asked(
        tmp_path, service, "--room", "b", "--json", "ECOG 1, weight 60.5, blood pressure 121/77"
    )
    reply = json.loads(both.out)
    assert (both.status, reply["status"]) == (4, "waits")
    assert [part["state"] for part in reply["parts"]] == ["answered", "in_review"]


async def test_what_is_not_finished_in_time_is_status_5(start: Start, tmp_path: Path) -> None:
    service = await start()
    told = await asked(tmp_path, service, QUESTION["en"], "--timeout", "0.000001")
    assert (told.status, told.out) == (5, "")
    assert told.err.startswith("not finished within 1e-06 s; look later with: signoff chat ")


async def test_without_a_service_the_line_says_how_to_start_one(tmp_path: Path) -> None:
    port = str(free_port())
    for command in (["ask", "hello"], ["chat"]):
        told = await ended(tmp_path, *command, PORT=port)
        assert (told.status, told.out) == (1, "")
        assert told.err == (
            f"no service answers at http://127.0.0.1:{port}; "
            "start one with `signoff run`, or name it with --url\n"
        )
    chinese = await ended(tmp_path, "ask", "你好", PORT=port, LANG="zh_CN.UTF-8")
    assert "没有服务应答。请先启动：signoff run" in chinese.err


async def test_a_service_that_does_not_name_its_reply_is_older(tmp_path: Path) -> None:
    async def people(request: web.Request) -> web.Response:
        return web.json_response({"people": [{"id": "lin", "name": "Lin"}], "leaves": False})

    async def accepted(request: web.Request) -> web.Response:
        return web.json_response({}, status=202)

    app = web.Application()
    app.add_routes([web.get("/chat/people", people), web.post("/chat/messages", accepted)])
    async with TestServer(app) as server:
        told = await ended(tmp_path, "ask", "hello", "--url", str(server.make_url("/")))
    assert (told.status, told.out) == (1, "")
    assert told.err.startswith("the service is of an older version")


async def test_who_is_not_there_is_told_who_is(start: Start, tmp_path: Path) -> None:
    service = await start()
    told = await asked(tmp_path, service, "--as", "nemo", "hello")
    assert (told.status, told.out) == (1, "")
    assert told.err.endswith(
        "nemo: nobody of this web name is there; there are: lin, chen, wu, zhao\n"
    )


async def test_where_people_sign_in_a_link_lets_the_terminal_in(
    start: Start, tmp_path: Path
) -> None:
    service = await start(web_login="link")
    without = await asked(tmp_path, service, "hello")
    assert (without.status, without.out) == (1, "")
    assert "signoff people link PERSON" in without.err
    settings = service.parts.settings
    variables = {
        **FILES,
        "REDIS_URL": str(settings.redis_url),
        "SIGNOFF_PARTITIONS": str(PARTITIONS),
        "SIGNOFF_WEB_LOGIN": "link",
    }
    link = (await ended(tmp_path, "people", "link", "chen", **variables)).out.strip()
    let_in = await asked(tmp_path, service, "--link", link, QUESTION["en"])
    assert (let_in.status, let_in.out) == (0, ANSWER["en"])
    again = await asked(tmp_path, service, "--link", link, QUESTION["en"])
    assert again.status == 1
    assert "this link was used before" in again.err


async def test_ask_finds_the_service_that_run_started(tmp_path: Path) -> None:
    port = free_port()
    process, url = await run(tmp_path, port)
    try:
        told = await ended(tmp_path, "ask", "-", given=QUESTION["zh"].encode(), PORT=str(port))
        assert (told.status, told.out, told.err) == (0, ANSWER["zh"], "")
        assert url.endswith(f":{port}")
    finally:
        await kill_all(tmp_path, process)


WORDS = {
    "en": {
        "fault": "  Weight: ",
        "again": "Weight (kg) [abc]: ",
        "review": "submitted, waiting for review",
        "approve": ") Approve",
        "done": "done",
    },
    "zh": {
        "fault": "  体重: ",
        "again": "体重 (kg) [abc]: ",
        "review": "已提交，等待",
        "approve": ") 批准",
        "done": "已完成",
    },
}


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_a_visit_is_filled_in_by_one_and_signed_off_by_another(
    start: Start, tmp_path: Path, lang: str
) -> None:
    service, words = await start(), WORDS[lang]
    as_lin = ("--as", "lin", "--lang", lang)
    as_chen = ("--as", "chen", "--lang", lang)
    async with (
        chatting(tmp_path, service.url, *as_lin) as lin,
        chatting(tmp_path, service.url, *as_chen) as chen,
    ):
        await lin.until("Ctrl-D")
        await chen.until("Ctrl-D")
        lin.type(RECORD[lang])
        await lin.until("1) ")
        await chen.until(RECORD[lang])  # who is in the room sees it too
        lin.type("1", "2", "abc", "121", "77", "")
        await lin.until(words["fault"])
        lin.type("61.5")
        assert words["again"] in await lin.until("61.5")
        await lin.until(words["review"])
        card = await chen.until(words["approve"])
        assert "61.5 kg" in card
        assert today() in card
        chen.type(card.removesuffix(words["approve"]).split()[-1])
        await lin.until(words["done"])
        assert await lin.end() == 0
        assert await chen.end() == 0
    (visit,) = [
        visit
        for visit in visits_in(service.parts.settings.data_dir, "P003")
        if visit.visit_date.isoformat() == today()
    ]
    assert visit.weight_kg == 61.5


async def test_commands_work_and_the_number_of_a_closed_card_does_nothing(
    start: Start, tmp_path: Path
) -> None:
    service = await start()
    async with chatting(tmp_path, service.url, "--lang", "en") as lin:
        lin.type(RECORD["en"])
        await lin.until("2) Withdraw")
        lin.type("/pending")
        await lin.until("- Record a visit: what is missing P003")
        await lin.until("2) Withdraw")  # the same buttons keep their numbers
        lin.type("/why")
        await lin.until("I took it for the request “Record a visit”")
        lin.type("/cancel")
        await lin.until("Cancelled “Record a visit P003")
        lin.type("2")
        await lin.until("The card of number 2 is closed.")
        lin.type(RECORD["en"])
        await lin.until("3) Submit")
        lin.type("4")
        await lin.until("withdrawn; nothing was written")
        assert await lin.end() == 0


async def test_a_form_can_be_gone_back_in_and_left(start: Start, tmp_path: Path) -> None:
    service = await start()
    async with chatting(tmp_path, service.url, "--lang", "en") as lin:
        lin.type(RECORD["en"], "1", "", "1", "/back", "2", "/cancel")
        told = await lin.until("Nothing was sent.")
        assert told.count("ECOG score") - told.count("ECOG score …") == 3
        assert "This one is needed." in told
        assert "[1]: 2" in told
        lin.type(QUESTION["en"])
        await lin.until(ANSWER["en"])
        assert await lin.end() == 0


async def test_who_comes_later_sees_what_was_said_and_what_is_open(
    start: Start, tmp_path: Path
) -> None:
    service = await start()
    await asked(tmp_path, service, RECORD["en"])
    for _ in range(6):
        await asked(tmp_path, service, QUESTION["en"])
    async with chatting(tmp_path, service.url, "--lang", "en") as lin:
        history = await lin.until("Ctrl-D")
        assert "(4 earlier messages not shown)" in history
        assert history.count(ANSWER["en"]) == 5
        assert "  1) Submit\n" in history
        assert await lin.end() == 0


async def test_in_a_terminal_there_are_colours_and_a_line_to_type(
    start: Start, tmp_path: Path
) -> None:
    service = await start()
    for variables, colours in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        words = ("chat", "--url", service.url, "--lang", "en", "--room", "colours")
        async with in_terminal(tmp_path, *words, **variables) as terminal:
            await terminal.until("Ctrl-D ends.")
            await terminal.until("> ")
            terminal.keys(f"{QUESTION['en']}\r")
            await terminal.until(ANSWER["en"].strip())
            terminal.keys("\x04")
            assert await terminal.ended() == 0
        assert ("\x1b[2m" in terminal.screen) == colours


async def test_who_types_is_asked_before_a_decision_that_stands(
    start: Start, tmp_path: Path
) -> None:
    service = await start()
    async with WebRoom(service.url, "sure") as room:
        await to_review(room)
        words = ("chat", "--url", service.url, "--lang", "en", "--as", "chen", "--room", "sure")
        async with in_terminal(tmp_path, *words) as terminal:
            await terminal.until("批准")
            for answer, told in (("n", "没有提交。"), ("y", "访视已录入")):
                await terminal.until("> ")
                terminal.keys("1\r")
                await terminal.until("[y/N]")
                terminal.keys(f"{answer}\r")
                await terminal.until(told)
