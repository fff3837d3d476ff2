"""What must hold when all is quiet again: read from Redis, the study and the stubs."""

import asyncio
import itertools
import json
import sqlite3
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from adapters.redis.keys import Partitions
from engine.frames.replies import SETTLED
from tests.chaos.cases import case_faults
from tests.chaos.copies import Copies, message_of
from tests.chaos.load import Load
from tests.chaos.people import FormText, Talk
from tests.chaos.platforms import Platforms
from tests.chaos.tapped import Tapped
from tests.fakes.stored import read_entries, read_hash, rows_beside, unpack_all

AT_ONCE = 32
Json = dict[str, Any]


@dataclass
class State:
    """Everything in Redis that the checks read, by id."""

    replies: dict[str, dict[str, str]] = field(default_factory=dict)
    runs: dict[str, dict[str, str]] = field(default_factory=dict)
    cards: dict[str, dict[str, str]] = field(default_factory=dict)
    rows: dict[str, dict[str, str]] = field(default_factory=dict)
    logs: dict[str, list[Json]] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, Json] = field(default_factory=dict)


async def read_state(client: Redis, state: State) -> None:
    """Add what the server has; nothing may be going on."""
    keys = [key async for key in client.scan_iter(match="{p*}:*", count=2000)]
    for first in range(0, len(keys), AT_ONCE):
        some = keys[first : first + AT_ONCE]
        await asyncio.gather(*(_read(client, key, state) for key in some))


async def _read(client: Redis, key: str, state: State) -> None:
    name = key.partition(":")[2]
    kind, _, rest = name.partition(":")
    hashes = {"reply": state.replies, "card": state.cards, "row": state.rows}
    if kind in hashes:
        hashes[kind][rest] = await read_hash(client, key)
        state.rows |= rows_beside(kind, rest, hashes[kind][rest])
    elif kind == "run" and not rest.endswith(":cards"):
        state.runs[rest] = await read_hash(client, key)
    elif kind == "log":
        state.logs[rest] = await read_entries(client, key)
    elif kind == "e":
        state.answers[rest] = await client.get(key)
    elif kind == "c" and rest.endswith(":st"):
        state.sessions[rest.removesuffix(":st")] = json.loads(
            unpack_all([await client.get(key)])[0]
        )


async def unfinished(client: Redis) -> list[str]:
    """What is still to be done or stuck: leases, mail, due timers, rows; empty when at rest."""
    seconds, micros = await client.time()
    now = seconds * 1000 + micros // 1000
    found = []
    async for key in client.scan_iter(match="{p*}:*", count=2000):
        name = key.partition(":")[2]
        is_mail = name.startswith("l:") and name.endswith(":in")
        if name in ("q", "outq") or (name.startswith("d:") and not name.endswith(":h")):
            found += [f"{key}: {member}" for member in await client.zrange(key, 0, -1)]
        elif name == "due":
            found += [f"{key}: {member}" for member in await client.zrangebyscore(key, 0, now)]
        elif is_mail or name == "aside":
            found += [f"{key}: {mail[:80]}" for mail in await client.lrange(key, 0, -1)]
        elif name.startswith("d:"):
            # The pace is kept there too, and perhaps the last fence: neither is a lease.
            fence, busy = await client.hmget(key, ["fence", "busy"])
            if fence not in (None, "0") and int(busy or 0) > now:
                found.append(f"{key}: a destination's lease")
    return found


