"""Examples of what can be asked and begun here, for who does not know."""

from collections.abc import Sequence

from cards.model import Lang
from engine.services import Services
from engine.text.entity_kinds import entities_of
from engine.text.language import suits_language
from engine.tools.files import FILE_TOOLS
from engine.understanding.lookups.near import suggestions


async def example_list(text: str, lang: Lang, conversation: str, services: Services) -> str:
    """The questions nearest to the text, and one example of each playbook, as a Markdown list."""
    shared = services.library.files
    files = await shared.infos(services.file_scope(conversation)) if shared else ()
    return listed_examples(suggest_examples(text, lang, services, files=bool(files)))


def listed_examples(examples: Sequence[str]) -> str:
    """The examples as a Markdown list."""
    return "\n".join(f"- {example}" for example in examples)


def suggest_examples(
    text: str, lang: Lang, services: Services, *, files: bool = False
) -> tuple[str, ...]:
    """The questions nearest to the text, and one example of each playbook.

    They are in the language where there are such; none asks for `files` where there are none.
    """
    entities = entities_of(services.entity_kinds)
    alone = not any(playbook.definition.examples for playbook in services.playbooks.values())
    tools = [each for each in services.tools if files or each.name not in FILE_TOOLS]
    found = suggestions(text, tools, lang, entities=entities, alone=alone)
    examples = list(found)
    for playbook in services.playbooks.values():
        every = playbook.definition.examples
        examples += ([e for e in every if suits_language(e, lang)] or list(every))[:1]
    return tuple(examples)
