"""JSON Schemas of a project folder's files, out of the models that read them, for editors."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Final

from pydantic import AliasChoices, BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from adapters.filesystem import read_text
from bot.project import PROJECT_FILE
from bot.starting.descriptions import describe_key, describe_model
from bot.starting.file_kinds import FILE_KINDS, FileKind, kind_of
from bot.wiring.connections import KINDS
from engine.errors import DefinitionError
from engine.playbooks.tool import ConnectedCall

SCHEMAS: Final = ".signoff/schema"
"""Where they stand in a project folder. They belong under version control, as the files do."""
_DRAFT: Final = "http://json-schema.org/draft-07/schema#"
_MARK: Final = "# yaml-language-server: $schema="


def add_schema_line(place: str, text: str) -> str:
    """The text of a file of a project folder with the line by which editors find its schema."""
    kind = kind_of(PurePosixPath(place))
    if kind is None or text.startswith(_MARK):
        return text
    up = "../" * (len(PurePosixPath(place).parts) - 1)
    return f"{_MARK}{up}{SCHEMAS}/{kind.name}.json\n{text}"


def write_schemas() -> dict[str, str]:
    """The text of each schema by its place in a project folder."""
    return {
        f"{SCHEMAS}/{kind.name}.json": json.dumps(schema_of(kind), ensure_ascii=False, indent=1)
        + "\n"
        for kind in FILE_KINDS
    }


def update_folder(folder: Path, *, lines: bool = False) -> int:
    """Write the schemas, and with `lines` name them in the files that do not; print which.

    Raises DefinitionError for a folder that holds no project.
    """
    if not (folder / PROJECT_FILE).exists():
        raise DefinitionError(f"{folder}: is no project folder: there is no {PROJECT_FILE} in it")
    for place, text in write_schemas().items():
        _write(folder / place, text)
    without = [place for place, text in _files(folder) if add_schema_line(place, text) != text]
    for place in without if lines else ():
        _write(folder / place, add_schema_line(place, read_text(folder / place)))
    if without and not lines:
        print(f"{len(without)} files do not name theirs in the first line; --lines adds it")
    return 0


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    for kind in FILE_KINDS:
        for pattern in kind.places:
            for path in sorted(folder.glob(pattern)):
                yield path.relative_to(folder).as_posix(), read_text(path)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(path)


@cache
def schema_of(kind: FileKind) -> dict[str, Any]:
    """The schema of that kind of file."""
    found = TypeAdapter(kind.content).json_schema(schema_generator=_FileSchema)
    found.pop("discriminator", None)
    if ConnectedCall.__name__ in found.get("$defs", ()):
        _add_calls(found["$defs"])
    return {"$schema": _DRAFT, **found}


class _FileSchema(GenerateJsonSchema):
    """Schemas in which every key says what it is, in the words of its model."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """The schema of a model, with what its docstring says of its keys."""
        found = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        if told := describe_model(model):
            found["description"] = told
        for name, field in model.model_fields.items():
            key = _key(name, field)
            given = found.get("properties", {}).get(key)
            if given is None:
                continue
            told = describe_key(model, key) or describe_key(model, name)
            found["properties"][key] = {**given, "description": told} if told else given
            if key == "kind" and "const" in given:
                found["required"] = ["kind", *found.get("required", [])]
        return found

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """The schema of a mapping, without any name that is not of the form that it should be."""
        found = super().dict_schema(schema)
        return {"additionalProperties": False, **found} if "patternProperties" in found else found

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Keys are their own titles."""
        return False


def _key(name: str, field: FieldInfo) -> str:
    """The key in files."""
    match field.validation_alias:
        case str() as alias:
            return alias
        case AliasChoices(choices=[str() as first, *_]):
            return first
    return name


def _add_calls(definitions: dict[str, Any]) -> None:
    """Let a call be that of one kind of connection."""
    calls = []
    for kind in KINDS.values():
        one = kind.call.model_json_schema(
            schema_generator=_FileSchema, ref_template="#/$defs/{model}"
        )
        definitions |= one.pop("$defs", {})
        one["properties"] = {"connection": {"type": "string"}} | one["properties"]
        one["required"] = ["connection", *one.get("required", [])]
        definitions[one["title"]] = one
        calls.append({"$ref": f"#/$defs/{one['title']}"})
    definitions[ConnectedCall.__name__] |= {"anyOf": calls}
