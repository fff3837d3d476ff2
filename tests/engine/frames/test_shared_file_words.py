"""What is said of shared files, and which one "this file" is."""

import pytest

from engine.frames.shared_files import files_text, name_the_file, offer_text, text_with_names
from engine.ports.inbox_files import FileReceipt

LEDGER = FileReceipt(shown="ledger.csv", name="ledger.csv", kind="csv", size_bytes=41)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("What is in this file?", "What is in  ledger.csv ?"),
        ("读一下这个文件", "读一下 ledger.csv"),
        ("Extract the dates from the attachment", "Extract the dates from  ledger.csv"),
        ("What is in other.csv?", "What is in other.csv?"),
        ("What is the ECOG of P003?", "What is the ECOG of P003?"),
    ],
)
def test_this_file_is_the_one_that_came_along(text: str, means: str) -> None:
    assert name_the_file(text, [LEDGER]) == means
    # With none, or several, nobody knows.
    assert (
        name_the_file(text, [])
        == name_the_file(text, [LEDGER, LEDGER.model_copy(update={"name": "b"})])
        == text
    )


def test_a_name_cannot_bring_markup_or_sentences_of_its_own() -> None:
    hostile = LEDGER.model_copy(update={"shown": "**a** [x](http://e.example) {n}.csv"})
    assert r"\*\*a\*\* \[x\]" in files_text([hostile], "en")


def test_what_was_not_read_in_full_is_said() -> None:
    long = FileReceipt(shown="a.pdf", name="a.pdf", kind="pdf", parts=205, parts_read=200)
    assert files_text([long], "en").endswith("Of its 205 pages only 200 can be read.")
    assert files_text([long], "zh").endswith("共 205 页，只能读取其中 200 页。")
    cut = LEDGER.model_copy(update={"cut": True})
    assert files_text([cut], "en").endswith("It is long: only its beginning can be read.")


def test_several_files_stand_in_lines_of_their_own() -> None:
    large = FileReceipt(shown="b.csv", problem="too_large", limit_mb=20)
    assert files_text([LEDGER, large], "en") == (
        "- ledger.csv: taken (CSV, 41 B).\n- b.csv: larger than 20 MB, not taken."
    )
    assert offer_text([large], "en") == "Send another file, or tell me what you need."
    assert "ledger.csv" in offer_text([large, LEDGER], "en")
    assert text_with_names("look", [large, LEDGER]) == "look [ledger.csv]"
