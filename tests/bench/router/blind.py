"""How well messages are understood that nobody had seen: `python -m tests.bench.router.blind FILE`.

Each line is a message with what its writer meant: `{"text", "domain", "parts": [{"kind", "what",
"condition"}]}`, where a `request` with a condition must not begin by itself.
"""

import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from bot.operate.routing import describe_route
from cards.model import Lang
from engine.text.language import detect_language
from engine.understanding.context import RouteContext
from engine.understanding.router.chain import route
from tests.bench.figures import table
from tests.bench.router.score import interval
from tests.chaos.processes import ROOT
from tests.engine.understanding.frames.projects import read_context

HERE = Path(__file__).parent
DOMAINS = ROOT / "tests" / "engine" / "understanding" / "domains"
NEWCOMERS = ("helpdesk", "venue", "flats", "wind", "school")
"""Folders that new authors wrote from the docs alone; writers name their requests as they do."""

FOLDERS = {
    "clinical": ROOT / "playbooks",
    "law": ROOT / "playbooks",
    "expenses": ROOT / "examples" / "expenses",
    "leave": ROOT / "examples" / "leave",
}
"""The project folder of each domain."""

EVERY: Mapping[str, Path] = {**FOLDERS, **{name: DOMAINS / name for name in NEWCOMERS}}

REQUESTS: Mapping[str, tuple[str, ...]] = {
    "record_visit": ("visit-entry", "lab-entry", "visit-import"),
    "report_ae": ("event-entry", "sae-reconciliation"),
    "correct_value": ("data-correction",),
    "quality_check": ("quality-control", "edit-check", "qc-report"),
    "export_listing": ("report-handover", "qc-report"),
    "reimburse": ("claim",),
    "ask_leave": ("take",),
    "new_matter": ("case-intake",),
    "choose_cause": ("cause-of-action",),
    "analyse_evidence": ("evidence-list",),
    "draft_document": (
        "document-draft",
        "complaint",
        "document-change",
        "filing-package",
        "preservation",
        "extension",
    ),
    "work_plan": ("work-plan",),
    "raise_query": ("query-raise",),
    "answer_query": ("query-answer",),
    "monitoring_report": ("monitoring-report",),
    "change_hearing": ("extension",),
    "chase_query": ("query-chase",),
    "record_medication": ("medication-entry",),
    "record_deviation": ("deviation-record",),
    "reconcile_sae": ("sae-reconciliation",),
    "hearing_outline": ("hearing-outline",),
    "court_filing": ("court-filing", "filing-package"),
    "preservation": ("preservation", "document-draft"),
    "strategy": ("strategy",),
    "classify_files": ("file-classification",),
    "school_absence": ("report",),
    "school_loan": ("lend",),
    "school_room": ("book",),
    "school_trip": ("new",),
    "school_trip_change": ("cancel", "change"),
    "school_substitute": ("substitute",),
    "school_order": ("order",),
    "school_list": ("sweep",),
}
"""The requests that do what a writer calls so; what is not here no request does."""

OWN = {
    *("grant_access", "remove_access", "order_equipment", "assign_licence", "reset_second_factor"),
    *("report_incident", "swap_on_call", "replace_device", "book_room", "move_booking"),
    *("order_catering", "purchase", "pay_invoice", "add_supplier", "return_goods", "repair"),
    *("give_discount", "report_repair", "register_visitor_car", "renovation_permit"),
    *("refund_deposit", "correct_meter", "lend_item", "raise_complaint", "post_notice"),
    *("schedule_service", "permit_to_work", "order_part", "log_fault", "close_fault"),
    *("swap_shift", "record_inspection", "request_shutdown"),
}
"""What the requests of the newcomers' folders are called."""

Line = Mapping[str, Any]


def requests_of(what: str) -> tuple[str, ...]:
    """The requests that do what a writer calls so, () where none does."""
    return (what.replace("_", "-"),) if what in OWN else REQUESTS.get(what, ())


