"""Cases under chaos: the sample study's visits belong to their conversation, and what must hold."""

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml

Json = dict[str, Any]


def playbooks_with_cases(samples: Path, folder: Path) -> Path:
    """A copy of the samples in which each conversation is a case, whose requests share no value.

    Every visit still asks for everything of its own; its letters are as those of any case.
    """
    shutil.copytree(samples, folder)
    path = folder / "clinical_qc" / "playbook.yaml"
    text = path.read_text("utf-8")
    case = yaml.safe_dump({"case": {"of": "conversation", "own": own_of_all(text)}})
    path.write_text(f"{text}\n{case}", encoding="utf-8")
    return folder


def own_of_all(playbook: str) -> list[str]:
    """Every path of a playbook's file, so that its requests share none."""
    told = yaml.safe_load(playbook)
    return [
        *(f"profile.{name}" for name in told["profile_fields"]),
        *(f"decisions.{name}" for name in told["decision_fields"]),
        *told["data_fields"],
    ]


def case_faults(
    sessions: Mapping[str, Json],
    runs: Mapping[str, Mapping[str, str]],
    logs: Mapping[str, list[Json]],
) -> list[str]:
    """What a case lost, doubled or had in another order; each run wrote its letters one by one."""
    cases = {name: case for name, case in sessions.items() if "/conversation/" in name}
    known = {run["id"]: run for case in cases.values() for run in case.get("runs", [])}
    found = []
    for name, case in cases.items():
        if case.get("version", 0) != sum(case.get("taken", {}).values()):
            found.append(f"case {name}: version {case.get('version')}, taken {case.get('taken')}")
        listed = Counter(run["id"] for run in case.get("runs", []))
        found += [f"case {name}: run {run} stands {n} times" for run, n in listed.items() if n > 1]
        decided = Counter(json.dumps(each, sort_keys=True) for each in case.get("decided", []))
        found += [f"case {name}: told {n} times {each}" for each, n in decided.items() if n > 1]
    for name, stored in runs.items():
        body = json.loads(stored["body"])
        link = body.get("case")
        if link is None:
            found.append(f"run {name} belongs to no case")
            continue
        if link.get("waits"):
            found.append(f"run {name} waits for its case")
        case = cases.get(_case_id(link["name"]), {})
        letters = link.get("letters", 0) + (1 if stored.get("ended") else 0)
        taken = case.get("taken", {}).get(name)
        if taken != letters:
            found.append(f"run {name} wrote {letters} letters, its case has taken {taken}")
        end = known.get(name, {}).get("end")
        if bool(end) != bool(stored.get("ended")):
            found.append(f"run {name} ended as {stored.get('ended')!r}, its case says {end!r}")
        taps = sum(entry.get("result") == "decided" for entry in logs.get(name, []))
        told = sum(each["run"] == name for each in case.get("decided", []))
        if told != taps:
            found.append(f"run {name}: {taps} decisions, its case heard of {told}")
    return found


def _case_id(name: Json) -> str:
    return "/".join(quote(name[part], safe="") for part in ("project", "playbook", "of", "key"))
