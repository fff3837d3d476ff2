"""The admin pages' routes; off without SIGNOFF_ADMIN_TOKEN (design §9)."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from aiohttp import web
from pydantic import SecretStr

from bot.masking import compile_mask
from bot.pages.actions import ActionRequest, AdminActions
from bot.pages.guard import Form, is_same_secret, protect, read_form
from bot.pages.live import LiveUpdates
from bot.pages.login import FormAction, LoginPages
from bot.pages.provider_login import CALLBACK, ProviderLogin
from bot.pages.render import LIVE, PageRequest, Renderer, choose_language, static_file
from bot.pages.session import AdminSessions, Visitor
from bot.pages.views.blocked import list_waiting
from bot.pages.views.card import CardFormatter, list_cards
from bot.pages.views.run import build_run_view, find_card_tokens, read_entries
from bot.pages.views.run_list import LIVING, PAGE, STATUSES, list_lines, read_query, read_run
from bot.pages.views.trace import read_trace, trace_lines, trace_view
from bot.wiring.service import Parts
from cards.model import ADMIN, Card
from engine.ports.storage.findings import ProjectFindings
from engine.reviews.handover import SeatTransfers, TransferOptions
from engine.runs.replay import trace_of
from engine.talk.turn.traces import mask_texts

CARDS, SHOWN = 500, 100
TRACES = 100
FINDINGS = 20
RETRIED = 50
NOTICES = (
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


class AdminPages:
    """The admin pages, for visitors who are signed in."""

    def __init__(self, parts: Parts, token: SecretStr, ended: asyncio.Event) -> None:
        settings = parts.settings
        self._parts = parts
        self._mask = compile_mask(settings.trace_mask)
        self._renderer = Renderer(settings.timezone)
        self._sessions = AdminSessions(
            token, parts.store.sessions, parts.store.rate, settings.public_url or "", self._is_admin
        )
        provider, people = parts.resources.identity, parts.resources.people
        self._login = LoginPages(
            self._sessions, self._renderer, settings.proxies, has_provider=provider is not None
        )
        self._provider: ProviderLogin | None = None
        if provider is not None:
            self._provider = ProviderLogin(
                self._sessions, self._renderer, provider, people, settings.public_url or ""
            )
        self._live = LiveUpdates(self._sessions, parts.store.listing, ended)
        self._transfers = SeatTransfers(parts.resources.people, settings.timezone)
        self._actions = AdminActions(
            parts.services.decisions,
            parts.store.operations,
            self._transfers,
            parts.services.clock,
            parts.telemetry.meter,
        )

    def routes(self) -> Sequence[web.AbstractRouteDef]:
        """One line per page."""
        return [
            web.get("/runs", self._signed_in(self._runs)),
            web.get("/runs/{id}", self._signed_in(self._run)),
            web.get("/runs/{id}/trace.json", self._signed_in(self._trace_of_run)),
            web.post("/runs/{id}/{action}", self._own_form(self._act)),
            web.get("/pending", self._signed_in(self._pending)),
            web.get("/blocked", self._signed_in(self._blocked)),
            web.post("/blocked/retry", self._own_form(self._retry)),
            web.get("/traces", self._signed_in(self._traces)),
            web.get("/traces/{id:.+}", self._signed_in(self._trace)),
            web.get("/admin/live", protect(self._live.stream, self._error_page)),
            web.get("/admin/login", protect(self._login.show, self._error_page)),
            web.post("/admin/login", protect(self._login.sign_in, self._error_page)),
            web.post("/admin/logout", self._own_form(self._login.sign_out)),
            web.get("/admin/static/{file}", protect(_static, self._error_page)),
            *self._provider_routes(),
        ]

    def _provider_routes(self) -> Sequence[web.AbstractRouteDef]:
        if self._provider is None:
            return ()
        return (
            web.get("/admin/login/begin", protect(self._provider.begin, self._error_page)),
            web.get(CALLBACK, protect(self._provider.finish, self._error_page)),
        )

    def _is_admin(self, person: str) -> bool:
        found = self._parts.resources.people.person(person)
        return found is not None and ADMIN in found.roles

    def _error_page(self, request: web.Request, status: int, key: str) -> web.Response:
        page_request = PageRequest(request, choose_language(request))
        return self._renderer.page(page_request, "message.html", status=status, key=key)

    def _signed_in(self, page: Page) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """The page for visitors who are signed in; others are redirected to sign in first."""

        async def answer(request: web.Request) -> web.StreamResponse:
            visitor = await self._sessions.find_visitor(request.cookies)
            if visitor is not None:
                return await page(PageRequest(request, choose_language(request), visitor))
            if LIVE in request.headers:
                return web.Response(status=401)
            return _redirect("/admin/login?" + urlencode({"next": request.path_qs}))

        return protect(answer, self._error_page)

    def _own_form(self, act: FormAction) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        """The action for forms of our own pages, with a session and its mark."""

        async def answer(request: web.Request) -> web.StreamResponse:
            form = await read_form(request)
            visitor = await self._sessions.find_visitor(request.cookies)
            if (
                visitor is None
                or form is None
                or not is_same_secret(form.get("mark", ""), visitor.mark)
            ):
                return self._error_page(request, 403, "pages.refused")
            return await act(request, visitor, form)

        return protect(answer, self._error_page)

    async def _runs(self, page_request: PageRequest) -> web.StreamResponse:
        query = read_query(page_request.request.query)
        page = await self._parts.store.listing.runs(query.run_filter, after=query.after, limit=PAGE)
        return self._renderer.page(
            page_request,
            "runs.html",
            title="pages.runs",
            query=query,
            page=page,
            lines=list_lines(page, self._mask),
            statuses=(LIVING, *STATUSES),
            playbooks=sorted(self._parts.reloader.current.snapshot.playbooks),
        )

    async def _run(self, page_request: PageRequest) -> web.StreamResponse:
        parts, run_id = self._parts, page_request.request.match_info["id"]
        history = await parts.store.archive.history(run_id)
        if history is None:
            return self._error_page(page_request.request, 404, "pages.no_run")
        run = read_run(history.body)
        playbook = await parts.reloader.current.playbook(run.digest) if run else None
        waits = run.waiting if run else ()
        tokens = dict.fromkeys([*find_card_tokens(history), *waits])
        cards = await parts.store.listing.cards(list(tokens))
        view = build_run_view(run_id, history, cards, playbook, self._formatter(page_request))
        project = run.project if run else ""
        project = project or (playbook.definition.project if playbook else "")
        standing = (
            await parts.store.findings.of(project, FINDINGS) if project else ProjectFindings()
        )
        traced = await parts.store.archive.trace(run.reply) if run else None
        return self._renderer.page(
            page_request,
            "run.html",
            title="pages.run",
            view=view,
            project=project,
            standing=standing,
            mask=self._mask,
            traced=run.reply if run and traced else "",
            seats=self._seats(cards if run and not history.ended else ()),
            notice=_notice(page_request.request),
        )

    async def _trace_of_run(self, page_request: PageRequest) -> web.StreamResponse:
        """The trace that `signoff replay` reads, with personal data masked."""
        run_id = page_request.request.match_info["id"]
        history = await self._parts.store.archive.history(run_id)
        run = read_run(history.body) if history else None
        if history is None:
            return self._error_page(page_request.request, 404, "pages.no_run")
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
        values = {name: form.get(name, "") for name in ("card", "job", "text", "giver", "taker")}
        action = ActionRequest(by=visitor.id, target=run_id, **values)
        notice = await self._actions.do(request.match_info["action"], action)
        if notice is None:
            return self._error_page(request, 404, "pages.no_action")
        return _redirect(f"/runs/{quote(run_id, safe='')}?said={notice}")

    async def _retry(
        self, request: web.Request, visitor: Visitor, form: Form
    ) -> web.StreamResponse:
        notice = await self._actions.do(
            "retry", ActionRequest(by=visitor.id, target=form.get("name", ""))
        )
        return _redirect(f"/blocked?said={notice}")

    async def _pending(self, page_request: PageRequest) -> web.StreamResponse:
        parts, who = self._parts, page_request.request.query.get("who", "")
        cards, count = await parts.store.listing.open_cards(CARDS)
        first = _to_int(page_request.request.query.get("from", ""))
        part, now = slice(first, first + SHOWN), parts.services.clock.now()
        found = list_cards(cards, self._formatter(page_request), now, who, part)
        projects = self._projects()
        standing = [(name, await parts.store.findings.of(name, FINDINGS)) for name in projects]
        return self._renderer.page(
            page_request,
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

    async def _blocked(self, page_request: PageRequest) -> web.StreamResponse:
        operations = self._parts.store.operations
        runs, mail = list_waiting(await operations.waiting(), self._mask)
        return self._renderer.page(
            page_request,
            "blocked.html",
            title="pages.blocked",
            runs=runs,
            mail=mail,
            retried=await operations.retried(RETRIED),
            notice=_notice(page_request.request),
        )

    async def _traces(self, page_request: PageRequest) -> web.StreamResponse:
        after = page_request.request.query.get("after", "")
        found = await self._parts.store.archive.traces(TRACES, after=after)
        return self._renderer.page(
            page_request,
            "traces.html",
            title="pages.traces",
            lines=trace_lines(found),
            after=after,
            older=found[-1][0] if len(found) == TRACES else "",
        )

    async def _trace(self, page_request: PageRequest) -> web.StreamResponse:
        name = page_request.request.match_info["id"]
        body = await self._parts.store.archive.trace(name)
        if body is None:
            return self._error_page(page_request.request, 404, "pages.no_trace")
        if "download" in page_request.request.query:
            return self._file("trace", name, read_trace(body))
        view = trace_view(name, body)
        return self._renderer.page(page_request, "trace.html", title="pages.trace", view=view)

    def _seats(self, cards: Sequence[Card]) -> Mapping[str, TransferOptions]:
        return self._transfers.seats(cards, self._parts.services.clock.now())

    def _formatter(self, page_request: PageRequest) -> CardFormatter:
        parts = self._parts
        return CardFormatter(
            parts.resources.people,
            page_request.lang,
            parts.settings.timezone,
            self._mask,
            parts.resources.file_links.on_row,
        )

    def _projects(self) -> Sequence[str]:
        """All projects that may have findings."""
        parts = self._parts
        return sorted(parts.projects.book.projects)


async def _static(request: web.Request) -> web.StreamResponse:
    return static_file(request.match_info["file"])


def _to_int(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0


def _notice(request: web.Request) -> str:
    notice = request.query.get("said", "")
    return notice if notice in NOTICES else ""


def _redirect(path: str) -> web.Response:
    return web.Response(status=303, headers={"Location": path})
