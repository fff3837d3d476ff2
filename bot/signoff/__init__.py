"""What programs of others import as `signoff`: the folder is installed under that name."""

from bot import version

__version__ = version.VERSION
