"""A matter from intake to work plan in the web chat, with a scripted model and with none."""

import re
from collections.abc import Callable

import aiohttp
import pytest

from bot.settings import Settings
from cards.model import Card
from tests.fakes.matter_model import (
    CAUSES,
    CLAIMANT,
    DEFENDANT,
    STRATEGIES,
    MatterModel,
    answer,
    intake,
    reads,
    verdict,
)
from tests.fakes.model_server import ModelServer, fail, say
from tests.fakes.web_room import Message, WebRoom, text_of
from tests.scenarios.conftest import Service, Start, nothing_goes_on, running
from tests.scenarios.test_answers_walk import asked
from tests.scenarios.test_model_walk import settings

ASK = {"zh": "收一个新案子", "en": "Take in a new case"}
SEEN = (
    "phase_done:intake",
    "confirm_claim_path",
    "phase_done:claim_path",
    "phase_done:evidence",
    "choose_strategy",
    "confirm_strategy",
    "phase_done:strategy",
    "confirm_documents",
    "review",
    "phase_done:documents",
    "confirm_work_plan",
    "phase_done:execution",
)
"""Every card of a matter that goes well, in order, by what it is about."""
ANSWER = {
    "confirm_claim_path": "1",
    "choose_strategy": "2",
    "confirm_strategy": "confirm",
    "confirm_documents": "confirm",
    "confirm_work_plan": "confirm",
    "review": "approve",
    "judge": "approve",
}
DECIDES = {"review": "chen", "judge": "chen", "confirm_claim_path": "wu"}
"""Who decides what is not the requester's: reviewers, and a partner."""
ROOM = "web:local:main"


JUDGE = "judge"
"""A card on which a reviewer judges what a model would."""


def key_of(card: Card) -> str:
    """What the card is about."""
    if not card.task_key.startswith("confirm:"):
        return card.task_key
    return "review" if "草稿" in card.title or "draft" in card.title else JUDGE


class Matter:
    """A person who answers the cards of a run as they come, in one room."""

    def __init__(self, service: Service, room: WebRoom) -> None:
        self.service = service
        self.room = room
        self._done: set[str] = set()

    async def next_card(self) -> tuple[str, Message]:
        """The next card that is open, and what it is about."""

        def is_new(message: Message) -> bool:
            card = message["card"]
            return bool(card) and not card["outcome"] and card["token"] not in self._done

        card: Message = (await self.room.wait_for(is_new))["card"]
        self._done.add(card["token"])
        stored = await self.service.parts.services.decisions.card(card["token"])
        assert stored is not None
        return key_of(stored.card), card

    async def answer(self, key: str, card: Message) -> None:
        """As one who agrees with everything; what only informs has no answer."""
        if not card["buttons"]:
            return
        person = DECIDES.get(key, "lin")
        status, told = await self.room.tap(person, card, ANSWER.get(key, "ok"))
        assert (status, told["ok"]) == (200, True)

    async def until(self, wanted: str) -> Message:
        """Agree with everything up to the card that is about that."""
        while True:
            key, card = await self.next_card()
            if key == wanted:
                return card
            await self.answer(key, card)

    async def rest(self) -> list[tuple[str, Message]]:
        """Agree with everything to the end; the cards that came."""
        cards = []
        while not cards or cards[-1][0] != SEEN[-1]:
            key, card = await self.next_card()
            await self.answer(key, card)
            cards.append((key, card))
        return cards

    async def fill(self, card: Message, **values: str) -> None:
        """Send the form with what stands in it, and these values."""
        form = next(b["form"] for b in card["buttons"] if b["form"])
        kept = {field["name"]: field["value"] for field in form}
        status, told = await self.room.fill("lin", card, "submit", **{**kept, **values})
        assert (status, told["ok"]) == (200, True)


