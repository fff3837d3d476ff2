"""What `connections.yaml` and `tools.yaml` say of an MCP server."""

from base64 import b64encode
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, SecretStr, StringConstraints, model_validator

from adapters.connections.http.model import Auth, check_address
from adapters.connections.settings import HeaderName, HeaderValue, SecretOrText
from cards.frozen import Frozen

Text = Annotated[str, StringConstraints(min_length=1)]
VariableName = Annotated[str, StringConstraints(max_length=200, pattern=r"^[^=\x00]+$")]


def _is_url(value: str) -> str:
    check_address(value)
    # A slash at its end may be part of the endpoint's name.
    return value


class McpSettings(Frozen):
    """A connection of kind `mcp`: a `command` to start (stdio), or the `url` of a server.

    A tool may be read with where the server declares it as read-only, or `readonly` names it: those
    who write the file vouch that it changes nothing.
    """

    kind: Literal["mcp"] = "mcp"
    command: Text | None = None
    args: tuple[str, ...] = ()
    env: dict[VariableName, SecretOrText] = {}
    url: Annotated[str, AfterValidator(_is_url)] | None = None
    auth: Auth | None = None
    headers: dict[HeaderName, HeaderValue] = {}
    readonly: tuple[Text, ...] = ()
    timeout_s: float = Field(10.0, ge=0.1, le=300)
    max_kb: int = Field(1024, ge=1, le=20_480)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.command is None) is (self.url is None):
            raise ValueError("should have either a command or a url")
        foreign = ("args", "env") if self.url else ("auth", "headers")
        for name in foreign:
            if getattr(self, name):
                raise ValueError(f"{name} does not go together with the other keys here")
        if self.auth is not None and self.auth.oauth is not None:
            raise ValueError("auth should be one of bearer, basic and header here")
        return self

    @property
    def sent_headers(self) -> dict[str, str]:
        """The headers of every request, secrets in place."""
        match self.auth:
            case Auth(bearer=SecretStr() as token):
                own = {"Authorization": f"Bearer {token.get_secret_value()}"}
            case Auth(basic=basic) if basic is not None:
                pair = f"{basic.user}:{basic.password.get_secret_value()}".encode()
                own = {"Authorization": f"Basic {b64encode(pair).decode()}"}
            case Auth(header=header) if header is not None:
                own = {header.name: header.value.get_secret_value()}
            case _:
                own = {}
        return {**self.headers, **own}

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a command, secrets in place."""
        return {
            name: value.get_secret_value() if isinstance(value, SecretStr) else value
            for name, value in self.env.items()
        }


class McpCall(Frozen):
    """A tool of the server; `arguments` are templates, by default those of the tool as they are.

    What is found at `items` (JMESPath; the answer itself without one) is the result.
    """

    tool: Text
    arguments: dict[str, Any] | None = None
    items: str = ""
