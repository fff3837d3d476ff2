"""An HTTP API that speaks JSON, as a connection."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import aiohttp
from pydantic import JsonValue

from adapters.connections.http.calls import PreparedHttpCall
from adapters.connections.http.model import HttpCall
from adapters.connections.http.server import HttpServer
from adapters.connections.problems import read_call
from engine.errors import ToolFailed
from engine.ports.systems.connections import CallRequest


class HttpConnection(HttpServer):
    """The API at an address; no secret and no address is ever shown or logged."""

    def shape(self, body: Mapping[str, Any]) -> None:
        """Nothing: the file says what a call takes."""

    def prepare(
        self, request: CallRequest, fixed: Mapping[str, JsonValue] | None = None
    ) -> PreparedHttpCall:
        """The call, checked; `fixed` are arguments of every call. Raises BadCall."""
        return PreparedHttpCall(self, read_call(HttpCall, request), request, fixed or {})

    async def probe(self) -> Sequence[str]:
        """What is wrong: no connection, no token. Any answer of the server counts as there."""
        try:
            async with asyncio.timeout(self.settings.timeout_s):
                async with self.session.get(self.settings.address, allow_redirects=False) as answer:
                    denied = answer.status in (401, 403) and self.settings.auth is not None
                    return [f"the server answers {answer.status} to our key"] if denied else []
        except TimeoutError:
            return ["the server does not answer in time"]
        except ToolFailed as error:
            return [str(error)]
        except aiohttp.ClientSSLError as error:
            return [f"no secure connection: {type(error).__name__}"]
        except (aiohttp.ClientError, OSError):
            return ["no server answers at its address: is it running, and is the address right?"]
