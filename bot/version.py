"""The version of this package: here, and in CHANGELOG.md what it brought."""

from typing import Final

VERSION: Final = "0.2.0"
