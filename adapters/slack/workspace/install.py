"""Installing the app in workspaces by OAuth: its two pages, and uninstalling.

The state that goes to Slack and back is valid once, for ten minutes, and only in the browser that
began, by a cookie. No code, state or token is ever logged.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final
from urllib.parse import quote

import structlog
from aiohttp import hdrs, web
from slack_sdk.oauth import AuthorizeUrlGenerator, OAuthStateUtils
from slack_sdk.oauth.installation_store import Installation
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore

from adapters.slack.api import HttpSession, WebApi
from adapters.slack.clouds import COMMERCIAL, cloud_of
from adapters.slack.workspace.scopes import required_scopes
from cards.model import Lang
from cards.texts import lang_of_tag, say
from engine.errors import PlatformError, StoreError
from engine.ports.clock import Clock

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # The address has the code and the state in it.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_PAGE = """<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8"><title>Signoff</title>
<meta name="viewport" content="width=device-width">
<style>body {{ font: 1.1rem/1.5 sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem }}
</style></head><body><h1>Signoff</h1><p>{text}</p>{link}</body></html>
"""
INSTALL: Final = "/slack/install"
REDIRECT: Final = "/slack/oauth_redirect"
log = structlog.get_logger("slack")


@dataclass(frozen=True, slots=True)
class SlackApp:
    """The app as Slack knows it, and where it is reached; `teams` may install it, () is all."""

    client_id: str
    client_secret: str
    public_url: str
    api_url: str = ""
    teams: Collection[str] = ()

    @property
    def domain(self) -> str:
        """Where people sign in to Slack."""
        return cloud_of(self.api_url) or COMMERCIAL

    @property
    def redirect_uri(self) -> str:
        """Where Slack sends whoever installed the app."""
        return self.public_url.rstrip("/") + REDIRECT


class _InstallRefused(Exception):
    """The installation is refused; the argument is the key of the sentence that says why."""


class Install:
    """The pages of one app, over slack_sdk's two stores."""

    def __init__(
        self,
        app: SlackApp,
        installations: AsyncInstallationStore,
        states: AsyncOAuthStateStore,
        clock: Clock,
    ) -> None:
        self._app = app
        self._installations = installations
        self._states = states
        self._clock = clock
        self._http = HttpSession()
        self._cookie = OAuthStateUtils()
        self._urls = AuthorizeUrlGenerator(
            client_id=app.client_id,
            scopes=sorted(required_scopes()),
            redirect_uri=quote(app.redirect_uri, safe=""),
            authorization_url=f"https://{app.domain}/oauth/v2/authorize",
        )

    def routes(self) -> list[web.RouteDef]:
        """Return the page that leads to Slack, and the one that Slack redirects to."""
        return [
            web.get(INSTALL, self._begin, allow_head=False),
            web.get(REDIRECT, self._finish, allow_head=False),
        ]

    async def close(self) -> None:
        """Ends the HTTP session."""
        await self._http.close()

    async def forget(self, team: str, at_s: float) -> None:
        """Forget an installation that was removed at that moment (epoch). Raises StoreUnavailable.

        A later installation stays: Slack's events may come late.
        """
        found = await self._installations.async_find_installation(enterprise_id=None, team_id=team)
        if found is None:
            return
        if at_s < int(found.installed_at):
            log.info("slack_uninstalled_before", team=team)
            return
        await self._installations.async_delete_all(enterprise_id=None, team_id=team)
        log.warning("slack_uninstalled", team=team, effect="nothing is sent there any more")

    async def _begin(self, request: web.Request) -> web.Response:
        try:
            state = await self._states.async_issue()
        except StoreError as error:
            log.warning("slack_install_failed", error=str(error))
            return page(request, "slack.install_later", status=503)
        answer = page(
            request,
            "slack.install_here",
            Link(self._urls.generate(state), "slack.install_here_link"),
        )
        answer.set_cookie(
            self._cookie.cookie_name,
            state,
            max_age=self._cookie.expiration_seconds,
            secure=self._app.public_url.startswith("https:"),
            httponly=True,
            # Slack leads here from its own pages: Strict would keep the cookie back.
            samesite="Lax",
        )
        return answer

    async def _finish(self, request: web.Request) -> web.Response:
        try:
            answer = await self._install(request)
        except _InstallRefused as refused:
            answer = page(request, str(refused), Link(INSTALL), status=400)
        except (PlatformError, StoreError) as error:
            log.warning("slack_install_failed", error=str(error))
            status = 503 if error.retryable else 400
            answer = page(request, "slack.install_later", Link(INSTALL), status=status)
        answer.del_cookie(self._cookie.cookie_name)
        return answer

    async def _install(self, request: web.Request) -> web.Response:
        query = request.query
        state, cookies = query.get("state", ""), request.headers.getall(hdrs.COOKIE, [])
        if not state or not self._cookie.is_valid_browser(state, {"cookie": cookies}):
            raise _InstallRefused("slack.install_browser")
        if not await self._states.async_consume(state):
            raise _InstallRefused("slack.install_stale")
        if "error" in query or not query.get("code"):
            raise _InstallRefused("slack.install_denied")
        grant = await self._api().as_app(
            "oauth.v2.access",
            {"code": query["code"], "redirect_uri": self._app.redirect_uri},
            app=self._app.client_id,
            secret=self._app.client_secret,
        )
        installation = await self._check_installation(grant)
        await self._installations.async_save(installation)
        log.info("slack_installed", team=installation.team_id, by=installation.user_id)
        to = f"https://{self._app.domain}/app_redirect?app={installation.app_id}&team={installation.team_id}"
        link = Link(to, "slack.install_done_link")
        return page(request, "slack.install_done", link, name=installation.team_name or "")

    def _api(self, token: str = "") -> WebApi:
        return WebApi(api_url=self._app.api_url, token=token, http=self._http)

    async def _check_installation(self, grant: Mapping[str, Any]) -> Installation:
        """Return the granted installation; an unusable token is revoked."""
        token, team = str(grant.get("access_token") or ""), grant.get("team") or {}
        user = grant.get("authed_user") or {}
        try:
            self._check_grant(grant, str(team.get("id") or ""))
            bot = await self._api(token).call("auth.test", {})
            if bot.get("team_id") != team["id"]:
                raise _InstallRefused("slack.install_later")
        except _InstallRefused as refused:
            log.warning("slack_install_refused", team=team.get("id"), why=str(refused))
            await self._revoke(token, str(team.get("id") or ""))
            raise
        return Installation(
            app_id=grant.get("app_id"),
            team_id=team["id"],
            team_name=team.get("name"),
            bot_token=token,
            bot_id=bot.get("bot_id"),
            bot_user_id=grant.get("bot_user_id"),
            bot_scopes=str(grant.get("scope") or ""),
            user_id=str(user.get("id") or ""),
            installed_at=self._clock.now().timestamp(),
        )

    def _check_grant(self, grant: Mapping[str, Any], team: str) -> None:
        if grant.get("is_enterprise_install") or not team:
            raise _InstallRefused("slack.install_whole_org")
        if self._app.teams and team not in self._app.teams:
            raise _InstallRefused("slack.install_not_for_you")
        if grant.get("refresh_token") or grant.get("expires_in"):
            raise _InstallRefused("slack.install_rotates")
        if not grant.get("access_token") or grant.get("token_type") != "bot":
            raise _InstallRefused("slack.install_later")
        if required_scopes() - {*str(grant.get("scope") or "").split(",")}:
            raise _InstallRefused("slack.install_scopes")

    async def _revoke(self, token: str, team: str) -> None:
        """Revoke a token that is not kept, unless a working installation would end with it."""
        try:
            bot = await self._installations.async_find_bot(enterprise_id=None, team_id=team)
            if token and bot is None:
                await self._api(token).call("auth.revoke", {})
        except (PlatformError, StoreError) as error:
            log.warning("slack_token_not_revoked", team=team, error=str(error))


