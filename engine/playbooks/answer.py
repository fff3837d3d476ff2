"""Answers as a project folder says them: `answers.yaml` (design §11)."""

from typing import Annotated, Self

from pydantic import Field as Key
from pydantic import JsonValue, StringConstraints, model_validator

from cards.frozen import Frozen
from cards.model import Lang
from engine.text.language import LocalizedText

ANSWERS_FILE = "answers.yaml"

FIND_ANSWERS = "answers__find"
"""The tool by which a model finds answers; no tool of a playbook has its name."""

MAX_ANSWERS = 500
"""So many answers a playbook may have."""

MAX_TEXT_CHARS = 4000

Examples = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=300)], ...],
    Key(min_length=1, max_length=100),
]


class SectionPlace(Frozen):
    """A section of a document in `documents/`; without a heading, what stands before the first."""

    file: str = Key(min_length=1)
    heading: str = ""


class AnswerDefinition(Frozen):
    """An answer to questions like its `examples`, which are plain or by language.

    It is a fixed `text` (Markdown), a section of a `document` (for each language, where there is
    one in each), or what a `tool` of the playbook reads: with these `arguments`, all others taken
    from the question, and told by `tell`, a template over its columns. `roles` are those of which
    whoever asks must hold one; with a tool they are the tool's.
    """

    examples: Examples | dict[Lang, Examples]
    text: LocalizedText | None = None
    document: SectionPlace | dict[Lang, SectionPlace] | None = None
    tool: str = ""
    arguments: dict[str, JsonValue] = {}
    tell: LocalizedText | None = None
    roles: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if sum((self.text is not None, self.document is not None, bool(self.tool))) != 1:
            raise ValueError("should have one of `text`, `document` and `tool`")
        if not self.tool and (self.arguments or self.tell):
            raise ValueError("`arguments` and `tell` belong to an answer with a `tool`")
        if self.tool and self.roles:
            raise ValueError("`roles` belong to the tool, in tools.yaml")
        if self.text and any(len(text) > MAX_TEXT_CHARS for text in self.text.texts):
            raise ValueError(f"`text` has more than {MAX_TEXT_CHARS} characters")
        return self

    @property
    def questions(self) -> tuple[str, ...]:
        """Every example, in whatever language."""
        if isinstance(self.examples, tuple):
            return self.examples
        return tuple(text for texts in self.examples.values() for text in texts)

    @property
    def places(self) -> dict[Lang, SectionPlace]:
        """The section to quote, by language; "" for all of them."""
        match self.document:
            case None:
                return {}
            case SectionPlace():
                return {"": self.document}
            case _:
                return self.document
