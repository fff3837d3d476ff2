"""A person is taken out of what has to stay: a pseudonym stands where they stood (design §7)."""

import html
import json
from collections.abc import Iterator
from typing import Any, Final

from bot.personal.marks import PERSON_KEYS, PRINCIPALS, Survey, key_of, read_json

VALUES: Final = frozenset(
    {
        *("data", "profile", "decisions", "changes", "values", "rows", "known", "editing"),
        *(
            "value",
            "was",
            "options",
            "arguments",
            "result",
            "content",
            "sent",
            "outgoing",
            "calls",
            "read",
        ),
    }
)
"""What people gave and systems answered; in another's run it is not touched."""

_LEFT_OUT: Final = frozenset(
    {
        *("why", "read", "unused", "calls", "judged", "mail", "text", "said", "values", "recent"),
        *("message", "named", "response", "attachments", "problems", "result", "sent", "known"),
        *("chart", "entities", "editing"),
    }
)
"""Words of who asked, and what was made of them, in their own runs."""
_GIVEN: Final = frozenset({"data", "profile", "changes", "rows", "edits"})


class Pseudonym:
    """What stands in a person's place."""

    def __init__(self, survey: Survey, name: str) -> None:
        self._survey = survey
        self._marks = survey.marks
        self.name = name
        self._names = sorted(
            {each for n in survey.marks.names for each in (n, html.escape(n))}, key=len
        )[::-1]

    def in_others(self, value: Any, *, texts: bool) -> Any:
        """What is not theirs, with the pseudonym in their place; `texts`: in its texts too."""
        return self._walk(value, "", texts=texts, values=False)

    def in_theirs(self, value: Any) -> Any:
        """What was theirs, with the pseudonym in their place wherever they stand."""
        return self._walk(value, "", texts=True, values=True)

    def in_text(self, text: str) -> str:
        """A text in which the pseudonym stands in place of names, accounts and their places."""
        for place in sorted(self._survey.conversations, key=len, reverse=True):
            text = _replace(text, place, self.of_place(place))
        for account in sorted(self._marks.accounts, key=len, reverse=True):
            text = _replace(text, account, self.name)
        for name in self._names:
            text = _replace(text, name, self.name)
        return text

    def of_place(self, conversation: str) -> str:
        """The name of a place that was theirs alone."""
        return f"{conversation.partition(':')[0]}:{self.name}"

    def _walk(self, value: Any, key: str, *, texts: bool, values: bool) -> Any:
        if isinstance(value, str):
            return self._string(value, key, texts=texts)
        if isinstance(value, list):
            items = [self._walk(each, key, texts=texts, values=values) for each in value]
            # Two accounts of one person are one pseudonym.
            is_fewer = items.count(self.name) > 1 and key in PERSON_KEYS
            return list(dict.fromkeys(items)) if is_fewer else items
        if not isinstance(value, dict):
            return value
        is_person = key in PRINCIPALS and self._marks.are_of(value)
        walked = {
            k: self._labelled(v, texts=texts)
            if k in VALUES and not values
            else self._walk(v, key_of(k, key), texts=texts, values=values)
            for k, v in value.items()
        }
        if is_person and "id" in walked:
            walked["id"] = self.name
        return walked

    def _labelled(self, value: Any, *, texts: bool) -> Any:
        """Values as they are; the labels of a card's rows are texts of ours."""
        if not texts or not isinstance(value, list):
            return value
        return [
            {**each, "label": self.in_text(each["label"])} if _is_card_row(each) else each
            for each in value
        ]

    def _string(self, value: str, key: str, *, texts: bool) -> str:
        if self._marks.is_named_by(key, value):
            return self.name
        if key == "by" and self._is_named_admin(value):
            return f"admin:{self.name}"
        if key == "update":
            return self._update(value)
        if ":" in value and self._survey.is_own(value):
            return self.of_place(value)
        if key == "recent" and value in self._survey.words:
            return f"[{self.name}]"
        return self.in_text(value) if texts else value

    def _update(self, value: str) -> str:
        """The id of what they sent; the web chat's says behind its name who it was."""
        platform, _, rest = value.partition(":")
        user, _, of_update = rest.partition(":")
        if platform == "web" and of_update and user in self._marks.users:
            return f"{platform}:{self.name}:{of_update}"
        return value

    def _is_named_admin(self, value: str) -> bool:
        kind, _, name = value.partition(":")
        return kind == "admin" and (name in self._marks.names or name in self._marks.ids)


