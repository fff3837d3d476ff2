"""Libraries that load others merely because these are installed."""

import importlib
import sys
from typing import Any


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


def import_aiohttp() -> None:
    """Import aiohttp, the system's certificates read once: it makes a context that verifies too.

    The other one verifies nothing, whatever it has read. Does nothing for what is loaded already.
    """
    import ssl

    contexts: Any = ssl.SSLContext
    read = contexts.set_default_verify_paths

    def read_if_verifying(context: ssl.SSLContext) -> None:
        if context.verify_mode is not ssl.CERT_NONE:
            read(context)

    contexts.set_default_verify_paths = read_if_verifying
    try:
        importlib.import_module("aiohttp")
    finally:
        contexts.set_default_verify_paths = read
