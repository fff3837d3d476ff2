"""What stands in a project and conversation, for forms with fields that are files."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from cards.model import Card
from engine.errors import ToolFailed
from engine.events import CardTapped, FormSubmitted
from engine.ports.library import Files, FileScope
from engine.reviews.form_files import NO_FORM_FILES, FormFiles

FindFormFiles = Callable[[CardTapped | FormSubmitted, Card], Awaitable[FormFiles]]
"""Of a form and its card: what its file fields are judged by."""


async def no_form_files(update: CardTapped | FormSubmitted, card: Card) -> FormFiles:
    """Find none, where there is no folder for files."""
    return NO_FORM_FILES


@dataclass(frozen=True, slots=True)
class FormFilesFinder:
    """Finds the names of files; `kinds` and sizes up to `largest_mb` are taken."""

    files: Files
    file_scope: Callable[[Card], FileScope]
    kinds: Collection[str]
    largest_mb: int

    async def find(self, update: CardTapped | FormSubmitted, card: Card) -> FormFiles:
        """Return what came with the form, and the names that stand where its card is from.

        Names that cannot be read now are not judged here: the run's step does it.
        """
        asked = (field for choice in card.choices for field in choice.form)
        if not isinstance(update, FormSubmitted) or all(field.type != "file" for field in asked):
            return NO_FORM_FILES
        try:
            infos = await self.files.infos(self.file_scope(card))
        except ToolFailed:
            names = None
        else:
            names = tuple(info.name for info in infos)
        return FormFiles(update.uploads, names, self.kinds, self.largest_mb)
