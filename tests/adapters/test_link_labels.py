"""No link says that it leads elsewhere than it does, on any platform."""

import re
from html import unescape

import pytest

from adapters.markdown_reader import is_misleading
from adapters.slack.outbound.markdown import render
from adapters.telegram.outbound.markdown import spans_of
from adapters.telegram.outbound.richtext import render_html
from adapters.webchat.markdown import to_html
from tests.fakes.tables import table

EVIL = "https://evil.example/login"

POSING = [
    "google.com",
    "GOOGLE.COM",
    "Google.Com/login",
    "https://google.com",
    "HTTPS://GOOGLE.COM/",
    "http://google.com/a/b?c=d",
    "see google.com for more",
    "(google.com)",
    "„google.com“",
    "访问google.com查看",
    "www.google.com",
    "goo\u200bgle.com",
    "google\u2060.com",
    "google\u00ad.com",
    "google\u202e.com",
    "google。com",
    "google．com",
    "google․com",
    "google.com∕login",
    "ｇｏｏｇｌｅ．ｃｏｍ",
    "gооgle.com",  # Cyrillic o
    "аррӏе.сом",  # all Cyrillic
    "例子.中国",
    "xn--80ak6aa92e.com",
    "bank.xn--p1ai",
    "192.168.0.1",
    "10.0.0.1:8080/admin",
    "t.me/bank_support",
    "@bank_support",
    "ask @bank",
    "ceo@bank.com",
    "mailto:ceo@bank.com",
    "tg://resolve?domain=bank",
    "javascript://bank.com",
    "evil.example",
    "evil.example/other",
    "https://evil.example.google.com/login",
    "https://evil.example@google.com/login",
    "**google.com**",
    "`google.com`",
    "google\\.com",
    "g&#111;ogle.com",
]
HONEST = [
    "the visit",
    "打开对话",
    "第3.1节",
    "1.概述",
    "详情见报告。谢谢",
    "e.g. this",
    "version 2.0",
    "3.5 kg",
    "A. Smith",
    "evil.example/login",
    "https://evil.example/login",
    "HTTPS://Evil.Example/login/",
    "**evil.example/login**",
]


def slack_links(text):
    found = re.findall(r"<([^<>|]+)(?:\|([^<>]*))?>", render(text))
    return [(unescape(label or url), unescape(url)) for url, label in found]


def html_links(html):
    found = re.findall(r'<a [^>]*?href="([^"]*)"[^>]*>(.*?)</a>', html)
    return [(unescape(re.sub(r"<[^>]+>", "", label)), unescape(url)) for url, label in found]


PLATFORMS = {
    "slack": slack_links,
    "telegram": lambda text: html_links(render_html(spans_of(text))),
    "web": lambda text: html_links(to_html(text)),
}
PLAIN = {
    "slack": lambda text: unescape(re.sub(r"<([^<>|]+)>", r"\1", render(text))),
    "telegram": lambda text: "".join(span.text for span in spans_of(text)),
    "web": lambda text: unescape(re.sub(r"<[^>]+>", "", to_html(text))),
}


@pytest.fixture(params=PLATFORMS)
def platform(request):
    return request.param


@table("label", POSING)
def test_a_label_that_poses_stands_beside_the_real_target(platform, label):
    assert PLATFORMS[platform](f"[{label}]({EVIL})") == [(EVIL, EVIL)]
    assert PLAIN[platform](f"[{label}]({EVIL})").endswith(f" ({EVIL})")


@table("label", HONEST)
def test_a_label_that_says_what_it_is_stays(platform, label):
    ((shown, target),) = PLATFORMS[platform](f"[{label}]({EVIL})")
    assert target == EVIL
    assert shown.strip("*\u200b") == label.strip("*").rstrip()


@table("label", ["", " ", "\u200b", "\u2060\u200d", "&#8203;"])
def test_a_label_that_nobody_sees_is_the_target(platform, label):
    assert PLATFORMS[platform](f"[{label}]({EVIL})") == [(EVIL, EVIL)]


@table(
    "text",
    [
        "[x](javascript:alert(1))",
        "[google.com](tg://resolve?domain=bank)",
        "[x](data:text/html,hi)",
        "[x](tg://user?id=1)",
        "[x](file:///etc/passwd)",
    ],
)
def test_no_other_scheme_is_a_link(platform, text):
    assert PLATFORMS[platform](text) == []


@table("form", ["<{}>", "[{0}]({0})", "[a]({})", "see <{}>."])
@table(
    "url",
    ["https://example.org", "https://example.org/a_b", "http://example.org:8080/?q=1&r=2#s"],
)
def test_a_link_to_itself_is_said_once(platform, form, url):
    text = form.format(url)
    ((_, target),) = PLATFORMS[platform](text)
    assert target == url
    assert PLAIN[platform](text).count("example.org") <= 2
    assert "(" not in PLAIN[platform](text)


def test_an_address_in_other_letters_shows_what_it_is_in_ours(platform):
    ((shown, target),) = PLATFORMS[platform]("<https://аррӏе.com/>")
    assert shown == target
    assert "xn--" in target


def test_a_picture_that_is_a_link_is_no_other_address():
    assert slack_links(f"![google.com]({EVIL})") == [(EVIL, EVIL)]
    assert slack_links(f"[![google.com](https://a.example/x.png)]({EVIL})")[-1] == (EVIL, EVIL)


def test_a_chinese_path_is_the_same_however_it_is_written():
    url = "https://example.org/%E4%BD%A0%E5%A5%BD"
    assert not is_misleading("https://example.org/你好", url)
