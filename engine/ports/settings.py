"""Settings of a deployment as each room declares its own, and the values that they share."""

import ipaddress
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from engine.ports.accounts import AccountRules

TOKEN = re.compile(r"[!-~]+")
WEB = "an http:// or https:// address without a query"
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def setting(env: str, default: Any, should_be: str, **limits: Any) -> Any:
    """A field that is read from the variable `env`; `should_be` completes "NAME should be ..."."""
    return Field(default, validation_alias=env, description=should_be, **limits)


def visible_setting(env: str, default: Any, should_be: str, **limits: Any) -> Any:
    """A setting that can hold no secret, so that an error may repeat its value."""
    return setting(env, default, should_be, json_schema_extra={"shown": True}, **limits)


def secret(env: str, should_be: str = "the secret, without spaces") -> Any:
    """A setting that is masked wherever the service shows or logs texts."""
    return setting(env, None, should_be)


def secret_text(value: SecretStr | None) -> str:
    """What a secret setting holds, "" when it is not set."""
    return value.get_secret_value() if value else ""


class ServiceSettings(Protocol):
    """What the room of a platform may know of the service's own settings."""

    @property
    def host(self) -> str:
        """The address that the service listens on."""
        ...

    @property
    def port(self) -> int:
        """The port that it listens on."""
        ...

    @property
    def public_url(self) -> str | None:
        """Where it is reached from outside."""
        ...

    @property
    def has_identity_provider(self) -> bool:
        """Whether people can sign in at an identity provider."""
        ...

    @property
    def data_dir(self) -> Path:
        """The folder that its processes share."""
        ...

    @property
    def file_max_mb(self) -> int:
        """The largest file that people may share, in MB."""
        ...

    @property
    def file_types(self) -> tuple[str, ...]:
        """The kinds of files that are taken."""
        ...

    @property
    def file_seconds(self) -> float:
        """How long fetching a file may take."""
        ...


class SettingsGroup(BaseModel):
    """Frozen settings, each read from the variable that its alias names."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", populate_by_name=True, hide_input_in_errors=True
    )

    @classmethod
    def variables(cls) -> dict[str, str]:
        """The variable of each field that is read from one, by the field's name."""
        fields = cls.model_fields.items()
        return {name: str(each.validation_alias) for name, each in fields if each.validation_alias}

    @classmethod
    def read(cls, variables: Mapping[str, str | None], **given: Any) -> Self:
        """The settings as the variables have them, blank ones left out; raises ValidationError."""
        texts = ((env, (variables.get(env) or "").strip()) for env in cls.variables().values())
        return cls(**{env: text for env, text in texts if text}, **given)

    def used_variables(self) -> set[str]:
        """The variables that are set."""
        return {env for name, env in self.variables().items() if getattr(self, name)}

    def secrets(self) -> Iterator[str]:
        """Every key, token and secret that is set."""
        for name in type(self).model_fields:
            value = getattr(self, name)
            for each in value if isinstance(value, tuple) else (value,):
                if isinstance(each, SecretStr):
                    yield each.get_secret_value()


class PlatformSettings(SettingsGroup):
    """What a deployment chooses for one platform, and what the service has to know about it.

    `switch` is the variable that switches it on. `key_patterns` are what its keys look like, for
    RE2 and without a space. `accounts` is how people.yaml names its people.
    """

    platform: ClassVar[str]
    switch: ClassVar[str]
    key_patterns: ClassVar[tuple[str, ...]] = ()
    accounts: ClassVar[AccountRules]

    @property
    def is_on(self) -> bool:
        """Whether the platform is connected."""
        raise NotImplementedError

    @property
    def places(self) -> tuple[str, ...]:
        """What ids of people's direct chats begin with here."""
        return (self.platform,)

    @property
    def proxies(self) -> tuple[Network, ...]:
        """Proxies that are believed where a request came from."""
        return ()

    @property
    def has_page(self) -> bool:
        """Whether people use it at the service's own address."""
        return False

    @property
    def has_sign_in_links(self) -> bool:
        """Whether people sign in to it by the links of `signoff people link`."""
        return False

    @property
    def isolates_workspaces(self) -> bool:
        """Whether its workspaces know nothing of each other."""
        return False

    def faults(self, service: ServiceSettings) -> list[str]:
        """A line for each setting that is missing, or at odds with another."""
        return []


Needs = Sequence[tuple[Sequence[str], Sequence[str]]]
"""As soon as one of a group is set, one of the names beside it is needed."""


def missing_settings(needs: Needs, given: set[str]) -> list[str]:
    """One line for every setting that is missing beside those in `given`."""
    lines = []
    for group, needed in needs:
        because = [name for name in group if name in given]
        if because and not given.intersection(needed):
            names = " or ".join(needed)
            lines.append(f"{names}: should be set, because {because[0]} is set")
    return lines


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that is bound to `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_on_this_machine(address: str | None) -> bool:
    """Whether a web address leads to the machine that it is read on; so does None."""
    return address is None or is_loopback(urlsplit(address).hostname or "")


def comma_list(value: Any) -> Any:
    """The parts of a comma-separated text; anything else is left for the next check."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def web_address(value: str) -> str:
    """The address without a slash at its end; raises ValueError for one that is none."""
    parts = urlsplit(value)
    wrong = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
    if wrong or parts.query or parts.fragment or not TOKEN.fullmatch(value):
        raise ValueError("not an address")
    return value.rstrip("/")


def matching(form: re.Pattern[str]) -> AfterValidator:
    """A check that a secret has that form, whole."""

    def check(value: SecretStr) -> SecretStr:
        if not form.fullmatch(value.get_secret_value()):
            raise ValueError("not in its form")
        return value

    return AfterValidator(check)


def _on_off(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value.lower() not in ("on", "off"):
        raise ValueError("neither on nor off")
    return value.lower() == "on"


def _networks(value: Any) -> Any:
    """Networks, separated by commas; an address is a network of one."""
    parts = comma_list(value)
    return tuple(map(ipaddress.ip_network, parts)) if isinstance(value, str) else value


OnOff = Annotated[bool, BeforeValidator(_on_off)]
Token = Annotated[SecretStr, matching(TOKEN)]
WebAddress = Annotated[str, AfterValidator(web_address)]
Networks = Annotated[tuple[Network, ...], BeforeValidator(_networks)]
