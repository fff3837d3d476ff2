"""Our side of a REDCap server, as these tests set it up."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from pydantic import SecretStr

from adapters.connections.redcap.connection import RedcapConnection
from adapters.connections.redcap.model import RedcapSettings
from engine.ports.systems.connections import CallRequest
from tests.fakes.redcap_server import TOKEN
from tests.fakes.redcap_study import OF_SUBJECT, WRITE


class Edc:
    """The connection, and calls of it."""

    def __init__(self, connection: RedcapConnection) -> None:
        self.connection = connection

    async def read(self, body: Mapping[str, Any], *, result: str = "many", **values: Any) -> Any:
        """What a call that reads gives."""
        names = frozenset({"subject_id", "visit_date", *values})
        return await self.connection.prepare(CallRequest(body, names, False, result))(values)

    async def visits(self, subject_id: str) -> list[dict[str, Any]]:
        """A subject's visits, oldest first."""
        body = {**OF_SUBJECT, "sort": ["visit_date"]}
        body.pop("connection")
        return await self.read(body, subject_id=subject_id)  # type: ignore[no-any-return]

    async def write(
        self,
        visit: Mapping[str, Any],
        *,
        key: str,
        by: str = "",
        call: Mapping[str, Any] | None = None,
    ) -> str:
        """Write a visit; whether it is new or a repeat."""
        body = {**WRITE, **(call or {})}
        body.pop("connection")
        request = CallRequest(body, frozenset(visit), True, "one", frozenset({"approver"}))
        prepared = self.connection.prepare(request)
        assert prepared.keyed is bool(body["key"])
        told = await prepared({**visit, "approver": by}, key=key)
        assert isinstance(told, dict)
        return "repeat" if told["repeated"] else "new"


@asynccontextmanager
async def opened(url: str, *, token: str = TOKEN, timeout_s: float = 30) -> AsyncIterator[Edc]:
    """A connection to the server at `url`."""
    settings = RedcapSettings(address=url, token=SecretStr(token), timeout_s=timeout_s)
    connection = RedcapConnection("edc", settings)
    try:
        yield Edc(connection)
    finally:
        await connection.close()
