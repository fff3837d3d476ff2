"""The command line: `signoff run|web|worker`, and what developers and operators use."""

import errno
import os
import sys
from collections.abc import Sequence

from bot.cli.table import parser
from bot.project import enter_project
from bot.waits import Stopped
from engine.errors import DefinitionError, StoreUnavailable

_AWAY = 1
_WRONG_SETTINGS = 2
_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    2 when a setting or definition is wrong, 1 when the store stays away, `validate` or
    `lint-examples` found faults, or there is no such name.
    """
    # Before numpy is imported: its threads would spin beside the other processes.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    args = parser().parse_args(argv)
    try:
        if getattr(args, "folder", None) is not None:
            enter_project(args.folder)
        status: int = args.run(args)
        return status
    except Stopped:
        return 0
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader closed the pipe; what is left in the buffer is dropped.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (DefinitionError, OSError, StoreUnavailable, BaseExceptionGroup) as error:
        lines = _describe(error)
        if lines is None:
            raise
        print("\n".join(lines), file=sys.stderr)
        return _AWAY if _is_away(error) else _WRONG_SETTINGS


def _is_away(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(_is_away(part) for part in error.exceptions)
    return isinstance(error, StoreUnavailable)


def _describe(error: BaseException) -> list[str] | None:
    """What the operator has to change; None for an error that no setting causes."""
    match error:
        case BaseExceptionGroup():
            parts = [_describe(part) for part in error.exceptions]
            known = [line for part in parts if part is not None for line in part]
            return list(dict.fromkeys(known)) if None not in parts else None
        case DefinitionError() | StoreUnavailable():
            return str(error).split("\n")
        case OSError(errno=errno.EADDRINUSE):
            return ["PORT: should be a free port; something else listens there already"]
        case OSError(errno=errno.EADDRNOTAVAIL):
            return ["SIGNOFF_HOST: should be an address of this machine"]
        case PermissionError(filename=None):
            return ["PORT: should be a port that this user may listen on, as those above 1023 are"]
        case _:
            return None


if __name__ == "__main__":
    sys.exit(main())
