"""No pattern that there is costs more than in proportion to the text, whatever the text is."""

import random
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

import pytest

from adapters.slack.inbound.markup import remove_mention
from bot.starting import samples
from bot.testing import about
from bot.wiring.platforms import PLATFORMS
from cards.model import Field
from engine.playbooks.skill import Instead
from engine.skills import ask_skill
from engine.text import form_reading as reading
from engine.text import values
from engine.text.claims import labels, unheard, words
from engine.understanding import matter, open_forms
from engine.understanding.grammar.reading import TABLES, Grammar
from engine.understanding.lookups import arguments
from engine.understanding.lookups import find as lookup
from engine.understanding.lookups import text as lookup_text
from engine.understanding.pieces.conditions import without_days
from tests.engine.understanding.routes import CONTEXT
from tests.engine.understanding.test_several_values import form
from tests.fakes.entities import SUBJECTS
from tests.fakes.study import Study
from tests.patterns.automaton import automaton
from tests.patterns.collect import Collected, built, collected, sources
from tests.patterns.growth import Graph, Kinds, Method, more_than_linear, pumps, steps, strolls

SHORT = 60
"""Characters of a text that grows."""
DEAREST = 128
"""Steps that one character may cost: a bounded repeat costs as many as it may repeat."""

FIELDS = (
    Field(name="note", label="Note of it", type="text", cues=("noted thing", "备注词")),
    Field(name="heft", label="Heft", type="number", unit="kg", cues=("heft", "份量")),
    Field(name="beat", label="Beat", type="integer", unit="bpm", cues=("beat",)),
    Field(name="grade", label="Grade", type="choice", options=("low", "middle"), cues=("grade",)),
    Field(name="upper", label="Upper", type="integer", unit="bar", cues=("pair",), pair_with="low"),
    Field(name="low", label="Lower", type="integer", unit="bar", cues=("pair",)),
    Field(name="done", label="Done", type="boolean", cues=("done", "完成")),
    Field(name="ref", label="Ref", pattern="[A-Z]-[0-9]{1,4}", cues=("ref number",)),
    Field(name="seen", label="Seen on", type="date", words=("never seen",)),
)
SAID = (
    "noted thing is 红斑, heft 70 kg beat 71 bpm grade low, pair 120/80 bar; 备注词 无"
    " seen 2026-01-02 3 May; ref number A-7 heft 70 kg"
)


TODAY = date(2026, 11, 22)
BUILT_AT_IMPORT = {"engine.text.wording._any"}
"""What these build is kept in a module, where it is collected."""


def build_every_kind() -> None:
    """Calls whatever builds patterns from the words of playbooks, with words that are new."""
    reading.read_form(SAID, FIELDS, TODAY)
    asked = (Field(name="who", label="Whom", type="entity", entity="subject"), FIELDS[0])
    words_of_it = ("a nurse", "备注词条")
    said = "noted thing is red of P001, 备注词条"
    reading.find_values(said, asked, TODAY, entities=SUBJECTS, request=words_of_it)
    columns = (
        Field(name="what", label="What of it", required=False),
        Field(name="girths", label="Girth in all", type="number", required=False),
        Field(name="wood", label="Wood", type="choice", options=("oaken",), required=False),
    )
    beams = Field(name="beams", label="Beams", columns=columns)
    reading.find_values("a porter beam 3 oaken", [beams], TODAY, request=("a porter", "抬的人"))
    values.states_number(SAID, ["heft"])
    values.remove_values(SAID, ["noted thing", "份量 词"])
    # Kept by whoever asked first in this process.
    values._any_unit.cache_clear()
    words._compiled.cache_clear()
    values.is_other_unit("lb", "kg")
    choice = Field(name="haste", label="Haste", type="choice", cues=("pressing",), names=("急",))
    labels.label_heads(SAID, [choice])
    labels.change_heads(SAID, [choice])
    unheard.unheard_clauses(SAID, [choice])
    lookup.cue_found(SAID, ["noted thing is", "备注词 无"])
    lookup_text.remove_cues(SAID, ["a word that is new"], whole=True)
    lookup_text.tell_in_order("word that", lookup_text.look_at(SAID, SUBJECTS, TODAY))
    lookup.find(
        "那 P002 呢", Study().tools, today=TODAY, entities=SUBJECTS, recent=["P001 最近一次 ECOG"]
    )
    size = arguments.Argument("size", "choice", "", False, ("oak", "m"), (), True, ("girth",))
    for word in size.options:
        arguments._says_option(lookup_text.look_at(SAID, SUBJECTS, TODAY), word, size)
    Grammar(rule for table in TABLES for rule in table)
    remove_mention(SAID, "U17")
    without_days(SAID, ["by"], bool)
    instead = {"of": "note", "label": {"zh": "全", "en": "all"}, "words": ["all"], "sets": {"a": 1}}
    ask_skill._says_a_word(Instead.model_validate(instead), SAID, SUBJECTS)
    samples.read_sample(samples.find_sample("expenses"), "A-1", "UTC")
    about.stated_of(SAID, ["a word that is new", "P003"])
    note = Field(name="note", label="Note of the matter")
    matter.matter_told("it is red and sore", SAID, [note], ["a cue of it"], ["70 kg"])
    matter.without_bids("it is red and sore", ["a cue of it"])
    texts = [Field(name=name, label=f"Word {name}", pattern="[A-Z]-[0-9]") for name in ("x", "y")]
    open_forms.match_values("word x A-7, word y B-8", replace(CONTEXT, open_cards=(form(*texts),)))
    for room in PLATFORMS.values():
        room.settings.accounts.fault(SAID)