def judge(meant: Line, told: Line) -> Counter[str]:
    """What is counted of one message, of `signoff route --json`'s line for it."""
    counts: Counter[str] = Counter(messages=1)
    intents = told["intents"]
    begun = Counter(i["request"] for i in intents if _is_begun(i))
    offered = {name.partition("/")[2] for i in intents for name in i["offers"]}
    offered |= {i["request"] for i in intents if i["kind"] == "workflow"}
    asked = any(not i["sure"] or "qa_query" in i["offers"] for i in intents)
    questions = [i for i in intents if i["kind"] == "qa_query"]
    answers = len(questions)
    # What no look-up answers goes whole to a model, or people are told to ask one thing at a time.
    whole = any(not i["lookups"] for i in questions)
    # Who the bot is, talk answers.
    talks = any(i["kind"] == "smalltalk" for i in intents)
    left = begun.copy()
    for part in meant["parts"]:
        fitting = requests_of(part.get("what", ""))
        own = next((name for name in fitting if left[name]), "")
        match part["kind"], bool(part.get("condition")):
            case "request", False:
                left[own] -= 1
                counts["silent misses"] += bool(fitting) and not own and not offered & {*fitting}
                counts["right"] += bool(own)
            case "request", True:
                counts["conditions lost"] += bool(own)
                left[own] -= 1
                counts["silent misses"] += bool(fitting) and not own and not offered & {*fitting}
                counts["right"] += not own
            case "question", _ if "about the bot" in part.get("what", "") and talks:
                counts["right"] += 1
            case "question", _:
                counts["silent misses"] += not (answers or whole or asked)
                counts["right"] += answers > 0 or whole
                answers -= answers > 0
            case _:
                counts["right"] += 1
        counts["parts"] += 1
    counts["wrong starts"] = sum(n for name, n in left.items() if name and n > 0)
    decided = all(i["sure"] for i in intents)
    exact = counts["right"] == counts["parts"] and not counts["wrong starts"]
    counts["decided"], counts["decided right"] = decided, decided and exact
    return counts


def _is_begun(intent: Line) -> bool:
    return intent["kind"] == "workflow" and intent["sure"] and not intent["condition"]


def figures(counts: Counter[str]) -> dict[str, float]:
    """The shares and counts that a release is judged by."""
    decided = max(1, counts["decided"])
    return {
        "n": counts["messages"],
        "coverage": counts["decided"] / counts["messages"],
        "precision": counts["decided right"] / decided,
        "precision from": interval(counts["decided right"], decided)[0],
        "wrong starts": counts["wrong starts"],
        "conditions lost": counts["conditions lost"],
        "silent misses": counts["silent misses"],
    }


async def routed(texts: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    """What `signoff route --json` tells of the texts, by a project folder and without a model."""
    told = []
    for text in texts:
        here = spoken(folder, detect_language(text))
        told.append(describe_route(text, await route(text, here, None)))
    return told


@cache
def spoken(folder: Path, lang: Lang) -> RouteContext:
    """What the router knows of a project folder in a language, with what rules read already."""
    return replace(_read_once(folder), lang=lang)


_read_once = cache(read_context)


async def scored(lines: Sequence[str]) -> dict[str, Counter[str]]:
    """The counts of the messages, in all, by domain and by class."""
    meant: list[Line] = [json.loads(line) for line in lines if line.strip()]
    every: dict[str, Counter[str]] = {"all": Counter()}
    for folder in dict.fromkeys(EVERY.values()):
        own = [m for m in meant if EVERY[m["domain"]] == folder]
        told = await routed([m["text"] for m in own], folder) if own else []
        for message, line in zip(own, told, strict=True):
            counts = judge(message, line)
            for group in ("all", message["domain"], message.get("class", "")):
                every.setdefault(group, Counter()).update(counts)
    return every


async def main(lines: Sequence[str]) -> None:
    """Print the figures of the messages, in all, by domain and by class."""
    os.environ.setdefault("EXPENSES_TOKEN", "none")
    every = await scored(lines)
    print(table("Messages that nobody had seen", {g: figures(c) for g, c in every.items() if g}))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).read_text("utf-8").splitlines()))
