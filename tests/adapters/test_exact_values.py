"""What stands on a card is shown as it was written, on every platform, and hides nothing."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest

from adapters.slack.outbound.blocks import message
from adapters.telegram.forms.progress import begin_form
from adapters.telegram.forms.screens import form_screen
from adapters.telegram.outbound.render import card_keyboard, render_chunks
from adapters.webchat.render import render_message
from cards.model import Card, Choice, Decision, Field, Review, Row
from cards.showing.show import confirm_view, show
from cards.showing.view import FormView, MessageView
from cards.visible import in_row, in_text, visible
from tests.fakes.platforms.slack.checks import message_problems
from tests.fakes.platforms.telegram.text import parse_html, with_found
from tests.fakes.tables import table

VALUES = [
    "62 kg",
    "*b*",
    "**b**",
    "_b_",
    "__b__",
    "~x~",
    "~~x~~",
    "`x`",
    "```x```",
    "`a` and *b* and _c_",
    "a*b*c 2*3*4",
    "snake_case_name",
    ":smile:",
    "10:30:00",
    "<@U123>",
    "<!here>",
    "<!channel>",
    "<#C1|x>",
    "<https://evil.example|bank>",
    "@here @channel",
    "@bank_support",
    "ana@example.org",
    "&lt;b&gt;",
    "&amp;amp;",
    "a & b < c > d",
    "<b>bold</b>",
    "<script>alert(1)</script>",
    "[bank](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "https://example.org/a_b_c",
    "/cancel",
    "see /approve now",
    "# heading",
    "> quote",
    "- item",
    "1. item",
    "1) item",
    "| a | b |",
    "---",
    "\\*b\\*",
    "$1 \\n 50% \\",
    "▫️ ✅ Ana: Approve",
    "你好，*世界*",
    "none\u202egnihton",
    "\u2066a\u2069 \u202ab\u202c",
    "1\u200b2\u20603\ufeff4",
    "a\x00b\x07c\x1b[31m",
    "a\tb",
    " a  b ",
    "one\ntwo",
    "\n\none\n\n\n  two\n",
    "one\r\ntwo",
    "⟨U+202E⟩ ␣ ↵",
]
CHAT = "telegram:7000000001:1001"


def card(**changed):
    given = {
        "kind": "confirm",
        "token": "1f-AbCdEf123456",
        "run": "",
        "conversation": CHAT,
        "lang": "en",
        "title": "Record it?",
        "choices": (Choice(id="approve", label="Approve", style="primary"),),
        "review": Review(roles=("reviewer",), delegable=False),
        "requester": "ana",
        **changed,
    }
    return MessageView(lang="en", card=show(Card(**given), "UTC"))


def on_slack(view):
    """What Slack shows: plain and rich text as it is, mrkdwn without its marks."""
    shown = message(view)
    assert message_problems(shown) == []
    return "\n".join(_slack_texts(shown["blocks"]))


def _slack_texts(blocks):
    for block in blocks:
        held = block.get("text"), *block.get("elements", ())
        for part in filter(None, held):
            match part["type"]:
                case "mrkdwn":
                    # Slack would change these: whatever holds them must not be mrkdwn.
                    said = re.sub(r"\*([^*\n]+)\*(?=\s|$)", r"\1", part["text"])
                    assert not re.search(r"(?<!\w)[*_~]\S|[`∗ˍ∼ˋ]|:[a-z0-9_]+:", said), said
                    yield unescape(re.sub(r"(?m)^> ?", "", said))
                case "plain_text":
                    yield part["text"]
                case "rich_text_section" | "rich_text_quote":
                    yield "".join(each["text"] for each in part["elements"])


def on_telegram(view):
    """What Telegram shows, which finds nothing in it by itself but addresses."""
    (html,) = render_chunks(view)
    parsed = with_found(parse_html(html))
    kinds = {entity["type"] for entity in parsed.entities}
    assert kinds <= {"bold", "italic", "blockquote", "url"}, kinds
    return parsed.text.replace("\u2060", "")


def on_the_web(view):
    """What the page shows: text as it is, and what is left of its HTML."""
    told = render_message(view)["card"]
    assert not re.search(r"<(?!/?(?:p|strong|blockquote|br|hr)\b)", told["html"]), told["html"]
    rows = [f"{row['label']} {row['value']}" for row in told["rows"]]
    body = unescape(re.sub(r"<br ?/?>\n?", "\n", re.sub(r"</?(?!br)[^>]+>", "", told["html"])))
    return "\n".join([told["title"], body, *rows, told["outcome"]])


PLATFORMS = {"slack": on_slack, "telegram": on_telegram, "web": on_the_web}


@pytest.fixture(params=PLATFORMS)
def shown(request):
    return PLATFORMS[request.param]


@table("value", VALUES)
def test_a_value_in_a_row(shown, value):
    row = Row(label="Weight", value=in_row(value, "", "en"))
    assert f"{visible(value)}" in shown(card(rows=(row, Row(label="Next", value="2"))))


@table("value", VALUES)
def test_a_value_with_lines_of_its_own(shown, value):
    told = shown(card(text=in_text("Note", value, "en")))
    for line in visible(value, lines=True).split("\n"):
        assert line in told.split("\n"), told


@table("value", VALUES)
def test_the_reason_that_was_given(shown, value):
    at = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
    said = Decision(choice="approve", person="bo", name="Bo", at=at, values={"reason": value})
    told = shown(card(status="decided", decision=said))
    assert f"Reason: {visible(value, lines=True)}" in told


@table("value", VALUES)
def test_the_title(shown, value):
    assert visible(value) in shown(card(title=value))


@table("value", VALUES)
def test_a_choice_and_the_question_whether_one_is_sure(value):
    choice = Choice(id="1", label=value, style="danger")
    view = card(kind="select", title=value, choices=(choice,))
    (actions,) = [b for b in message(view)["blocks"] if b["type"] == "actions"]
    (button,) = actions["elements"]
    told = visible(value)
    assert button["text"] == {"type": "plain_text", "text": told, "emoji": False}
    assert button["confirm"]["text"]["text"].startswith(told)
    ((on_keyboard,),) = card_keyboard(view.card).inline_keyboard
    assert on_keyboard.text == told
    assert render_message(view)["card"]["buttons"][0]["label"] == told
    stored = Card(
        kind="select",
        token="1f-AbCdEf123456",
        run="",
        conversation=CHAT,
        lang="en",
        title=value,
        choices=(choice,),
        review=Review(),
        requester="ana",
    )
    asked = confirm_view(stored, choice, "en")
    assert asked.text.startswith(told)
    assert told in asked.confirm


@table("value", VALUES)
def test_what_was_filled_in_on_telegram(value):
    fields = (Field(name="note", label="Note", value=value, multiline=True),)
    form = FormView(
        data="s1:1f-AbCdEf123456:submit:1",
        lang="en",
        title="Record it",
        submit="Submit",
        cancel="Cancel",
        fields=fields,
    )
    parsed = with_found(parse_html(form_screen(begin_form(form, "1")).html))
    assert f"Note: {visible(value, lines=True)}" in parsed.text.replace("\u2060", "")
    assert "mention" not in {entity["type"] for entity in parsed.entities}
