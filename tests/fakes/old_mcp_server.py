"""An MCP server of the handshake revisions in plain JSON lines over stdio, without the SDK.

Strict about its order of messages; gives its tools in pages, asks its client for a model's
answer in the middle of a call, and lists a second tool once it has told that its tools changed.
With a file named, it writes its process id there and does not end when its client is gone, but
only notes that in a second file; with one more word, it lists no tools.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

READ = {"readOnlyHint": True}
EMPTY = {"type": "object"}
UNFIT = {
    "elsewhere": {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:1/s.json"}}},
    "choice": {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "invalid": {"type": "object", "properties": {"a": {"type": "no such type"}}},
    "long": {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(1000)}},
}


class Old:
    """One session."""

    def __init__(self) -> None:
        self.changed = False
        self.ready = False

    def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == "initialize":
            tools = {"tools": {"listChanged": True}}
            about = {"name": "old", "version": "1"}
            version = "2025-06-18"
            return {"protocolVersion": version, "capabilities": tools, "serverInfo": about}
        if not self.ready:
            raise LookupError("not initialized yet")
        if method == "tools/list":
            return self.page(params.get("cursor", ""))
        if method == "tools/call" and params["name"] == "ask":
            return text(json.dumps(self.ask(), sort_keys=True))
        if method == "tools/call" and params["name"] == "change":
            self.changed = True
            send({"method": "notifications/tools/list_changed"})
            return text("changed")
        if method == "tools/call" and params["name"] == "garble":
            return {"content": "this is no list"}
        raise LookupError(f"no {method}")

    def page(self, cursor: str) -> dict[str, Any]:
        if len(sys.argv) > 2:
            raise LookupError("no tools today")
        if not cursor:
            return {"tools": [tool("ask"), tool("change"), tool("garble")], "nextCursor": "2"}
        later = [tool("ask"), *(tool(name, schema) for name, schema in UNFIT.items())]
        return {"tools": [*later, tool("later")] if self.changed else later}

    def ask(self) -> dict[str, Any]:
        """What the client answers when it is asked for a model's words."""
        message = {"role": "user", "content": {"type": "text", "text": "Say something."}}
        params = {"messages": [message], "maxTokens": 5}
        send({"id": "mine", "method": "sampling/createMessage", "params": params})
        while (message := receive()).get("id") != "mine":
            pass
        return {key: message[key] for key in ("result", "error") if key in message}


def tool(name: str, schema: dict[str, Any] = EMPTY) -> dict[str, Any]:
    return {"name": name, "inputSchema": schema, "annotations": READ}


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def send(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        if len(sys.argv) > 1:
            Path(sys.argv[1] + ".left").touch()
            signal.pause()
        raise SystemExit(0)
    message: dict[str, Any] = json.loads(line)
    return message


def main() -> None:
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(str(os.getpid()))
    session = Old()
    while True:
        message = receive()
        if message.get("method") == "notifications/initialized":
            session.ready = True
        if "method" not in message or "id" not in message:
            continue
        try:
            result = session.answer(message["method"], message.get("params") or {})
        except LookupError as error:
            fault = {"code": -32601, "message": str(error)}
            send({"id": message["id"], "error": fault})
        else:
            send({"id": message["id"], "result": result})


if __name__ == "__main__":
    main()
