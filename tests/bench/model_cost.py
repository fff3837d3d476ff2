"""What a model is asked: calls and tokens of ours, beside a plain agent with the same tools."""

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import structlog

from bot.testing.evaluate import EvaluationOptions, read_tests
from bot.testing.files.model import ScenarioSetup
from bot.testing.files.scenario import Scenario, read_scenario_file
from bot.testing.harness.folder import PlayedFolder, load_folder
from bot.testing.harness.script import ScriptedAnswers
from bot.testing.harness.service import open_harness
from bot.testing.play import play
from bot.wiring.platforms import load_settings
from engine.ports.model import Completion, Message, Purpose, ToolOffer
from engine.text.language import detect_language
from engine.tools.model import ToolContext
from engine.tools.read_only import ReadOnlyTools
from engine.yaml.source import Problems
from tests.bench.figures import Figures, ratio, table
from tests.bench.plan import Plan, Result
from tests.bench.tokens import token_counter
from tests.chaos.processes import ROOT
from tests.fakes.study import Study

MOST_RATIO = 1.3
LEAST_PREFIX = 0.7
FILES = ("questions.yaml", "dialogues.yaml")
TODAY = date(2026, 11, 10)
PLAIN = (
    "You are a helpful assistant of a clinical study. Answer the user's question with the tools. "
    "Be brief, and answer in the user's language."
)
Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class AskedCall:
    """One request to the model, as one text: tools first, as providers put them."""

    purpose: str
    text: str
    answer: str


@dataclass(slots=True)
class RecordedModel:
    """A scripted model that keeps what it was asked."""

    script: ScriptedAnswers = field(default_factory=lambda: ScriptedAnswers(()))
    asked: list[AskedCall] = field(default_factory=list)
    offers: tuple[ToolOffer, ...] = ()

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolOffer] = (),
        purpose: Purpose = "",
        **options: Any,
    ) -> Completion:
        """The next line of the script; raises as that does."""
        text = request_text(messages, tools)
        self.offers = tuple(tools) if purpose == "answer" and tools else self.offers
        try:
            answer = await self.script.complete(messages, tools=tools, purpose=purpose, **options)
        except Exception:
            self.asked.append(AskedCall(purpose, text, ""))
            raise
        calls = "".join(f"{call.name}{call.arguments}" for call in answer.tool_calls)
        self.asked.append(AskedCall(purpose, text, answer.text + calls))
        return answer


def request_text(messages: Sequence[Message], tools: Sequence[ToolOffer]) -> str:
    """A request as one text."""
    offered = [json.dumps(tool.model_dump(), ensure_ascii=False) for tool in tools]
    said = [
        f"{message.role}: {message.content}"
        + "".join(f" {call.name}{call.arguments}" for call in message.tool_calls)
        for message in messages
    ]
    return "\n".join((*offered, *said))


@dataclass(frozen=True, slots=True)
class AskedTest:
    """What a test of the evaluation asked of the model, and what a plain agent would have."""

    kind: str
    ours: tuple[AskedCall, ...]
    plain: tuple[AskedCall, ...] = ()


