"""Text of people inside Markdown of ours shows as it is."""

from adapters.webchat.markdown import to_html
from cards.markdown import quote
from tests.fakes.tables import table


@table(
    "line", ["1. pay", "2) pay", "- pay", "+ pay", "===", "---", "# pay", "> pay", "| a | b |", "*"]
)
def test_a_quoted_line_begins_nothing_of_its_own(line: str) -> None:
    html = to_html(quote(f"before\n{line}\n\nafter"))
    shown = line.replace(">", "&gt;")
    expected = f"before<br />\n{shown}</p>\n<p>after"
    assert html == f"<blockquote>\n<p>{expected}</p>\n</blockquote>"
