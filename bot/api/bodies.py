"""The bodies that the internal API takes and gives; its description is made from them."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field as Key

from cards.frozen import Frozen
from cards.texts import SpokenLang
from engine.frames.state import AgentState, Attachment
from engine.runs.skill_output import SkillOutput

GROUPS: Final = ("profile", "decisions", "data")
"""The parts of a state that hold fields."""
_Text = Annotated[str, Key(max_length=8_000)]
_Name = Annotated[str, Key(max_length=255)]


class SkillState(Frozen):
    """What is known, by field; null is the same as not there. Files by name, earlier messages."""

    profile: dict[str, Any] = {}
    decisions: dict[str, Any] = {}
    data: dict[str, Any] = {}
    attachments: Annotated[tuple[_Name, ...], Key(max_length=100, fail_fast=True)] = ()
    recent: Annotated[tuple[_Text, ...], Key(max_length=50, fail_fast=True)] = ()

    def known(self) -> AgentState:
        """The state of a run; its values have been checked."""
        groups = {
            name: {key: value for key, value in getattr(self, name).items() if value is not None}
            for name in GROUPS
        }
        files = tuple(Attachment(name=name) for name in self.attachments)
        return AgentState(**groups, attachments=files, recent=self.recent)


class SkillRequest(Frozen):
    """What to run the skill on. Left out, `playbook` is the one that has the skill, `phase` the
    first that allows it, `lang` that of the message, `project` the playbook's.
    """

    playbook: str = ""
    phase: str = ""
    request: str = ""
    state: SkillState = SkillState()
    message: _Text = ""
    lang: SpokenLang | None = None
    project: str = Key("", pattern=r"^([A-Za-z0-9][A-Za-z0-9_-]{0,63})?$")


class ModelUse(Frozen):
    """How often the model was asked, and the tokens of prompts and answers together."""

    calls: int
    tokens: int


class SkillAnswer(Frozen):
    """200. `trace` is for `signoff traces`, null where no traces are kept."""

    trace: str | None
    playbook: str
    skill: str
    output: SkillOutput
    steps: int
    model: ModelUse


class Refusal(Frozen):
    """Any other status: a word for programs, and a sentence. `trace` when the skill was looked at.

    409: `constraint` keeps the skill from running on this state, or it `failed` on it.
    """

    error: Literal[
        "unauthorized",
        "unknown",
        "no_json",
        "too_large",
        "constraint",
        "failed",
        "no_model",
        "model_away",
        "model_faulty",
        "timeout",
        "store_away",
    ]
    why: str
    skill: str = ""
    trace: str | None = None


class WrongField(Frozen):
    """Where in the body something is wrong, as in `state.data.visit_date`, and what."""

    path: str
    message: str


class Invalid(Frozen):
    """422: everything that is wrong with the body, at most 50 faults."""

    error: Literal["invalid"] = "invalid"
    faults: tuple[WrongField, ...]