def _is_card_row(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"label", "value"}


def strip_run(body: dict[str, Any], mark: str) -> dict[str, Any]:
    """An ended run of theirs without their words; what was approved or written stays."""
    state = body.get("state", {})
    part, phase = body.get("part", {}), (body.get("frames") or [{}])[0].get("phase", "")
    intent = {"kind": part.get("intent", {}).get("kind", "workflow"), "text": mark}
    endings = {n: {**e, "said": ""} for n, e in state.get("endings", {}).items()}
    kept = {name: v for name, v in body.items() if name not in (_LEFT_OUT | {"outgoing", "wakes"})}
    kept_state = _without(state, is_kept=is_audited(body))
    return kept | {
        "text": mark,
        "message": mark,
        "part": {**part, "intent": intent, "text": mark, "answer": ""},
        "frames": [{"kind": "planner", "schema_version": 1, "phase": phase}],
        **({"case": {"name": body["case"]["name"]}} if body.get("case") else {}),
        "state": {**kept_state, **({"endings": endings} if endings else {})},
    }


def is_audited(body: dict[str, Any]) -> bool:
    """Whether somebody approved what the run holds, or it was written somewhere."""
    state = body.get("state", {})
    return bool(state.get("approvals") or state.get("written"))


def strip_entry(entry: dict[str, Any], *, is_kept: bool) -> dict[str, Any]:
    """An entry of the log of such a run; what a step says must be there stays empty."""
    kept: dict[str, Any] = _without(entry, is_kept=is_kept)
    return {**kept, **({"why": ""} if "why" in entry else {})}


def strip_card(card: dict[str, Any], mark: str, *, is_kept: bool) -> dict[str, Any]:
    """A closed card of such a run."""
    kept: dict[str, Any] = _without(card, is_kept=is_kept)
    choices = [{"id": c["id"], "label": c["label"]} for c in card.get("choices", ())]
    return {**kept, "choices": choices, **({} if is_kept else {"title": mark})}


def _without(value: Any, *, is_kept: bool) -> Any:
    if isinstance(value, list):
        return [_without(each, is_kept=is_kept) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: inner if name in _GIVEN else _without(inner, is_kept=is_kept)
        for name, inner in value.items()
        if name not in _LEFT_OUT and (is_kept or name not in _GIVEN)
    }


def dump(value: Any) -> str:
    """JSON as the store has it."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def change_json(text: str, change: Any) -> str:
    """The text of what `change` makes of it; the very text where that is the same."""
    before = read_json(text)
    after = change(before)
    return text if after == before else dump(after)


def _replace(text: str, what: str, by: str) -> str:
    """The text with it replaced where it stands as a word of its own."""
    return "".join(_pieces(text, what, by)) if what and what in text else text


def _pieces(text: str, what: str, by: str) -> Iterator[str]:
    start = 0
    while (at := text.find(what, start)) >= 0:
        end = at + len(what)
        before, after = text[at - 1 : at] if at else "", text[end : end + 1]
        joined = (_is_latin(before) and _is_latin(what[0])) or (
            _is_latin(after) and _is_latin(what[-1])
        )
        yield text[start:at]
        yield what if joined else by
        start = end
    yield text[start:]


def _is_latin(letter: str) -> bool:
    return letter.isascii() and letter.isalnum()
