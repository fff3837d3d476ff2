import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.telegram.outbound.markdown import allowed_link, spans_of
from adapters.telegram.outbound.render import card_keyboard, render_chunks
from adapters.telegram.outbound.richtext import render_html
from cards.model import Row
from cards.showing.view import ButtonView, CardView, MessageView, PartView
from tests.fakes.platforms.telegram.text import parse_html, units, with_found
from tests.fakes.tables import table
from tests.fakes.tries import tries

PIECES = st.sampled_from(
    [
        *("@channel ", "**", "_", "~~", "`", "```\n", "> ", "- ", "1. ", "\n\n", "\n", "# "),
        *("| a | b |\n|-|-|\n", "<b>", "</b>", "&lt;", "&#64;all ", "    ", "\\", "😀"),
        "[x](https://signoff.invalid/form?d=1&f=a)",
        "[y](https://x.example/?a=1&b=2)",
        "<a href='tg://user?id=1'>",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=20), max_size=40).map("".join)


def card(**changes: object) -> CardView:
    return CardView(token="1f-AbCdEf123456", kind="confirm", title="Record?", **changes)


def view(text: str, **changes: object) -> MessageView:
    part = PartView(number=0, state="answered", text=text)
    return MessageView(lang="en", parts=(part,), **changes)


@table(
    ("markdown", "html"),
    [
        ("plain & <b>simple</b>", "plain &amp; &lt;b&gt;simple&lt;/b&gt;"),
        ("**bold** *it* ~~gone~~", "<b>bold</b> <i>it</i> <s>gone</s>"),
        ("**bold *both***", "<b>bold <i>both</i></b>"),
        ("`a<b`", "<code>a&lt;b</code>"),
        ("**x `y` z**", "<b>x </b><code>y</code><b> z</b>"),
        ("```py\nif a:\n    b\n```\nend", "<pre>if a:\n    b</pre>\n\nend"),
        ("# Title\ntext", "<b>Title</b>\n\ntext"),
        ("one\ntwo\n\nthree", "one\ntwo\n\nthree"),
        ("- a\n- b\n  - c\n\nend", "• a\n• b\n  • c\n\nend"),
        ("3. a\n4. b", "3. a\n4. b"),
        ("> a\n>\n> b", "<blockquote>a\n\nb</blockquote>"),
        ("> a\n> > b", "<blockquote>a\n\nb</blockquote>"),
        ("> `a`", "<blockquote><code>a</code></blockquote>"),
        ("[x](https://x.example/?a=1&b=2)", '<a href="https://x.example/?a=1&amp;b=2">x</a>'),
        ("[x](javascript:alert)", "[x](javascript:alert)"),
        ("[x](tg://user?id=1)", "x"),
        ("[x](https://signoff.invalid/form?d=1&f=a)", "x"),
        ("![alt](http://x.example/a.png)", "alt"),
        ("| a | 体重 |\n|-|-|\n| long | 1 |", "<pre>a    | 体重\nlong | 1</pre>"),
        ("@channel", "@\u2060channel"),
        ("&#64;channel", "@\u2060channel"),
        ("[x](https://x.example/@y)", '<a href="https://x.example/@y">x</a>'),
        ("a\u202eb\x07", "ab"),
    ],
)
def test_markdown_becomes_what_telegram_shows(markdown, html):
    assert render_html(spans_of(markdown)) == html
    parse_html(html)


@table(
    "href",
    [
        "https://signoff.invalid/form?d=1",
        "https://SIGNOFF.invalid./form",
        "https://a@signoff.invalid/",
        "https://signoff%2Einvalid/form",
        "https://signoff%C2%AD.invalid/form",
        "https://x.example/?next=https://signoff.invalid/form",
        "ftp://x.example",
        "https://x.example/ y",
        "https://x.exämple/",
    ],
)
def test_no_text_can_link_to_our_form_host_or_leave_the_web(href):
    assert not allowed_link(href)


@settings(max_examples=tries(50), deadline=None)
@given(TEXTS)
def test_any_text_becomes_well_formed_html_without_mentions(text):
    shown = view(text, card=card(text=text, note=text, rows=(Row(label=text, value=text),)))
    for chunk in render_chunks(shown):
        parsed = with_found(parse_html(chunk))
        assert 1 <= units(parsed.text) <= 4096
        # But in what stands behind a letter, an e-mail address, which people copy.
        assert not re.search(r"(?<![A-Za-z0-9])@\w", parsed.text)
        kinds = {entity["type"] for entity in parsed.entities}
        assert not kinds & {"mention", "text_mention"}
        assert not any("signoff.invalid" in e.get("url", "") for e in parsed.entities)


