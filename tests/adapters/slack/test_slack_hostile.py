"""Nothing that people or models write mentions anybody or hides a link, wherever Slack shows it."""

import re

from adapters.slack.outbound.blocks import message, notice
from adapters.slack.outbound.forms import answer_modal, form_modal
from adapters.slack.outbound.home import home_view
from cards.model import Field, Row
from cards.showing.view import ButtonView, CardView, FormView, MessageView, PartView
from engine.ports.pages import HomePage
from tests.fakes.platforms.slack.checks import home_problems, message_problems, view_problems
from tests.fakes.tables import table

HOSTILE = [
    "<!channel>",
    "<!here|here>",
    "<!everyone>",
    "<!subteam^S0REVIEW|@reviewers>",
    "<@U0REVIEWER>",
    "<#C0TRIAL|general>",
    "<!date^1392734382^{date}^https://bad.org|today>",
    "<https://bad.org|https://good.org>",
    "<slack://user?team=T1&id=U1|Bo>",
    "<mailto:a@bad.org|Bo>",
    "&lt;!channel&gt;",
    "&amp;lt;!channel&amp;gt;",
    "@here @channel @everyone @U0REVIEWER",
    "[<!channel>](https://bad.org)",
    "[https://good.org](https://bad.org)",
    "[x](<https://bad.org|https://good.org>)",
    "![<!here>](https://bad.org/a.png)",
    "| <!channel> |\n|---|\n| <@U0REVIEWER> |",
    "```\n<!channel>\n```",
    "`<!channel>`",
    "> <!channel>",
    "<!chan\u200bnel>",
    "\u202e>lennahc!<",
    "<!channel",
    "!channel>",
    "<" * 50 + "!channel" + ">" * 50,
]
LIVE = re.compile(r"<[!@#]|<[a-z]+:[^>|]*\|[^>]*://", re.IGNORECASE)


def _card(text):
    return CardView(
        token="t",
        kind="select",
        title=text,
        text=text,
        problems=(text,),
        rows=(Row(label=text, value=text),),
        note=text,
        origin="here",
        outcome=text,
        buttons=(
            ButtonView(data="s1:a", label=text, style="danger", final=True),
            *(ButtonView(data=f"s1:{n}", label=text) for n in range(6)),
        ),
    )


def _mrkdwn(node):
    """Every text that Slack would read as mark-up."""
    if isinstance(node, list):
        return [text for item in node for text in _mrkdwn(item)]
    if not isinstance(node, dict):
        return []
    own = [node["text"]] if node.get("type") == "mrkdwn" else []
    return own + [text for item in node.values() for text in _mrkdwn(item)]


@table("text", HOSTILE)
def test_a_hostile_text_fires_nowhere(text):
    part = PartView(number=1, state="answered", label=text, text=text)
    shown = message(MessageView(lang="en", parts=(part,), card=_card(text)))
    told = notice(text)
    form = FormView(
        data="s1:x",
        lang="en",
        title=text,
        submit=text,
        cancel=text,
        intro=text,
        fields=(
            Field(name="a", label=text, hint=text, value=text),
            Field(name="b", label="b", type="choice", options=(text, "other")),
        ),
    )
    asked, said = form_modal(form, "slack:T1:C1"), answer_modal(text)
    home = home_view(HomePage(lang="en", cards=((_card(text), "en"),), runs=(_card(text),)))
    assert message_problems(shown) == message_problems(told) == []
    assert view_problems(asked) == view_problems(said) == home_problems(home) == []
    for place in (shown, told, asked, said, home):
        for marked in (*_mrkdwn(place), str(place.get("text", ""))):
            assert not LIVE.search(marked), marked
            assert "\u202e" not in marked
    for block in shown["blocks"]:
        assert block["type"] in ("section", "rich_text", "divider", "actions", "context")
