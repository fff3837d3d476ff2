"""Slack's OAuth for one app: people allow it in a workspace, and it gets a token for the code.

As docs.slack.dev/authentication/installing-with-oauth and docs.slack.dev/reference/methods/
oauth.v2.access say: a code is good once and for ten minutes, for the redirect address that it was
given to, and for who knows the client's secret.
"""

import base64
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from aiohttp import web

if TYPE_CHECKING:
    from tests.fakes.platforms.slack.server import SlackServer

CODE_S = 600.0
Json = dict[str, Any]


@dataclass(slots=True)
class _Code:
    workspace: "SlackServer"
    redirect_uri: str
    scopes: list[str]
    made: float
    used: bool = False


@dataclass
class Authority:
    """What Slack knows of the app; `more` goes into every answer, over what is usual."""

    client_id: str = "111.222"
    client_secret: str = "stub-client-secret"
    redirect_uris: list[str] = field(default_factory=list)
    more: Json = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    _codes: dict[str, _Code] = field(default_factory=dict)
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def allowed(self, url: str, workspace: "SlackServer", *, denied: bool = False) -> str:
        """Somebody follows the link to Slack and says yes (or no): where Slack leads them then."""
        at = urlsplit(url)
        asked = {name: values[0] for name, values in parse_qs(at.query).items()}
        if (at.scheme, at.netloc, at.path) != ("https", "slack.com", "/oauth/v2/authorize"):
            self.faults.append(f"authorize: {url}")
        if asked.get("client_id") != self.client_id or "user_scope" in asked:
            self.faults.append(f"authorize: {asked}")
        redirect = asked.get("redirect_uri", "")
        if redirect not in self.redirect_uris:
            self.faults.append(f"authorize: bad_redirect_uri: {redirect}")
        if denied:
            return f"{redirect}?{urlencode({'error': 'access_denied', 'state': asked['state']})}"
        code = f"code-{next(self._numbers)}"
        scopes = asked["scope"].split(",")
        self._codes[code] = _Code(workspace, redirect, scopes, workspace.now())
        return f"{redirect}?{urlencode({'code': code, 'state': asked['state']})}"

    async def access(self, request: web.Request) -> Json:
        """The method oauth.v2.access."""
        kind, _, shown = request.headers.get("Authorization", "").partition(" ")
        client, _, secret = base64.b64decode(shown).decode().partition(":")
        if kind != "Basic" or request.method != "POST":
            return _no("invalid_client_id")
        fields = await request.post()
        code = self._codes.get(str(fields.get("code", "")))
        if client != self.client_id:
            return _no("invalid_client_id")
        if secret != self.client_secret:
            return _no("bad_client_secret")
        if code is None or code.workspace.now() - code.made > CODE_S:
            return _no("invalid_code")
        if code.used:
            return _no("code_already_used")
        if str(fields.get("redirect_uri", "")) != code.redirect_uri:
            return _no("bad_redirect_uri")
        code.used = True
        return self._installed(code)

    def _installed(self, code: _Code) -> Json:
        workspace = code.workspace
        if workspace.bot_token in workspace.revoked:
            workspace.bot_token = f"{workspace.bot_token}-{next(self._numbers)}"
        workspace.scopes = {*code.scopes}
        return {
            "ok": True,
            "app_id": "A0SIGNOFF",
            "authed_user": {"id": "U0INSTALLER"},
            "scope": ",".join(code.scopes),
            "token_type": "bot",
            "access_token": workspace.bot_token,
            "bot_user_id": workspace.bot_user,
            "team": {"id": workspace.team, "name": "Trial"},
            "enterprise": None,
            "is_enterprise_install": False,
            **self.more,
        }


def _no(code: str) -> Json:
    return {"ok": False, "error": code}
