"""Signing in to the admin pages at an identity provider, for people with the role admin."""

from typing import Final

import structlog
from aiohttp import web

from bot.pages.guard import local_path
from bot.pages.render import PageRequest, Renderer, choose_language
from bot.pages.session import AdminSessions
from bot.people.directory import Directory
from cards.model import ADMIN
from engine.ports.identity import (
    ATTEMPT_S,
    REFUSAL_TEXTS,
    IdentityProvider,
    ProviderAway,
    SignInRefused,
    attempt_text,
    read_attempt,
)

CALLBACK: Final = "/admin/login/callback"
_COOKIE: Final = "signoff_admin_attempt"
log = structlog.get_logger()


class ProviderLogin:
    """The way to the provider and back; `people` says who holds the role."""

    def __init__(
        self,
        sessions: AdminSessions,
        renderer: Renderer,
        provider: IdentityProvider,
        people: Directory,
        public_url: str,
    ) -> None:
        self._sessions = sessions
        self._renderer = renderer
        self._provider = provider
        self._people = people
        self._public_url = public_url

    async def begin(self, request: web.Request) -> web.StreamResponse:
        """Send the browser to the provider."""
        target = local_path(request.query.get("next", ""))
        try:
            start = await self._provider.begin(self._redirect_uri(request), target)
        except ProviderAway as away:
            log.warning("identity_provider_away", error=str(away))
            return self._page(request, 503, "sign_in.away")
        response = web.Response(status=303, headers={"Location": start.location})
        response.set_cookie(
            _COOKIE,
            attempt_text(start.attempt),
            max_age=ATTEMPT_S,
            path=CALLBACK,
            httponly=True,
            # The provider sends people back from another site.
            samesite="Lax",
            secure=self._sessions.is_secure(request),
        )
        return response

    async def finish(self, request: web.Request) -> web.StreamResponse:
        """Begin a session for an admin who came back."""
        attempt = read_attempt(request.cookies.get(_COOKIE, ""))
        try:
            name = await self._provider.finish(
                dict(request.query), attempt, self._redirect_uri(request)
            )
        except ProviderAway as away:
            log.warning("identity_provider_away", error=str(away))
            return self._page(request, 503, "sign_in.away")
        except SignInRefused as refused:
            log.warning("sign_in_refused", fault=refused.fault, why=str(refused))
            return self._page(request, 403, REFUSAL_TEXTS[refused.fault])
        found = (p for p in self._people.people if self._provider.is_named(name, p.id, p.email))
        person = next(found, None)
        if person is None:
            return self._page(request, 403, "sign_in.unknown")
        if ADMIN not in self._people.principal_of(person).roles:
            return self._page(request, 403, "sign_in.no_admin")
        secret = await self._sessions.begin(person.name, person=person.id)
        # A redirect would still be the other site's, and come without our strict cookie.
        target = local_path(attempt.target if attempt else "")
        response = self._page(request, 200, "sign_in.done", refresh=target)
        self._sessions.set_cookie(request, response, secret)
        return response

    def _page(
        self, request: web.Request, status: int, key: str, *, refresh: str = ""
    ) -> web.Response:
        page_request = PageRequest(request, choose_language(request))
        response = self._renderer.page(
            page_request, "signed_in.html", status=status, key=key, refresh=refresh
        )
        if request.path == CALLBACK:
            # Each try is good once.
            response.del_cookie(_COOKIE, path=CALLBACK)
        return response

    def _redirect_uri(self, request: web.Request) -> str:
        return (self._public_url or f"http://{request.host}") + CALLBACK
