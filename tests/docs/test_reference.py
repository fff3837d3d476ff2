"""docs/playbook-reference.md is as the models are."""

import re
from collections.abc import Callable

import pytest

from engine.playbooks.model import PlaybookFile
from engine.playbooks.review import ReviewPolicy
from tests.docs.reference import FOLDER_PAGE, PAGE, folder_written, written


def test_the_reference_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == written(), "run `make reference`"
    assert FOLDER_PAGE.read_text("utf-8") == folder_written(), "run `make reference`"


def test_it_has_each_key_with_its_default_and_limits() -> None:
    text = written()
    for name in (*PlaybookFile.model_fields, "deadline", "execute_within", "may_edit"):
        assert f"| `{name}`" in text
    assert "| `stall_after` | whole number | `3` | at least 1, at most 20 |" in text
    assert "| `deadline`, `deadline_s` | duration | none |" in text
    assert ReviewPolicy.__name__ in text


@pytest.mark.parametrize("page", [written, folder_written])
def test_every_type_that_it_leads_to_is_described(page: Callable[[], str]) -> None:
    text = page()
    headings = {h.lower().replace(" ", "-") for h in re.findall(r"^##+ (.*)$", text, re.MULTILINE)}
    assert set(re.findall(r"\(#([\w-]+)\)", text)) <= headings
