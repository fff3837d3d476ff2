"""Each word of docs/glossary.md is what it says it is."""

import ast
import re

from tests.docs.reading import ROOT
from tests.fakes.tables import table

PAGE = (ROOT / "docs" / "glossary.md").read_text("utf-8")
WORDS = re.findall(r"^\| ([\w -]+) \| .* \| `([\w.]+)` \|$", PAGE, re.MULTILINE)


@table(("word", "where"), WORDS)
def test_a_word_names_what_there_is(word: str, where: str) -> None:
    module, _, name = where.rpartition(".")
    if not name[0].isupper():
        assert (ROOT / f"{where.replace('.', '/')}.py").is_file(), word
        return
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text("utf-8"))
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    targets = [node.targets for node in tree.body if isinstance(node, ast.Assign)]
    names = {each.id for found in targets for each in found if isinstance(each, ast.Name)}
    assert name in classes | names, word


def test_every_line_is_read_and_no_word_stands_twice() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    headings = PAGE.count("| word | meaning | where |")
    words = [word for word, _ in WORDS]
    assert len(words) == len(rows) - headings
    assert len({*words}) == len(words)
