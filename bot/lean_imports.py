"""Libraries that load others merely because these are installed."""

import importlib
import sys


def import_lean(library: str, *beside: str) -> None:
    """Import a library without packages that it can do without; who needs one imports it later.

    Does nothing for what is loaded already.
    """
    hidden = [name for name in beside if name not in sys.modules]
    # None in place of a module makes its import fail.
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        importlib.import_module(library)
    finally:
        for name in hidden:
            del sys.modules[name]
