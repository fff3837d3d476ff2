"""The code flow with PKCE: the browser goes to the provider and comes back with a code."""

import base64
import hmac
import secrets
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote, urlencode

from aiohttp import encode_basic_auth
from pydantic import SecretStr

from adapters.oidc.id_token import TokenChecks, read_id_token
from adapters.oidc.provider import ProviderMetadata, ProviderRefused, RemoteProvider
from engine.ports.clock import Clock
from engine.ports.identity import ATTEMPT_S, SignInAttempt, SignInRefused, SignInStart

EMAIL: Final = "email"


class OpenIdConnect:
    """The IdentityProvider port. `claim` is what names a person; an e-mail has to be verified."""

    def __init__(
        self,
        provider: RemoteProvider,
        clock: Clock,
        *,
        client_id: str,
        client_secret: SecretStr | None,
        scopes: str,
        claim: str,
    ) -> None:
        self._provider = provider
        self._clock = clock
        self._client_id = client_id
        self._secret = client_secret.get_secret_value() if client_secret else ""
        self._scopes = scopes
        self._claim = claim

    def is_named(self, name: str, person: str, email: str) -> bool:
        """An e-mail address names who has it in people.yaml, any other claim is a person's id."""
        if self._claim == EMAIL:
            return bool(email) and name.casefold() == email.casefold()
        return name == person

    async def begin(self, redirect_uri: str, target: str) -> SignInStart:
        """Send the browser to the provider, with secrets of its own."""
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        digest = sha256(verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": redirect_uri,
            "scope": self._scopes,
            "state": state,
            "nonce": nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        address = (await self._provider.metadata()).authorization_endpoint
        join = "&" if "?" in address else "?"
        attempt = SignInAttempt(
            state=state,
            nonce=nonce,
            verifier=verifier,
            target=target,
            begun_s=int(self._clock.now().timestamp()),
        )
        return SignInStart(f"{address}{join}{urlencode(asked)}", attempt)

    async def finish(
        self, query: dict[str, str], attempt: SignInAttempt | None, redirect_uri: str
    ) -> str:
        """Check the state, spend the code, check the token; the claim that names the person."""
        metadata = await self._provider.metadata()
        attempt = self._check_state(query, attempt, metadata)
        try:
            answer = await self._spend(query["code"], attempt, redirect_uri, metadata)
        except ProviderRefused as error:
            raise SignInRefused("token", str(error)) from error
        checks = TokenChecks(
            issuer=metadata.issuer,
            client_id=self._client_id,
            nonce=attempt.nonce,
            algorithms=metadata.id_token_signing_alg_values_supported,
        )

        async def keys_of(renewed: bool) -> list[dict[str, Any]]:
            return await self._provider.keys(renewed=renewed)

        token = str(answer.get("id_token", ""))
        claims = await read_id_token(token, checks, keys_of, self._clock)
        if self._claim not in claims:
            claims |= await self._user_info(metadata, str(answer.get("access_token", "")), claims)
        return self._name(claims)

    def _check_state(
        self, query: dict[str, str], attempt: SignInAttempt | None, metadata: ProviderMetadata
    ) -> SignInAttempt:
        given = query.get("state", "").encode()
        if attempt is None or not hmac.compare_digest(given, attempt.state.encode()):
            raise SignInRefused("state", "the state is not that of this browser")
        if self._clock.now().timestamp() - attempt.begun_s > ATTEMPT_S:
            raise SignInRefused("state", "it took too long")
        is_told = "iss" in query or metadata.authorization_response_iss_parameter_supported
        if is_told and query.get("iss") != metadata.issuer:
            raise SignInRefused("state", "another issuer answered")
        if "error" in query:
            raise SignInRefused("denied", f"the provider says {query['error'][:80]!r}")
        if not query.get("code"):
            raise SignInRefused("denied", "the provider gave no code")
        return attempt

    async def _spend(
        self, code: str, attempt: SignInAttempt, redirect_uri: str, metadata: ProviderMetadata
    ) -> dict[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": attempt.verifier,
        }
        methods = metadata.token_endpoint_auth_methods_supported
        basic = ""
        if self._secret and "client_secret_basic" in methods:
            # Both are form-encoded first (RFC 6749 §2.3.1).
            names = (quote(each, safe="") for each in (self._client_id, self._secret))
            basic = encode_basic_auth(*names)
        else:
            form["client_id"] = self._client_id
            form |= {"client_secret": self._secret} if self._secret else {}
        return await self._provider.ask("POST", metadata.token_endpoint, form=form, auth=basic)

    async def _user_info(
        self, metadata: ProviderMetadata, access_token: str, claims: dict[str, Any]
    ) -> dict[str, Any]:
        """What the provider says besides, of the same person."""
        if not metadata.userinfo_endpoint or not access_token:
            return {}
        address = metadata.userinfo_endpoint
        try:
            found = await self._provider.ask("GET", address, auth=f"Bearer {access_token}")
        except ProviderRefused as error:
            raise SignInRefused("token", str(error)) from error
        if found.get("sub") != claims["sub"]:
            raise SignInRefused("token", "the provider tells of somebody else")
        return found

    def _name(self, claims: dict[str, Any]) -> str:
        name = claims.get(self._claim)
        if not isinstance(name, str) or not name:
            raise SignInRefused("token", f"it has no {self._claim}")
        if self._claim == EMAIL and claims.get("email_verified") is not True:
            raise SignInRefused("unverified", "the provider has not verified the e-mail address")
        return name

    async def probe(self) -> str:
        """Ask for the addresses and the keys."""
        metadata = await self._provider.metadata()
        await self._provider.keys()
        return metadata.issuer

    async def close(self) -> None:
        """Close the connections."""
        await self._provider.close()
