"""The names of the columns that a SELECT gives, as far as the statement itself says them."""

from collections.abc import Iterator, Sequence

from adapters.connections.sql.statement import Dialect, SqlToken, tokens_of

_QUOTES = "'\""


def columns_of(sql: str, dialect: Dialect) -> frozenset[str] | None:
    """The names, in either case where the server folds them; None where the server has to say."""
    tokens = [t for t in tokens_of(sql) if t.text.strip() and not t.text.startswith(("--", "/*"))]
    if not tokens or tokens[0].text.lower() != "select":
        return None
    found = set[str]()
    for item in _items(tokens[1:]):
        if item[-1].text == "*":
            return None
        name = _name(item)
        if not name and dialect == "postgresql":
            # An expression has the name of its function there.
            return None
        found |= {name, name.lower()} if dialect == "postgresql" else {name}
    return frozenset(found - {""})


def _items(tokens: Sequence[SqlToken]) -> Iterator[list[SqlToken]]:
    """What stands between the commas before FROM."""
    depth, item = 0, list[SqlToken]()
    for token in tokens:
        word = token.text.lower()
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth == 0 and word in ("from", ";"):
            break
        if depth == 0 and word == ",":
            yield item or [token]
            item = []
        elif item or word not in ("distinct", "all"):
            item.append(token)
    if item:
        yield item


def _name(item: Sequence[SqlToken]) -> str:
    """What stands behind AS, or the last name of the item; "" for an expression without one."""
    last, before = item[-1], item[-2].text.lower() if len(item) > 1 else ""
    is_quoted = last.kind == "opens" and last.text.startswith('"')
    if is_quoted or (last.kind == "opens" and before == "as"):
        return last.text.strip(_QUOTES)
    return last.text if last.kind == "word" and last.text.isidentifier() else ""
