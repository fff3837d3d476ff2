"""What the terminal client makes of the web chat's HTML, and what may be coloured."""

import re
from pathlib import Path

import pytest
from signoff_process import FILES

from adapters.webchat.markdown import to_html
from bot.terminal.choices import Choices
from bot.terminal.plain import harmless, to_text
from tests.fakes.terminal import Terminal

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
    assert to_text(to_html(MARKDOWN)) == TEXT


@pytest.mark.parametrize(
    "text",
    ["\x1b]0;title\x07", "\x1b[2J", "\x9b2J", "a\rb", "\u202eabc\u202c", "\x00\x08", "\u2066x"],
)
def test_nothing_that_is_shown_steers_the_terminal(text: str) -> None:
    shown = harmless(text) + to_text(f"<p>{text}</p><table><tr><td>{text}</td></tr></table>")
    assert not any(ord(one) < 32 and one != "\n" for one in shown)
    assert not set("\x1b\x7f\x9b\u202e\u202c\u2066") & set(shown)


def card(token: str, *labels: str, revision: int = 1) -> dict[str, object]:
    buttons = [{"data": f"s1:{token}:{label}:{revision}", "label": label} for label in labels]
    return {"token": token, "buttons": buttons}


def test_a_number_never_comes_to_mean_another_choice() -> None:
    choices = Choices()
    assert [one.number for one in choices.see(card("a", "yes", "no"), "en")] == [1, 2]
    assert [one.number for one in choices.see(card("b", "yes"), "en")] == [3]
    assert [one.number for one in choices.see(card("a", "yes", "no"), "en")] == [1, 2]
    changed = choices.see(card("a", "yes", "no", revision=2), "en")
    assert [one.number for one in changed] == [4, 5]
    assert choices.find(1) is None
    assert choices.was(1)
    assert choices.see(card("b"), "en") == ()
    assert choices.find(3) is None
    assert not choices.was(6)


@pytest.mark.parametrize(
    ("variables", "colours"), [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)]
)
async def test_a_terminal_sees_colours_unless_it_wants_none(
    tmp_path: Path, variables: dict[str, str], colours: bool
) -> None:
    listed = Terminal(tmp_path, "people", "list", **FILES, **variables)
    checks = Terminal(tmp_path, "validate", **FILES, **variables)
    try:
        assert (await listed.ended(), await checks.ended()) == (0, 0)
    finally:
        listed.close()
        checks.close()
    assert ("\x1b[1mid " in listed.screen) == colours
    assert re.search(r"playbooks.*%.*ok", checks.screen, re.DOTALL)


async def test_a_terminal_sees_how_far_a_long_command_is(tmp_path: Path) -> None:
    long = Terminal(tmp_path, "lint-examples", **FILES)
    try:
        assert await long.ended() == 0
    finally:
        long.close()
    assert "examples" in long.screen.partition("looks like")[0]
    assert "%" in long.screen.partition("looks like")[0]
