import re

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.slack.outbound.markdown import bold, chunks, literal, render
from tests.fakes.tables import table
from tests.fakes.tries import tries

ONLY_LINKS = re.compile(r"<(?!https?://[^<>|\s]+(\|[^<>|]+)?>)")

SPICE = st.sampled_from(
    ["<!channel>", "<@U1>", "<#C1|x>", "&lt;", "](http://a.b)", "[", "|", "`", "```\n", "**", "_"]
)
TEXTS = st.lists(st.one_of(SPICE, st.text(max_size=8)), max_size=20).map("".join)


@table(
    ("markdown", "mrkdwn"),
    [
        ("plain", "plain"),
        ("# Result", "*Result*"),
        ("|P\\_1|\n|-|\n|a \\| **b**|\n|\\<x\\>|", "```\nP_1\na | b\n&lt;x&gt;\n```"),
        ("## **Result** of `x`", "*Result of `x`*"),
        ("**b** *e* ~~s~~ `c`", "*b* _e_ ~s~ `c`"),
        ("请**务必**检查", "请\u200b*务必*\u200b检查"),
        ("a\nb", "a\nb"),
        ("a\n\nb", "a\n\nb"),
        ("- a\n- b\n  1. c\n  2. d", "• a\n• b\n    1. c\n    2. d"),
        ("3. c\n4. d", "3. c\n4. d"),
        ("> q\n> r", "> q\n> r"),
        ("a\n\n---\n\nb", "a\n\n———\n\nb"),
        ("```py\nx < 1\n```", "```\nx &lt; 1\n```"),
        ("| a | 体重 |\n|---|---|\n| 10 | 7 |", "```\na   体重\n10  7\n```"),
        ("[the plan](https://x.org/a?b=1&c=2)", "<https://x.org/a?b=1&amp;c=2|the plan>"),
        ("<https://x.org>", "<https://x.org>"),
        ("![a scan](https://x.org/s.png)", "<https://x.org/s.png|a scan>"),
    ],
)
def test_markdown_shows_as_slack_formats_it(markdown, mrkdwn):
    assert render(markdown) == mrkdwn


@table(
    ("markdown", "mrkdwn"),
    [
        ("<!channel> <@U1> <#C1|x>", "&lt;!channel&gt; &lt;@U1&gt; &lt;#C1|x&gt;"),
        ("&lt;!channel&gt;", "&lt;!channel&gt;"),
        ("`<!here>`", "`&lt;!here&gt;`"),
        ("```\n<!here>\n```", "```\n&lt;!here&gt;\n```"),
        ("````\n```\n<!here>\n````", "```\nˋˋˋ\n&lt;!here&gt;\n```"),
        ("<b>hi</b>", "&lt;b&gt;hi&lt;/b&gt;"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("[x](mailto:a@x.org)", "x"),
        ("[a|b<!here>](http://x.org)", "<http://x.org|a b&lt;!here&gt;>"),
        ("[x](http://x.org/|<!here>)", "<http://x.org/%7C%3C!here%3E|x>"),
        ("[x](<http://x.org/|y>)", "<http://x.org/%7Cy|x>"),
        ("[https://good.org](https://bad.org)", "https://good.org (<https://bad.org>)"),
        ("[go to good.org now](https://bad.org)", "go to good.org now (<https://bad.org>)"),
        ("[good．org](https://bad.org)", "good．org (<https://bad.org>)"),
        ("[good。org](https://bad.org)", "good。org (<https://bad.org>)"),
        ("[go\u200bod.o\u00adrg](https://bad.org)", "go\u200bod.o\u00adrg (<https://bad.org>)"),
        ("[good.org:443](https://bad.org)", "good.org:443 (<https://bad.org>)"),
        ("[ｇｏｏｄ.org?a=1](https://bad.org)", "ｇｏｏｄ.org?a=1 (<https://bad.org>)"),
        ("[详情见报告。谢谢](https://x.org)", "<https://x.org|详情见报告。谢谢>"),
        ("\\*not bold\\* \\_nor\\_ \\`code\\`", "∗not bold∗ ˍnorˍ ˋcodeˋ"),
        ("snake_case, 2 * 3 * 4, ~5", "snake_case, 2 * 3 * 4, ~5"),
    ],
)
def test_a_hostile_text_stays_text(markdown, mrkdwn):
    assert render(markdown) == mrkdwn


@settings(max_examples=tries(60), deadline=None)
@given(TEXTS)
def test_no_text_can_mention_or_open_markup(text):
    for shown in (render(text), literal(text), bold(text)):
        assert not ONLY_LINKS.search(shown)
        assert not re.search(r"&(?!amp;|lt;|gt;)", shown)


@settings(max_examples=tries(40), deadline=None)
@given(TEXTS)
def test_literal_text_is_one_line_without_a_fence(text):
    assert "\n" not in literal(text)
    assert "`" not in literal(text)


def test_a_very_long_text_is_kept_to_its_end():
    text = "a " * 9_000 + "end <!here>"
    assert chunks(text)[-1].text.endswith("end &lt;!here&gt;")