@settings(max_examples=tries(10), deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=5), st.integers(50, 400), st.integers(1, 3))
def test_long_views_never_need_more_or_longer_messages(texts, times, most):
    parts = tuple(
        PartView(number=i + 1, state="answered", text=text * times) for i, text in enumerate(texts)
    )
    chunks = render_chunks(
        MessageView(lang="en", parts=parts, card=card(outcome="Done")), most=most
    )
    assert 1 <= len(chunks) <= most
    shown = [parse_html(chunk).text for chunk in chunks]
    assert all(1 <= units(text) <= 4096 for text in shown)
    assert shown[-1].endswith("Done")


def test_long_text_is_cut_at_paragraphs_and_nothing_is_lost():
    paragraphs = [f"Paragraph {i} " + "word " * 60 + f"end{i}." for i in range(40)]
    chunks = [parse_html(chunk).text for chunk in render_chunks(view("\n\n".join(paragraphs)))]
    assert len(chunks) > 2
    assert "\n\n".join(chunks).split("\n\n") == paragraphs


def test_a_tag_that_is_cut_goes_on_in_the_next_message():
    chunks = render_chunks(view("**" + "word " * 1500 + "end**"))
    assert len(chunks) == 2
    assert all(chunk.startswith("<b>") and chunk.endswith("</b>") for chunk in chunks)


def test_characters_outside_the_first_plane_count_twice():
    chunks = [parse_html(chunk).text for chunk in render_chunks(view("😀" * 3000))]
    assert [units(chunk) for chunk in chunks] == [4096, 1904]


@pytest.mark.parametrize(("lang", "note"), [("en", "too long"), ("zh", "内容过长")])
def test_what_does_not_fit_is_cut_with_a_note_and_the_card_stays(lang, note):
    part = PartView(number=0, state="answered", text="word " * 3000)
    long = MessageView(lang=lang, parts=(part,), card=card(note="approver only"))
    (chunk,) = render_chunks(long, most=1)
    text = parse_html(chunk).text
    assert note in text
    assert text.endswith("Record?\n\napprover only")
    assert 3500 < units(text) <= 4096


def test_a_view_without_anything_to_show_is_still_a_message():
    assert render_chunks(view("")) == ["…"]
    assert render_chunks(view("\u200b \u2060")) == ["…"]


def test_parts_are_numbered_and_say_how_they_stand():
    parts = (
        PartView(number=1, state="answered", label="ECOG of P003", text="**1** on 2026-11-02"),
        PartView(number=2, state="in_review", text="Waiting for Ana"),
    )
    assert render_chunks(MessageView(lang="en", parts=parts)) == [
        "<b>1.</b> <b>ECOG of P003</b>\n<b>1</b> on 2026-11-02\n\n<b>2.</b> 👀 Waiting for Ana"
    ]


def test_a_card_shows_everything_it_has_in_order():
    shown = card(
        text="for **P003**",
        problems=("weight is *high*", "no date"),
        rows=(Row(label="Weight", value="70 <kg>"), Row(label="ECOG", value="1")),
        note="needs an approver",
        origin="From Slack · [open <it>](<https://x.example/p1?a=1>)",
        outcome="Approved by Ana",
        tone="good",
    )
    assert render_chunks(MessageView(lang="en", card=shown)) == [
        "<b>Record?</b>\n\nfor <b>P003</b>\n\n⚠️ weight is <i>high</i>\n⚠️ no date\n\n"
        "<b>Weight</b>: 70 &lt;kg&gt;\n<b>ECOG</b>: 1\n\n<i>needs an approver</i>\n\n"
        'From Slack · <a href="https://x.example/p1?a=1">open &lt;it&gt;</a>\n\n'
        "<b>✅ Approved by Ana</b>"
    ]


def test_what_a_card_only_names_cannot_style_itself():
    shown = card(note="**x**", outcome="<b>[y](https://x.example)")
    (chunk,) = render_chunks(MessageView(lang="en", card=shown))
    assert "<i>**x**</i>" in chunk
    assert "<b>&lt;b&gt;[y](https://x.example)</b>" in chunk


def test_short_labels_stand_two_in_a_row_and_long_ones_alone():
    labels = ["Approve", "Reject", "Ask the requester to explain", "Edit", "取消", "Later"]
    buttons = tuple(ButtonView(data=f"d{i}", label=label) for i, label in enumerate(labels))
    rows = card_keyboard(card(buttons=buttons)).inline_keyboard
    assert [[b.text for b in row] for row in rows] == [
        ["Approve", "Reject"],
        ["Ask the requester to explain"],
        ["Edit", "取消"],
        ["Later"],
    ]
    assert [b.callback_data for row in rows for b in row] == [f"d{i}" for i in range(6)]


def test_without_buttons_there_is_no_keyboard():
    assert card_keyboard(card()) is None
    assert card_keyboard(None) is None
