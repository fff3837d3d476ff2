"""Tools that read the files of a project."""

from typing import Final

FILE_TOOLS: Final = frozenset(
    ("element__extract", "file__get_info", "file__list", "file__parse", "file__search")
)
"""What asks about files: nobody is offered it where there are none."""
