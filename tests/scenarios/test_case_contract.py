"""A long contract that was shared in another thread of a case is read to its end, and found."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from bot.settings import Settings
from tests.fakes import file_makers as made
from tests.fakes.matter_model import CLAIMANT, MatterModel, answer
from tests.fakes.model_server import ModelServer, Reply, call_tool, say_json
from tests.fakes.web_room import WebRoom
from tests.scenarios.conftest import nothing_goes_on, running
from tests.scenarios.test_case_questions import ask
from tests.scenarios.test_litigation_walk import Matter
from tests.scenarios.test_model_walk import settings

PROJECTS = tuple(
    (f"web:local:{room}", "MATTER-7") for room in ("main", "papers", "third", "fourth")
)
CLAUSE = "双方就第{0}批钢材的交付、验收、结算与保管作如下约定,并确认其余条款不受影响。"
CLAUSES = [f"第{n}条 {CLAUSE.format(n) * 2}" for n in range(1, 420)]
ASKED = "假如迟迟不付货款,另外要承担多少?"
LAST = "第420条 违约金按未付货款每日千分之三计算，自交货之日起算。"


class ReadingModel(MatterModel):
    """Reads the contract page by page, as far as results say that there is more."""

    pages: Sequence[dict[str, Any]] = ()
    searched = ""

    def __call__(self, request: dict[str, Any]) -> Reply:
        """The next page where there is one, else the script's answer."""
        if "pieces" in str(request.get("response_format")):
            piece = {"kind": "qa_query", "route": "", "text": ASKED, "depends_on": []}
            return say_json({"pieces": [piece]})
        if "You answer a question about a matter" in str(request["messages"][0]):
            self.searched = json.dumps(request["messages"], ensure_ascii=False)
            if "每日千分之三" not in self.searched:
                return call_tool(
                    "file__parse", {"name": "contract.docx", "from": sum(map(len, CLAUSES))}
                )
            return answer({}, "每日千分之三（contract.docx）。")
        if "You analyse the evidence" in str(request["messages"][0]):
            told = [m["content"] for m in request["messages"] if m["role"] == "tool"]
            self.pages = [json.loads(each[each.index("{") : each.rindex("}") + 1]) for each in told]
            following = self.pages[-1]["next"] if self.pages else 0
            if following is not None:
                wanted = {"name": "contract.docx", "from": following}
                return call_tool("file__parse", wanted)
        return super().__call__(request)


async def test_a_contract_of_another_thread_is_read_to_its_end_and_its_clause_is_found(
    new_settings: Callable[..., Settings],
) -> None:
    contract = made.docx([*CLAUSES, LAST])
    assert sum(map(len, CLAUSES)) > 35_000
    script = ReadingModel("zh")
    async with ModelServer(script) as model:
        given = new_settings(**settings(model), projects=PROJECTS)
        async with running(given) as service, WebRoom(service.url, "papers") as papers:
            await papers.share("lin", "把材料归类", contract__docx=contract)
            await Matter(service, papers).until("phase_done:files")
            await nothing_goes_on(service, "papers")
            async with WebRoom(service.url) as room:
                await room.say("lin", "列一份证据清单")
                await Matter(service, room).until("phase_done:evidence")
                await nothing_goes_on(service)
            async with WebRoom(service.url, "fourth") as room:
                assert "每日千分之三（contract.docx）" in await ask(room, "lin", ASKED)
                assert CLAIMANT["zh"] in script.searched
        assert model.faults == []
    assert len(script.pages) >= 4
    assert LAST in "".join(page["text"] for page in script.pages)
    async with (
        running(new_settings(projects=PROJECTS)) as service,
        WebRoom(service.url, "third") as room,
    ):
        for question in ("第420条怎么说？", "违约金怎么算？", "在所有文件里搜索千分之三"):
            told = await ask(room, "lin", question)
            assert "每日千分之三" in told
            assert "contract.docx" in told
            assert "字" in told
