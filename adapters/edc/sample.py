"""The sample study as it is written in a playbook's data folder."""

from dataclasses import dataclass
from pathlib import Path

from adapters.edc.yaml_file import parsed
from cards.frozen import Frozen
from engine.ports.systems.records import Passage, Subject, Visit, VisitWindow


@dataclass(frozen=True, slots=True)
class Sample:
    """What a data folder holds, in the vocabulary of the records port."""

    study: str
    subjects: tuple[Subject, ...]
    visits: tuple[Visit, ...]
    passages: tuple[Passage, ...]
    windows: tuple[VisitWindow, ...]


class _SampleVisit(Visit):
    subject_id: str = ""


class _Enrolled(Subject):
    visits: tuple[_SampleVisit, ...] = ()

    def subject(self) -> Subject:
        return Subject.model_validate(self.model_dump(exclude={"visits"}))

    def taken(self) -> list[Visit]:
        own = {"subject_id": self.subject_id}
        return [Visit.model_validate(visit.model_dump() | own) for visit in self.visits]


class _Study(Frozen):
    study: str
    subjects: tuple[_Enrolled, ...]


class _Wording(Frozen):
    title: str
    text: str


class _Section(Frozen):
    section: str
    zh: _Wording
    en: _Wording

    def passages(self) -> list[Passage]:
        return [
            Passage(section=self.section, title=wording.title, text=wording.text)
            for wording in (self.zh, self.en)
        ]


class _Protocol(Frozen):
    windows: tuple[VisitWindow, ...]
    sections: tuple[_Section, ...]


def load_sample(folder: Path) -> Sample:
    """The sample in `study.yaml` and `protocol.yaml`; each section gives a zh and an en passage.

    Raises DefinitionError with every problem as `file:line: path: message`.
    """
    study = parsed(folder / "study.yaml", _Study)
    passages, windows = load_protocol(folder)
    return Sample(
        study=study.study,
        subjects=tuple(enrolled.subject() for enrolled in study.subjects),
        visits=tuple(visit for enrolled in study.subjects for visit in enrolled.taken()),
        passages=passages,
        windows=windows,
    )


def load_protocol(folder: Path) -> tuple[tuple[Passage, ...], tuple[VisitWindow, ...]]:
    """The sections and the visit schedule in `protocol.yaml`; raises as `load_sample` does."""
    protocol = parsed(folder / "protocol.yaml", _Protocol)
    return tuple(p for section in protocol.sections for p in section.passages()), protocol.windows
