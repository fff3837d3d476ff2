"""Visitors of the page sign in at an identity provider, and keep the cookie of a session."""

import html
import re
from collections.abc import Sequence
from typing import Final

import structlog
from aiohttp import web

from adapters.webchat.middleware import http_error
from adapters.webchat.visitors import SignInLinks, WebPerson
from cards.model import Lang
from cards.texts import lang_of_tag, say
from engine.errors import StoreUnavailable
from engine.ports.identity import (
    ATTEMPT_S,
    REFUSAL_TEXTS,
    IdentityProvider,
    ProviderAway,
    SignInAttempt,
    SignInRefused,
    attempt_text,
    read_attempt,
)
from engine.ports.storage.logins import Logins

CALLBACK: Final = "/login/callback"
HOME: Final = "/"
_TARGET: Final = re.compile(r"/(?:\?room=[\w%.:-]{1,200})?", re.ASCII)
_PAGE: Final = """<!doctype html>
<html lang="{lang}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="robots" content="noindex">
  <title>Signoff</title>
  <link rel="icon" type="image/svg+xml" href="/static/icon.svg">
  <link rel="stylesheet" href="/static/chat.css">
</head>
<body>
  <main class="scroll">
    <section class="empty">
      <img src="/static/icon.svg" alt="" width="52" height="52">
      <h1>Signoff</h1>
      <p id="told" role="status">{told}</p>
      <a class="button primary" href="{address}">{button}</a>
    </section>
  </main>
</body>
</html>
"""
_log = structlog.get_logger()


class ProviderSignIn(SignInLinks):
    """Visitors come back from the provider with a proof of who they are."""

    def __init__(
        self,
        logins: Logins,
        people: Sequence[WebPerson],
        provider: IdentityProvider,
        *,
        session_s: float,
        public_url: str,
    ) -> None:
        secure = public_url.startswith("https:")
        super().__init__(logins, people, session_s=session_s, secure=secure)
        self._provider = provider
        self._public_url = public_url
        self._attempt_cookie = "__Host-signoff-attempt" if secure else "signoff-attempt"

    def page(self, request: web.Request, *, key: str = "", status: int = 200) -> web.Response:
        """A page with the way to sign in, and what became of the last try."""
        lang = _lang(request)
        wanted = request.query.get("next") or (request.path_qs if request.path == HOME else "")
        target = local_target(wanted)
        text = _PAGE.format(
            lang=lang,
            told=html.escape(say(key or "sign_in.hint", lang)),
            address=html.escape(f"/login/begin?next={_quoted(target)}"),
            button=html.escape(say("sign_in.button", lang)),
        )
        return web.Response(text=text, content_type="text/html", charset="utf-8", status=status)

    async def begin(self, request: web.Request) -> web.StreamResponse:
        """Send the browser to the provider."""
        target = local_target(request.query.get("next", ""))
        try:
            start = await self._provider.begin(self._redirect_uri(request), target)
        except ProviderAway as away:
            _log.warning("identity_provider_away", error=str(away))
            return self.page(request, key="sign_in.away", status=503)
        response = web.Response(status=303, headers={"Location": start.location})
        response.set_cookie(
            self._attempt_cookie,
            attempt_text(start.attempt),
            max_age=ATTEMPT_S,
            path="/",
            httponly=True,
            secure=self._secure,
            samesite="Lax",
        )
        return response

    async def finish(self, request: web.Request) -> web.StreamResponse:
        """Begin a session for who came back, if people.yaml has them."""
        attempt = read_attempt(request.cookies.get(self._attempt_cookie, ""))
        response = await self._finish(request, attempt)
        # Each try is good once.
        response.del_cookie(self._attempt_cookie, path="/", secure=self._secure, httponly=True)
        return response

    async def _finish(self, request: web.Request, attempt: SignInAttempt | None) -> web.Response:
        try:
            name = await self._provider.finish(
                dict(request.query), attempt, self._redirect_uri(request)
            )
        except ProviderAway as away:
            _log.warning("identity_provider_away", error=str(away))
            return self.page(request, key="sign_in.away", status=503)
        except SignInRefused as refused:
            _log.warning("sign_in_refused", fault=refused.fault, why=str(refused))
            return self.page(request, key=REFUSAL_TEXTS[refused.fault], status=403)
        person = self._find(name)
        if person is None:
            _log.warning("sign_in_refused", fault="unknown", why="nobody of that name is known")
            return self.page(request, key="sign_in.unknown", status=403)
        try:
            # A link that is spent at once: both are kept in the same way.
            link = await self._logins.link(person.person, keep_s=60)
            session = await self._logins.enter(link, keep_s=self._session_s)
        except StoreUnavailable as away:
            raise http_error(web.HTTPServiceUnavailable, "the store is away") from away
        target = local_target(attempt.target if attempt else "")
        response = web.Response(status=303, headers={"Location": target})
        self.set_cookie(response, session or "")
        return response

    def _find(self, name: str) -> WebPerson | None:
        return next(
            (p for p in self._people if self._provider.is_named(name, p.person, p.email)),
            None,
        )

    def _redirect_uri(self, request: web.Request) -> str:
        return (self._public_url or f"http://{request.host}") + CALLBACK


def local_target(text: str) -> str:
    """The page's address with a room, if it is that; else the page's."""
    return text if _TARGET.fullmatch(text) else HOME


def _quoted(target: str) -> str:
    return target.replace("%", "%25").replace("?", "%3F").replace("=", "%3D").replace("&", "%26")


def _lang(request: web.Request) -> Lang:
    return lang_of_tag(request.headers.get("Accept-Language", ""))