def plain(html: str) -> str:
    return re.sub("<[^>]+>", " ", html)


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_a_matter_goes_through_every_phase_with_its_cards_in_order(
    start: Start, lang: str
) -> None:
    script = MatterModel(lang)
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            matter = Matter(service, room)
            await room.say("lin", ASK[lang])
            cards = await matter.rest()
            assert tuple(key for key, _ in cards) == SEEN
            by_key = dict(cards)
            for cause in CAUSES[lang]:
                assert cause in by_key["confirm_claim_path"]["html"]
            assert "<table>" in by_key["confirm_claim_path"]["html"]
            assert STRATEGIES[lang][1] in text_of(by_key["confirm_strategy"]["rows"])
            shown = text_of(by_key["review"])
            assert CLAIMANT[lang] in shown
            assert "-v1-" in shown
            texts = await texts_of(matter, by_key["review"])
            assert any(CLAIMANT[lang] in text and "1. 300000" in text for text in texts)
            assert by_key["review"]["problems"] == []
            done = await room.wait_for(lambda m: "（work-plan）" in text_of(m["parts"]))
            assert [part["state"] for part in done["parts"]] == ["done"]
        assert model.faults == []
        assert script.asked == [
            "litigation-intake",
            "intake-check",
            "cause-recommendation",
            "evidence-analysis",
            "issue-analysis",
            "strategy-planning",
            "dispute-strategy-planning",
            "documents",
            "document-draft",
            "work-plan",
        ]
        offered = {t["function"]["name"] for r in model.requests for t in r.get("tools", ())}
        assert "knowledge__search" in offered
        assert "record_visit" not in offered


async def test_an_invalid_answer_goes_back_with_its_faults_and_the_next_one_counts(
    start: Start,
) -> None:
    wrong = answer(intake("zh", claim_amount="三十万", event_date="2026-02-30", court="北京"))
    script = MatterModel("zh", {"litigation-intake": [say("好的，我来收案。"), wrong]})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", ASK["zh"])
            card = await Matter(service, room).until("phase_done:intake")
            assert "300000 CNY" in text_of(card["rows"])
        assert script.asked[:3] == ["litigation-intake"] * 3
        lessons = [m["content"] for m in script.heard[2] if m["role"] == "user"][1:]
        assert "the answer is not one JSON object" in lessons[0]
        for fault in (
            "data.claim_amount: should be a number",
            "data.event_date: should be a date like 2026-01-31",
            "data.court: unknown key",
        ):
            assert fault in lessons[1]
        assert model.faults == []


async def texts_of(matter: Matter, message: Message) -> list[str]:
    """What stands in the texts to which the card has links."""
    links = [row["link"] for row in message["rows"] if row.get("link") and ".md" in row["link"]]
    async with aiohttp.ClientSession() as http:
        answers = [await http.get(matter.service.url + link) for link in links]
        return [await answer.text() for answer in answers]


BY_HAND = {
    "skill:litigation-intake": {
        "profile.procedure": "原告 / claimant",
        "profile.summary": "货已交付，货款未付。",
        "plaintiff": CLAIMANT["zh"],
        "defendant": DEFENDANT["zh"],
        "claims": "支付货款",
        "claim_amount": "300000",
        "event_date": "2026-03-01",
        "facts": "2026-02-01 交货\n2026-03-01 未付款",
    },
    "skill:cause-recommendation": {"causes": "买卖合同纠纷 | 有合同\n不当得利纠纷 | 有收款"},
    "skill:evidence-analysis": {"evidence_list": "合同 | 书证 | 约定 | 已有"},
    "skill:issue-analysis": {"issues": "是否付款 | 未付 | 已付 | 合同"},
    "skill:strategy-planning": {"strategy_options": "直接起诉 | 快\n限期协商 | 省"},
    "skill:dispute-strategy-planning": {
        "profile.strategy_summary": "先固定证据。",
        "strategy_steps": "固定证据 | 防止灭失 | 起诉前",
    },
    "skill:documents": {"document_list": "民事起诉状 | 立案 | 合同"},
    "skill:work-plan": {"work_plan": "立案 | 律师 | 2026-12-01"},
}
"""What a person fills in where no model does, by the skill whose form it is."""


async def by_hand(matter: Matter) -> list[str]:
    """Fill in every form and agree with every other card, to the end; what was asked for."""
    filled: list[str] = []
    while True:
        key, card = await matter.next_card()
        offered = {button["data"].split(":")[2] for button in card["buttons"]}
        if "fill" in offered:
            # The document, of which the template can do without a text.
            await matter.room.tap("lin", card, "fill")
        elif card["kind"] == "clarify":
            form = next(b["form"] for b in card["buttons"] if b["form"])
            names = {field["name"] for field in form}
            key, values = next((k, v) for k, v in BY_HAND.items() if set(v) <= names)
            await matter.fill(card, **values)
            filled.append(key)
        else:
            await matter.answer(key, card)
        if key == SEEN[-1]:
            return filled


