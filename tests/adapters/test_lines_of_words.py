"""A line of words is read without the rules of Markdown, and to the same tokens."""

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from adapters.markdown_reader import make_parser
from adapters.webchat.markdown import _PARSER
from tests.fakes.tries import tries

_READER = make_parser("table", "strikethrough")
_PIECES = st.sampled_from(
    [
        *"a9好：（）“《「」。.,-():/%'½€é*_`#~!| \n\t\\\"\u3000\u00a0\x00",
        *("**", "**", "**", "\n\n", "\n\n", "Zed", "  ", "1. ", "1)", ". "),
        *("<b>", "&amp;", "[a](b)", "https://a.b"),
    ]
)


@settings(max_examples=tries(400), deadline=None)
@given(st.lists(_PIECES, max_size=12).map("".join))
@example("ECOG of P003: **1** (visit of 2026-10-28)")
@example("P004 的体重：**67.2 kg**（访视日期 2026-09-23）")
@example("**甲** **乙**、**丙**")
@example("「录入一次访视」：已完成\n\n已录入 P003：ECOG **1**，体重 **61.5 kg**")
@example("a\n\n\nb")
@example("a\n\n    b")
@example("a\n\n1. b")
@example("a\n\n")
@example("a****b")
@example("1. a")
@example("a **b")
def test_the_tokens_are_those_of_the_rules(text: str) -> None:
    by_rules = MarkdownIt.parse(_READER, text)
    assert [t.as_dict() for t in _READER.parse(text)] == [t.as_dict() for t in by_rules]
    # The page adds rules of its own.
    assert _PARSER.renderer.render(MarkdownIt.parse(_PARSER, text, {}), _PARSER.options, {}) == (
        _PARSER.render(text)
    )


def test_no_rule_is_run_for_a_line_of_words() -> None:
    reader = make_parser()
    reader.core.ruler.push("never", _fail)
    assert [t.type for t in reader.parse("Weight of P002: **74.1 kg** (visit of 2026-10-05)")] == [
        "paragraph_open",
        "inline",
        "paragraph_close",
    ]


def _fail(_: object) -> None:
    raise AssertionError("a rule was run")
