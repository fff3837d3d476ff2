"""Operations of an OpenAPI document: what each is asked with, and what arguments that takes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from engine.ports.systems.connections import BadCall

MAX_BYTES = 10 * 1024 * 1024
_METHODS = ("get", "head", "post", "put", "patch", "delete")
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"
_DEPTH = 50


class UnreadableDocument(Exception):
    """The document cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A request as an HTTP call has it, and the JSON schema of its arguments."""

    method: str
    path: str
    query: Mapping[str, str]
    body: Any
    form: bool
    schema: Mapping[str, Any]
    description: str

    @property
    def writes(self) -> bool:
        """Whether its method says that it changes something."""
        return self.method not in ("GET", "HEAD")


class OpenApiDocument:
    """A document and its operations by id."""

    def __init__(self, tree: Any) -> None:
        version = str(tree.get("openapi", "")) if isinstance(tree, Mapping) else ""
        if not version.startswith("3."):
            raise UnreadableDocument("is no OpenAPI document of version 3.0 or 3.1")
        self._tree = tree
        resource = DRAFT202012.create_resource(tree)
        registry: Registry[Any] = Registry().with_resource("", resource)
        self._resolver = registry.resolver()
        self._operations = {
            str(operation["operationId"]): (method, path, operation, item)
            for method, path, operation, item in self._listed()
            if "operationId" in operation
        }

    @property
    def server(self) -> str:
        """The address of its first server, "" where it names none."""
        servers = self._tree.get("servers") or [{}]
        return str(servers[0].get("url", "")).rstrip("/")

    @property
    def operations(self) -> tuple[str, ...]:
        """The ids of its operations."""
        return tuple(self._operations)

    def operation(self, name: str) -> Operation:
        """The operation of that id. Raises BadCall."""
        if name not in self._operations:
            known = ", ".join(sorted(self._operations)[:20])
            raise BadCall(f"operation: there is no {name!r}; there are {known or 'none'}")
        method, path, operation, item = self._operations[name]
        try:
            return self._read(method, path, operation, item)
        except (Unresolvable, KeyError, TypeError, AttributeError) as error:
            raise BadCall(f"operation: {name!r} cannot be read in the document: {error}") from error

    def _listed(self) -> Iterator[tuple[str, str, Mapping[str, Any], Mapping[str, Any]]]:
        for path, at in (self._tree.get("paths") or {}).items():
            item = self._resolved(at)
            for method in _METHODS:
                if isinstance(item.get(method), Mapping):
                    yield method.upper(), str(path), item[method], item

    def _read(
        self, method: str, path: str, operation: Mapping[str, Any], item: Mapping[str, Any]
    ) -> Operation:
        properties: dict[str, Any] = {}
        required: list[str] = []
        query: dict[str, str] = {}
        for parameter in self._parameters(operation, item):
            name, at, needed = parameter["name"], parameter["in"], parameter.get("required", False)
            if at in ("header", "cookie"):
                if needed:
                    raise BadCall(f"operation: its {at} {name!r} cannot be given by a tool")
                continue
            argument = _identifier(name)
            schema = self._inlined(parameter.get("schema") or {})
            properties[argument] = _described(schema, parameter.get("description"))
            required += [argument] if needed or at == "path" else []
            if at == "path":
                path = path.replace(f"{{{name}}}", f"\0{argument}\1")
            else:
                query[name] = f"{{{argument}}}"
        body, form = self._body(operation, properties, required)
        path = path.replace("{", "{{").replace("}", "}}").replace("\0", "{").replace("\1", "}")
        schema = {"type": "object", "properties": properties, "required": required}
        words = operation.get("summary") or operation.get("description") or ""
        return Operation(method, path, query, body, form, schema, " ".join(str(words).split()))

    def _parameters(
        self, operation: Mapping[str, Any], item: Mapping[str, Any]
    ) -> list[Mapping[str, Any]]:
        """Those of the path and of the operation, which has the last word on one of a name."""
        listed = [*(item.get("parameters") or ()), *(operation.get("parameters") or ())]
        resolved = [self._resolved(each) for each in listed]
        return list({(each["in"], each["name"]): each for each in resolved}.values())

    def _body(
        self, operation: Mapping[str, Any], properties: dict[str, Any], required: list[str]
    ) -> tuple[Any, bool]:
        if "requestBody" not in operation:
            return None, False
        told = self._resolved(operation["requestBody"])
        content = {str(kind).partition(";")[0]: each for kind, each in told["content"].items()}
        kind = next((kind for kind in (_JSON, _FORM) if kind in content), None)
        if kind is None:
            raise BadCall(f"operation: a body of {', '.join(content)} cannot be sent; JSON can")
        schema = self._inlined(content[kind].get("schema") or {})
        if schema.get("type") != "object" or not schema.get("properties"):
            properties["body"] = _described(schema, told.get("description"))
            required += ["body"] if told.get("required") else []
            return "{body}", kind == _FORM
        tree = {}
        for name, each in schema["properties"].items():
            if each.get("readOnly"):
                continue
            argument = _identifier(name)
            # A parameter of the same name is another thing.
            argument = f"body_{argument}" if argument in properties else argument
            properties[argument] = each
            tree[name] = f"{{{argument}}}"
            required += [argument] if name in schema.get("required", ()) else []
        return tree, kind == _FORM

    def _resolved(self, node: Any) -> Any:
        for _ in range(_DEPTH):
            if not isinstance(node, Mapping) or "$ref" not in node:
                return node
            node = self._resolver.lookup(node["$ref"]).contents
        raise Unresolvable(ref=str(node))

    def _inlined(self, schema: Any, depth: int = 0) -> dict[str, Any]:
        """The schema with what it refers to in place; what refers to itself is left open."""
        schema = self._resolved(schema)
        if not isinstance(schema, Mapping) or depth > 4:
            return {}
        told = dict(schema)
        if "allOf" in told:
            parts = [self._inlined(each, depth + 1) for each in told.pop("allOf")]
            told = _merged([*parts, told])
        if isinstance(told.get("properties"), Mapping):
            told["properties"] = {
                name: self._inlined(each, depth + 1) for name, each in told["properties"].items()
            }
        for key in ("items", "additionalProperties", "not"):
            if isinstance(told.get(key), Mapping):
                told[key] = self._inlined(told[key], depth + 1)
        for key in ("anyOf", "oneOf"):
            if isinstance(told.get(key), list):
                told[key] = [self._inlined(each, depth + 1) for each in told[key]]
        kinds = told.get("type")
        if isinstance(kinds, list):
            named = [each for each in kinds if each != "null"]
            told["type"] = named[0] if len(named) == 1 else named or "string"
        return _with_bounds_of_today(told)


def read_document(path: Path) -> OpenApiDocument:
    """The document in a file of JSON or YAML. Raises UnreadableDocument."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UnreadableDocument(f"has more than {MAX_BYTES // 1024 // 1024} MB")
        text = path.read_text(encoding="utf-8-sig")
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return OpenApiDocument(yaml.load(text, Loader=loader))  # noqa: S506
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise UnreadableDocument(f"cannot be read: {type(error).__name__}") from error


def _identifier(name: str) -> str:
    """A parameter's name as one of an argument."""
    plain = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name)
    return f"_{plain}" if plain[:1].isdigit() else plain


def _described(schema: dict[str, Any], words: Any) -> dict[str, Any]:
    return {"description": str(words), **schema} if words else schema


def _with_bounds_of_today(schema: dict[str, Any]) -> dict[str, Any]:
    """Bounds that OpenAPI 3.0 marks as exclusive, as JSON Schema has had them since."""
    for bound, mark in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(schema.get(mark), bool):
            exclusive = schema.pop(mark)
            if exclusive and bound in schema:
                schema[mark] = schema.pop(bound)
    return schema


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for part in parts:
        properties = {**told.get("properties", {}), **part.get("properties", {})}
        required = [*told.get("required", ()), *part.get("required", ())]
        told |= part
        if properties:
            told |= {"type": "object", "properties": properties, "required": required}
    return told
