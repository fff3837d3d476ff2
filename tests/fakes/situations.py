"""Made-up situations: a project folder, what people did in a chat, and questions about it."""

import re
from calendar import month_name
from pathlib import Path
from typing import Any

import yaml

from cards.model import Lang
from tests.fakes.web_room import Message, WebRoom, text_of

SITUATIONS = Path(__file__).parents[1] / "situations"


def situation(name: str) -> dict[str, Any]:
    """The folder and the story of that name."""
    read: dict[str, Any] = _read(SITUATIONS / name / "folder.yaml")
    return read


def question_sets() -> tuple[tuple[str, str, Lang], ...]:
    """Every set of questions, by situation, who wrote them, and language.

    `blind` ones are by somebody who was given the situation's page alone, and were first asked when
    nothing had been tuned to them.
    """
    found = []
    for path in sorted(SITUATIONS.glob("*/*_*.yaml")):
        written, _, lang = path.stem.rpartition("_")
        found.append((path.parent.name, written, lang))
    return tuple(found)


def questions(name: str, written: str, lang: Lang) -> list[dict[str, Any]]:
    """Questions, each with what its answer `has`; `|` parts ways to say it."""
    read: list[dict[str, Any]] = _read(SITUATIONS / name / f"{written}_{lang}.yaml")
    return read


def asked_elsewhere(name: str, lang: Lang) -> list[str]:
    """Questions that people ask in the same chat about something else."""
    read: list[str] = _read(SITUATIONS / name / f"elsewhere-{lang}.yaml")
    return read


def _read(path: Path) -> Any:
    # The parser in C, which takes a tenth of the time.
    return yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)


_TOLD = {
    "approved": ("Approve", "approve", "批准"),
    "refused": ("reject", "Reject", "驳回"),
    "waiting": ("waiting", "正在等"),
    "unknown": ("not known so far", "目前还不知道", "not_known"),
    "拒绝": ("驳回",),
}
_MONTHS = {name: number for number, name in enumerate(month_name) if name}
_DAY = re.compile(rf"([0-9]{{1,2}}) ({'|'.join(_MONTHS)}) ([0-9]{{4}})")
_DAY_ZH = re.compile("([0-9]{4})年([0-9]{1,2})月([0-9]{1,2})日")


def ways_to_tell(fact: str) -> set[str]:
    """How an answer may tell a fact that is written as the situation's page has it."""
    ways = set[str]()
    for way in map(str.strip, str(fact).split("|")):
        ways |= {way, *_TOLD.get(way, ())}
        day = _DAY.sub(lambda m: f"{m[3]}-{_MONTHS[m[2]]:02}-{int(m[1]):02}", way)
        ways |= {day, _DAY_ZH.sub(lambda m: f"{m[1]}-{int(m[2]):02}-{int(m[3]):02}", way)}
        if amount := re.fullmatch(r"([0-9][0-9,]*)(?: EUR| lux|欧元|勒克斯)?", way):
            ways.add(amount[1].replace(",", ""))
    return ways


GLANCE: dict[Lang, int] = {"en": 300, "zh": 165}
"""So many characters of an answer are read at a glance."""


def at_a_glance(told: str, lang: Lang) -> str:
    """What of an answer is read at a glance."""
    return told[: GLANCE[lang]]


def write_situation(name: str, folder: Path) -> dict[str, Any]:
    """A project folder that `start` can serve; returns what the situation's file has."""
    given = situation(name)
    for path, data in given.items():
        if path.endswith(".yaml"):
            _write(folder / path, data)
    (book,) = (folder / "playbooks").glob("*/playbook.yaml")
    for form, asked in given["forms"].items():
        _write(book.parent / "skills" / f"ask-{form}.yaml", _form(f"ask-{form}", **asked))
    for decision, review in given["reviews"].items():
        fields = given["forms"][review.get("skill", decision)]["fields"]
        skill = _review(decision, review, fields, given)
        _write(book.parent / "skills" / f"approve-{decision}.yaml", skill)
    return given


