"""Search in the sample documents: what people ask, and the section that answers it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.knowledge.search import DocumentSearch
from bot.definitions.documents import load_documents
from engine.errors import ToolFailed
from engine.ports.library import Serves
from tests.fakes.tables import table

PLAYBOOKS = Path(__file__).parents[3] / "playbooks"
PROJECTS = {"clinical_qc": "SIGNOFF-101", "litigation_civil_prosecution": "MATTER-7"}
STUDY, MATTER = PROJECTS.values()


def of(project: str) -> Serves:
    """What serves a project: the playbooks that name it, or none."""
    return lambda playbook, own: own in ("", project)


@pytest.fixture(scope="module")
def search() -> Iterator[DocumentSearch]:
    search = DocumentSearch(load_documents(PLAYBOOKS, PROJECTS))
    yield search
    search.close()


@table(
    ("project", "query", "section"),
    [
        (STUDY, "硬性核查有哪些", "1.1"),
        (STUDY, "体重变化多少会提醒", "1.2"),
        (STUDY, "谁可以批准新的逻辑核查", "1.3"),
        (STUDY, "质疑要几天答复", "2.2"),
        (STUDY, "时效报告什么时候出", "2.3"),
        (STUDY, "方案偏离怎么登记", "3.2"),
        (STUDY, "SAE 多久核对一次", "4.1"),
        (STUDY, "解锁要谁签字", "5.1"),
        (STUDY, "What is a hard edit check?", "1.1"),
        (STUDY, "how do I change an edit check", "1.3"),
        (STUDY, "How many days does the site have to answer a query?", "2.2"),
        (STUDY, "how fast must deviations be logged", "3.2"),
        (STUDY, "how often are SAEs reconciled", "4.1"),
        (STUDY, "unlock", "5.1"),
        (MATTER, "立案需要什么材料", "1.1"),
        (MATTER, "怎么申请延期", "3.1"),
        (MATTER, "截图可以作证据吗", "1.2"),
        (MATTER, "监控录像会被覆盖", "2.2"),
        (MATTER, "What goes into a filing package?", "1.1"),
        (MATTER, "How many extensions are allowed?", "3.2"),
        (MATTER, "Are screenshots enough as evidence?", "1.2"),
        (MATTER, "preserve assets", "2.1"),
    ],
)
async def test_a_question_finds_its_section_first(
    project: str, query: str, section: str, search: DocumentSearch
) -> None:
    quotes = await search.search(of(project), query)
    assert quotes[0].section.startswith(section)
    assert quotes[0].score == 1
    assert [q.score for q in quotes] == sorted((q.score for q in quotes), reverse=True)


async def test_a_quote_is_word_for_word_and_names_its_place(search: DocumentSearch) -> None:
    quote = (await search.search(of(MATTER), "诉讼费"))[0]
    file = PLAYBOOKS / quote.document.replace("/", "/documents/")
    assert quote.text in file.read_text("utf-8")
    assert quote.title == "衡易律师事务所立案指南"
    assert quote.link.startswith(f"documents/{quote.document}#2.1-%E8%AF%89")


@table(
    "query",
    [
        "",
        "今天天气怎么样",
        "what is the weather",
        "订一间会议室",
        "how do I bake bread",
        "the of and",
        "😀😀",
        '" OR * NEAR(',
        "title:x AND -y ^z",
    ],
)
async def test_what_no_document_answers_finds_nothing(query: str, search: DocumentSearch) -> None:
    assert list(await search.search(of(STUDY), query)) == []


async def test_query_syntax_is_looked_for_as_words(search: DocumentSearch) -> None:
    quotes = await search.search(
        of(STUDY), 'text:"lock" NOT (database* NEAR/2 ^"signatures") 😀 \x00 --'
    )
    assert quotes[0].section == "5.1 Locking the database"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(query=st.text(alphabet=st.characters(exclude_categories=[]), max_size=500))
async def test_no_query_is_an_error(query: str, search: DocumentSearch) -> None:
    for quote in await search.search(of(STUDY), f"lock {query}", limit=2):
        assert 0 < quote.score <= 1


async def test_a_project_finds_only_its_own_documents(search: DocumentSearch) -> None:
    assert list(await search.search(of(MATTER), "SAE reconciliation")) == []
    assert list(await search.search(of("OTHER"), "SAE reconciliation")) == []
    assert len(await search.search(of(STUDY), "edit check", limit=2)) == 2


async def test_documents_are_replaced_while_they_are_searched(tmp_path: Path) -> None:
    folder = tmp_path / "guides" / "documents"
    folder.mkdir(parents=True)
    (folder / "new.md").write_text("# New\n\n## 1\n\nHow a zeppelin is unlocked.\n")
    new = load_documents(tmp_path, {"guides": STUDY})
    search = DocumentSearch(load_documents(PLAYBOOKS, PROJECTS))
    asked = [search.search(of(STUDY), "unlock") for _ in range(100)]
    replaced = asyncio.to_thread(search.replace, new)
    await asyncio.gather(*asked[:50], replaced, *asked[50:])
    assert [q.document for q in await search.search(of(STUDY), "unlock")] == ["guides/new.md"]
    assert list(await search.search(of(MATTER), "extensions")) == []
    search.close()


async def test_closed_documents_answer_nothing() -> None:
    search = DocumentSearch(load_documents(PLAYBOOKS, PROJECTS))
    search.close()
    with pytest.raises(ToolFailed, match="cannot be searched"):
        await search.search(of(STUDY), "lock")
