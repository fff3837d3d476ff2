"""Asks a model what a file of tests has, and scores what comes of it (`signoff eval`).

The file is one of tests (docs/testing.md). What it gives to the model to say is left out: the
model of the settings answers, or each of those that are named.
"""

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bot.settings import Settings
from bot.testing.files.model import ScenarioSetup
from bot.testing.files.scenario import Scenario, read_scenario_file
from bot.testing.harness.folder import PlayedFolder, load_folder
from bot.testing.harness.service import open_harness
from bot.testing.play import play
from bot.version import VERSION
from bot.wiring.model import open_model
from engine.errors import DefinitionError
from engine.ports.model import Completion, Message, Model
from engine.yaml.source import Problems

SHOWN_FAULTS = 20


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """Which file, which of its tests, and which models; where scores are kept and compared."""

    file: Path
    models: tuple[str, ...] = ()
    word: str = ""
    repeat: int = 1
    save: Path | None = None
    against: Path | None = None


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """How one test went with a model: its `kind` is what stands before the colon of its name."""

    test: str
    passed: int
    played: int
    fault: str = ""
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0

    @property
    def kind(self) -> str:
        """What it is a test of, "" where its name does not say."""
        kind, colon, _ = self.test.partition(":")
        return kind if colon else ""


@dataclass(frozen=True, slots=True)
class ModelScores:
    """How a file went with one model, by one version of the service."""

    model: str
    version: str
    tests: tuple[QuestionScore, ...]


@dataclass(slots=True)
class CountedModel:
    """A Model whose answers and tokens are counted."""

    model: Model
    calls: int = 0
    tokens: int = 0

    async def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
        """The model's answer; raises as it does."""
        answer = await self.model.complete(messages, **options)
        self.calls += 1
        self.tokens += answer.tokens
        return answer


async def evaluate(
    name: str, model: Model, folder: PlayedFolder, scenarios: Sequence[Scenario], repeat: int = 1
) -> ModelScores:
    """Play every test with the model, each `repeat` times; the folder is used up then."""
    counted, found = CountedModel(model), list[QuestionScore]()
    async with open_harness(folder, counted) as harness:
        async with harness.serve(ScenarioSetup()):
            pass  # Once for all tests, the router learns the examples.
        for scenario in scenarios:
            played = [await play(scenario, harness) for _ in range(repeat)]
            faults = [each.faults[0].text for each in played if each.faults]
            found.append(
                QuestionScore(
                    test=scenario.name,
                    passed=sum(each.passed for each in played),
                    played=len(played),
                    fault=faults[0] if faults else "",
                    calls=counted.calls - sum(each.calls for each in found),
                    tokens=counted.tokens - sum(each.tokens for each in found),
                    seconds=round(sum(each.took_s for each in played), 3),
                )
            )
    return ModelScores(name, VERSION, tuple(found))


async def run_evaluation(settings: Settings, options: EvaluationOptions) -> int:
    """Play the file with each model and print how they compare; 0 when all passed with all.

    Raises DefinitionError with every problem of the folder and the file, OSError.
    """
    models = options.models or tuple(filter(None, [settings.llm_model]))
    if not models or settings.openai_api_key is None:
        raise DefinitionError("LLM_MODEL: should be set, with OPENAI_API_KEY; a model is evaluated")
    before = read_scores(options.against) if options.against else ()
    scores = list[ModelScores]()
    for name in models:
        scores.append(await _evaluate_named(name, settings, options))
        print(f"{name}: {_share(scores[-1].tests)}", flush=True)
    print("\n".join(compare([*before, *scores])))
    if options.save:
        kept = [asdict(each) for each in scores]
        options.save.write_text(json.dumps(kept, indent=1, ensure_ascii=False), encoding="utf-8")
    passed = all(test.passed == test.played for each in scores for test in each.tests)
    return 0 if passed else 1


