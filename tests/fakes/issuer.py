"""An identity provider over real HTTP, which signs what a test wants it to sign, right or wrong."""

import base64
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

import jwt
from aiohttp import web
from aiohttp.test_utils import TestServer
from cryptography.hazmat.primitives.asymmetric import rsa

from adapters.clock import SystemClock

ENCODED = "a-secret%3Awith%2Fand%2B"
CLIENT, SECRET = "signoff-test", "a-secret:with/and+"


class Issuer:
    """Signs in whoever `person` says, at once; `change` makes of its claims what it signs.

    `sign` makes the token in another way. `codes` are good once each.
    """

    def __init__(self) -> None:
        self.url = ""
        self.person: dict[str, Any] = {"sub": "1", "email": "lin@example.org"}
        self.person["email_verified"] = True
        self.change: Callable[[dict[str, Any]], dict[str, Any]] = lambda claims: claims
        self.sign: Callable[[dict[str, Any]], str] = self.signed
        self.in_token = True
        self.asked: list[Mapping[str, str]] = []
        self._codes: dict[str, dict[str, str]] = {}
        self._number = 0
        self.rotate()

    def rotate(self) -> None:
        """Sign with a new key from now on; the old one is forgotten."""
        self._number += 1
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    @property
    def kid(self) -> str:
        """The name of the key."""
        return f"key-{self._number}"

    def signed(self, claims: dict[str, Any]) -> str:
        """A right token."""
        return jwt.encode(claims, self.key, algorithm="RS256", headers={"kid": self.kid})

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/.well-known/openid-configuration", self._discovery),
            web.get("/keys", self._keys),
            web.get("/authorize", self._authorize),
            web.post("/token", self._token),
            web.get("/userinfo", self._user_info),
        ]

    async def _discovery(self, request: web.Request) -> web.Response:
        return web.json_response(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/keys",
            }
        )

    async def _keys(self, request: web.Request) -> web.Response:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return web.json_response({"keys": [{**public, "kid": self.kid, "use": "sig"}]})

    async def _authorize(self, request: web.Request) -> web.Response:
        query = request.query
        self.asked.append(dict(query))
        assert (query["client_id"], query["response_type"]) == (CLIENT, "code")
        assert query["code_challenge_method"] == "S256"
        code = f"code-{len(self.asked)}"
        self._codes[code] = dict(query)
        back = urlencode({"code": code, "state": query["state"]})
        raise web.HTTPFound(f"{query['redirect_uri']}?{back}")

    async def _token(self, request: web.Request) -> web.Response:
        form = await request.post()
        kind, _, given = request.headers["Authorization"].partition(" ")
        assert (kind, base64.b64decode(given)) == ("Basic", f"{CLIENT}:{ENCODED}".encode())
        asked = self._codes.pop(str(form["code"]), None)
        verifier = sha256(str(form["code_verifier"]).encode()).digest()
        challenge = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
        if asked is None or asked["code_challenge"] != challenge:
            return web.json_response({"error": "invalid_grant"}, status=400)
        assert form["redirect_uri"] == asked["redirect_uri"]
        now = int(SystemClock("UTC").now().timestamp())
        claims = {
            "iss": self.url,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            **(self.person if self.in_token else {"sub": self.person["sub"]}),
        }
        token = self.sign(self.change(claims))
        return web.json_response({"access_token": "one", "token_type": "Bearer", "id_token": token})

    async def _user_info(self, request: web.Request) -> web.Response:
        assert request.headers["Authorization"] == "Bearer one"
        return web.json_response(self.person)


@asynccontextmanager
async def local_issuer() -> AsyncIterator[Issuer]:
    """The provider, on a port of its own."""
    issuer = Issuer()
    app = web.Application()
    app.add_routes(issuer.routes())
    server = TestServer(app, host="127.0.0.1")
    await server.start_server()
    issuer.url = f"http://127.0.0.1:{server.port}"
    try:
        yield issuer
    finally:
        await server.close()
