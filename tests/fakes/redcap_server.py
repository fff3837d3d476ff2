"""A stub of a REDCap server's API on 127.0.0.1, as its public documentation and clients know it.

One project with repeating instruments; JSON only. A parameter that it does not know is a
fault of the caller's, which a real server would ignore in silence.
"""

import asyncio
import json
import re
import socket
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from typing import Any, Literal, Self

from aiohttp import web

from tests.fakes.redcap_project import Project, Refused

TOKEN = "0123456789ABCDEF0123456789ABCDEF"
NO_API = "You do not have permissions to use the API"
NO_EXPORT = "You do not have API Export privileges"
NO_IMPORT = "You do not have API Import/Update privileges"

Action = Literal["export", "import"]
Trouble = Literal["broken", "bad_gateway", "page", "redirect", "silent", "cut", "other_json"]
Form = dict[str, str]

_COMMON = {"token", "content", "action", "format", "returnFormat"}
_EXPORT = _COMMON | {
    *("type", "rawOrLabel", "rawOrLabelHeaders", "exportCheckboxLabel", "exportSurveyFields"),
    *("exportDataAccessGroups", "eventName", "decimalCharacter"),
}
_IMPORT = _COMMON | {
    *("type", "overwriteBehavior", "forceAutoNumber", "backgroundProcess", "dateFormat"),
    *("data", "returnContent"),
}
_LIST = re.compile(r"(records|fields|events)\[\d+\]")


class RedcapServer:
    """`async with RedcapServer(project) as server`; its `url` is the API's address.

    `calls` holds every accepted form, `faults` every wrong one. `trouble` lets calls go wrong.
    `before_import` runs once an import has been read and before it is stored, `before_export`
    before an export is answered.
    """

    def __init__(self, project: Project, *, token: str = TOKEN) -> None:
        self.project = project
        self.token = token
        self.may_export = True
        self.may_import = True
        self.url = ""
        self.calls: list[Form] = []
        self.faults: list[str] = []
        self.elsewhere: list[Form] = []
        self.before_import: Callable[[], None] | None = None
        self.before_export: Callable[[Form], Awaitable[None]] | None = None
        self.importers: asyncio.Barrier | None = None
        self._troubles: dict[Action, deque[tuple[Trouble | None, bool]]] = defaultdict(deque)
        self._closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/api/", self._handle)
        app.router.add_post("/elsewhere/", self._elsewhere)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        await web.SockSite(self._runner, listener).start()
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}/api/"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing.set()
        await self._runner.cleanup()

    def trouble(
        self, action: Action, kind: Trouble, *, done: bool = False, times: int = 1, after: int = 0
    ) -> None:
        """`times` calls, after so many good ones, go wrong; with `done` they are carried out."""
        self._troubles[action].extend([(None, False)] * after)
        self._troubles[action].extend([(kind, done)] * times)

    async def _elsewhere(self, request: web.Request) -> web.Response:
        self.elsewhere.append({k: str(v) for k, v in (await request.post()).items()})
        return web.json_response([])

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        form = {name: str(value) for name, value in (await request.post()).items()}
        action: Action = "import" if "data" in form else "export"
        if action == "export" and self.before_export:
            await self.before_export(form)
        queue = self._troubles[action]
        kind, done = queue.popleft() if queue else (None, False)
        if kind is None or done:
            answer = await self._answered(request, form, action)
            if kind is None:
                return answer
        return await self._wrong(request, kind)

    async def _wrong(self, request: web.Request, kind: Trouble) -> web.StreamResponse:
        match kind:
            case "broken":
                return web.json_response({"error": "An unknown error occurred"}, status=500)
            case "bad_gateway":
                return web.Response(text="<h1>502</h1>", content_type="text/html", status=502)
            case "page":
                return web.Response(text="<html>Log in</html>", content_type="text/html")
            case "redirect":
                return web.Response(status=307, headers={"Location": "/elsewhere/"})
            case "other_json":
                return web.json_response({"count": 1})
            case "silent":
                await self._closing.wait()
            case "cut":
                assert request.transport is not None
                request.transport.abort()
        return web.Response()

    async def _answered(self, request: web.Request, form: Form, action: Action) -> web.Response:
        try:
            self._allowed(request, form, action)
            said = await self._said(form, action)
        except Refused as refused:
            return web.json_response({"error": refused.words}, status=refused.status)
        self.calls.append(form)
        return said if isinstance(said, web.Response) else web.json_response(said)

    def _allowed(self, request: web.Request, form: Form, action: Action) -> None:
        if request.content_type != "application/x-www-form-urlencoded":
            self._fault(f"content type {request.content_type}")
        if form.get("token") != self.token:
            raise Refused(NO_API, 403)
        if not (self.may_import if action == "import" else self.may_export):
            raise Refused(NO_IMPORT if action == "import" else NO_EXPORT, 403)
        if form.get("format", "json") != "json" or form.get("returnFormat", "json") != "json":
            self._fault("this stub speaks JSON only")
        if form.get("action", action) != action:
            self._fault(f"an {action} with action={form['action']}")

    async def _said(self, form: Form, action: Action) -> Any:
        match form.get("content"), action:
            case "record", "export":
                return self._export(form)
            case "record", "import":
                return await self._import(form)
            case "metadata", "export":
                wanted = _listed(form, "fields")
                lines = [f.metadata() for f in self.project.fields]
                return [line for line in lines if not wanted or line["field_name"] in wanted]
            case "repeatingFormsEvents", "export":
                return [
                    {"form_name": form_name, "custom_form_label": ""}
                    for form_name in sorted(self.project.repeating)
                ]
            case "instrument", "export":
                return [
                    {"instrument_name": name, "instrument_label": name.title()}
                    for name in self.project.forms()
                ]
            case "version", "export":
                return web.Response(text="15.0.0")
            case "formEventMapping", "export":
                raise Refused("You cannot export form/event mappings for classic projects")
        raise Refused('The value of the parameter "content" is not valid')

    def _export(self, form: Form) -> Any:
        self._check(form, _EXPORT)
        if form.get("type", "flat") != "flat" or form.get("rawOrLabel", "raw") != "raw":
            self._fault("this stub exports flat and raw only")
        records = _listed(form, "records")
        fields, events = _listed(form, "fields") or [], _listed(form, "events")
        return self.project.export(fields, records, events)

    async def _import(self, form: Form) -> Any:
        self._check(form, _IMPORT)
        behaviour = form.get("overwriteBehavior", "normal")
        if behaviour not in ("normal", "overwrite"):
            raise Refused("Invalid overwriteBehavior")
        try:
            rows = json.loads(form["data"])
        except ValueError as error:
            raise Refused("The data being imported is not formatted correctly", 406) from error
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise Refused("The data being imported is not formatted correctly", 406)
        if self.importers is not None:
            await self.importers.wait()
        if self.before_import is not None:
            self.before_import()
        ids = self.project.import_rows(rows, overwrite=behaviour == "overwrite")
        match form.get("returnContent", "count"):
            case "ids":
                return ids
            case "count":
                return {"count": len(ids)}
            case _:
                return web.Response()

    def _check(self, form: Form, known: set[str]) -> None:
        for name in form:
            listed = _LIST.fullmatch(name) is not None and "data" not in form
            if name not in known and not listed:
                self._fault(f"unknown parameter {name}")

    def _fault(self, words: str) -> None:
        self.faults.append(words)
        raise Refused(words)


def _listed(form: Form, name: str) -> list[str] | None:
    found = [value for key, value in form.items() if re.fullmatch(rf"{name}\[\d+\]", key)]
    return found or None
