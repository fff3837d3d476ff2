"""Checks of tokens, scopes and the event URL with Slack (`signoff doctor`)."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from typing import Protocol

import aiohttp
from slack_sdk.oauth.installation_store import Bot

from adapters.slack.api import HttpSession, WebApi
from adapters.slack.clouds import GOV, cloud_of, is_in
from adapters.slack.workspace.install import INSTALL, REDIRECT
from adapters.slack.workspace.scopes import THREAD_SCOPES, required_scopes
from engine.errors import PlatformError, StoreError
from engine.ports.clock import Clock
from engine.ports.doctor import Diagnosis

PATH = "/slack/events"
_REACH_S = 10.0


class InstalledWorkspaces(Protocol):
    """The workspaces that installed the app; raises StoreError."""

    async def teams(self) -> Sequence[str]:
        """Their ids."""
        ...

    async def async_find_bot(self, *, enterprise_id: str | None, team_id: str | None) -> Bot | None:
        """The bot of one."""
        ...


class SlackDoctor:
    """Asks with the tokens of the settings; `app_token` and `signing_secret` may be "".

    Without a `bot_token` it asks with that of each workspace of `many`.
    """

    def __init__(
        self,
        *,
        bot_token: str,
        app_token: str,
        signing_secret: str,
        api_url: str,
        public_url: str,
        clock: Clock,
        many: InstalledWorkspaces | None = None,
    ) -> None:
        self._api_url = api_url
        self._http = HttpSession()
        self._bot_token = bot_token
        self._many = many
        self._app = WebApi(api_url=api_url, token=app_token) if app_token else None
        self._secret = signing_secret
        self._public_url = public_url
        self._clock = clock

    async def findings(self) -> Sequence[Diagnosis]:
        """Check bot token, scopes, app token and event URL."""
        try:
            if self._many is None:
                fix = (
                    "set SLACK_BOT_TOKEN to the Bot User OAuth Token (xoxb-...) under"
                    " OAuth & Permissions of the app"
                )
                found = await self._check_token("", self._bot_token, fix)
            else:
                found = [*await self._check_installed(self._many), *await self._check_redirect()]
            return [*found, *await self._check_app_token(), *await self._check_events()]
        finally:
            await self._http.close()
            if self._app:
                await self._app.close()

    async def _check_installed(self, many: InstalledWorkspaces) -> list[Diagnosis]:
        """Check the token of each workspace that has the app."""
        try:
            teams = await many.teams()
        except StoreError as error:
            fix = "start the store, and run this again"
            return [Diagnosis(check="slack workspaces", state="unknown", told=str(error), fix=fix)]
        told = f"installed in {len(teams)}"
        found = [Diagnosis(check="slack workspaces", state="ok", told=told)]
        for team in teams:
            try:
                bot = await many.async_find_bot(enterprise_id=None, team_id=team)
            except StoreError as error:
                fix = "add the key it was written with to SLACK_TOKEN_KEYS, or install there anew"
                check = f"slack token {team}"
                found.append(Diagnosis(check=check, state="wrong", told=str(error), fix=fix))
                continue
            fix = f"have somebody of that workspace open {self._public_url}{INSTALL}"
            found += await self._check_token(f" {team}", bot.bot_token if bot else "", fix)
        return found

    async def _check_token(self, of: str, token: str, fix: str) -> list[Diagnosis]:
        api = WebApi(api_url=self._api_url, token=token, http=self._http)
        try:
            answer, headers = await api.call_with_headers("auth.test", {})
        except PlatformError as error:
            if "invalid_auth" in str(error) and cloud_of(self._api_url) != GOV:
                fix += f"; a token of GovSlack needs SLACK_API_URL=https://{GOV}/api/"
            return [_failure(f"slack token{of}", error, fix)]
        name = (
            f"{answer.get('user', 'bot')} in {answer.get('team', '')} ({answer.get('team_id', '')})"
        )
        name += " of GovSlack" if is_in(str(answer.get("url") or ""), GOV) else ""
        scoped = _check_scopes(f"slack scopes{of}", dict(headers))
        return [Diagnosis(check=f"slack token{of}", state="ok", told=name), scoped]

    async def _check_redirect(self) -> list[Diagnosis]:
        """Check that the redirect URL leads to us: without a state our page refuses."""
        check, url = "slack redirect URL", self._public_url.rstrip("/") + REDIRECT
        timeout = aiohttp.ClientTimeout(total=_REACH_S)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.get(url, allow_redirects=False) as answer,
            ):
                text = (await answer.content.read(4000)).decode(errors="replace")
                if answer.status == 400 and INSTALL in text:
                    return [Diagnosis(check=check, state="ok", told=url)]
                told = f"{url} answers with status {answer.status}"
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            told = f"{url} does not answer: {type(error).__name__}"
        fix = "start the service, and have SIGNOFF_PUBLIC_URL lead to its web process"
        return [Diagnosis(check=check, state="wrong", told=told, fix=fix)]

    async def _check_app_token(self) -> list[Diagnosis]:
        check = "slack app token"
        if self._app is None:
            return [Diagnosis(check=check, state="off", told="no Socket Mode")]
        try:
            # This only asks for an address; nothing is connected.
            await self._app.call("apps.connections.open", {})
        except PlatformError as error:
            fix = (
                "switch Socket Mode on, and set SLACK_APP_TOKEN to an App-Level Token (xapp-...)"
                " with connections:write, under Basic Information of the app"
            )
            return [_failure(check, error, fix)]
        return [Diagnosis(check=check, state="ok", told="Socket Mode is on")]

    async def _check_events(self) -> list[Diagnosis]:
        check = "slack event URL"
        if not self._secret:
            return [Diagnosis(check=check, state="off", told="no SLACK_SIGNING_SECRET")]
        if not self._public_url:
            told, fix = "SIGNOFF_PUBLIC_URL is not set", "set it to have the address tried"
            if self._app:
                return [Diagnosis(check=check, state="off", told=told)]
            return [Diagnosis(check=check, state="unknown", told=told, fix=fix)]
        url = self._public_url.rstrip("/") + PATH
        try:
            return [await self._probe_url(check, url)]
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return [
                Diagnosis(
                    check=check,
                    state="wrong",
                    told=f"{url} does not answer: {type(error).__name__}",
                    fix="start the service, and look at name, certificate and proxy of the address",
                )
            ]

    async def _probe_url(self, check: str, url: str) -> Diagnosis:
        """Check the address with Slack's url_verification request, signed as Slack signs it."""
        challenge = secrets.token_hex(8)
        body = json.dumps({"type": "url_verification", "challenge": challenge}).encode()
        timeout = aiohttp.ClientTimeout(total=_REACH_S)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(
                url, data=body, headers=self._signed_headers(body), allow_redirects=False
            ) as answer,
        ):
            text = (await answer.content.read(1000)).decode(errors="replace")
            if answer.status == 200 and challenge in text:
                return Diagnosis(check=check, state="ok", told=url)
            told = f"{url} answers with status {answer.status}"
            fix = "have SIGNOFF_PUBLIC_URL and the proxy lead to the web process of Signoff"
            if answer.status == 401:
                fix = "start the service again: it runs with another SLACK_SIGNING_SECRET"
            return Diagnosis(check=check, state="wrong", told=told, fix=fix)

    def _signed_headers(self, body: bytes) -> dict[str, str]:
        stamp = str(int(self._clock.now().timestamp()))
        signed = b"v0:" + stamp.encode() + b":" + body
        digest = hmac.new(self._secret.encode(), signed, hashlib.sha256).hexdigest()
        return {
            "Content-Type": "application/json",
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": f"v0={digest}",
        }