async def test_without_a_model_people_fill_in_every_skill_and_the_rules_judge(
    start: Start,
) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        matter = Matter(service, room)
        await room.say("lin", ASK["zh"])
        assert await by_hand(matter) == list(BY_HAND)
        await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        shown = text_of(list(room.shown.values()))
        assert "请手工填写" in shown
        assert "让模型再试一次" not in shown
        assert "没有撰写正文：第 1 版" in shown


async def test_with_a_model_that_stays_away_the_run_goes_to_its_end_by_hand(start: Start) -> None:
    async with ModelServer(lambda request: fail(503)) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            await room.say("lin", ASK["zh"])
            assert await by_hand(Matter(service, room)) == list(BY_HAND)
            await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
            assert "语言模型暂时不可用" in text_of(list(room.shown.values()))


async def test_a_model_that_was_away_may_be_called_again_from_the_form(start: Start) -> None:
    async with ModelServer(lambda request: fail(503)) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            matter = Matter(service, room)
            await room.say("lin", ASK["zh"])
            _, card = await matter.next_card()
            assert "语言模型暂时不可用" in card["html"]
            script = MatterModel("zh")
            model.script(script)
            await room.tap("lin", card, "retry")
            await matter.until("phase_done:intake")
            assert script.asked == ["litigation-intake", "intake-check"]


async def test_three_invalid_answers_leave_the_skill_to_a_person_without_words_of_a_parser(
    start: Start,
) -> None:
    wrong = [answer({"data": {"causes": n}}) for n in (1, 2, 3)]
    script = MatterModel("zh", {"cause-recommendation": wrong})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            matter = Matter(service, room)
            await room.say("lin", ASK["zh"])
            await matter.answer("", await matter.until("phase_done:intake"))
            _, card = await matter.next_card()
            told = plain(card["html"])
            assert "连续 3 次没有给出可用的结果" in told
            assert "should be" not in told
            await matter.fill(card, **BY_HAND["skill:cause-recommendation"])
            await matter.until("confirm_claim_path")
            assert script.asked.count("cause-recommendation") == 3


async def test_what_a_partner_sends_back_the_model_does_anew_and_the_new_card_is_about_the_same(
    start: Start,
) -> None:
    better = {"data": {"causes": [{"cause": "承揽合同纠纷"}, {"cause": "买卖合同纠纷"}]}}
    script = MatterModel("zh")
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            matter = Matter(service, room)
            await room.say("lin", ASK["zh"])
            old = await matter.until("confirm_claim_path")
            model.script(MatterModel("zh", {"cause-recommendation": [answer(better)]}))
            for person in ("lin", "chen"):
                status, told = await room.tap(person, old, "1")
                assert (status, told["ok"]) == (200, False)
            await room.fill("wu", old, "reject", reason="加上承揽")
            key, new = await matter.next_card()
            assert key == "confirm_claim_path"
            assert "承揽合同纠纷" in new["html"]
            assert "加上承揽" in str(model.requests[-1]["messages"])
            status, told = await room.tap("wu", old, "1")
            assert (status, told["ok"]) == (200, False)
            await room.tap("wu", new, "1")
            done = await matter.until("phase_done:claim_path")
            assert "承揽合同纠纷" in text_of(done["rows"])


async def test_what_the_model_leaves_out_is_asked_of_the_person(start: Start) -> None:
    script = MatterModel("zh", {"litigation-intake": [answer(intake("zh", claim_amount=None))]})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            matter = Matter(service, room)
            await room.say("lin", ASK["zh"])
            _, card = await matter.next_card()
            (submit,) = [b for b in card["buttons"] if b["form"]]
            assert [field["name"] for field in submit["form"]] == ["claim_amount"]
            await matter.fill(card, claim_amount="120000")
            done = await matter.until("phase_done:intake")
            assert "120000 CNY" in text_of(done["rows"])
        assert script.asked.count("litigation-intake") == 1