async def play(room: WebRoom, story: list[dict[str, Any]]) -> None:
    """What the people of the situation did, one after the other."""
    for step in story:
        if says := step.get("says"):
            await room.say(step["by"], says)
        if shares := step.get("shares"):
            name = shares.replace(".", "__")
            await room.share(step["by"], "", **{name: step["text"].encode()})
            await room.wait_for(lambda message, name=shares: name in text_of(message))
        if fills := step.get("fills"):
            form = await _form_of(room, fills)
            _, told = await room.fill(step["by"], form, "submit", **fills)
            assert told["ok"], told
        if changes := step.get("edits"):
            card = await room.card("confirm")
            _, told = await room.fill(step["by"], card, "edit", **{**_edited(card), **changes})
            assert told["ok"], told
            await room.wait_for(
                lambda m, was=card: _shows_edits(m) and m["card"]["rows"] != was["rows"]
            )
        if choice := step.get("taps"):
            await room.tap(step["by"], await room.card("confirm"), choice)
            await room.wait_for(lambda m: any(p["state"] == "done" for p in m["parts"]))
        if reason := step.get("rejects"):
            _, told = await room.fill(
                step["by"], await room.card("confirm"), "reject", reason=reason
            )
            assert told["ok"], told
            await room.wait_for(lambda message, said=reason: said in text_of(message["parts"]))
        if who := step.get("waits_for"):
            await room.wait_for(lambda message, name=who: name in text_of(message["parts"]))


async def _form_of(room: WebRoom, fills: dict[str, str]) -> Message:
    """The open form that has these fields."""

    def has(message: Message) -> bool:
        card = message["card"]
        forms = [button["form"] for button in card["buttons"]] if card else []
        names = [{field["name"] for field in form} for form in forms]
        return bool(card) and not card["outcome"] and any(set(fills) <= each for each in names)

    card: Message = (await room.wait_for(has))["card"]
    return card


def _edited(card: Message) -> dict[str, str]:
    """What the form has that changes the card."""
    (form,) = (each["form"] for each in card["buttons"] if each["data"].split(":")[2] == "edit")
    return {field["name"]: field["value"] for field in form}


def _shows_edits(message: Message) -> bool:
    card = message["card"]
    return bool(card) and card["kind"] == "confirm" and not card["outcome"]


def _write(path: Path, data: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.dump(data, Dumper=_Plain, allow_unicode=True, sort_keys=False), "utf-8")


class _Plain(yaml.SafeDumper):
    """Without anchors, which no file of a folder may have."""

    def ignore_aliases(self, data: object) -> bool:
        """Everything is written out."""
        return True


def _form(name: str, title: dict[str, str], fields: list[str]) -> dict[str, object]:
    return {
        "id": name,
        "name": title,
        "description": title,
        "category": "intake",
        "kind": "prompt",
        "provides": fields,
        "ask": {"title": title, "text": title, "fields": fields},
    }


def _review(
    decision: str, review: dict[str, Any], fields: list[str], given: dict[str, Any]
) -> dict[str, object]:
    title = review["title"]
    people, role = given["people.yaml"], review["role"]
    (named,) = (each["id"] for each in people["roles"] if role in (each["id"], each["en"]))
    # Who fills in what nobody has said yet approves it as well.
    may = {"may_edit": review["may_edit"], "four_eyes": False} if "may_edit" in review else {}
    return {
        "id": f"approve-{decision}",
        "name": title,
        "description": title,
        "category": "review",
        "kind": "sop",
        "requires": [{"field": fields[0], "check": "not_empty"}],
        "provides": [f"decisions.{decision}"],
        "sop": {
            "start_node": "sign",
            "nodes": {
                "sign": {
                    "type": "human_review",
                    "title": title,
                    "review": {"roles": [named], **may},
                    "presents": [
                        *fields,
                        *(each for each in may.get("may_edit", ()) if each not in fields),
                    ],
                    "decision": decision,
                    "on_approve": "end_approved",
                    "on_reject": "end_rejected",
                }
            },
            "outcomes": {
                "end_approved": {f"decisions.{decision}": "approved"},
                "end_rejected": {f"decisions.{decision}": "rejected"},
            },
        },
    }
