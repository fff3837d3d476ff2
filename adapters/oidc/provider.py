"""The provider's addresses and keys, asked over HTTP and kept for a while."""

import ipaddress
import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
from pydantic import BaseModel, ValidationError

from engine.errors import BotError
from engine.ports.clock import Clock
from engine.ports.identity import ProviderAway

DISCOVERY: Final = "/.well-known/openid-configuration"
KEPT_S: Final = 3600.0
"""How long addresses and keys are believed before they are asked for again."""
REST_S: Final = 10.0
"""Whatever keys tokens name, the provider is asked for new ones no more often."""
_MOST_BYTES: Final = 256 * 1024
_TIMEOUT: Final = aiohttp.ClientTimeout(total=5)


class ProviderMetadata(BaseModel):
    """What the discovery document says, as far as it is used."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str = ""
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    id_token_signing_alg_values_supported: tuple[str, ...] = ("RS256",)
    authorization_response_iss_parameter_supported: bool = False


class RemoteProvider:
    """Asks the provider at an issuer's address. Raises ProviderAway.

    Redirects are not followed, and addresses have to be HTTPS, but on this machine.
    """

    def __init__(self, issuer: str, clock: Clock) -> None:
        self._issuer = issuer.rstrip("/")
        self._clock = clock
        self._session: aiohttp.ClientSession | None = None
        self._metadata: ProviderMetadata | None = None
        self._read_at = self._keys_at = self._renewed_at = float("-inf")
        self._keys: list[dict[str, Any]] = []

    async def metadata(self) -> ProviderMetadata:
        """The provider's addresses."""
        if self._metadata is None or self._clock.elapsed_s() - self._read_at > KEPT_S:
            body = await self.ask("GET", self._issuer + DISCOVERY)
            try:
                found = ProviderMetadata.model_validate(body)
            except ValidationError as error:
                raise ProviderAway(f"{self._issuer}: is no OpenID provider") from error
            if found.issuer.rstrip("/") != self._issuer:
                raise ProviderAway(f"{self._issuer}: calls itself {found.issuer}")
            self._metadata, self._read_at = found, self._clock.elapsed_s()
        return self._metadata

    async def keys(self, *, renewed: bool = False) -> list[dict[str, Any]]:
        """The keys that sign tokens; `renewed` when a token names one that is not among them."""
        now_s = self._clock.elapsed_s()
        may_renew = renewed and now_s - self._renewed_at > REST_S
        if may_renew:
            self._renewed_at = now_s
        if may_renew or now_s - self._keys_at > KEPT_S:
            body = await self.ask("GET", (await self.metadata()).jwks_uri)
            keys = body.get("keys")
            if not isinstance(keys, list):
                raise ProviderAway(f"{self._issuer}: has no keys")
            self._keys = [key for key in keys if isinstance(key, dict)]
            self._keys_at = self._clock.elapsed_s()
        return self._keys

    async def ask(
        self,
        method: str,
        url: str,
        *,
        form: Mapping[str, str] | None = None,
        auth: str = "",
    ) -> dict[str, Any]:
        """The JSON object that the provider answers with. Raises ProviderRefused for a 4xx."""
        if not is_safe(url):
            raise ProviderAway(f"{url}: should be an https address")
        headers = {"Accept": "application/json"}
        if auth:
            headers["Authorization"] = auth
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=_TIMEOUT)
        try:
            async with self._session.request(
                method, url, data=form, headers=headers, allow_redirects=False
            ) as answer:
                body = await answer.content.read(_MOST_BYTES)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ProviderAway(f"{url}: does not answer: {type(error).__name__}") from error
        return _read(url, answer.status, body)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()


class ProviderRefused(BotError):
    """The provider refuses what it was asked."""


def _read(url: str, status: int, body: bytes) -> dict[str, Any]:
    if 400 <= status < 500:
        raise ProviderRefused(f"{url}: refuses with {status}")
    try:
        found = json.loads(body)
    except ValueError as error:
        raise ProviderAway(f"{url}: answers {status} without JSON") from error
    if status != 200 or not isinstance(found, dict):
        raise ProviderAway(f"{url}: answers {status}")
    return found


def is_safe(url: str) -> bool:
    """Whether secrets may be sent there: over TLS, or on this machine."""
    parts = urlsplit(url)
    if parts.scheme == "https":
        return True
    host = parts.hostname or ""
    try:
        is_here = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = False
    return parts.scheme == "http" and is_here
