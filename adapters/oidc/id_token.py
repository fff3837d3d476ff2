"""Whether an ID token proves who signed in: by whom it is signed, for whom, and until when."""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import jwt

from engine.ports.clock import Clock
from engine.ports.identity import SignInRefused

ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "EdDSA",
)
"""Signatures by a key pair alone: none that the client's secret could make."""
LEEWAY_S: Final = 60
"""So far the clocks may differ."""

KeysOf = Callable[[bool], Awaitable[list[dict[str, Any]]]]
"""The keys that the provider has; renewed, where a token names none of them."""


@dataclass(frozen=True, slots=True)
class TokenChecks:
    """What a token has to be for."""

    issuer: str
    client_id: str
    nonce: str
    algorithms: tuple[str, ...]


async def read_id_token(
    token: str, checks: TokenChecks, keys_of: KeysOf, clock: Clock
) -> dict[str, Any]:
    """The claims of a token that proves them. Raises SignInRefused, ProviderAway."""
    try:
        head = jwt.get_unverified_header(token)
        allowed = [name for name in ALGORITHMS if name in checks.algorithms]
        if head.get("alg") not in allowed:
            raise SignInRefused("token", f"signed by {head.get('alg')}")
        key = await _find_key(head, keys_of)
        claims: dict[str, Any] = jwt.decode(
            token,
            key.key,
            algorithms=[str(head["alg"])],
            audience=checks.client_id,
            issuer=checks.issuer,
            # What the time is, our own clock says.
            options={
                "require": ["exp", "iat", "iss", "aud", "sub"],
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
    except jwt.PyJWTError as error:
        raise SignInRefused("token", f"{type(error).__name__}: {error}") from error
    _check_times(claims, clock.now().timestamp())
    if not hmac.compare_digest(str(claims.get("nonce", "")).encode(), checks.nonce.encode()):
        raise SignInRefused("token", "it answers another sign-in: the nonce differs")
    party = claims.get("azp", checks.client_id)
    several = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if party != checks.client_id or (several and "azp" not in claims):
        raise SignInRefused("token", "it was made for another client")
    return claims


async def _find_key(head: dict[str, Any], keys_of: KeysOf) -> jwt.PyJWK:
    """The key that the token names; the only one where it names none."""
    for renewed in (False, True):
        found = [
            key
            for key in await keys_of(renewed)
            if key.get("use", "sig") == "sig" and key.get("kid") == head.get("kid", key.get("kid"))
        ]
        if len(found) == 1:
            return jwt.PyJWK(found[0], algorithm=str(head["alg"]))
    raise SignInRefused("token", f"signed by a key that the provider has not: {head.get('kid')}")


def _check_times(claims: dict[str, Any], now_s: float) -> None:
    times = {name: claims.get(name, 0) for name in ("exp", "iat", "nbf")}
    if not all(isinstance(each, int | float) for each in times.values()):
        raise SignInRefused("token", "its times are no numbers")
    if times["exp"] <= now_s - LEEWAY_S:
        raise SignInRefused("token", "it has expired")
    if max(times["iat"], times["nbf"]) > now_s + LEEWAY_S:
        raise SignInRefused("token", "it is not valid yet")
