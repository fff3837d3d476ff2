"""Calls operations of an OpenAPI document."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from adapters.connections.http.calls import PreparedHttpCall
from adapters.connections.http.connection import HttpConnection
from adapters.connections.json_schema import ArgumentCheck, BadSchema, argument_check
from adapters.connections.openapi.document import OpenApiDocument, UnreadableDocument, read_document
from adapters.connections.openapi.model import OpenApiCall, OpenApiSettings
from adapters.connections.problems import read_call
from engine.errors import ToolRetry
from engine.ports.systems.connections import BadCall, CallRequest, CallShape

# Never asked: a faulty document prepares no call.
_NOWHERE = "http://127.0.0.1"


class OpenApiConnection:
    """An API at an address, and the document that describes it."""

    def __init__(self, name: str, settings: OpenApiSettings, folder: Path) -> None:
        self.name = name
        self._file = settings.document
        self._document: OpenApiDocument | None = None
        self._fault = ""
        try:
            self._document = read_document(folder / settings.document)
        except UnreadableDocument as error:
            self._fault = f"{settings.document} {error}"
        address = settings.address or (self._document.server if self._document else "")
        if not self._fault and not address.startswith(("http://", "https://")):
            self._fault = f"{settings.document} names no server; `address` should"
        self._http = HttpConnection(name, settings.at(address if not self._fault else _NOWHERE))

    def shape(self, body: Mapping[str, Any]) -> CallShape:
        """What the document says of the operation. Raises BadCall."""
        call = read_call(OpenApiCall, CallRequest(body, frozenset(), False, "one"))
        operation = self._read().operation(call.operation)
        schema = dict(operation.schema)
        schema["properties"] = {
            name: each for name, each in schema["properties"].items() if name not in call.fixed
        }
        schema["required"] = [name for name in schema["required"] if name not in call.fixed]
        return CallShape(schema, operation.writes, operation.description)

    def prepare(self, request: CallRequest) -> "PreparedOperation":
        """The call, checked. Raises BadCall."""
        call = read_call(OpenApiCall, request)
        operation = self._read().operation(call.operation)
        if unknown := sorted(call.fixed.keys() - operation.schema["properties"].keys()):
            raise BadCall(f"fixed: {call.operation} takes no {unknown[0]!r}")
        missing = set(operation.schema["required"]) - request.arguments - call.fixed.keys()
        if missing:
            raise BadCall(f"{call.operation} needs {', '.join(sorted(missing))}")
        there = frozenset(operation.schema["properties"]) - call.fixed.keys()
        if unknown := sorted(request.arguments - there):
            known = ", ".join(sorted(there)) or "none"
            raise BadCall(f"{unknown[0]!r} is no argument of {call.operation}; there are {known}")
        body = {
            "method": operation.method,
            "path": operation.path,
            "query": operation.query,
            "body": operation.body,
            "form": operation.form,
            "items": call.items,
            "pages": call.pages,
            "most": call.most,
        }
        inner = CallRequest(body, there | call.fixed.keys(), request.writes, request.result)
        check = _check_of(call.operation, operation.schema)
        properties = {name: operation.schema["properties"][name] for name in call.fixed}
        if fault := _check_of(call.operation, {"properties": properties})(call.fixed):
            raise BadCall(f"fixed: {fault}")
        return PreparedOperation(self._http.prepare(inner, fixed=call.fixed), check, call, there)

    async def probe(self) -> Sequence[str]:
        """What is wrong with the document, else with the connection."""
        return [self._fault] if self._fault else await self._http.probe()

    async def close(self) -> None:
        """Makes no call from now on."""
        await self._http.close()

    def _read(self) -> OpenApiDocument:
        if self._fault or self._document is None:
            raise BadCall(self._fault)
        return self._document


class PreparedOperation:
    """An operation, whose arguments are checked against the document before it is called."""

    def __init__(
        self,
        inner: PreparedHttpCall,
        check: ArgumentCheck,
        call: OpenApiCall,
        names: frozenset[str],
    ) -> None:
        self._inner = inner
        self._check = check
        self._fixed = call.fixed
        self._names = names

    @property
    def keyed(self) -> bool:
        """As the HTTP call's own."""
        return self._inner.keyed

    async def __call__(self, values: Mapping[str, JsonValue], *, key: str = "") -> JsonValue:
        """What the API answers. Raises ToolRetry for what the document does not allow."""
        given = {name: value for name, value in values.items() if name in self._names}
        if fault := self._check({**given, **self._fixed}):
            raise ToolRetry(fault)
        return await self._inner(given, key=key)


def _check_of(operation: str, schema: Mapping[str, Any]) -> ArgumentCheck:
    try:
        return argument_check({"type": "object", **schema}, vouched=True)
    except BadSchema as error:
        raise BadCall(f"operation: {operation!r} cannot be checked: {error}") from error