def _check_scopes(check: str, headers: dict[str, str]) -> Diagnosis:
    header = next((v for name, v in headers.items() if name.lower() == "x-oauth-scopes"), None)
    if header is None:
        return Diagnosis(check=check, state="unknown", told="Slack did not tell them")
    held = {scope.strip() for scope in header.split(",") if scope.strip()}
    if missing := sorted(required_scopes() - THREAD_SCOPES - held):
        return Diagnosis(
            check=check,
            state="wrong",
            told=f"missing: {', '.join(missing)}",
            fix="add them under OAuth & Permissions, or by docs/slack/manifest.yaml under App"
            " Manifest, and install the app to the workspace again",
        )
    if missing := sorted(THREAD_SCOPES - held):
        told = f"all but {', '.join(missing)}: in channels only messages with @ the bot are heard"
        return Diagnosis(check=check, state="ok", told=told)
    more = sorted(held - required_scopes())
    told = f"all; not needed: {', '.join(more)}" if more else "all, and no more"
    return Diagnosis(check=check, state="ok", told=told)


def _failure(check: str, error: PlatformError, fix: str) -> Diagnosis:
    if error.retryable:
        return Diagnosis(check=check, state="unknown", told=str(error), fix="try again later")
    return Diagnosis(check=check, state="wrong", told=str(error), fix=fix)
