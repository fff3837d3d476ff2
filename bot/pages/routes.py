"""The admin pages' routes; off without SIGNOFF_ADMIN_TOKEN (design §9)."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from aiohttp import web
from pydantic import SecretStr

from bot.masking import compile_mask
from bot.pages.actions import ActionRequest, Actions
from bot.pages.guard import Form, form_of, guarded, same
from bot.pages.live import Live
from bot.pages.login import FormAction, LoginPages
from bot.pages.render import LIVE, PageRequest, Renderer, language, static_file
from bot.pages.session import Entrance, Visitor
from bot.pages.views.blocked import split
from bot.pages.views.card import CardWords, waiting
from bot.pages.views.run import read_entries, tokens_of, view_of
from bot.pages.views.run_list import LIVING, PAGE, STATUSES, asked_for, lines, read_run
from bot.pages.views.trace import kept, trace_lines, trace_view
from bot.wiring.service import Parts
from cards.model import Card
from engine.ports.storage.findings import ProjectFindings
from engine.reviews.handover import Seats, SeatTransfers
from engine.runs.replay import trace_of
from engine.talk.turn.traces import mask_texts

CARDS, SHOWN = 500, 100
TRACES = 100
FINDINGS = 20
RETRIED = 50
SAID = (
    "pages.said.gone",
    "pages.said.ended",
    "pages.said.child",
    "pages.said.cancelled",
    "pages.said.busy",
    "pages.said.retried",
    "pages.said.not_waiting",
    "pages.said.reposted",
    "pages.said.closed",
    "pages.said.reassigned",
    "pages.said.not_delegable",
    "pages.said.no_seat",
    "pages.said.may_not",
    "pages.said.handed_before",
    "pages.said.nobody",
    "pages.said.not_now",
    "pages.said.ordered",
)
Page = Callable[[PageRequest], Awaitable[web.StreamResponse]]


def admin_routes(parts: Parts, ended: asyncio.Event) -> Sequence[web.AbstractRouteDef]:
    """All routes of the pages, or none without a token for them; streams end with `ended`."""
    token = parts.settings.admin_token
    return AdminPages(parts, token, ended).routes() if token else ()


class AdminPages:
    """Reads what the store has, and shows it to who is signed in."""

    def __init__(self, parts: Parts, token: SecretStr, ended: asyncio.Event) -> None:
        settings = parts.settings
        self._parts = parts
        self._mask = compile_mask(settings.trace_mask)
        self._renderer = Renderer(settings.timezone)
        self._entrance = Entrance(
            token, parts.store.sessions, parts.store.rate, settings.public_url or ""
        )
        self._login = LoginPages(self._entrance, self._renderer, settings.proxies)
        self._live = Live(self._entrance, parts.store.listing, ended)
        self._transfers = SeatTransfers(parts.resources.people, settings.timezone)
        self._actions = Actions(
            parts.services.decisions,
            parts.store.operations,
            self._transfers,
            parts.services.clock,
            parts.telemetry.meter,
        )

    def routes(self) -> Sequence[web.AbstractRouteDef]:
        """One line per page."""
        return [
            web.get("/runs", self._page(self._runs)),
            web.get("/runs/{id}", self._page(self._run)),
            web.get("/runs/{id}/trace.json", self._page(self._trace_of_run)),
            web.post("/runs/{id}/{action}", self._form(self._act)),
            web.get("/pending", self._page(self._pending)),
            web.get("/blocked", self._page(self._blocked)),
            web.post("/blocked/retry", self._form(self._retry)),
            web.get("/traces", self._page(self._traces)),
            web.get("/traces/{id:.+}", self._page(self._trace)),
            web.get("/admin/live", guarded(self._live.stream, self._told)),
            web.get("/admin/login", guarded(self._login.show, self._told)),
            web.post("/admin/login", guarded(self._login.sign_in, self._told)),
            web.post("/admin/logout", self._form(self._login.sign_out)),
            web.get("/admin/static/{file}", guarded(_static, self._told)),
        ]

    def _told(self, request: web.Request, status: int, key: str) -> web.Response:
        asked = PageRequest(request, language(request))
        return self._renderer.page(asked, "told.html", status=status, key=key)

    def _page(self, page: Page) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """For who is signed in; anybody else is sent to sign in, and then back."""

        async def answer(request: web.Request) -> web.StreamResponse:
            visitor = await self._entrance.visitor(request.cookies)
            if visitor is not None:
                return await page(PageRequest(request, language(request), visitor))
            if LIVE in request.headers:
                return web.Response(status=401)
            return _see("/admin/login?" + urlencode({"next": request.path_qs}))

        return guarded(answer, self._told)

    def _form(self, act: FormAction) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """For forms of our own pages, sent by who is signed in, with the mark of the session."""

        async def answer(request: web.Request) -> web.StreamResponse:
            form = await form_of(request)
            visitor = await self._entrance.visitor(request.cookies)
            if visitor is None or form is None or not same(form.get("mark", ""), visitor.mark):
                return self._told(request, 403, "pages.refused")
            return await act(request, visitor, form)

        return guarded(answer, self._told)

    async def _runs(self, asked: PageRequest) -> web.StreamResponse:
        wanted = asked_for(asked.request.query)
        page = await self._parts.store.listing.runs(wanted.wanted, after=wanted.after, limit=PAGE)
        return self._renderer.page(
            asked,
            "runs.html",
            title="pages.runs",
            wanted=wanted,
            page=page,
            lines=lines(page, self._mask),
            statuses=(LIVING, *STATUSES),
            playbooks=sorted(self._parts.reloading.current.now.playbooks),
        )

    async def _run(self, asked: PageRequest) -> web.StreamResponse:
        parts, run_id = self._parts, asked.request.match_info["id"]
        history = await parts.store.archive.history(run_id)
        if history is None:
            return self._told(asked.request, 404, "pages.no_run")
        run = read_run(history.body)
        playbook = await parts.reloading.current.playbook(run.digest) if run else None
        waits = run.waiting if run else ()
        tokens = dict.fromkeys([*tokens_of(history), *waits])
        cards = await parts.store.listing.cards(list(tokens))
        view = view_of(run_id, history, cards, playbook, self._words(asked))
        project = playbook.definition.project if playbook else ""
        standing = (
            await parts.store.findings.of(project, FINDINGS) if project else ProjectFindings()
        )
        traced = await parts.store.archive.trace(run.reply) if run else None
        return self._renderer.page(
            asked,
            "run.html",
            title="pages.run",
            view=view,
            project=project,
            standing=standing,
            mask=self._mask,
            traced=run.reply if run and traced else "",
            seats=self._seats(cards if run and not history.ended else ()),
            said=_said(asked.request),
        )

    async def _trace_of_run(self, asked: PageRequest) -> web.StreamResponse:
        """What a replay takes, with personal data masked."""
        run_id = asked.request.match_info["id"]
        history = await self._parts.store.archive.history(run_id)
        run = read_run(history.body) if history else None
        if history is None:
            return self._told(asked.request, 404, "pages.no_run")
        whole = (
            trace_of(run, history.entries).model_dump(mode="json")
            if run
            else {"state": history.body, "steps": list(read_entries(history))}
        )
        return self._file("run", run_id, whole)

    def _file(self, what: str, name: str, whole: Any) -> web.Response:
        text = json.dumps(mask_texts(whole, self._mask), ensure_ascii=False, indent=1)
        name = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in name)
        headers = {"Content-Disposition": f'attachment; filename="{what}-{name}.json"'}
        return web.Response(text=text, content_type="application/json", headers=headers)

    async def _act(self, request: web.Request, visitor: Visitor, form: Form) -> web.StreamResponse:
        run_id = request.match_info["id"]
        told = {name: form.get(name, "") for name in ("card", "job", "text", "giver", "taker")}
        order = ActionRequest(by=visitor.id, target=run_id, **told)
        said = await self._actions.do(request.match_info["action"], order)
        if said is None:
            return self._told(request, 404, "pages.no_action")
        return _see(f"/runs/{quote(run_id, safe='')}?said={said}")

    async def _retry(
        self, request: web.Request, visitor: Visitor, form: Form
    ) -> web.StreamResponse:
        said = await self._actions.do(
            "retry", ActionRequest(by=visitor.id, target=form.get("name", ""))
        )
        return _see(f"/blocked?said={said}")

    async def _pending(self, asked: PageRequest) -> web.StreamResponse:
        parts, who = self._parts, asked.request.query.get("who", "")
        cards, count = await parts.store.listing.open_cards(CARDS)
        first = _whole(asked.request.query.get("from", ""))
        part, now = slice(first, first + SHOWN), parts.services.clock.now()
        found = waiting(cards, self._words(asked), now, who, part)
        projects = self._projects()
        standing = [(name, await parts.store.findings.of(name, FINDINGS)) for name in projects]
        return self._renderer.page(
            asked,
            "pending.html",
            title="pages.pending",
            cards=found.cards,
            groups=found.groups,
            first=first,
            following=first + SHOWN if found.count > first + SHOWN else 0,
            who=who,
            count=count,
            most=CARDS,
            projects=[(n, s) for n, s in standing if s.findings or s.dropped],
            mask=self._mask,
        )

    async def _blocked(self, asked: PageRequest) -> web.StreamResponse:
        operations = self._parts.store.operations
        runs, mail = split(await operations.waiting(), self._mask)
        return self._renderer.page(
            asked,
            "blocked.html",
            title="pages.blocked",
            runs=runs,
            mail=mail,
            retried=await operations.retried(RETRIED),
            said=_said(asked.request),
        )

    async def _traces(self, asked: PageRequest) -> web.StreamResponse:
        after = asked.request.query.get("after", "")
        found = await self._parts.store.archive.traces(TRACES, after=after)
        return self._renderer.page(
            asked,
            "traces.html",
            title="pages.traces",
            lines=trace_lines(found),
            after=after,
            older=found[-1][0] if len(found) == TRACES else "",
        )

    async def _trace(self, asked: PageRequest) -> web.StreamResponse:
        name = asked.request.match_info["id"]
        body = await self._parts.store.archive.trace(name)
        if body is None:
            return self._told(asked.request, 404, "pages.no_trace")
        if "download" in asked.request.query:
            return self._file("trace", name, kept(body))
        view = trace_view(name, body)
        return self._renderer.page(asked, "trace.html", title="pages.trace", view=view)

    def _seats(self, cards: Sequence[Card]) -> Mapping[str, Seats]:
        return self._transfers.seats(cards, self._parts.services.clock.now())

    def _words(self, asked: PageRequest) -> CardWords:
        parts = self._parts
        return CardWords(parts.resources.people, asked.lang, parts.settings.timezone, self._mask)

    def _projects(self) -> Sequence[str]:
        """Every project that something may have been found in."""
        parts = self._parts
        set_ones = (project for _, project in parts.settings.projects)
        default = parts.services.project("")
        own = (p.definition.project for p in parts.reloading.current.now.playbooks.values())
        return sorted({default, *set_ones, *own} - {""})


async def _static(request: web.Request) -> web.StreamResponse:
    return static_file(request.match_info["file"])


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0


def _said(request: web.Request) -> str:
    said = request.query.get("said", "")
    return said if said in SAID else ""


def _see(path: str) -> web.Response:
    return web.Response(status=303, headers={"Location": path})
