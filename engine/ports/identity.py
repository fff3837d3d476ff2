"""An identity provider: people sign in there, and it says here who they are (design §9)."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from pydantic import ValidationError

from cards.frozen import Frozen
from engine.errors import BotError, Rejected

ATTEMPT_S: Final = 600
"""How long somebody may take to sign in at the provider."""

SignInFault = Literal["state", "denied", "token", "unverified"]
"""Why nobody was signed in: not begun in this browser, or too long ago; refused there; a token that
does not prove it; an e-mail address that the provider has not verified."""


REFUSAL_TEXTS: Final[Mapping[SignInFault, str]] = {
    "state": "sign_in.state",
    "denied": "sign_in.denied",
    "token": "sign_in.token",
    "unverified": "sign_in.unverified",
}
"""The sentence that people read, by fault."""


class SignInRefused(Rejected):
    """Nobody is signed in; `fault` chooses what they read, and the text is for the log."""

    def __init__(self, fault: SignInFault, why: str) -> None:
        super().__init__(why)
        self.fault = fault


class ProviderAway(BotError):
    """The identity provider does not answer, or not as one."""

    retryable = True


class SignInAttempt(Frozen):
    """One sign-in under way, as the browser that began it keeps it; `target` is where it leads."""

    state: str
    nonce: str
    verifier: str
    target: str
    begun_s: int


@dataclass(frozen=True, slots=True)
class SignInStart:
    """Where the browser is sent, and what it has to bring back."""

    location: str
    attempt: SignInAttempt


class IdentityProvider(Protocol):
    """Signs people in by the code flow. `redirect_uri` is where it sends them back to."""

    def is_named(self, name: str, person: str, email: str) -> bool:
        """Whether what `finish` answered names the person of that id and e-mail address."""
        ...

    async def begin(self, redirect_uri: str, target: str) -> SignInStart:
        """A new sign-in. Raises ProviderAway."""
        ...

    async def finish(
        self, query: dict[str, str], attempt: SignInAttempt | None, redirect_uri: str
    ) -> str:
        """What names the person who came back. Raises SignInRefused, ProviderAway."""
        ...

    async def probe(self) -> str:
        """The issuer, as it calls itself. Raises ProviderAway."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


def attempt_text(attempt: SignInAttempt) -> str:
    """An attempt as a cookie's value."""
    return base64.urlsafe_b64encode(attempt.model_dump_json().encode()).decode().rstrip("=")


def read_attempt(text: str) -> SignInAttempt | None:
    """The attempt of a cookie's value; None for one that is none."""
    try:
        body = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        return SignInAttempt.model_validate_json(body)
    except (ValueError, ValidationError):
        return None
