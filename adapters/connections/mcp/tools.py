"""The tools of all servers together: the port that the engine sees."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.errors import ToolFailed
from engine.ports.systems.remote_tools import RemoteTool, Server

if TYPE_CHECKING:
    from adapters.connections.mcp.offering import OfferingServer


class McpTools:
    """Read-only tools of these servers; before `run` and while a server is away, it has none.

    `reserved` are the names of our own tools, which no other tool gets.
    """

    def __init__(self, servers: Sequence[Server], reserved: Collection[str]) -> None:
        self._servers = servers
        self._reserved = frozenset(reserved)
        self._offering: list[OfferingServer] = []
        self._tools: tuple[RemoteTool, ...] = ()

    def tools(self) -> tuple[RemoteTool, ...]:
        """As `RemoteTools.tools`."""
        return self._tools

    async def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """As `RemoteTools.call`."""
        for server in self._offering:
            if name in server.offers:
                return await server.call(name, arguments)
        raise ToolFailed("tool.remote.away", tool=name)

    async def run(self) -> None:
        """Hold a session with each server until cancelled, then end them and their processes."""
        if not self._servers:
            return
        # The SDK takes a while to load, and only a worker that has servers needs it.
        import anyio

        from adapters.connections.mcp.offering import OfferingServer

        self._offering = [OfferingServer(s, self._reserved, self._gather) for s in self._servers]
        # Not asyncio's group: its way to cancel breaks through the shield behind which the SDK may
        # just be ending a child process, which would then be left behind.
        async with anyio.create_task_group() as group:
            for server in self._offering:
                group.start_soon(server.session.run)

    def _gather(self) -> None:
        self._tools = tuple(
            offer.listed for each in self._offering for offer in each.offers.values()
        )
