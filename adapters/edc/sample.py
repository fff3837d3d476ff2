"""The sample study as it is written in a playbook's data folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import ValidationError

from cards.frozen import Frozen
from engine.errors import DefinitionError
from engine.ports.records import Passage, Subject, Visit, VisitWindow

T = TypeVar("T", bound=Frozen)


@dataclass(frozen=True, slots=True)
class Sample:
    """What a data folder holds, in the vocabulary of the records port."""

    study: str
    subjects: tuple[Subject, ...]
    visits: tuple[Visit, ...]
    passages: tuple[Passage, ...]
    windows: tuple[VisitWindow, ...]


class _Taken(Visit):
    subject_id: str = ""


class _Enrolled(Subject):
    visits: tuple[_Taken, ...] = ()

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
    study = _parsed(folder / "study.yaml", _Study)
    protocol = _parsed(folder / "protocol.yaml", _Protocol)
    return Sample(
        study=study.study,
        subjects=tuple(enrolled.subject() for enrolled in study.subjects),
        visits=tuple(visit for enrolled in study.subjects for visit in enrolled.taken()),
        passages=tuple(p for section in protocol.sections for p in section.passages()),
        windows=protocol.windows,
    )


def _parsed(path: Path, shape: type[T]) -> T:
    try:
        text = path.read_text(encoding="utf-8")
        return shape.model_validate(yaml.safe_load(text))
    except OSError as error:
        raise DefinitionError(f"{path}:1: -: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DefinitionError(f"{path}:1: -: is not UTF-8 text") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DefinitionError(f"{path}:{line}: -: {error.problem}") from error
    except yaml.YAMLError as error:
        raise DefinitionError(f"{path}:1: -: holds what YAML does not allow") from error
    except ValidationError as error:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        raise DefinitionError(
            *(
                f"{path}:{_line(root, fault['loc'])}: "
                f"{'.'.join(map(str, fault['loc'])) or '-'}: {fault['msg']}"
                for fault in error.errors(include_url=False, include_input=False)
            )
        ) from error


def _line(node: yaml.Node | None, path: Sequence[str | int]) -> int:
    """The line of the innermost place on `path` that the file has."""
    if node is None:
        return 1
    child: yaml.Node | None = None
    match node, path:
        case yaml.MappingNode(), [str(name), *_]:
            child = next((v for k, v in node.value if k.value == name), None)
        case yaml.SequenceNode(), [int(index), *_] if index < len(node.value):
            child = node.value[index]
    return _line(child, path[1:]) if child else node.start_mark.line + 1
