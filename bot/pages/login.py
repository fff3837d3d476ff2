"""LoginPages in and out."""

import secrets
from collections.abc import Awaitable, Callable, Collection
from urllib.parse import urlencode

from aiohttp import web

from bot.http.caller import find_client_address
from bot.pages.guard import Form, is_same_secret, local_path, read_form
from bot.pages.render import PageRequest, Renderer, choose_language
from bot.pages.session import COOKIE, AdminSessions, TryLater, Visitor
from engine.ports.settings import Network

FORM_COOKIE = "signoff_form"
FORM_KEEP_S = 3600

FormAction = Callable[[web.Request, Visitor, Form], Awaitable[web.StreamResponse]]


class LoginPages:
    """Signing in and out; the form carries a mark that its page sets as a cookie."""

    def __init__(
        self,
        sessions: AdminSessions,
        renderer: Renderer,
        proxies: Collection[Network],
        *,
        has_provider: bool = False,
    ) -> None:
        self._sessions = sessions
        self._renderer = renderer
        self._proxies = proxies
        self._has_provider = has_provider

    async def show(self, request: web.Request) -> web.StreamResponse:
        """The form; a redirect for who is signed in."""
        if await self._sessions.find_visitor(request.cookies):
            return web.Response(status=303, headers={"Location": _next(request)})
        return self._form(request, 200)

    async def sign_in(self, request: web.Request) -> web.StreamResponse:
        """A cookie and a redirect for the right token; else the form with the fault."""
        form = await read_form(request)
        mark = request.cookies.get(FORM_COOKIE, "")
        if form is None or not is_same_secret(form.get("mark", ""), mark):
            return self._form(request, 403, key="pages.refused")
        name = form.get("name", "")
        address = find_client_address(request, self._proxies)
        found = await self._sessions.sign_in(name, form.get("token", ""), address)
        if isinstance(found, TryLater):
            response = self._form(request, 429, key="pages.login.later", seconds=found.seconds)
            response.headers["Retry-After"] = str(found.seconds)
            return response
        if found is None:
            return self._form(request, 401, key="pages.login.wrong", name=name[:40])
        response = web.Response(status=303, headers={"Location": _next(request)})
        self._sessions.set_cookie(request, response, found)
        response.del_cookie(FORM_COOKIE, path="/admin/login")
        return response

    async def sign_out(
        self, request: web.Request, visitor: Visitor, form: Form
    ) -> web.StreamResponse:
        """End the session, and redirect to the form."""
        await self._sessions.sign_out(request.cookies)
        response = web.Response(status=303, headers={"Location": "/admin/login"})
        response.del_cookie(COOKIE, path="/")
        return response

    def _form(
        self, request: web.Request, status: int, *, key: str = "", name: str = "", seconds: int = 0
    ) -> web.Response:
        # The same mark in every tab, so that all of them can be sent.
        mark = request.cookies.get(FORM_COOKIE) or secrets.token_urlsafe(16)
        response = self._renderer.page(
            PageRequest(request, choose_language(request)),
            "login.html",
            status=status,
            title="pages.login",
            key=key,
            name=name,
            seconds=seconds,
            mark=mark,
            provider=f"/admin/login/begin?{urlencode({'next': _next(request)})}"
            if self._has_provider
            else "",
        )
        response.set_cookie(
            FORM_COOKIE,
            mark,
            max_age=FORM_KEEP_S,
            path="/admin/login",
            httponly=True,
            samesite="Strict",
        )
        return response


def _next(request: web.Request) -> str:
    return local_path(request.query.get("next", ""))
