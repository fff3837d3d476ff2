"""Scripted runs of every kind of call: all that the model is asked, beside what it answers.

Each has a slip that is sent back, so that the repair stands in the file as well.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cards.model import Lang
from engine.dialogue import Dialogue
from engine.ports.model import Completion, Message, Purpose, ToolOffer
from engine.react import ReActEngine
from engine.rules.soft import SoftLimits, SoftRuleEngine
from engine.sop.soft_instruction import judged_lines
from engine.tools.model import ToolContext
from engine.tools.read_only import ReadOnlyTools
from engine.understanding.form_model import read_form_with_model
from engine.understanding.router.chain import route
from tests.fakes.run_tree import RunTree
from tests.fakes.scripted_model import Line, calls, output
from tests.fakes.study import sample_study
from tests.prompts.situation import (
    PARTS,
    SAID,
    TODAY,
    briefing,
    context,
    form_card,
    question,
    route_context,
)

LOOK = "read_clinical_data"
SLIP = calls((LOOK, {"subject_id": "P001", "field": "mood"}))
RIGHT = calls((LOOK, {"subject_id": "P001", "field": "ecog"}))
WORDS = {"zh": "其他没有变化", "en": "nothing has changed"}
SCORE = {"zh": "P001 的评分是 1。", "en": "The score of P001 is 1."}


@dataclass(slots=True)
class TranscribedModel:
    """A model with a script for each purpose, which writes down what it is asked and answers."""

    scripts: Mapping[str, list[Line]]
    lines: list[str] = field(default_factory=list)
    seen: tuple[Message, ...] = ()
    given: tuple[str, str] = ("", "")

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 1000,
        heard: Callable[[str], None] | None = None,
        purpose: Purpose = "",
    ) -> Completion:
        """The next line for the purpose."""
        offered = "\n".join(_json(tool.model_dump()) for tool in tools)
        self._ask(purpose, messages, (offered, _json(schema) if schema else ""))
        line = self.scripts[purpose].pop(0)
        assert not isinstance(line, Exception)
        text = line if isinstance(line, str) else ""
        answer = line if isinstance(line, Completion) else Completion(text or _json(line), tokens=1)
        called = [f"{call.name} {call.arguments}" for call in answer.tool_calls]
        self._write("the model", "\n".join(filter(None, (answer.text, *called))))
        return answer

    def _ask(self, purpose: str, messages: Sequence[Message], given: tuple[str, str]) -> None:
        known = len(self.seen)
        follows = bool(known) and tuple(messages[:known]) == self.seen
        if not follows:
            self.lines.append(f"# A dialogue for `{purpose}`\n")
        for name, now, before in zip(("tools", "schema"), given, self.given, strict=True):
            if now != before or not follows:
                self._write(name, now or "none")
        for message in messages[known if follows else 0 :]:
            if message.role != "assistant":
                self._write(message.role, message.content)
        self.seen, self.given = tuple(messages), given

    def _write(self, title: str, text: str) -> None:
        self.lines.append(f"## {title}\n\n{text}\n")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


async def transcripts(lang: Lang) -> dict[str, str]:
    """A scripted run of every kind, by its name."""
    found = {}
    for name, play in PLAYS.items():
        model = await play(lang)
        left = {purpose: lines for purpose, lines in model.scripts.items() if lines}
        assert not left, f"{name}: nobody asked for {left}"
        found[name] = "\n".join(model.lines)
    return found


async def _answer(lang: Lang) -> TranscribedModel:
    model = TranscribedModel({"answer": [SLIP, RIGHT, SCORE[lang]]})
    engine = ReActEngine(model, sample_study().tools)
    known = ToolContext(today=TODAY)
    await engine.run(question(lang), known, lang=lang, briefing=briefing(lang).lines())
    return model


async def _route(lang: Lang) -> TranscribedModel:
    work, asked = PARTS[lang]
    piece = {"condition": "", "depends_on": [], "card": None, "option": ""}
    pieces = [
        {"kind": "workflow", "route": "desk/visit", "text": work, **piece},
        {"kind": "qa_query", "route": "", "text": asked, **piece},
    ]
    wrong = [{**pieces[0], "route": "desk/visits"}, pieces[1]]
    model = TranscribedModel({"route": [{"pieces": wrong}, {"pieces": pieces}]})
    await route(SAID[lang][2], route_context(lang), model)
    return model


async def _form(lang: Lang) -> TranscribedModel:
    value = {"field": "score", "value": "1", "words": WORDS[lang]}
    wrong = {"values": [{**value, "value": "9"}]}
    model = TranscribedModel({"form": [wrong, {"values": [value]}]})
    told = briefing(lang).lines()
    await read_form_with_model(PARTS[lang][0], form_card(), model, told, TODAY)
    return model


async def _rules(lang: Lang) -> TranscribedModel:
    verdict = {"passed": True, "reason": SCORE[lang], "confidence": 0.9, "evidence": ["1"]}
    model = TranscribedModel({"rules": [RIGHT, {**verdict, "confidence": 90}, verdict]})
    tools = ReadOnlyTools(sample_study().tools, ToolContext(today=TODAY), lang=lang)
    engine = SoftRuleEngine(model, tools, SoftLimits())
    dialogue = engine.begin("The score is plausible.", judged_lines(context(lang)), lang)
    while dialogue.verdict is None and not dialogue.unsure:
        dialogue = await engine.advance(dialogue)
    assert isinstance(dialogue, Dialogue)
    return model


async def _run(lang: Lang, named: str, **scripts: Sequence[Line]) -> TranscribedModel:
    """A run whose next skill the model chooses, with a slip, and what that asks the model."""
    choice = {"skill": named, "reason": "it is next"}
    lines = [{**choice, "skill": f"{named}s"}, choice, *scripts.pop("plan", ())]
    model = TranscribedModel({"plan": lines, **{name: [*given] for name, given in scripts.items()}})
    step = context(lang)
    await RunTree(step.playbook, step.run, model, sample_study()).start(60, timers=False)
    return model


async def _skill(lang: Lang) -> TranscribedModel:
    data = {"profile": {}, "data": {"score": 1, "summary": SCORE[lang]}}
    wrong = {**data, "data": {"score": 12, "summary": None}}
    lines = [RIGHT, output(SCORE[lang], **wrong), output(SCORE[lang], **data)]
    return await _run(lang, "read", skill=lines)


async def _plan(lang: Lang) -> TranscribedModel:
    call = {"type": "tool", "name": LOOK, "arguments": {"subject_id": "P001", "field": "mood"}}
    right = {**call, "arguments": {"subject_id": "P001", "field": "ecog"}}
    reply = {"type": "reply", "text": "$steps.1.ecog"}
    return await _run(lang, "look-up", plan=[_json([call, reply]), _json([right, reply])])


async def _jobs(lang: Lang) -> TranscribedModel:
    job = {"id": "look", "goal": "P001", "context": "", "completion_criteria": "1"}
    job |= {"dependencies": [], "assigned_expert": "record", "thinking": "I begin with P001."}
    done = {"status": "SUCCESS", "result": SCORE[lang], "lesson": "", "question": ""}
    right = {**job, "assigned_expert": "records"}
    lines = [{"jobs": [job]}, {"jobs": [right]}, RIGHT, {**done, "status": "DONE"}, done]
    return await _run(lang, "team", jobs=lines)


async def _document(lang: Lang) -> TranscribedModel:
    sections = [{"heading": "P001", "about": SCORE[lang]}]
    outline = {"title": "P001", "sections": sections}
    lines = [{**outline, "sections": []}, outline, {"text": ""}, {"text": SCORE[lang]}]
    return await _run(lang, "letter", document=lines)


PLAYS = {
    "answer": _answer,
    "route": _route,
    "form": _form,
    "rules": _rules,
    "skill": _skill,
    "plan": _plan,
    "jobs": _jobs,
    "document": _document,
}