def faults(where: str, pattern: "re.Pattern[str]", methods: tuple[Method, ...]) -> Iterator[str]:
    """Why a pattern is none that may see a text."""
    made = automaton(pattern)
    for method in methods:
        graph = Graph(made, method)
        if why := more_than_linear(graph):
            yield f"{where} under {method}: {why}"
            continue
        for text in inputs(graph):
            counts = steps(graph, text)
            short, long = counts[min(SHORT, len(text))], counts[-1]
            if long > 2 * short + DEAREST * SHORT or long > DEAREST * len(text):
                yield f"{where} under {method}: {long} steps in {len(text)} characters"
                break


def inputs(graph: Graph) -> Iterator[Kinds]:
    """Texts of twice SHORT: each loop of the pattern again and again, its ways, and any characters.

    Each ends in every way in which it may, since steps are counted as if it failed at its end.
    """
    chance = random.Random(17)
    for pump in pumps(graph):
        yield (pump * (2 * SHORT))[: 2 * SHORT]
    for _ in range(3):
        yield strolls(graph, chance, 2 * SHORT)[: 2 * SHORT]
    yield chance.choices(range(len(graph.made.symbols)), k=2 * SHORT)


def test_every_pattern_of_a_module_or_function_is_linear() -> None:
    every: dict[re.Pattern[str], Collected] = {}
    for found in collected():
        known = every.get(found.pattern, found)
        methods = tuple(dict.fromkeys((*known.methods, *found.methods)))
        every[found.pattern] = replace(known, methods=methods)
    assert len(every) > 150
    wrong = [
        why for found in every.values() for why in faults(found.where, found.pattern, found.methods)
    ]
    assert wrong == []


def test_every_pattern_that_a_function_builds_is_linear(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: dict[str, set[re.Pattern[str]]] = {}
    compile_pattern = re._compile  # type: ignore[attr-defined]

    def noted(text: "str | re.Pattern[str]", flags: int) -> "re.Pattern[str]":
        found: re.Pattern[str] = compile_pattern(text, flags)
        caller = sys._getframe(2)
        # A method goes by its name, as in `built`.
        name = caller.f_code.co_qualname.partition(".<locals>")[0].rpartition(".")[2]
        compiled.setdefault(f"{caller.f_globals['__name__']}.{name}", set()).add(found)
        return found

    monkeypatch.setattr(re, "_compile", noted)
    build_every_kind()
    expected = {name for source in sources() for name in built(source)} - BUILT_AT_IMPORT
    assert expected - compiled.keys() == set(), "say in `build_every_kind` how it is built"
    wrong = [
        why
        for name in sorted(expected)
        for pattern in compiled[name]
        for why in faults(f"{name} {pattern.pattern[:60]!r}", pattern, ("search",))
    ]
    assert wrong == []
