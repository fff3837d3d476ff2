"""Documents of a run: written section by section, of a template, corrected as a new version."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters.documents.store import ProjectDocuments
from adapters.files import ProjectFiles
from cards.shared_file import SharedFile
from engine.errors import AllowanceUsedUp, DefinitionError, ModelUnavailable
from engine.frames.state import AgentState, DocumentFrame
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.ports.inbox_files import FileReceipt
from engine.ports.library import FileScope, Library
from engine.ports.model import Completion, Message
from tests.engine.playbooks.document_cases import CASES
from tests.fakes.harbour import MAIN, SKILL, WRITER
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.templates import encoded, template, words_of
from tests.fakes.walk import CONVERSATION, Walk, crashing, new_run

SCOPE = FileScope("HARBOUR-1", CONVERSATION)
KNOWN = AgentState(
    data={
        "tenant": "Ann Low",
        "power": True,
        "terms": "Pay *early*.",
        "fees": ({"what": "Berth", "sum": 900}, {"what": "Power", "sum": 50}),
    }
)
HEADINGS = [f"Part {n}" for n in range(1, 11)]
OUTLINE = {
    "title": "Berth offer",
    "sections": [{"heading": h, "about": f"what {h} says"} for h in HEADINGS],
}


def section(number: int, word: str = "sound") -> str:
    """More than 3,000 characters."""
    return "".join(f"Clause {number}.{n}: all is {word} and agreed upon.\n\n" for n in range(80))


def playbook(document: str = WRITER, main: str = MAIN, **templates: bytes) -> Playbook:
    skill = SKILL.replace("  name: title\n", "") if "  name:" in document else SKILL
    files = {"playbook.yaml": main, "skills/write.yaml": skill + document}
    kept = {f"{name}.docx": encoded(content) for name, content in templates.items()}
    return load(files, roles=None, held=None, templates=kept)


class Writer:
    """A model with a script for the outline, and one for each section by its heading."""

    def __init__(self, outline: Sequence[Any], **sections: Sequence[Any]) -> None:
        self.outline = ScriptedModel(outline)
        self.sections = {name.replace("_", " "): ScriptedModel(s) for name, s in sections.items()}

    async def complete(self, messages: Sequence[Message], **more: Any) -> Completion:
        """The next line of the script for what is asked."""
        if "Now give its outline only" in messages[0].content:
            return await self.outline.complete(messages, **more)
        last = messages[1].content.rpartition("Write section ")[2]
        heading = last.partition("<data>")[2].partition("</data>")[0]
        return await self.sections[heading].complete(messages, **more)

    def heard(self, heading: str = "") -> str:
        """What was asked, of a section or the outline."""
        model = self.sections[heading] if heading else self.outline
        return "\n".join(request.text for request in model.requests)


def writes(word: str = "sound", **changed: Sequence[Any]) -> Writer:
    scripts = {f"Part_{n}": [{"text": section(n, word)}] for n in range(1, 11)}
    return Writer([OUTLINE], **{**scripts, **changed})


def walk(root: Path, made: Playbook, model: Any, state: AgentState = KNOWN, **more: Any) -> Walk:
    library = Library(files=ProjectFiles(root), drafts=ProjectDocuments(root))
    return Walk(made, new_run(made, state=state), model, library=library, **more)


async def content_of(root: Path, walk: Walk, field: str = "offer_text") -> str:
    name = walk.run.state.data[field]
    content = await ProjectFiles(root).read(SCOPE, str(name))
    assert content is not None
    return words_of(content) if field == "offer" else content.decode()


async def test_a_draft_of_30000_characters_is_written_section_by_section(tmp_path: Path) -> None:
    model = writes()
    found = await walk(tmp_path, playbook(letter=template()), model).start()
    assert found.run.status == "completed"
    text = await content_of(tmp_path, found)
    assert len(text) > 30_000
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        f"## {heading}" for heading in HEADINGS
    ]
    assert "Clause 10.79" in text
    assert "Clause 10.79" in await content_of(tmp_path, found, "offer")
    # Each section is a step of its own.
    written = [why for why in found.whys if why.startswith("section ")]
    assert written[0] == f"section 1 of 10: {len(section(1).strip())} characters"
    assert len(written) == 10
    # A section's writer has the outline, and what stands right before.
    heard = model.heard("Part 4")
    assert "7. Part 7: what Part 7 says" in heard
    assert "Clause 3.79" in heard
    assert "characters stand before" in heard
    assert found.run.state.data["title"] == "Berth offer"
    assert found.run.state.profile["state"] == "drafted"
    assert "Berth offer” is written: version 1, digest " in found.run.state.response
    assert [a.name for a in found.run.state.attachments] == [
        found.run.state.data["offer"],
        found.run.state.data["offer_text"],
    ]


async def test_a_worker_that_dies_at_every_step_makes_one_version(tmp_path: Path) -> None:
    steady = await walk(tmp_path / "a", playbook(), writes()).start()
    shaky = await crashing(walk(tmp_path / "b", playbook(), writes())).start()
    assert shaky.run == steady.run
    folder = next((tmp_path / "b" / "HARBOUR-1" / ".shared").iterdir())
    assert len([path for path in folder.iterdir() if not path.name.startswith(".")]) == 2


async def test_after_an_outage_the_draft_goes_on_where_it_stopped(tmp_path: Path) -> None:
    away = ModelUnavailable("away")
    found = await walk(tmp_path, playbook(), writes(Part_6=[away])).start()
    frame = found.frame
    assert isinstance(frame, DocumentFrame)
    assert [bool(each.text) for each in frame.sections] == [True] * 5 + [False] * 5
    assert [choice.id for choice in found.card.choices] == ["submit", "retry", "withdraw"]
    assert isinstance(found.model, Writer)
    asked = len(found.model.outline.requests)
    found.model.sections["Part 6"] = ScriptedModel([{"text": section(6)}])
    await found.answer("retry")
    assert found.run.status == "completed"
    assert len(found.model.outline.requests) == asked
    assert len(found.model.sections["Part 1"].requests) == 1
    assert "Clause 6.79" in await content_of(tmp_path, found)


async def test_a_limit_of_the_day_is_named_on_the_card(tmp_path: Path) -> None:
    used_up = AllowanceUsedUp("project")
    found = await walk(tmp_path, playbook(), writes(Part_2=[used_up])).start()
    assert "of this project, is used up" in found.card.text


async def test_a_section_that_is_too_long_or_empty_goes_back(tmp_path: Path) -> None:
    lines = [{"text": "x" * 4001}, {"text": " "}, {"text": section(2)}]
    found = await walk(tmp_path, playbook(), writes(Part_2=lines)).start()
    assert found.run.status == "completed"
    backs = [why for why in found.whys if why.startswith("sent back")]
    assert backs == [
        "sent back: text: has 4001 characters, and at most 4000 are taken; make it shorter",
        "sent back: text: should not be empty",
    ]


@pytest.mark.parametrize(
    ("outline", "fault"),
    [
        ({"title": "x", "sections": []}, "sections: should have 1 to 12 entries"),
        ({"title": " ", "sections": OUTLINE["sections"]}, "title: should have 1 to 100 characters"),
        (
            {"title": "x", "sections": [{"heading": "a\nb", "about": ""}]},
            "sections.0.heading: should be one line of at most 120 characters",
        ),
    ],
)
async def test_an_outline_that_cannot_be_written_goes_back(
    outline: Mapping[str, Any], fault: str, tmp_path: Path
) -> None:
    model = writes()
    model.outline = ScriptedModel([outline, OUTLINE])
    found = await walk(tmp_path, playbook(), model).start()
    assert f"sent back: {fault}" in found.whys
    assert found.run.status == "completed"


async def test_what_was_found_wrong_makes_a_second_version_of_the_first(tmp_path: Path) -> None:
    first = await walk(tmp_path, playbook(), writes()).start()
    wrong = first.run.state.model_copy(
        update={"problems": ("Part 3 is not agreed",), "profile": {}}
    )
    model = writes("safe")
    found = await walk(tmp_path, playbook(), model, wrong).start()
    assert found.run.state.data["offer"] != first.run.state.data["offer"]
    assert "-v2-" in str(found.run.state.data["offer"])
    assert "Part 3 is not agreed" in model.heard("Part 3")
    assert "This section in the version before: <data>Clause 3.0: all is sound" in model.heard(
        "Part 3"
    )
    assert found.run.state.problems == ()
    # The first one is still there, as it was.
    assert "all is sound" in (await content_of(tmp_path, first))


async def test_without_a_model_the_template_is_filled_with_what_is_known(tmp_path: Path) -> None:
    letter = template(
        ("To {{tenant}}", "Power: {{power}}", "{{content}}", "Signed: {{profile.master}}"),
        row=("{{fees.what}}", "{{fees.sum}}"),
    )
    made = playbook(f"{WRITER}  template: letter.docx\n", letter=letter)
    found = await walk(tmp_path, made, None).start()
    assert found.run.status == "completed"
    words = await content_of(tmp_path, found, "offer")
    assert words.split("\n") == [
        "Harbour office · Draft the offer v1",
        "To Ann Low",
        "Power: yes",
        "Signed: [Harbour master]",
        "Berth | 900",
        "Power | 50",
    ]
    assert "without a text of its own" in found.run.state.response


async def test_a_field_can_be_the_text_and_needs_no_model(tmp_path: Path) -> None:
    made = playbook("  template: letter.docx\n  text: terms\n", letter=template())
    state = KNOWN.model_copy(update={"data": {**KNOWN.data, "title": "Terms of Ann"}})
    found = await walk(tmp_path, made, None, state).start()
    assert "Pay early." in await content_of(tmp_path, found, "offer")
    assert str(found.run.state.data["offer"]).startswith("Terms_of_Ann-v1-")


class Inbox:
    """Takes a file in by its own name, unless it is one of `empty`."""

    def __init__(self, *empty: str) -> None:
        self.empty = empty

    async def take(
        self, project: str, conversation: str, files: Sequence[SharedFile], *, by: str = ""
    ) -> tuple[FileReceipt, ...]:
        """Each is fine, or has nothing in it."""
        return tuple(
            FileReceipt(shown=f.name, problem="empty")
            if f.name in self.empty
            else FileReceipt(shown=f.name, name=f.name, kind="docx")
            for f in files
        )


async def test_without_a_model_or_a_template_a_person_brings_the_file(tmp_path: Path) -> None:
    found = await walk(tmp_path, playbook(), None, files=Inbox()).start()
    assert [choice.id for choice in found.card.choices] == ["submit", "withdraw"]
    assert [field.name for field in found.card.choices[0].form] == ["title", "offer"]
    own = SharedFile(platform="web", id="1", name="own.docx")
    await found.answer("submit", {"title": "Mine", "offer": "own.docx"}, offer=own)
    assert found.run.status == "completed"
    assert found.run.state.data["offer"] == "own.docx"
    assert found.run.state.profile["state"] == "drafted"


async def test_what_is_wrong_with_what_was_brought_is_told_and_no_older_text_is_kept(
    tmp_path: Path,
) -> None:
    known = {**KNOWN.data, "offer_text": "berth-v1.md"}
    state = KNOWN.model_copy(update={"data": known})
    found = await walk(tmp_path, playbook(), None, state, files=Inbox("blank.docx")).start()
    blank = SharedFile(platform="web", id="1", name="blank.docx")
    await found.answer("submit", {"title": "Mine", "offer": "blank.docx"}, offer=blank)
    assert found.run.status == "suspended"
    assert "empty" in "".join(found.card.problems)
    own = SharedFile(platform="web", id="1", name="own.docx")
    await found.answer("submit", {"title": "Mine", "offer": "own.docx"}, offer=own)
    assert found.run.status == "completed"
    assert found.run.state.data["offer"] == "own.docx"
    assert "offer_text" not in found.run.state.data
    assert found.run.state.profile["state"] == "drafted"


async def test_a_model_that_is_away_may_be_left_out(tmp_path: Path) -> None:
    made = playbook(f"{WRITER}  template: letter.docx\n", letter=template())
    model = writes()
    model.outline = ScriptedModel([ModelUnavailable("away")])
    found = await walk(tmp_path, made, model).start()
    assert [c.id for c in found.card.choices] == ["submit", "retry", "fill", "withdraw"]
    await found.answer("fill")
    assert found.run.status == "completed"
    assert "To Ann Low" in await content_of(tmp_path, found, "offer")


@pytest.mark.parametrize(("document", "letter", "fault"), CASES)
def test_what_a_document_cannot_have_is_told_when_it_is_loaded(
    document: str, letter: bytes, fault: str
) -> None:
    with pytest.raises(DefinitionError) as caught:
        playbook(document, letter=letter or template(("x",)))
    assert fault in str(caught.value)


def test_a_template_is_pinned_with_the_playbook() -> None:
    document = f"{WRITER}  template: letter.docx\n"
    first = playbook(document, letter=template(), other=template(("y",)))
    second = playbook(document, letter=template(("{{tenant}}", "{{content}}")))
    assert list(first.templates) == ["letter.docx"]
    assert first.digest != second.digest
