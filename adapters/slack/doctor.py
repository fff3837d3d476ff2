"""Whether Slack lets us do what we need: tokens, scopes, and the way in (`signoff doctor`)."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence

import aiohttp

from adapters.slack.api import WebApi
from adapters.slack.needs import scopes
from engine.errors import PlatformError
from engine.ports.clock import Clock
from engine.ports.doctor import Finding

PATH = "/slack/events"
_REACH_S = 10.0


class SlackDoctor:
    """Asks with the tokens of the settings; `app_token` and `signing_secret` may be ""."""

    def __init__(
        self,
        *,
        bot_token: str,
        app_token: str,
        signing_secret: str,
        api_url: str,
        public_url: str,
        clock: Clock,
    ) -> None:
        self._bot = WebApi(api_url=api_url, token=bot_token)
        self._app = WebApi(api_url=api_url, token=app_token) if app_token else None
        self._secret = signing_secret
        self._public_url = public_url
        self._clock = clock

    async def findings(self) -> Sequence[Finding]:
        """Bot token, scopes, app token, event URL."""
        try:
            return [*await self._token(), *await self._app_token(), *await self._events()]
        finally:
            await self._bot.close()
            if self._app:
                await self._app.close()

    async def _token(self) -> list[Finding]:
        try:
            told, headers = await self._bot.told("auth.test", {})
        except PlatformError as error:
            fix = (
                "set SLACK_BOT_TOKEN to the Bot User OAuth Token (xoxb-...) under"
                " OAuth & Permissions of the app"
            )
            return [_failed("slack token", error, fix)]
        name = f"{told.get('user', 'bot')} in {told.get('team', '')} ({told.get('team_id', '')})"
        return [Finding(check="slack token", state="ok", told=name), _scopes(dict(headers))]

    async def _app_token(self) -> list[Finding]:
        check = "slack app token"
        if self._app is None:
            return [Finding(check=check, state="off", told="no Socket Mode")]
        try:
            # This only asks for an address; nothing is connected.
            await self._app.call("apps.connections.open", {})
        except PlatformError as error:
            fix = (
                "switch Socket Mode on, and set SLACK_APP_TOKEN to an App-Level Token (xapp-...)"
                " with connections:write, under Basic Information of the app"
            )
            return [_failed(check, error, fix)]
        return [Finding(check=check, state="ok", told="Socket Mode is on")]

    async def _events(self) -> list[Finding]:
        check = "slack event URL"
        if not self._secret:
            return [Finding(check=check, state="off", told="no SLACK_SIGNING_SECRET")]
        if not self._public_url:
            told, fix = "SIGNOFF_PUBLIC_URL is not set", "set it to have the address tried"
            if self._app:
                return [Finding(check=check, state="off", told=told)]
            return [Finding(check=check, state="unknown", told=told, fix=fix)]
        url = self._public_url.rstrip("/") + PATH
        try:
            return [await self._reached(check, url)]
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return [
                Finding(
                    check=check,
                    state="wrong",
                    told=f"{url} does not answer: {type(error).__name__}",
                    fix="start the service, and look at name, certificate and proxy of the address",
                )
            ]

    async def _reached(self, check: str, url: str) -> Finding:
        """What the address answers to Slack's own first question, signed as Slack signs it."""
        challenge = secrets.token_hex(8)
        body = json.dumps({"type": "url_verification", "challenge": challenge}).encode()
        timeout = aiohttp.ClientTimeout(total=_REACH_S)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(
                url, data=body, headers=self._signed(body), allow_redirects=False
            ) as answer,
        ):
            text = (await answer.content.read(1000)).decode(errors="replace")
            if answer.status == 200 and challenge in text:
                return Finding(check=check, state="ok", told=url)
            told = f"{url} answers with status {answer.status}"
            fix = "have SIGNOFF_PUBLIC_URL and the proxy lead to the web process of Signoff"
            if answer.status == 401:
                fix = "start the service again: it runs with another SLACK_SIGNING_SECRET"
            return Finding(check=check, state="wrong", told=told, fix=fix)

    def _signed(self, body: bytes) -> dict[str, str]:
        stamp = str(int(self._clock.now().timestamp()))
        signed = b"v0:" + stamp.encode() + b":" + body
        digest = hmac.new(self._secret.encode(), signed, hashlib.sha256).hexdigest()
        return {
            "Content-Type": "application/json",
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": f"v0={digest}",
        }


def _scopes(headers: dict[str, str]) -> Finding:
    check = "slack scopes"
    given = next((v for name, v in headers.items() if name.lower() == "x-oauth-scopes"), None)
    if given is None:
        return Finding(check=check, state="unknown", told="Slack did not tell them")
    held = {scope.strip() for scope in given.split(",") if scope.strip()}
    if missing := sorted(scopes() - held):
        return Finding(
            check=check,
            state="wrong",
            told=f"missing: {', '.join(missing)}",
            fix="add them under OAuth & Permissions, or by docs/slack/manifest.yaml under App"
            " Manifest, and install the app to the workspace again",
        )
    more = sorted(held - scopes())
    told = f"all; not needed: {', '.join(more)}" if more else "all, and no more"
    return Finding(check=check, state="ok", told=told)


def _failed(check: str, error: PlatformError, fix: str) -> Finding:
    if error.retryable:
        return Finding(check=check, state="unknown", told=str(error), fix="try again later")
    return Finding(check=check, state="wrong", told=str(error), fix=fix)
