"""What `connections.yaml` and `tools.yaml` say of an HTTP API."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator
from yarl import URL

from adapters.connections.settings import HeaderName, HeaderValue, Secret
from cards.frozen import Frozen

Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


def check_address(value: str) -> str:
    """The address of a server, without a slash at its end. Raises ValueError."""
    try:
        url = URL(value)
    except ValueError as error:
        raise ValueError("should be an http:// or https:// address") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError("should be an http:// or https:// address")
    if url.user or url.password or url.query_string or url.fragment:
        raise ValueError("should have no user, password, query or fragment; `auth` has secrets")
    return value.rstrip("/")


Address = Annotated[str, AfterValidator(check_address)]
HostName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9.-]{1,253}$", to_lower=True)]
# The call itself says these, or the connection's `auth` does.
_OURS = ("authorization", "cookie", "host", "content-length", "transfer-encoding", "connection")


class Basic(Frozen):
    """A user name and a password."""

    user: str
    password: Secret


class Header(Frozen):
    """A secret in a header of its own, as in `X-Api-Key`."""

    name: HeaderName
    value: Secret


class ClientCredentials(Frozen):
    """OAuth 2 without a person: tokens of `token_address`, asked by Basic or `in_body`."""

    token_address: Address
    client_id: str
    client_secret: Secret
    scope: str = ""
    audience: str = ""
    in_body: bool = False


class Auth(Frozen):
    """How requests are authenticated: one of these."""

    bearer: Secret | None = None
    basic: Basic | None = None
    header: Header | None = None
    oauth: ClientCredentials | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if len(self.model_fields_set) != 1:
            raise ValueError("should be one of bearer, basic, header and oauth")
        return self


class Tls(Frozen):
    """Certificates: `authority` that signed the server's, `certificate` and `key` of our own."""

    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None


class HttpOptions(Frozen):
    """How a server is asked.

    `timeout_s` is for a whole call, with its repeats and pages. `hosts` may be read from besides
    that of `address`, where a page names them. With `key_header` the server takes a write whose
    key it has seen once only; say so only where the server promises it. `per_second` is how many
    requests are made at most.
    """

    auth: Auth | None = None
    headers: dict[HeaderName, HeaderValue] = {}
    timeout_s: float = Field(10.0, ge=0.1, le=300)
    per_second: float | None = Field(None, gt=0, le=1000)
    hosts: tuple[HostName, ...] = ()
    key_header: HeaderName | None = None
    repeats: int = Field(2, ge=0, le=5)
    max_kb: int = Field(1024, ge=1, le=20_480)
    tls: Tls | None = None

    @field_validator("headers")
    @classmethod
    def _no_secrets(cls, value: dict[str, str]) -> dict[str, str]:
        if ours := [name for name in value if name.lower() in _OURS]:
            raise ValueError(f"{ours[0]} is not set here: `auth` and the call itself say it")
        return value


class HttpSettings(HttpOptions):
    """A connection of kind `http`: an API below an address."""

    kind: Literal["http"] = "http"
    address: Address


class LinkPages(Frozen):
    """The next page is named by the answer's `Link` header (rel="next")."""

    by: Literal["link"]


class CursorPages(Frozen):
    """The next page is asked for with the cursor at `at` (JMESPath) as the parameter `query`."""

    by: Literal["cursor"]
    at: str
    query: str


class NumberPages(Frozen):
    """Pages are numbered by the parameter `query`, from `start`; an empty one is the last."""

    by: Literal["number"]
    query: str
    start: int = Field(1, ge=0, le=1)


Pages = Annotated[LinkPages | CursorPages | NumberPages, Field(discriminator="by")]


class HttpCall(Frozen):
    """A request. Texts of `path`, `query` and `body` are templates; `form` sends a form, no JSON.

    What names an argument that is not given is left out of `query` and `body`. With `pages` the
    list at `items` (JMESPath; the answer itself without one) goes on over at most `most` pages.
    """

    method: Method = "GET"
    path: str
    query: dict[str, Any] = {}
    body: Any = None
    form: bool = False
    items: str = ""
    pages: Pages | None = None
    most: int = Field(10, ge=1, le=100)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.path.startswith("/"):
            raise ValueError("path should begin with / and goes on from the connection's address")
        if "?" in self.path or "#" in self.path:
            raise ValueError("path should have no ? or #: parameters stand in `query`")
        if self.form and not isinstance(self.body, dict):
            raise ValueError("a form's body should have a name for each value")
        if self.body is not None and self.method in ("GET", "HEAD"):
            raise ValueError(f"a {self.method} has no body")
        return self