async def model_cost(plan: Plan, folder: Path) -> Result:
    """Play the evaluation of the sample study, and count."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    name, count = token_counter()
    samples = {"playbooks": ROOT / "playbooks", "people": ROOT / "playbooks" / "people.yaml"}
    settings, found = load_settings().model_copy(update=samples), list[AskedTest]()
    for file in FILES:
        with tempfile.TemporaryDirectory(dir=folder) as data:
            found += await _asked(load_folder(settings, Path(data)), file, plan)
    structlog.reset_defaults()
    return _result(found, name, count)


async def _asked(folder: PlayedFolder, file: str, plan: Plan) -> list[AskedTest]:
    path, problems, model = ROOT / "tests" / "eval" / file, Problems(), RecordedModel()
    playbooks = folder.definitions.playbooks
    written = list(read_scenario_file(path, "", folder.people, playbooks, problems))
    problems.raise_if_any()
    found = []
    async with open_harness(folder, model) as harness:
        async with harness.serve(ScenarioSetup()):
            pass
        real = read_tests(folder, EvaluationOptions(file=path))
        for scripted, scenario in zip(written, real, strict=True):
            model.script, model.asked = ScriptedAnswers(_lines(scripted)), []
            played = await play(scenario, harness)
            if not played.passed:
                plan.say(f"{scenario.name} did not pass: {played.faults[0].text}")
            plain = await _plain(scripted, model.offers) if file == FILES[0] else ()
            kind = scenario.name.partition(":")[0]
            kind = kind if plain else f"dialogue: {kind}"
            found.append(AskedTest(kind, tuple(model.asked), plain))
    return found


def _lines(scenario: Scenario) -> tuple[Any, ...]:
    return scenario.given.model if isinstance(scenario.given.model, tuple) else ()


async def _plain(scenario: Scenario, offers: Sequence[ToolOffer]) -> tuple[AskedCall, ...]:
    """A plain loop: the question, the calls of the script with their results, the answer."""
    action = scenario.steps[0].action
    question = (action.says if action else "") or ""
    lang = detect_language(question)
    tools = ReadOnlyTools(Study().tools, ToolContext(today=TODAY), lang=lang)
    offers = offers or tools.offers()
    model = RecordedModel(ScriptedAnswers(_lines(scenario)))
    dialogue = [Message(role="system", content=PLAIN), Message(role="user", content=question)]
    while True:
        answer = await model.complete(dialogue, tools=offers, purpose="answer")
        if not answer.tool_calls:
            return tuple(model.asked)
        dialogue.append(Message(role="assistant", tool_calls=answer.tool_calls))
        for call in answer.tool_calls:
            content = (await tools.call(call)).content
            dialogue.append(Message(role="tool", tool_call_id=call.id, content=content))


def _result(found: Sequence[AskedTest], counter: str, count: Count) -> Result:
    kinds = dict.fromkeys(each.kind for each in found)
    rows = {kind: _row([e for e in found if e.kind == kind], count) for kind in kinds}
    questions = [each for each in found if each.plain]
    rows["all questions"] = _row(questions, count)
    asked = [replace(each, kind="asked") for each in questions if each.ours]
    rows["questions to the model"] = _row(asked, count)
    faults = [
        f"{name}: {rows[name]['of plain']:.2f} times the plain agent's input, {MOST_RATIO} at most"
        for name in rows
        if rows[name].get("of plain", 0.0) > MOST_RATIO
    ]
    prefix = rows["questions to the model"]["prefix"]
    if prefix < LEAST_PREFIX:
        least = f"at least {LEAST_PREFIX:.0%} should"
        faults.append(f"{prefix:.0%} of a call stood in the one before, {least}")
    title = f"model: calls and tokens of one test, by kind (tokens: {counter})"
    return Result("model", {"tokens": counter, "kinds": rows}, table(title, rows), faults)


def _row(tests: Sequence[AskedTest], count: Count) -> Figures:
    ours = [sum(count(call.text) for call in each.ours) for each in tests]
    row = {
        "tests": float(len(tests)),
        "calls": mean(len(each.ours) for each in tests),
        "tokens in": mean(ours),
        "tokens out": mean(sum(count(call.answer) for call in each.ours) for each in tests),
    }
    shares = [share for each in tests for share in _prefixes(each.ours)]
    if shares:
        row["prefix"] = mean(shares)
    if all(each.plain for each in tests):
        plain = [sum(count(call.text) for call in each.plain) for each in tests]
        row |= {
            "plain calls": mean(len(each.plain) for each in tests),
            "plain in": mean(plain),
            "of plain": ratio(sum(ours), sum(plain)),
        }
    return row


def _prefixes(calls: Sequence[AskedCall]) -> list[float]:
    """Of each call after the first of its purpose, which share stood in the one before."""
    shares = []
    for before, after in pairwise(calls):
        if before.purpose != after.purpose:
            continue
        same = next(
            (i for i, (a, b) in enumerate(zip(before.text, after.text, strict=False)) if a != b),
            min(len(before.text), len(after.text)),
        )
        shares.append(same / len(after.text))
    return shares
