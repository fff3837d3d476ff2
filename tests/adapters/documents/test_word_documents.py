"""Documents as files: templates filled, Markdown in their styles, versions that never change."""

import hashlib
import re
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from adapters.documents.store import ProjectDocuments, file_stem
from adapters.documents.template import make_docx
from adapters.files import SHARED, ProjectFiles, folder_of
from engine.errors import ToolFailed
from engine.ports.library import DocumentContent, FileScope
from tests.fakes.templates import encoded, styles_of, template, words_of

SCOPE = FileScope("HARBOUR-1", "slack:T:C:1")
TEXT = """\
## The berth

Berth **12**, for *one* season.

- bow line
- stern line
  1. first
  2. second

> As agreed.

| Item | Price |
|---|---|
| Berth | 900 |

```
code {{tenant}}
```

See [the rules](https://example.com/rules), and <b>nothing</b> else. {{tenant}}
"""


def test_a_template_is_filled_and_the_text_stands_in_its_place() -> None:
    made = make_docx(
        encoded(template(row=("{{fees.what}}", "{{fees.sum}}", "{{tenant}}"))),
        "Hello.",
        {
            "tenant": "Ann & <Low>",
            "profile.master": "Bo {{tenant}}",
            "name": "Offer",
            "version": "3",
        },
        {"fees": ({"what": "Berth {{tenant}}", "sum": "900"}, {"what": "Power", "sum": "50"})},
    )
    assert words_of(made).split("\n") == [
        "Harbour office · Offer v3",
        "To Ann & <Low>",
        "Hello.",
        # What a value looks like is never filled in again.
        "Signed: Bo {{tenant}}",
        "Berth {{tenant}} | 900 | Ann & <Low>",
        "Power | 50 | Ann & <Low>",
    ]


def test_markdown_takes_the_styles_of_the_template() -> None:
    made = make_docx("", TEXT, {"tenant": "Ann"}, {})
    styles = styles_of(made)
    assert ("Heading 2", "The berth") in styles
    assert ("Normal", "Berth 12, for one season.") in styles
    assert ("List Bullet", "bow line") in styles
    assert ("List Number 2", "first") in styles
    assert ("Quote", "As agreed.") in styles
    assert ("Normal", "code {{tenant}}") in styles
    last = "See the rules (https://example.com/rules), and <b>nothing</b> else. {{tenant}}"
    assert ("Normal", last) in styles
    assert "Berth | 900" in words_of(made)


def test_the_same_content_is_the_same_file_and_has_no_macro() -> None:
    first, second = (make_docx(encoded(template()), TEXT, {"tenant": "A"}, {}) for _ in range(2))
    assert first == second
    names = zipfile.ZipFile(BytesIO(first)).namelist()
    assert [name for name in names if "vba" in name.lower()] == []


@pytest.mark.parametrize("odd", ["\x00\x07", "\ud800", "￾", "a\x0bb"])
def test_characters_that_xml_cannot_hold_are_left_out(odd: str) -> None:
    made = make_docx(encoded(template()), f"text {odd} end", {"tenant": f"A{odd}B"}, {})
    assert "text " in words_of(made)


async def test_versions_count_up_and_none_is_ever_changed(tmp_path: Path) -> None:
    store, files = ProjectDocuments(tmp_path), ProjectFiles(tmp_path)
    first = await store.publish(SCOPE, DocumentContent(name="Berth offer", markdown="One."))
    same = await store.publish(SCOPE, DocumentContent(name="Berth offer", markdown="One."))
    second = await store.publish(SCOPE, DocumentContent(name="Berth offer", markdown="Two."))
    back = await store.publish(SCOPE, DocumentContent(name="Berth offer", markdown="One."))
    other = await store.publish(SCOPE, DocumentContent(name="Bill", markdown="One."))
    assert (first.number, same, second.number, back.number, other.number) == (1, first, 2, 3, 1)
    assert re.fullmatch(r"Berth_offer-v1-[0-9a-f]{12}\.docx", first.name)
    text = await files.read(SCOPE, first.markdown)
    assert text == b"# Berth offer\n\nOne.\n"
    # The digest is that of the .md, as anybody can check.
    assert hashlib.sha256(text).hexdigest() == first.digest
    assert first.digest[:12] in first.name
    word = await files.read(SCOPE, first.name)
    assert word is not None
    assert "One." in words_of(word)
    folder = tmp_path / "HARBOUR-1" / SHARED / folder_of(SCOPE.conversation)
    assert len(list(folder.glob("[!.]*"))) == 8


async def test_a_new_template_makes_a_new_version_of_the_same_text(tmp_path: Path) -> None:
    store = ProjectDocuments(tmp_path)
    plain = await store.publish(SCOPE, DocumentContent(name="Offer", markdown="One."))
    letter = DocumentContent(name="Offer", markdown="One.", template=encoded(template()))
    headed = await store.publish(SCOPE, letter)
    assert (plain.number, headed.number, plain.digest) == (1, 2, headed.digest)


async def test_versions_of_the_case_count_wherever_they_were_made(tmp_path: Path) -> None:
    store = ProjectDocuments(tmp_path)
    first = await store.publish(SCOPE, DocumentContent(name="Offer", markdown="One."))
    there = FileScope("HARBOUR-1", "slack:T:C:2", ((first.name, SCOPE.conversation),))
    second = await store.publish(there, DocumentContent(name="Offer", markdown="Two."))
    alone = await store.publish(
        FileScope("HARBOUR-1", "slack:T:C:3"), DocumentContent(name="Offer", markdown="Two.")
    )
    assert (second.number, alone.number) == (2, 1)


async def test_a_file_in_the_way_is_no_version_and_a_bad_project_has_none(tmp_path: Path) -> None:
    store = ProjectDocuments(tmp_path)
    made = await store.publish(SCOPE, DocumentContent(name="Offer", markdown="One."))
    folder = tmp_path / "HARBOUR-1" / SHARED / folder_of(SCOPE.conversation)
    (folder / made.name).unlink()
    (folder / made.name).symlink_to("/etc/hostname")
    again = await store.publish(SCOPE, DocumentContent(name="Offer", markdown="One."))
    assert (again.number, (folder / made.name).is_symlink()) == (2, True)
    with pytest.raises(ToolFailed):
        await store.publish(FileScope("../x"), DocumentContent(name="Offer"))


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("民事起诉状（草稿）", "民事起诉状_草稿"),
        ("../../etc/passwd", "etc_passwd"),
        ("", "document"),
        ("x" * 300, "x" * 80),
    ],
)
def test_a_name_is_one_that_is_easy_to_type(name: str, stem: str) -> None:
    assert file_stem(name) == stem
