"""What became of each tap: recorded once, as the tapper was told, or a refusal shown."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.slack.texts import TEXTS as SLACK
from adapters.telegram.texts import TEXTS as TELEGRAM
from cards.texts import say
from tests.chaos.people import Tap
from tests.chaos.platforms import FORM, Notice

Json = dict[str, Any]
_KEYS = ("card.not_recorded", "form.not_recorded")
_IN_BOTH = [[say(key, lang) for lang in ("zh", "en")] for key in _KEYS]
# Where nothing says the language, both are told.
NOT_RECORDED = {told for both in _IN_BOTH for told in (*both, " ".join(both))}
NO_FORM = {texts["slack.no_form"] for texts in SLACK.values()}
# A stranger of another workspace is not told that there is such a card.
UNKNOWN = {" ".join(say("card.unknown", lang) for lang in ("zh", "en"))}
EARLY = {texts["telegram.working"] for texts in TELEGRAM.values()}
COUNTED = ("decided", "vote", "repeated")
# These decide nothing, and have no answer to keep: a form that was opened, or sent with faults.
NOTED = ("form", "invalid")


@dataclass
class Tapped:
    """Judges taps by the answers in the store, the audit logs, the cards and the notices."""

    answers: Mapping[str, str]
    logs: Mapping[str, list[Json]]
    cards: Mapping[str, dict[str, str]]
    notices: Mapping[str, list[Notice]]
    violations: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    _entries: dict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))
    _forms: dict[str, str] = field(default_factory=dict)

    def judge(self, taps: list[Tap]) -> None:
        """Every tap."""
        for entries in self.logs.values():
            for entry in entries:
                if entry.get("event") == "tap" and entry["result"] not in NOTED:
                    self._entries[entry["update"]].append(entry)
        for update in {*self.answers, *self._entries}:
            if update.startswith("slack:view:") and not update.endswith("/invalid"):
                # What was filled in is the last part of a form's id.
                self._forms[update.rpartition(":")[0] + ":"] = update
        for tap in taps:
            update = self._forms.get(tap.update, "") if tap.form else tap.update
            held = json.loads(self.answers[update]) if update in self.answers else None
            self._recorded(tap, held, self._entries.get(update, []))
            self.counts["taps acknowledged"] += tap.acknowledged
            (self._form_told if tap.form else self._told)(tap, held)

    def _recorded(self, tap: Tap, held: Json | None, entries: list[Json]) -> None:
        if len(entries) != (held is not None):
            self.violations.append(f"tap {tap.update}: {held} held, {entries} logged")
            return
        if held is None:
            return
        self.counts["taps recorded"] += 1
        result = entries[0]["result"]
        if held["ok"] != (result in COUNTED):
            self.violations.append(f"tap {tap.update}: told {held}, but was {result}")
        if result == "decided":
            decision = json.loads(self.cards[tap.token]["body"]).get("decision") or {}
            if decision.get("choice") != tap.choice:
                self.violations.append(f"tap {tap.update}: {tap.choice} won, {decision} stands")

    def _told(self, tap: Tap, held: Json | None) -> None:
        notices = [notice for key in tap.notices for notice in self.notices.get(key, ())]
        shown = {notice.text for notice in notices if notice.shown}
        outcomes = shown - NOT_RECORDED - NO_FORM - UNKNOWN - EARLY - {FORM, ""}
        for text in outcomes:
            # Telegram shows the first 200 characters.
            if held is None or not held["text"].startswith(text):
                self.violations.append(f"tap {tap.update}: told {text!r}, and {held} is recorded")
        if not tap.acknowledged:
            return
        if held is not None and outcomes:
            self.counts["taps told: the outcome"] += 1
        elif held is None and shown & UNKNOWN:
            self.counts["taps told: unknown"] += 1
        elif shown & {FORM, *NO_FORM} and (held is None or not held["ok"]):
            # What is held then is of a repeat, after somebody else decided: the form says it.
            self.counts["taps told: a form"] += 1
        elif shown & NOT_RECORDED:
            known = "not recorded" if held is None else "not recorded, though it was"
            self.counts[f"taps told: {known}"] += 1
        elif shown & EARLY:
            self.counts["taps told: received, the rest as a message"] += 1
        elif any(not notice.shown for notice in notices):
            self.counts["taps told nothing: the platform refused it"] += 1
        else:
            self.violations.append(f"tap {tap.update}: acknowledged, told nothing, {held} held")

    def _form_told(self, tap: Tap, held: Json | None) -> None:
        for body in (json.loads(body or "{}") for status, body in tap.heard if status == 200):
            action = body.get("response_action", "")
            match action:
                case "clear":
                    right = held is not None and held["ok"]
                case "update":
                    right = held is not None and not held["ok"]
                case "errors":
                    right = any(text in NOT_RECORDED for text in body["errors"].values())
                case _:
                    right = False
            self.counts[f"forms told: {action}"] += 1
            if not right:
                self.violations.append(f"form {tap.update}: told {body}, and {held} is recorded")