async def test_the_rules_send_a_faulty_intake_back_and_warn_of_an_old_claim(
    start: Start,
) -> None:
    wrong = intake("zh", claim_amount=0, event_date="2021-03-01", defendant=CLAIMANT["zh"])
    script = MatterModel("zh", {"litigation-intake": [answer(wrong)]})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            matter = Matter(service, room)
            await room.say("lin", ASK["zh"])
            _, card = await matter.next_card()
            problems = text_of(card["problems"])
            for told in ("应大于 0", "原告和被告不能是同一人", "超过三年"):
                assert told in problems
            await matter.fill(card, claim_amount="5000", defendant=DEFENDANT["zh"])
            done = await matter.until("phase_done:intake")
            assert "超过三年" in text_of(done["problems"])
            assert "应大于 0" not in text_of(done["problems"])


@pytest.mark.parametrize(
    ("procedure", "skill", "shown"),
    [
        ("被告 / defendant", "defense-intake", "2026-05-06"),
        ("仲裁 / arbitration", "arbitration-intake", "提交仲裁"),
        ("刑事 / criminal", "criminal-intake", "合同诈骗"),
    ],
)
async def test_another_procedure_has_an_intake_of_its_own(
    start: Start, procedure: str, skill: str, shown: str
) -> None:
    taken = intake("zh")
    taken["profile"]["procedure"] = procedure
    script = MatterModel("zh", {"litigation-intake": [answer(taken)]})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            matter = Matter(service, room)
            await room.say("lin", ASK["zh"])
            await matter.answer("", await matter.until("phase_done:intake"))
            await matter.until("confirm_claim_path")
        assert script.asked == ["litigation-intake", skill, "intake-check", "cause-recommendation"]
        assert shown in script.said_to("cause-recommendation")


async def test_a_rejected_draft_goes_back_with_the_reason_and_is_reviewed_anew(
    start: Start,
) -> None:
    script = MatterModel("zh", drafts=[f"{CLAIMANT['zh']}诉某公司"])
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            matter = Matter(service, room)
            await room.say("lin", ASK["zh"])
            review = await matter.until("review")
            assert DEFENDANT["zh"] in text_of(review["problems"])
            assert CLAIMANT["zh"] not in text_of(review["problems"])
            for person in ("lin", "zhao"):
                _, told = await room.tap(person, review, "approve")
                assert not told["ok"]
            await room.fill("wu", review, "reject", reason="写明被告全称")
            again = await matter.until("review")
            assert again["problems"] == []
            assert "写明被告全称" in script.said_to("document-draft")
            await room.tap("wu", again, "approve")
            done = await matter.until("phase_done:documents")
            assert "民事起诉状-v2-" in text_of(done)
            texts = await texts_of(matter, done)
            assert any(DEFENDANT["zh"] in text for text in texts)
        assert script.asked.count("document-draft") == 2


async def test_a_new_service_over_the_same_store_goes_on_where_the_old_one_stopped(
    start: Start, new_settings: Callable[..., Settings]
) -> None:
    script = MatterModel("zh")
    async with ModelServer(script) as model:
        async with (
            running(new_settings(**settings(model))) as service,
            WebRoom(service.url) as room,
        ):
            await room.say("lin", ASK["zh"])
            before = await Matter(service, room).until("confirm_strategy")
        asked = len(script.asked)
        later = await start(**settings(model))
        async with WebRoom(later.url) as room:
            matter = Matter(later, room)
            key, card = await matter.next_card()
            assert (key, card["token"]) == ("confirm_strategy", before["token"])
            await matter.answer(key, card)
            assert (await matter.rest())[-1][0] == SEEN[-1]
        assert script.asked[asked:] == ["documents", "document-draft", "work-plan"]


async def test_a_model_that_finds_a_claim_without_facts_sends_the_intake_back(
    start: Start,
) -> None:
    reason = "没有写明何时交货"
    script = MatterModel("zh", {"intake-check": [verdict(reason, passed=False)]})
    async with ModelServer(script) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            matter = Matter(service, room)
            await room.say("lin", ASK["zh"])
            _, card = await matter.next_card()
            assert "收案：请更正" in card["title"]
            assert reason in text_of(card["problems"])
            await matter.fill(card, facts="2026-02-01 交货，2026-03-01 未付款")
            done = await matter.until("phase_done:intake")
            assert reason not in text_of(done["problems"])
        assert "2026-02-01 交货，2026-03-01" in script.said_to("intake-check")
        assert "Every claim must be carried by the facts" in script.said_to("intake-check")


