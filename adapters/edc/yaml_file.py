"""A YAML file of ours, read as a model; every problem is named with its file and line."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import ValidationError

from adapters.filesystem import read_text
from cards.frozen import Frozen
from engine.errors import DefinitionError

T = TypeVar("T", bound=Frozen)
# libyaml's reader is many times faster, and not on every machine.
_Reader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parsed(path: Path, shape: type[T]) -> T:
    """What the file holds; DefinitionError with every problem as `file:line: path: message`."""
    try:
        text = read_text(path)
        return shape.model_validate(yaml.load(text, Loader=_Reader))  # noqa: S506 - both are safe
    except OSError as error:
        raise DefinitionError(f"{path}:1: -: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DefinitionError(f"{path}:1: -: is not UTF-8 text") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DefinitionError(f"{path}:{line}: -: {error.problem}") from error
    except yaml.YAMLError as error:
        raise DefinitionError(f"{path}:1: -: holds what YAML does not allow") from error
    except ValidationError as error:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        raise DefinitionError(
            *(
                f"{path}:{_line(root, fault['loc'])}: "
                f"{'.'.join(map(str, fault['loc'])) or '-'}: {fault['msg']}"
                for fault in error.errors(include_url=False, include_input=False)
            )
        ) from error


def _line(node: yaml.Node | None, path: Sequence[str | int]) -> int:
    """The line of the innermost place on `path` that the file has."""
    if node is None:
        return 1
    child: yaml.Node | None = None
    match node, path:
        case yaml.MappingNode(), [str(name), *_]:
            child = next((v for k, v in node.value if k.value == name), None)
        case yaml.SequenceNode(), [int(index), *_] if index < len(node.value):
            child = node.value[index]
    return _line(child, path[1:]) if child else node.start_mark.line + 1
