"""Rooms of two projects: each answers from its own documents and files, and links to them."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import aiohttp

from tests.fakes.web_room import WebRoom, text_of
from tests.scenarios.conftest import Start


async def test_a_room_of_the_study_quotes_its_documents_and_the_link_opens(start: Start) -> None:
    service = await start()
    async with WebRoom(service.url) as room:
        await room.say("lin", "软性核查什么时候触发")
        answer = await room.wait_for(lambda m: "1.2 软性逻辑核查" in text_of(m))
        link = re.search(r"documents/\S+?\.md#[\w.%-]+", unescape(text_of(answer)))
        assert link
    async with aiohttp.ClientSession() as client:
        async with client.get(f"{service.url}/{link[0]}") as response:
            page = await response.text()
            assert response.status == 200
            assert "default-src 'self'" in response.headers["Content-Security-Policy"]
        assert f'id="{unquote(link[0].partition("#")[2])}"' in page
        for wrong in ("clinical_qc/absent.md", "clinical_qc/..%2Fplaybook.yaml", "x/y.md"):
            async with client.get(f"{service.url}/documents/{wrong}") as response:
                assert response.status == 404
        foreign = {"Host": "evil.example.com"}
        async with client.get(f"{service.url}/{link[0]}", headers=foreign) as response:
            assert response.status == 403


async def test_a_room_of_another_project_has_its_own_files_and_no_study_data(
    start: Start, tmp_path: Path
) -> None:
    service = await start(projects=(("web:local:main", "MATTER-7"),))
    folder = service.parts.settings.data_dir / "files" / "MATTER-7"
    folder.mkdir(parents=True)
    (folder / "ledger.csv").write_text("day,amount\n2026-03-01,¥300\n", "utf-8")
    async with WebRoom(service.url) as room:
        await room.say("lin", "P003 的 ECOG")
        await room.wait_for(lambda m: "本会话属于项目 MATTER-7" in text_of(m))
        await room.say("lin", "有哪些文件")
        await room.wait_for(lambda m: "ledger.csv (" in text_of(m))
        await room.say("lin", "Which amounts are in ledger.csv?")
        await room.wait_for(lambda m: "CNY 300.00" in text_of(m))


async def test_without_the_setting_every_room_belongs_to_the_study(start: Start) -> None:
    service = await start()
    assert service.parts.services.project("slack:T1:C2") == "SIGNOFF-101"