async def test_a_reviewer_judges_the_facts_where_the_model_is_not_sure_or_there_is_none(
    start: Start,
) -> None:
    unsure = MatterModel("zh", {"intake-check": [verdict("可能够", confidence=0.4)]})
    async with ModelServer(unsure) as model:
        service = await start(**settings(model), projects=(("web:local:main", "MATTER-7"),))
        async with WebRoom(service.url) as room:
            matter = Matter(service, room)
            await room.say("lin", ASK["zh"])
            card = await matter.until(JUDGE)
            shown = text_of(card)
            for told in ("40%", "可能够", "支付货款 300000 元", "2026-03-01 未付款"):
                assert told in shown
            _, told = await room.tap("lin", card, "approve")
            assert not told["ok"]
            await room.fill("chen", card, "reject", reason="写明交货日期")
            _, form = await matter.next_card()
            assert "写明交货日期" in text_of(form["problems"])
            await matter.fill(form, facts="2026-02-01 交货，2026-03-01 未付款")
            await matter.until("phase_done:intake")
        assert unsure.asked.count("intake-check") == 2


PROJECTS = (("web:local:main", "MATTER-7"),)


async def test_a_file_that_the_message_names_is_read_and_sorted_first(start: Start) -> None:
    script = MatterModel("zh", {"file-classify": [reads("loan.txt")]})
    async with ModelServer(script) as model:
        service = await start(**settings(model), projects=PROJECTS)
        folder = service.parts.settings.data_dir / "files" / "MATTER-7"
        folder.mkdir(parents=True)
        (folder / "loan.txt").write_text("2026-02-01 今借到货款三十万元", "utf-8")
        async with WebRoom(service.url) as room:
            await room.say("lin", "根据 loan.txt 新收案")
            await Matter(service, room).until("phase_done:intake")
        assert script.asked == [
            "file-classify",
            "file-classify",
            "litigation-intake",
            "intake-check",
        ]
        assert "今借到货款三十万元" in script.said_to("file-classify")
        assert "loan.txt" in script.said_to("litigation-intake")
        assert model.faults == []


async def test_without_a_model_files_are_sorted_by_hand_once(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        matter = Matter(service, room)
        await room.say("lin", "根据 loan.txt 新收案")
        _, card = await matter.next_card()
        await matter.fill(card, files="loan.txt | 合同 | 借条")
        _, card = await matter.next_card()
        assert "诉讼收案" in card["title"]


ANSWERED = (
    ("立案材料包括哪些？", "filing-guide.zh.md"),
    ("How is the court fee worked out?", "within seven days of the notice"),
    ("截图可以单独作为证据吗", "evidence-and-preservation.zh.md"),
    ("When is the evidence list closed?", "ten days before the hearing"),
    ("How often may an extension be asked for?", "one extension for each deadline"),
)


async def test_questions_are_answered_from_its_documents_without_a_model_in_its_own_project(
    start: Start,
) -> None:
    service = await start(projects=PROJECTS)
    async with WebRoom(service.url) as room, WebRoom(service.url, "study") as elsewhere:
        for question, told in ANSWERED:
            assert told in await asked(room, "lin", question)
            assert told not in await asked(elsewhere, "lin", question)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("确定案由", "phase_done:claim_path"),
        ("列一份证据清单", "phase_done:evidence"),
        ("Draft a civil complaint", "phase_done:documents"),
        ("把材料归类", "phase_done:files"),
    ],
)
async def test_a_smaller_request_ends_with_its_own_last_phase(
    start: Start, text: str, last: str
) -> None:
    async with ModelServer(MatterModel("zh")) as model:
        service = await start(**settings(model))
        async with WebRoom(service.url) as room:
            matter = Matter(service, room)
            await room.say("lin", text)
            await matter.answer("", await matter.until(last))
            await room.wait_for(lambda m: [part["state"] for part in m["parts"]] == ["done"])
            await nothing_goes_on(service)