@dataclass
class Checks:
    """Collects violations and counts; each method checks one promise."""

    state: State
    load: Load
    platforms: Platforms
    copies: Copies
    partitions: Partitions
    violations: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def all(self, study: Path) -> None:
        """Every check."""
        self.handled_once()
        self.in_order()
        self.one_decision()
        self.visits(study)
        self.violations += case_faults(self.state.sessions, self.state.runs, self.state.logs)
        self.counts["cases"] = sum("/conversation/" in name for name in self.state.sessions)
        self.delivered()
        self.copies.judge(self.platforms.posts.values())
        self.shown_in_order()
        self.up_to_date()
        tapped = Tapped(
            self.state.answers, self.state.logs, self.state.cards, self.platforms.notices
        )
        tapped.judge(self.load.taps)
        for judged in (self.copies, tapped):
            self.violations += judged.violations
            self.counts += judged.counts
        self.violations += [f"platform: {odd}" for odd in self.platforms.odd]

    def _reply_id(self, talk: Talk, said: FormText) -> str:
        return self.partitions.derived_id(talk.id, "reply", said.update)

    def handled_once(self) -> None:
        """Each acknowledged message has exactly one reply, and it is settled."""
        expected = set()
        for talk in self.load.talks:
            for said in talk.said:
                name = self._reply_id(talk, said)
                expected.add(name)
                reply = self.state.replies.get(name)
                if reply is None:
                    self.violations.append(f"lost: no reply to {said.update} {said.text!r}")
                    continue
                parts = _parts(reply)
                states = [part["state"] for part in parts]
                self.counts[f"reply {'+'.join(states)}"] += 1
                if "failed" in states:
                    self.violations.append(f"given up: {said.update}: {parts[0]['text'][:80]}")
                if not parts or not set(states) <= SETTLED:
                    self.violations.append(f"unsettled: {said.update} is {states}")
                if said.request and any(part.get("run") for part in parts):
                    self.counts["runs"] += 1
        for name in set(self.state.replies) - expected:
            head = self.state.replies[name].get("head", "")
            self.violations.append(f"twice or unasked: reply {name} answers nothing: {head[:200]}")
        for name, run in self.state.runs.items():
            body = json.loads(run["body"])
            self.counts[f"run {run.get('ended') or body['status']}"] += 1
            if body["status"] in ("blocked", "running", "failed"):
                text = body["part"]["text"][:120]
                self.violations.append(f"run {name} is {body['status']}: {text}")

    def in_order(self) -> None:
        """A conversation's messages were handled in the order of their acknowledgements, once."""
        for talk in self.load.talks:
            names = [self._reply_id(talk, said) for said in talk.said]
            replies = [self.state.replies[n] for n in names if n in self.state.replies]
            at = [datetime.fromisoformat(json.loads(r["head"])["at"]) for r in replies]
            for one, two in itertools.pairwise(at):
                if two < one:
                    self.violations.append(f"order: {talk.id} handled {two} after {one}")
            recent = self.state.sessions.get(talk.id, {}).get("recent", [])
            heard = [line["text"] for line in recent if line["by"] == "person"]
            said = [said.text for said in talk.said][-len(heard) :] if heard else []
            # What was given up is not remembered.
            given_up = any('"state":"failed"' in part for r in replies for part in r.values())
            if heard != said and not given_up:
                self.violations.append(f"order: {talk.id} remembers {heard}, was told {said}")

    def one_decision(self) -> None:
        """At most one decision per card, and the stored one is that of the audit log."""
        decided = defaultdict(list)
        for entries in self.state.logs.values():
            for entry in entries:
                if entry.get("event") == "tap":
                    self.counts[f"tap {entry['result']}"] += 1
                if entry.get("result") == "decided":
                    decided[entry["card"]].append(entry)
        for token, card in self.state.cards.items():
            body = json.loads(card["body"])
            logged = [(e["by"], e["choice"]) for e in decided.get(token, [])]
            decision = body.get("decision")
            stored = [(decision["person"], decision["choice"])] if decision else []
            self.counts[f"card {body['kind']} {card['status']}"] += 1
            if logged != stored:
                self.violations.append(f"decisions of {token}: {logged} logged, {stored} stored")
        for token in set(decided) - set(self.state.cards):
            self.violations.append(f"decision on a card that is not there: {token}")

    def visits(self, study: Path) -> None:
        """Every approved visit stands in the study once, and nothing else does."""
        approved = {
            run
            for run, entries in self.state.logs.items()
            for entry in entries
            if entry.get("result") == "decided" and entry["choice"] == "approve"
        }
        with sqlite3.connect(study) as db:
            found = db.execute("SELECT key FROM visits WHERE key NOT LIKE 'sample:%'").fetchall()
        written = Counter(key.partition(":")[0] for (key,) in found)
        self.counts["visits approved"] = len(approved)
        self.counts["visits written"] = sum(written.values())
        self.violations += [f"approved, not written: {run}" for run in approved - set(written)]
        self.violations += [f"written, not approved: {run}" for run in set(written) - approved]
        self.violations += [f"written {n} times: {run}" for run, n in written.items() if n > 1]

    def delivered(self) -> None:
        """Every row has a message, and no two rows have the same."""
        own: dict[tuple[str, str], str] = {}
        for name, row in self.state.rows.items():
            if row.get("dropped") or not row.get("message_id"):
                why = row.get("dropped", "never sent")
                self.violations.append(f"not delivered: {name} to {row.get('dest')}: {why}")
                continue
            if row.get("kind") in ("check", "letter"):
                # What a step checked, or told its case, is on no platform.
                continue
            key = message_of(row["dest"], row["message_id"])
            if key not in self.platforms.posts:
                self.violations.append(f"not delivered: {name} thinks it is {key}")
            if key in own:
                self.violations.append(f"one message for two: {name} and {own[key]} are {key}")
            own[key] = name
        for talk in self.load.talks:
            for said in talk.said:
                if self._reply_id(talk, said) not in self.state.rows:
                    self.violations.append(f"not delivered: no message answers {said.update}")
        self.counts["messages delivered"] = len(own)

    def shown_in_order(self) -> None:
        """Replies of a conversation are first shown in the order of its messages.

        One that was not due yet, as its run still worked, may come after the next.
        """
        posted = self.copies.ledger.posted
        for talk in self.load.talks:
            names = [(self._reply_id(talk, said), said) for said in talk.said]
            shown = [
                (n, self.copies.first(n), said) for n, said in names if self.copies.rows.get(n)
            ]
            for index, (late, at, one) in enumerate(shown):
                due = posted[late].answered + posted[late].due_s
                for early, before, two in shown[index + 1 :]:
                    if before >= at:
                        continue
                    if posted[late].due_s and posted[early].asked < due:
                        self.counts["replies overtaken while their run worked"] += 1
                    else:
                        self.violations.append(f"shown before {one.update}: {two.update}")

    def up_to_date(self) -> None:
        """What a message shows in the end is its state in the end."""
        for name, row in self.state.rows.items():
            shown = (
                self.platforms.posts.get(message_of(row["dest"], row["message_id"]))
                if row.get("message_id")
                else None
            )
            if shown is None:
                continue
            token = row["ref"] if row["kind"] == "card" else ""
            if row["kind"] == "reply":
                token = self.state.replies.get(row["ref"], {}).get("slot", "")
            is_open = bool(token) and self.state.cards[token]["status"] == "open"
            buttons = {button.token for button in shown.buttons.values()}
            if bool(buttons) != is_open:
                state = self.state.cards[token]["status"] if token else "no card"
                self.violations.append(
                    f"stale: {name} at {shown.place} shows buttons of {buttons or 'nothing'}, but"
                    f" is {state} (sent by {shown.by}, changed by {shown.changed_by})"
                )


def _parts(reply: dict[str, str]) -> list[Json]:
    return [json.loads(reply[f"part:{i}"]) for i in range(int(reply.get("count", 0)))]
