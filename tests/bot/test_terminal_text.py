"""What the terminal client makes of the web chat's HTML, and what may be coloured."""

import re
import time
from pathlib import Path

import pytest

from adapters.webchat.markdown import to_html
from bot.terminal.client import Entry
from bot.terminal.formatting import AnswerPrinter, NumberedChoices
from bot.terminal.html_text import html_to_text, show_times_in, strip_controls
from tests.bot.signoff_process import FILES
from tests.fakes.few_examples import few_examples
from tests.fakes.tables import table
from tests.fakes.terminal import in_terminal

MARKDOWN = """\
First **line**,
second line with [a link](https://example.org/x) and <https://example.org/y>.

1. one
2. two
   - inner

| 受试者 | n |
|---|---|
| P001 | 12 |
| P002 | 3 |

```
  kept   as it is
```

> quoted & <b>plain</b>
"""
TEXT = """\
First line,
second line with a link (https://example.org/x) and https://example.org/y.

1. one
2. two
  - inner

受试者  n
P001    12
P002    3

  kept   as it is

quoted & <b>plain</b>"""


def test_everything_that_the_page_shows_can_be_read_as_text() -> None:
    assert html_to_text(to_html(MARKDOWN)) == TEXT


def test_links_that_only_the_page_follows_are_their_text() -> None:
    shown = html_to_text(to_html("[P003](/?room=k3) by <https://example.org/损坏>"))
    assert shown == "P003 by https://example.org/损坏"


def draft(markdown: str, *, number: int = 0, requests: int = 1) -> Entry:
    part = {"number": number, "state": "working", "label": "", "html": to_html(markdown)}
    return {"op": "draft", "id": "m1", "view": {"lang": "en", "parts": [part] * requests}}


def whole(markdown: str) -> list[str]:
    return html_to_text(to_html(markdown)).split("\n")


def test_an_answer_grows_by_whole_lines_and_no_line_is_shown_twice() -> None:
    growing = AnswerPrinter()
    steps = [growing.next_lines(draft(MARKDOWN[:end])) for end in range(1, len(MARKDOWN), 7)]
    told = [line for step in steps for line in step]
    assert whole(MARKDOWN)[: len(told)] == told
    assert "P001    12" in told
    assert told + growing.remaining_lines("m1", whole(MARKDOWN)) == whole(MARKDOWN)


def test_a_table_is_not_shown_before_its_end_as_its_columns_may_widen() -> None:
    growing, begun = AnswerPrinter(), "Of all:\n\n| a | n |\n|---|---|\n| P1 | 1 |\n"
    assert growing.next_lines(draft(begun)) == ["Of all:"]
    assert growing.next_lines(draft(f"{begun}| a longer one | 2 |\n")) == []
    assert "a longer one  2" in growing.next_lines(
        draft(f"{begun}| a longer one | 2 |\n\nThen\nand")
    )


def test_an_answer_that_begins_otherwise_in_the_end_is_shown_whole() -> None:
    growing = AnswerPrinter()
    assert growing.next_lines(draft("First.\n\nSecond.\n\nThird")) == ["First.", "", "Second.", ""]
    assert growing.next_lines(draft("Other.\n\nSecond.\n\nThird.\n\nFourth")) == []
    assert growing.remaining_lines("m1", ["Other.", "", "Second."]) == ["Other.", "", "Second."]


@pytest.mark.parametrize("given", [{"number": 1}, {"number": 1, "requests": 2}])
def test_what_answers_several_requests_does_not_grow(given: dict[str, int]) -> None:
    assert AnswerPrinter().next_lines(draft(MARKDOWN, **given)) == []


@table(
    "text",
    ["\x1b]0;title\x07", "\x1b[2J", "\x9b2J", "a\rb", "\u202eabc\u202c", "\x00\x08", "\u2066x"],
)
def test_nothing_that_is_shown_steers_the_terminal(text: str) -> None:
    shown = strip_controls(text) + html_to_text(
        f"<p>{text}</p><table><tr><td>{text}</td></tr></table>"
    )
    assert not any(ord(one) < 32 and one != "\n" for one in shown)
    assert not set("\x1b\x7f\x9b\u202e\u202c\u2066") & set(shown)


def card(token: str, *labels: str, revision: int = 1) -> dict[str, object]:
    buttons = [{"data": f"s1:{token}:{label}:{revision}", "label": label} for label in labels]
    return {"token": token, "buttons": buttons}


def test_a_number_never_comes_to_mean_another_choice() -> None:
    choices = NumberedChoices()
    assert [one.number for one in choices.number_buttons(card("a", "yes", "no"), "en")] == [1, 2]
    assert [one.number for one in choices.number_buttons(card("b", "yes"), "en")] == [3]
    assert [one.number for one in choices.number_buttons(card("a", "yes", "no"), "en")] == [1, 2]
    changed = choices.number_buttons(card("a", "yes", "no", revision=2), "en")
    assert [one.number for one in changed] == [4, 5]
    assert choices.find(1) is None
    assert choices.is_known(1)
    assert choices.number_buttons(card("b"), "en") == ()
    assert choices.find(3) is None
    assert not choices.is_known(6)


@pytest.mark.parametrize(
    ("variables", "colours"), [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)]
)
async def test_a_terminal_sees_colours_unless_it_wants_none(
    tmp_path: Path, variables: dict[str, str], colours: bool
) -> None:
    async with (
        in_terminal(tmp_path, "people", "list", **FILES, **variables) as listed,
        in_terminal(tmp_path, "validate", **FILES, **variables) as checks,
    ):
        assert (await listed.ended(), await checks.ended()) == (0, 0)
    assert ("\x1b[1mid " in listed.screen) == colours
    assert re.search(r"playbooks.*%.*ok", checks.screen, re.DOTALL)


async def test_a_terminal_sees_how_far_a_long_command_is(tmp_path: Path) -> None:
    async with in_terminal(tmp_path, "lint-examples", **few_examples(tmp_path)) as long:
        assert await long.ended() == 0
    assert "examples" in long.screen.partition("looks like")[0]
    assert "%" in long.screen.partition("looks like")[0]


def test_moments_are_by_this_machines_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        text = strip_controls("until ⟦2026-11-21T18:30Z⟧, ⟦2026-99-21T18:30Z⟧")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert text == "until 11-21 13:30, ⟦2026-99-21T18:30Z⟧"


@pytest.mark.parametrize(
    ("zone", "told"), [("Asia/Shanghai", "11-24 05:19"), ("America/Lima", "11-23 16:19")]
)
def test_moments_are_by_the_time_zone_of_the_folder(zone: str, told: str) -> None:
    with show_times_in(zone):
        assert strip_controls("⟦2026-11-23T21:19Z⟧") == told
        assert html_to_text("<p>Ada: Submit (⟦2026-11-23T21:19Z⟧)</p>") == f"Ada: Submit ({told})"