def read_uninstall(payload: Mapping[str, Any]) -> tuple[str, float] | None:
    """Return which workspace removed the app or its token, and when; None for other payloads."""
    event, team = payload.get("event"), payload.get("team_id")
    if not isinstance(event, Mapping) or not isinstance(team, str):
        return None
    at = payload.get("event_time")
    at_s = float(at) if isinstance(at, int | float) else float("inf")
    if event.get("type") == "app_uninstalled":
        return team, at_s
    tokens = event.get("tokens")
    bots = tokens.get("bot") if isinstance(tokens, Mapping) else None
    return (team, at_s) if event.get("type") == "tokens_revoked" and bots else None


@dataclass(frozen=True, slots=True)
class Link:
    """Where a page leads, and the key of the link's label."""

    to: str
    label: str = "slack.install_again"


def page(
    request: web.Request, key: str, link: Link | None = None, *, name: str = "", status: int = 200
) -> web.Response:
    """Return a page with the sentence of that key, in the browser's language, and a link."""
    lang = _lang(request)
    shown = ""
    if link:
        shown = f'<p><a href="{escape(link.to)}">{escape(say(link.label, lang))}</a></p>'
    text = escape(say(key, lang, name=name))
    body = _PAGE.format(lang=lang, text=text, link=shown)
    return web.Response(text=body, content_type="text/html", status=status, headers=_HEADERS)


def _lang(request: web.Request) -> Lang:
    return lang_of_tag(request.headers.get(hdrs.ACCEPT_LANGUAGE, ""))
