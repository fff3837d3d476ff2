"""By what a person is known in what is kept: ids, accounts, names, and places of their own."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cards.frozen import Frozen
from engine.ports.accounts import AccountRules

PERSON_KEYS: Final = frozenset(
    {
        *("by", "person", "user", "asker", "seat", "giver", "taker", "to", "from", "approved_by"),
        *("requester", "requester_accounts", "accounts", "approvers", "persons", "author"),
        *("authors", "edited", "escalated", "delegate", "manager", "others"),
    }
)
"""Under these keys stand people: their id, an account, or what a platform calls them."""

NAME_KEYS: Final = frozenset(
    {
        *("name", "by_name", "to_name", "seat_name", "person_name", "requester_name"),
        *("waiting_for", "other_names"),
    }
)
"""Under these keys stand names of people, among others."""

PRINCIPALS: Final = frozenset({"requester", "principal", "stranger", "actor"})
"""Under these keys stand people whole, with `id` and `name`."""


class PersonMarks(Frozen):
    """What names one person. `users` are what platforms call their accounts.

    `ids` are their id in people.yaml and the ids of their accounts.
    """

    ids: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    @property
    def accounts(self) -> frozenset[str]:
        """Those of the ids that name nothing else, wherever they stand."""
        return frozenset(each for each in self.ids if ":" in each)

    def joined(self, other: "PersonMarks") -> "PersonMarks":
        """The marks of both."""
        return PersonMarks(
            ids=self.ids | other.ids, users=self.users | other.users, names=self.names | other.names
        )

    def are_of(self, principal: Any) -> bool:
        """Whether a person who stands whole in what is kept, or an actor, is this one."""
        if not isinstance(principal, dict):
            return isinstance(principal, str) and principal in self.ids
        accounts = {str(each) for each in principal.get("accounts") or ()}
        if {str(principal.get("id", "")), *accounts} & self.ids:
            return True
        who = (principal.get("platform"), principal.get("workspace"), principal.get("user"))
        named = {f"{who[0]}:{who[2]}", f"{who[0]}:{who[1]}:{who[2]}"}
        return who[2] is not None and bool(named & self.ids)

    def is_named_by(self, key: str, value: str) -> bool:
        """Whether what stands under that key is them."""
        if value in self.accounts:
            return True
        if key in PERSON_KEYS:
            return value in self.ids or value in self.users or value in self.names
        return key in NAME_KEYS and value in self.names


class Evidence(Frozen):
    """What was found of a person before anything was erased, without which the rest is not found.

    The fields are those of Survey.
    """

    marks: PersonMarks = PersonMarks()
    replies: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    runs: dict[str, str] = {}
    audited: frozenset[str] = frozenset()
    conversations: frozenset[str] = frozenset()
    spoken_in: frozenset[str] = frozenset()
    files: dict[str, frozenset[str]] = {}


@dataclass(slots=True)
class Survey:
    """What a look through everything found of a person, beside their marks.

    `replies` answer them, and `words` are what was said in these; `runs` are what they asked for,
    with how each ended ("" while it goes on); in those that are `audited` something was approved,
    or written. `conversations` are theirs alone, `spoken_in` all in
    which they said something. `waiting` are open cards that name them and nobody else, by run.
    `unhandled` counts their mail that nobody has handled yet. `files` are those that they shared,
    by conversation. `named_in` are runs and cards of others that keep their name while they go on.
    """

    marks: PersonMarks
    rules: Mapping[str, AccountRules]
    replies: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    runs: dict[str, str] = field(default_factory=dict)
    audited: set[str] = field(default_factory=set)
    conversations: set[str] = field(default_factory=set)
    spoken_in: set[str] = field(default_factory=set)
    waiting: dict[str, str] = field(default_factory=dict)
    unhandled: int = 0
    files: dict[str, set[str]] = field(default_factory=dict)
    named_in: set[str] = field(default_factory=set)

    @property
    def evidence(self) -> Evidence:
        """What has to be known to go on later."""
        return Evidence(
            marks=self.marks,
            replies=frozenset(self.replies),
            words=frozenset(self.words),
            runs=self.runs,
            audited=frozenset(self.audited),
            conversations=frozenset(self.conversations),
            spoken_in=frozenset(self.spoken_in),
            files={name: frozenset(names) for name, names in self.files.items()},
        )

    def recall(self, known: Evidence) -> None:
        """Add what was found before."""
        self.marks = self.marks.joined(known.marks)
        self.replies |= known.replies
        self.words |= known.words
        self.runs |= known.runs
        self.audited |= known.audited
        self.conversations |= known.conversations
        self.spoken_in |= known.spoken_in
        for name, names in known.files.items():
            self.files.setdefault(name, set()).update(names)

    def is_own(self, conversation: str) -> bool:
        """Whether a conversation, or a thread of it, is theirs alone."""
        if conversation in self.conversations:
            return True
        rules = self.rules.get(conversation.partition(":")[0])
        return rules is not None and any(rules.is_own(conversation, a) for a in self.marks.ids)

    def spoke(self, conversation: str) -> None:
        """They said something there."""
        self.spoken_in.add(conversation)
        rules = self.rules.get(conversation.partition(":")[0])
        is_direct = rules is not None and rules.is_direct(conversation)
        if is_direct or self.is_own(conversation):
            self.conversations.add(conversation)

    def know(self, principal: Any) -> None:
        """They were called so when that was kept."""
        name = principal.get("name", "") if isinstance(principal, dict) else ""
        if name:
            self.marks = self.marks.joined(PersonMarks(names=frozenset({name})))


def read_json(text: str) -> Any:
    """The text as JSON; a text that is none is itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def key_of(key: str, around: str) -> str:
    """What a value is judged by: its key, but for maps of people by something else."""
    return around if around in ("authors", "edited") else key


def find_mentions(value: Any, marks: PersonMarks, key: str = "") -> Iterator[Any]:
    """Yield the smallest parts of it that name the person by a key that is for people."""
    if isinstance(value, dict):
        inner = [each for k, v in value.items() for each in find_mentions(v, marks, key_of(k, key))]
        own = any(
            isinstance(v, str) and marks.is_named_by(key_of(k, key), v) for k, v in value.items()
        )
        if own or (key in PRINCIPALS and marks.are_of(value)):
            yield value
        else:
            yield from inner
    elif isinstance(value, list):
        if any(isinstance(each, str) and marks.is_named_by(key, each) for each in value):
            yield {key: [each for each in value if each in marks.ids]}
        yield from (found for each in value for found in find_mentions(each, marks, key))
