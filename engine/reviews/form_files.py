"""What a file field of a form is judged by where it is sent: its name, its size, its kind."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import MappingProxyType

from cards.clipping import shorten
from cards.model import Field
from cards.shared_file import SharedFile
from cards.values import BadValue
from engine.ports.inbox_files import FILE_KINDS, check_upload, kind_of_name

_SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True)
class FormFiles:
    """The files that came with a form, by field name, and what is known of others.

    `names` are the files that stand there, None where nobody looked. `kinds` are taken, and up to
    `largest_mb`; 0 for any size. What a file is, its content says later: here is only refused what
    is surely not taken.
    """

    uploads: Mapping[str, SharedFile] = field(default_factory=lambda: MappingProxyType({}))
    names: Collection[str] | None = None
    kinds: Collection[str] = FILE_KINDS
    largest_mb: int = 0

    def check(self, asked: Field, text: str) -> str:
        """Return the name as it is kept until the file is fetched. Raises BadValue."""
        upload = self.uploads.get(asked.name)
        if upload is None:
            self._check_name(asked, text)
        else:
            kinds = asked.kinds or self.kinds
            taken = [kind for kind in kinds if kind in self.kinds]
            check_upload(upload, taken or kinds, self.largest_mb)
        return text

    def _check_name(self, asked: Field, name: str) -> None:
        if self.names is not None and name not in self.names:
            near = ", ".join(get_close_matches(name, self.names, 3, 0.4))
            key = "form.file_near" if near else "form.file_unknown"
            raise BadValue(key, name=shorten(name, _SHOWN_CHARS), names=near)
        if asked.kinds and kind_of_name(name) not in asked.kinds:
            raise BadValue("form.file_kind", kinds=", ".join(asked.kinds))


NO_FORM_FILES = FormFiles()
"""Nothing came with the form, and no names are known."""
