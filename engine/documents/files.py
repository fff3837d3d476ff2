"""The files of documents: a version is kept, and the one before is read, by recorded calls."""

from typing import Any

from pydantic import Field

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.errors import ToolError, ToolFailed
from engine.frames.leaves import LabelledValue, value_of, value_rows, values_at
from engine.frames.outcome import StepContext
from engine.frames.state import DocumentSection
from engine.frames.text_names import context_names
from engine.ports.library import DocumentContent, DocumentVersion
from engine.text.template import CONTEXT_NAMES
from engine.text.word_template import BUILT_IN, template_holes
from engine.tools.arguments import Arguments
from engine.tools.files.project_file import find_text
from engine.tools.model import Tool, ToolContext

TIMEOUT_S = 60.0


class Publish(Arguments):
    """What stands in the document, but for its template."""

    name: str = Field(description="What it is called.")
    markdown: str = Field(default="", description="Its text.")
    values: dict[str, str] = Field(default={}, description="Values of its template, by hole.")
    rows: dict[str, list[dict[str, str]]] = Field(default={}, description="Rows, by list.")


class ReadVersion(Arguments):
    """Which file."""

    name: str = Field(description="Its name.")


async def publish(content: DocumentContent, key: str, context: StepContext) -> DocumentVersion:
    """Keep the document's next version. Raises ToolFailed."""

    async def run(args: Publish, ctx: ToolContext) -> dict[str, Any]:
        if ctx.library.drafts is None:
            raise ToolFailed("files.none")
        version = await ctx.library.drafts.publish(ctx.file_scope, content)
        return version.model_dump(mode="json")

    # The template stands in the playbook, and need not be recorded again.
    arguments = content.model_dump(mode="json", exclude={"template"})
    tool = _tool("document__publish", Publish, run)
    found = await context.services.call(tool, arguments, context.tool_context(key=key))
    return DocumentVersion.model_validate(found)


async def sections_of(name: str, context: StepContext) -> tuple[DocumentSection, ...]:
    """The sections of a version by its .docx; none when it is not one of ours, or not there."""

    async def run(args: ReadVersion, ctx: ToolContext) -> dict[str, Any]:
        found = await find_text(args.name, ctx)
        return {"text": "" if isinstance(found, dict) else found.text}

    if not name.endswith(".docx"):
        return ()
    tool = _tool("document__read", ReadVersion, run)
    arguments = {"name": f"{name.removesuffix('.docx')}.md"}
    try:
        found = await context.services.call(tool, arguments, context.tool_context())
    except ToolError:
        return ()
    return read_sections(found["text"])


def read_sections(text: str) -> tuple[DocumentSection, ...]:
    """The sections of a document's Markdown, without its title."""
    if text.startswith("# "):
        text = text.partition("\n")[2]
    parts = f"\n{text}".split("\n## ")
    first = DocumentSection(heading="", text=parts[0].strip())
    others = (part.partition("\n") for part in parts[1:])
    found = (DocumentSection(heading=h.strip(), text=body.strip()) for h, _, body in others)
    return tuple(section for section in (first, *found) if section.text)


def _tool(name: str, arguments: type[Any], run: Any) -> Tool[Any]:
    return Tool(
        name=name,
        description="A document of a run.",
        arguments=arguments,
        readonly=name == "document__read",
        run=run,
        tell=_tell,
        timeout_s=TIMEOUT_S,
        keyed=True,
    )


def _tell(result: dict[str, Any], lang: Lang) -> str:
    return literal(str(result.get("name", "")))


def template_values(
    template: str, context: StepContext
) -> tuple[dict[str, str], dict[str, tuple[dict[str, str], ...]]]:
    """What stands at the template's holes, and the rows of its lists, as people read them."""
    definition, lang = context.playbook.definition, context.run.lang
    texts: dict[str, str] = {}
    rows: dict[str, tuple[dict[str, str], ...]] = {}
    for hole in template_holes(template) if template else ():
        listed, _, column = hole.rpartition(".")
        leaf = definition.leaf(listed)
        if definition.leaf(hole):
            (labelled,) = values_at((hole,), context)
            texts[hole] = _text(labelled, lang)
        elif hole in CONTEXT_NAMES:
            label, value = say(f"named.{hole}", lang), context_names(context)[hole]
            texts[hole] = _text(LabelledValue(label, value), lang)
        elif hole not in BUILT_IN and leaf and column in leaf.columns and listed not in rows:
            found = value_of(listed, context.run.state) or ()
            rows[listed] = tuple(
                {
                    name: _text(LabelledValue(each.label(lang), row.get(name)), lang)
                    for name, each in leaf.columns.items()
                }
                for row in found
            )
    return texts, rows


def _text(labelled: LabelledValue, lang: Lang) -> str:
    """A value in a document; a gap that is seen where there is none."""
    if labelled.value in (None, "", ()):
        return say("document.blank", lang, label=labelled.label)
    shown = value_rows((labelled,), lang)
    return shown[0].value if shown else str(labelled.value)