async def _evaluate_named(name: str, settings: Settings, options: EvaluationOptions) -> ModelScores:
    with tempfile.TemporaryDirectory(prefix="signoff-eval-") as data:
        folder = load_folder(settings, Path(data))
        scenarios = read_tests(folder, options)
        async with AsyncExitStack() as stack:
            chosen = {"llm_model": name, "llm_fallback_models": ()}
            model = open_model(settings.model_copy(update=chosen), stack)
            assert model is not None, "it has a name"
            return await evaluate(name, model, folder, scenarios, options.repeat)


def read_tests(folder: PlayedFolder, options: EvaluationOptions) -> list[Scenario]:
    """The file's tests, for the model that is evaluated. Raises DefinitionError."""
    problems = Problems()
    playbooks = folder.definitions.playbooks
    found = list(read_scenario_file(options.file, "", folder.people, playbooks, problems))
    problems.raise_if_any()
    chosen = [each for each in found if options.word.casefold() in each.name.casefold()]
    if not chosen:
        raise DefinitionError(f"{options.file}: no test has {options.word!r} in its name")
    real = {"model": "real"}
    return [replace(each, given=each.given.model_copy(update=real)) for each in chosen]


def read_scores(path: Path) -> tuple[ModelScores, ...]:
    """Scores as an earlier evaluation kept them. Raises DefinitionError, OSError."""
    try:
        kept = json.loads(path.read_text("utf-8"))
        return tuple(
            ModelScores(
                f"{each['model']} ({each['version']})",
                each["version"],
                tuple(QuestionScore(**test) for test in each["tests"]),
            )
            for each in kept
        )
    except (ValueError, TypeError, KeyError) as error:
        told = f"{path}: should be scores that signoff eval --save has written"
        raise DefinitionError(told) from error


def compare(scores: Sequence[ModelScores]) -> Iterator[str]:
    """A table by kind of test with a column for each model, and the tests that differ or fail."""
    kinds = dict.fromkeys(test.kind for each in scores for test in each.tests)
    rows = [(kind or "other", [_of_kind(each, kind) for each in scores]) for kind in kinds]
    rows.append(("all", [list(each.tests) for each in scores]))
    width = max(len(name) for name, _ in rows) + 2
    columns = [max(len(each.model), 9) for each in scores]

    def line(name: str, cells: Sequence[str]) -> str:
        shown = (cell.rjust(n) for cell, n in zip(cells, columns, strict=True))
        return f"{name.ljust(width)}{'  '.join(shown)}".rstrip()

    yield ""
    yield line("", [each.model for each in scores])
    for name, tests in rows:
        yield line(name, [_share(each) for each in tests])
    yield line("answers", [str(sum(t.calls for t in each.tests)) for each in scores])
    yield line("tokens", [f"{sum(t.tokens for t in each.tests):,}" for each in scores])
    yield line("seconds", [f"{sum(t.seconds for t in each.tests):.1f}" for each in scores])
    failed = [f"  {line}" for line in _failed(scores)]
    if failed:
        yield from ("", "What did not pass:", *failed[:SHOWN_FAULTS])
    if len(failed) > SHOWN_FAULTS:
        yield f"  ... and {len(failed) - SHOWN_FAULTS} more"


def _failed(scores: Sequence[ModelScores]) -> Iterator[str]:
    """A line for each test that failed with a model, with those first that some model passed."""
    by_test: dict[str, list[tuple[str, QuestionScore]]] = {}
    for each in scores:
        for test in each.tests:
            by_test.setdefault(test.test, []).append((each.model, test))
    failing = [tests for tests in by_test.values() if any(t.passed < t.played for _, t in tests)]
    failing.sort(key=lambda tests: all(t.passed < t.played for _, t in tests))
    for tests in failing:
        yield from (f"{model}: {t.test}: {t.fault}" for model, t in tests if t.passed < t.played)


def _of_kind(scores: ModelScores, kind: str) -> list[QuestionScore]:
    return [test for test in scores.tests if test.kind == kind]


def _share(tests: Sequence[QuestionScore]) -> str:
    return f"{sum(t.passed for t in tests)}/{sum(t.played for t in tests)}"
