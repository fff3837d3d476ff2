import re
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.webchat.markdown import to_html
from tests.fakes.tables import table
from tests.fakes.tries import tries

ALLOWED = {
    "p", "br", "hr", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "a",
    "h1", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<b onmouseover=alert(1)>bold</b>",
    "<!-- comment --><style>body{}</style>",
    "<div\n\nonclick=x>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](javascript&#58;alert(1))",
    "[x](&#x6A;avascript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](data:image/png;base64,AAAA)",
    "[x](vbscript:x) <javascript:alert(1)>",
    "[x](//evil.example) [y](/chat/taps) [z](#a)",
    "[x][r]\n\n[r]: javascript:alert(1)",
    '[x](https://a.example "title\\" onclick=alert(1)")',
    "![x](https://evil.example/pixel.png)",
    "![x](javascript:alert(1))",
    "![x][r]\n\n[r]: https://evil.example/p.png",
    '```"><script>\nx\n```',
    "`<script>`",
    "| a |\n|:-:|\n| <script> |",
    "[x]() [](<>) [y][n]\n\n[n]: <>",
]


class Tags(HTMLParser):
    """Collects what a browser would build."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def assert_harmless(html: str) -> None:
    for tag, attributes in Tags(html).found:
        assert tag in ALLOWED
        assert set(attributes) <= {"href", "title", "rel", "target", "class", "start"}
        if tag == "a":
            assert re.match(r"(https?://|mailto:)", attributes["href"] or "", re.IGNORECASE)
            assert attributes["rel"] == "noopener noreferrer"
            assert attributes["target"] == "_blank"


@table("text", HOSTILE)
def test_hostile_text_stays_text(text):
    assert_harmless(to_html(text))


def test_a_link_to_nowhere_is_only_what_it_says():
    assert to_html("[one]() and [two](https://a.example)").startswith("<p>one and <a href=")


@settings(max_examples=tries(50), deadline=None)
@given(st.lists(st.sampled_from([*HOSTILE, "<", ">", '"', "[", "](", ")", "\n", "`", "*a*"])))
def test_no_mixture_of_hostile_pieces_gets_through(pieces):
    assert_harmless(to_html("".join(pieces)))


def test_raw_html_is_shown_as_written():
    assert to_html("<b>x</b> & y") == "<p>&lt;b&gt;x&lt;/b&gt; &amp; y</p>"


def test_web_and_mail_links_open_elsewhere():
    assert to_html("[protocol](https://a.example/p)") == (
        '<p><a href="https://a.example/p" target="_blank" rel="noopener noreferrer">'
        "protocol</a></p>"
    )
    assert 'href="mailto:a@a.example"' in to_html("[mail](mailto:a@a.example)")


def test_an_image_is_at_most_a_link():
    html = to_html("![pixel](https://evil.example/p.png)")
    assert "<img" not in html
    assert ">pixel</a>" in html


def test_tables_align_by_class():
    html = to_html("| a | b |\n|--:|:-:|\n| 1 | 2 |")
    assert '<td class="align-right short">1</td>' in html
    assert '<td class="align-center short">2</td>' in html
    assert "style" not in html


def test_a_short_cell_stays_on_one_line_and_a_long_one_has_room():
    html = to_html(f"| a |\n|---|\n| 2026-10-01 |\n| {'b' * 20} |\n| {'c' * 40} |")
    assert '<td class="short">2026-10-01</td>' in html
    assert f"<td>{'b' * 20}</td>" in html
    assert f'<td class="wide">{"c" * 40}</td>' in html


def test_a_line_break_is_kept():
    assert "<br" in to_html("one\ntwo")


def test_nothing_is_nothing():
    assert to_html("") == ""
