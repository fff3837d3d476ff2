"""A file field is refused where it is sent, as far as that can be known without the content."""

from typing import Any

import pytest

from cards.forms import FormFacts, check_form
from cards.model import Field
from cards.shared_file import SharedFile
from engine.reviews.form_files import FormFiles
from tests.fakes.tables import table

RECEIPT = Field(name="receipt", label="Receipt", type="file")
SCAN = RECEIPT.model_copy(update={"kinds": ("pdf", "jpg")})
KINDS = ("pdf", "jpg", "csv")


def fault(asked: Field, text: str, upload: dict[str, Any] | None = None) -> str:
    sent = {"receipt": SharedFile(platform="web", id="1", name=text, **upload)} if upload else {}
    files = FormFiles(sent, ("taxi.pdf", "hotel.pdf", "rows.csv"), KINDS, largest_mb=2)
    values, faults = check_form([asked], {"receipt": text}, "en", FormFacts(file=files.check))
    assert values.get("receipt", text) == text
    return faults.get("receipt", "")


@pytest.mark.parametrize(
    ("asked", "text", "told"),
    [
        (RECEIPT, "taxi.pdf", ""),
        (RECEIPT, "taxy.pdf", "no file taxy.pdf here; did you mean taxi.pdf"),
        (RECEIPT, "in the post", "no file in the post here; send the file"),
        (SCAN, "rows.csv", "of one of these kinds: pdf, jpg"),
    ],
)
def test_a_name_is_that_of_a_file_there(asked: Field, text: str, told: str) -> None:
    assert told in fault(asked, text)
    assert bool(told) == bool(fault(asked, text))


@table(
    ("asked", "name", "upload", "told"),
    [
        (RECEIPT, "new.PDF", {"size_bytes": 2 * 1024**2}, ""),
        (RECEIPT, "new.pdf", {"size_bytes": 2 * 1024**2 + 1}, "at most 2 MB"),
        (RECEIPT, "photo.jpeg", {"size_bytes": 1}, ""),
        (RECEIPT, "scan", {"media_type": "application/octet-stream"}, ""),
        (RECEIPT, "page.docx", {"size_bytes": 1}, "kinds: pdf, jpg, csv"),
        (RECEIPT, "note.m4a", {"media_type": "audio/mp4"}, "kinds: pdf, jpg, csv"),
        (SCAN, "rows.csv", {"size_bytes": 1}, "kinds: pdf, jpg"),
    ],
)
def test_what_is_surely_not_taken_is_refused(
    asked: Field, name: str, upload: dict[str, Any], told: str
) -> None:
    assert told in fault(asked, name, upload)
    assert bool(told) == bool(fault(asked, name, upload))


def test_where_nobody_looked_every_name_is_taken() -> None:
    facts = FormFacts(file=FormFiles().check)
    assert check_form([RECEIPT], {"receipt": "later.pdf"}, "en", facts)[1] == {}
