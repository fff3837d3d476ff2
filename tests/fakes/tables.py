"""Tables of trivial rows, each a single test: a test for each row costs more than the row."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., Any]
Names = str | Sequence[str]
_Param = type(pytest.param(0))
_MOST_LABEL = 200


def table(
    names: Names, rows: Iterable[Any], *, ids: Iterable[Any] | Callable[[Any], Any] | None = None
) -> Callable[[Test], Test]:
    """As pytest.mark.parametrize, within one test: every row is tried, those that fail are named.

    For rows that need no fixture of their own; `ids` names them. Raises ValueError without rows.
    """
    columns = [n.strip() for n in names.split(",")] if isinstance(names, str) else [*names]
    alone = isinstance(names, str) and len(columns) == 1
    listed = [*rows]
    if not listed:
        raise ValueError(f"a table of {names} has no rows")
    values = [_values(row, alone) for row in listed]
    labels = [each[:_MOST_LABEL] for each in _labels(listed, values, ids)]
    given = [dict(zip(columns, value, strict=True)) for value in values]

    def over(test: Test) -> Test:
        def failing() -> "_Failures":
            return _Failures(len(given))

        if inspect.iscoroutinefunction(test):

            @wraps(test)
            async def tried(**fixtures: Any) -> None:
                with failing() as failures:
                    for label, row in zip(labels, given, strict=True):
                        with failures.of(label):
                            await test(**fixtures, **row)
        else:

            @wraps(test)
            def tried(**fixtures: Any) -> None:
                with failing() as failures:
                    for label, row in zip(labels, given, strict=True):
                        with failures.of(label):
                            test(**fixtures, **row)

        taken = inspect.signature(test)
        missing = {*columns} - {*taken.parameters}
        if missing:
            raise ValueError(f"{test.__name__} takes no {', '.join(sorted(missing))}")
        left = [each for name, each in taken.parameters.items() if name not in columns]
        tried.__signature__ = taken.replace(parameters=left)  # type: ignore[attr-defined]
        return tried

    return over


def _values(row: Any, alone: bool) -> tuple[Any, ...]:
    if isinstance(row, _Param):
        return tuple(row.values)
    return (row,) if alone else tuple(row)


def _labels(
    listed: list[Any],
    values: list[tuple[Any, ...]],
    ids: Iterable[Any] | Callable[[Any], Any] | None,
) -> list[str]:
    if ids is None:
        named = [isinstance(row, _Param) and row.id for row in listed]
        return [str(name or repr(value)) for name, value in zip(named, values, strict=True)]
    if callable(ids):
        return ["-".join(str(ids(each)) for each in value) for value in values]
    return [str(each) for each in ids]


class _Failures:
    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._found: list[BaseException] = []

    def __enter__(self) -> "_Failures":
        return self

    @contextmanager
    def of(self, label: str) -> Iterator[None]:
        try:
            yield
        except (Exception, pytest.fail.Exception) as failed:
            failed.add_note(f"in the row {label}")
            self._found.append(failed)

    def __exit__(self, kind: object, raised: object, trace: object) -> None:
        if raised is None and self._found:
            told = f"{len(self._found)} of {self._rows} rows fail"
            raise BaseExceptionGroup(told, self._found)
