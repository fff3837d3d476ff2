"""Whatever the documents name is there: files, links, settings, numbers, make targets."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from bot.http.monitoring import READINGS
from bot.telemetry.metrics import FAMILIES
from tests.docs.reading import FOLDERS, ROOT, Page, Piece, all_pages, pages, words
from tests.fakes.settings import variables
from tests.fakes.tables import table

# What is named, and made only when the service or a command runs; or stands for the reader's own.
NOT_IN_THE_CHECKOUT = {
    r"(connections|tools|signoff)\.yaml": "files of a project folder, which samples need not have",
    r"my-bot/.*|expenses\.py|requests\.csv": "what the reader of the tutorial makes",
    r"data/.*": "the data folder of a service",
    r"build/.*": "made by make",
    r"answer\.md": "a file that the service sends",
    r"ledger\.csv": "a file that somebody shares in a chat",
    r"\.vscode/.*|playbooks/\*/tools\.yaml|requests\.csv": "files of the reader's own folder",
    r"\.env": "the reader's own, a copy of .env.example",
    r"traces/.*|.*\.svg|mcp\.yaml": "what a command of the example writes or is given",
}
_ENDS = r"py|md|yaml|json|toml|lua|html|css|js|lock|csv|sqlite3|service|target|png|svg|example"
_FILE = re.compile(
    rf"(?!GET |POST )[\w./<> *-]*[\w>*]\.({_ENDS})|({'|'.join(FOLDERS)})/[\w./<> *-]*"
)
_SETTINGS = {*variables().values()}
_OURS = re.compile(
    r"\b(?:SIGNOFF|LLM|OPENAI|SLACK|TELEGRAM|REDCAP|REDIS|OTEL)_[A-Z0-9_]*[A-Z0-9]\b"
)
_TARGET = re.compile(r"^([\w-]+):", re.MULTILINE)
_NUMBER = re.compile(r"signoff_[a-z_]+\*?")


def places(name: str) -> Iterator[Path]:
    """Where a file of that name may lie: as it stands, or only its last parts were given."""
    pattern = re.sub(r"<[^>]*>", "*", name).strip("/")
    for start in (ROOT, ROOT / "playbooks", *(ROOT / folder for folder in FOLDERS)):
        yield from start.glob(pattern)
        if start != ROOT:
            yield from start.rglob(pattern)


def named_files() -> list[Piece]:
    found = [word for word in words() if _FILE.fullmatch(word.text)]
    return [w for w in found if not any(re.fullmatch(p, w.text) for p in NOT_IN_THE_CHECKOUT)]


def test_the_documents_name_files_at_all() -> None:
    assert len(named_files()) > 50


@table("word", named_files(), ids=lambda w: f"{w}-{w.text}")
def test_a_file_that_is_named_is_there(word: Piece) -> None:
    assert next(places(word.text), None), f"{word}: there is no {word.text}"


@table("page", pages(), ids=lambda p: p.name)
def test_a_setting_that_is_named_is_one(page: Page) -> None:
    told = {name for name in _OURS.findall(page.text) if name not in _SETTINGS}
    assert told == set(), f"{page.name}: no settings of bot/settings.py"


def test_every_setting_of_the_tables_would_be_missed() -> None:
    assert _OURS.findall("`SIGNOFF_NO_SUCH`, `OPENAI_API_KEY=x`") == [
        "SIGNOFF_NO_SUCH",
        "OPENAI_API_KEY",
    ]


@table("page", pages(), ids=lambda p: p.name)
def test_a_make_target_that_is_named_is_there(page: Page) -> None:
    targets = set(_TARGET.findall((ROOT / "Makefile").read_text("utf-8")))
    told = [
        word.text.split()[1]
        for word in (*page.words, *page.blocks)
        if word.text.startswith("make ") and word.kind in ("", "sh")
    ]
    assert [target for target in told if target not in targets] == []


@table("page", pages(), ids=lambda p: p.name)
def test_a_number_for_prometheus_that_is_named_is_one(page: Page) -> None:
    shown = {f"signoff_{name}" for name in (*(family.name for family in FAMILIES), *READINGS)}
    shown |= {f"{name}_total" for name in shown}
    told = {word.text for word in page.words if _NUMBER.fullmatch(word.text)}
    missing = {
        name
        for name in told
        if not any(s == name or (name[-1] == "*" and s.startswith(name[:-1])) for s in shown)
    }
    assert missing == set()


def links() -> list[Piece]:
    return [
        link for page in all_pages() for link in page.links if not re.match(r"[a-z]+:", link.text)
    ]


@table("link", links(), ids=lambda link: f"{link}-{link.text}")
def test_a_link_leads_somewhere(link: Piece) -> None:
    path, _, anchor = unquote(link.text).partition("#")
    target = ((ROOT / link.page).parent / path if path else ROOT / link.page).resolve()
    assert target.exists(), f"{link}: there is no {path}"
    assert target.is_relative_to(ROOT)
    if anchor:
        name = str(target.relative_to(ROOT))
        page = next((page for page in all_pages() if page.name == name), None)
        assert page is not None, f"{link}: {path} has no headings"
        assert anchor in page.anchors, f"{link}: {name} has no heading #{anchor}"


def test_a_stranger_finds_every_page_from_the_readme() -> None:
    by_name = {page.name: page for page in all_pages()}
    reached, ahead = set[str](), ["README.md"]
    while ahead:
        name = ahead.pop()
        if name in reached or name not in by_name:
            continue
        reached.add(name)
        for link in by_name[name].links:
            path = (ROOT / name).parent / unquote(link.text).partition("#")[0]
            if path.is_file():
                ahead.append(str(path.resolve().relative_to(ROOT)))
    assert {page.name for page in pages()} - reached == set()


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150
