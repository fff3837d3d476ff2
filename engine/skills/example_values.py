"""What the examples of a request give its forms, and which cue takes what is for another field."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from cards.forms import FormFacts, check_form
from cards.model import Field
from engine.frames.leaves import form_field
from engine.frames.state import AgentState
from engine.playbooks.model import Playbook, Request
from engine.text.entity_kinds import Entities
from engine.text.form_reading import FoundValues, find_values, read_form
from engine.text.language import detect_language

_FREE = ("text", "person", "boolean", "file")


@dataclass(frozen=True, slots=True)
class ExampleFault:
    """What of an example does not reach its form.

    With a `field`, that one took `took`, which is more than its value, or, where that is "", lost
    its value for two that differ; `cue` is the word that did it. Without one the example gives
    nothing at all although it has values; `unused` is what stands there.
    """

    text: str
    field: str = ""
    took: str = ""
    cue: str = ""
    unused: str = ""


@dataclass(frozen=True, slots=True)
class FormExamples:
    """The examples of one playbook's request, read for its forms as a first message is.

    Of a kind of entity that only a list knows, and of a choice that a tool lists, nothing is read.
    """

    playbook: Playbook
    entities: Entities
    facts: FormFacts
    today: date

    def find_faults(self, request: Request) -> Iterator[ExampleFault]:
        """What does not reach the forms of the request, in the order of its examples."""
        for example in () if request.not_yet else request.examples:
            forms = self._forms(request.id, detect_language(example))
            readings = [(form, self._read(example, form)) for form in forms]
            found = [f for form, read in readings for f in self._takers(example, form, read)]
            yield from found
            filled = any(read.values for _, read in readings)
            if not filled and any(self._has_values(example, form) for form in forms):
                unused = (self._unused(example, form) for form in forms)
                yield ExampleFault(example, unused=next(filter(None, unused), ""))

    def _forms(self, request: str, lang: str) -> list[tuple[Field, ...]]:
        definition = self.playbook.definition
        names = (name for each in definition.phases_of(request) for name in each.allowed_skills)
        skills = (self.playbook.skills.get(name) for name in dict.fromkeys(names))
        leaves = definition.data_fields
        asked = (s.ask.fields for s in skills if s and s.ask and not s.ask.again)
        state = AgentState()
        return [
            tuple(
                form_field(name, leaves[name], lang, state)
                for name in fields
                if leaves[name].type != "file" and leaves[name].options_from is None
            )
            for fields in asked
        ]

    def _read(self, text: str, form: Sequence[Field]) -> FoundValues:
        cues = self.playbook.definition.cues
        return find_values(text, form, self.today, entities=self.entities, request=cues)

    def _is_taken(self, field: Field, value: str) -> bool:
        _, faults = check_form([field], {field.name: value}, "en", self.facts)
        return not faults

    def _takers(
        self, example: str, form: Sequence[Field], read: FoundValues
    ) -> Iterator[ExampleFault]:
        """Texts that took more than their value, each with the cue.

        What a person's cue leads to is no value where it calls nobody.
        """
        for field in (f for f in form if f.type == "text" and not f.entity):
            fault = self._crowding(example, form, field, read)
            took = read.values.get(field.name, "")
            if fault is None and took and self._is_too_much(form, took, read.values):
                fault = ExampleFault(example, field.name, took, _cue_of(field, read))
            if fault is not None:
                yield fault

    def _crowding(
        self, example: str, form: Sequence[Field], field: Field, read: FoundValues
    ) -> ExampleFault | None:
        """The cue of a field without which the example gives a value more."""
        for cue in field.cues:
            if cue.lower() not in example.lower():
                continue
            others = tuple(each for each in field.cues if each != cue)
            without = field.model_copy(update={"cues": others})
            bare = [without if each is field else each for each in form]
            more = self._read(example, bare).values
            gained = (f for f in form if f.name in more and f.name not in read.values)
            if any(
                (f is field or f.type not in _FREE) and self._is_taken(f, more[f.name])
                for f in gained
            ):
                return ExampleFault(example, field.name, read.values.get(field.name, ""), cue)
        return None

    def _is_too_much(self, form: Sequence[Field], took: str, values: Mapping[str, str]) -> bool:
        """Whether a text has what another field still needs."""
        named = {kind for kind, _ in self.entities.kinds_and_ids(took)}
        return any(f.entity in named and f.name not in values for f in form if f.entity)

    def _has_values(self, example: str, form: Sequence[Field]) -> bool:
        """Whether the only field of a type or kind, asked for alone, finds a value in it."""
        named = {kind for kind, _ in self.entities.kinds_and_ids(example)}
        typed = [f for f in form if f.type not in _FREE]
        kinds = Counter((f.type, f.entity) for f in typed)
        single = [f for f in typed if kinds[f.type, f.entity] == 1]
        return any(f.entity in named or self._read(example, (f,)).values for f in single)

    def _unused(self, example: str, form: Sequence[Field]) -> str:
        definition = self.playbook.definition
        return read_form(
            example,
            form,
            self.today,
            entities=self.entities,
            examples=(*definition.cues, *definition.name.texts),
            request=definition.cues,
        ).left


def _cue_of(field: Field, read: FoundValues) -> str:
    """The cue by which a field took its words; "" where it is none of them."""
    words = read.words.get(field.name, "").strip().lower()
    longest = sorted(field.cues, key=lambda cue: -len(cue))
    return next((cue for cue in longest if words.startswith(cue.lower())), "")
