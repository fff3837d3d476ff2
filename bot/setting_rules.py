"""What the value of a setting may be, and which settings need each other (design.md §9)."""

import difflib
import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cryptography.fernet import Fernet
from pydantic import AfterValidator, BeforeValidator, SecretStr
from pydantic_settings import NoDecode

from bot.masking import masking
from cards.linear import BadPattern, compile_linear
from cards.texts import FALLBACK, texts_of
from engine.ports.inbox_files import KINDS

_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_TOKEN = re.compile(r"[!-~]+")
_AMOUNT = r"\d{1,9}(?:\.\d{1,9})?"
_PRICE = re.compile(
    rf"(?P<model>\S+)\s*=\s*(?P<prompt>{_AMOUNT})\s*/\s*(?P<completion>{_AMOUNT})", re.ASCII
)
_TELEGRAM_TOKEN = re.compile(r"[0-9]{1,20}:[A-Za-z0-9_-]+")
_WEBHOOK_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")

_TEAM = re.compile(r"[TE][A-Z0-9]{2,20}")
_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")

_SLACK = ("SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_APP_TOKEN", "SLACK_API_URL")
_OAUTH = ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_TOKEN_KEYS", "SLACK_WORKSPACES")
_TELEGRAM = ("TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET", "TELEGRAM_API_URL")
_MODEL = ("OPENAI_API_KEY", "LLM_MODEL", "OPENAI_BASE_URL", "LLM_FALLBACK_MODELS", "LLM_PRICES")
_PROXY = ("SIGNOFF_WEB_USER_HEADER", "SIGNOFF_WEB_TRUSTED_PROXY")
_REDCAP = ("REDCAP_API_URL", "REDCAP_API_TOKEN", "REDCAP_FIELDS")

# As soon as one of a group is set, each of these lines needs one of its names.
_NEEDS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (_SLACK, ("SLACK_BOT_TOKEN", *_OAUTH)),
    ((*_SLACK, *_OAUTH), ("SLACK_SIGNING_SECRET", "SLACK_APP_TOKEN")),
    *((_OAUTH, (name,)) for name in (*_OAUTH[:3], "SIGNOFF_PUBLIC_URL")),
    (_TELEGRAM, ("TELEGRAM_BOT_TOKEN",)),
    (_MODEL, ("OPENAI_API_KEY",)),
    (_MODEL, ("LLM_MODEL",)),
    (_PROXY, ("SIGNOFF_WEB_USER_HEADER",)),
    (_PROXY, ("SIGNOFF_WEB_TRUSTED_PROXY",)),
    (_REDCAP, ("REDCAP_API_URL",)),
    (_REDCAP, ("REDCAP_API_TOKEN",)),
)


def platform_names() -> frozenset[str]:
    """What a conversation's id may begin with: whatever people have a word for."""
    keys = texts_of(FALLBACK)
    return frozenset(key.removeprefix("place.") for key in keys if key.startswith("place."))


def nobody_to_talk_to(given: set[str]) -> list[str]:
    """A line when no platform is connected although the web chat is off."""
    if given.intersection((*_SLACK, *_OAUTH, *_TELEGRAM)):
        return []
    return [
        "nothing to talk to: SIGNOFF_WEBCHAT is off, and neither SLACK_BOT_TOKEN nor"
        " TELEGRAM_BOT_TOKEN is set"
    ]


def at_odds(given: set[str]) -> list[str]:
    """A line for settings that contradict each other."""
    oauth = [name for name in _OAUTH if name in given]
    if "SLACK_BOT_TOKEN" not in given or not oauth:
        return []
    return [
        f"SLACK_BOT_TOKEN: should be left out while {oauth[0]} is set, because then each workspace"
        " that installs the app gives a token of its own; for one workspace, leave out"
        f" {' and '.join(oauth)}"
    ]


def half_set(given: set[str]) -> list[str]:
    """One line for every setting that is missing beside those in `given`."""
    lines = []
    for group, needed in _NEEDS:
        because = [name for name in group if name in given]
        if because and not given.intersection(needed):
            told = [name for name in needed if name not in _OAUTH or len(needed) == 1]
            lines.append(f"{' or '.join(told)}: should be set, because {because[0]} is set")
    return lines


TOKEN_CHARS: Final = 16
"""So long an admin token has to be where others reach the service."""


@dataclass(frozen=True, slots=True)
class Visitors:
    """How the web chat learns who its visitors are, and who can reach it (design §9)."""

    host: str
    links: bool
    header: bool
    public: bool

    def faults(self) -> list[str]:
        """What must not be: strangers who choose who they are, and two ways to sign in."""
        if self.links and self.header:
            return [
                "SIGNOFF_WEB_LOGIN: should be off while SIGNOFF_WEB_USER_HEADER is set, because a"
                " visitor is signed in by one of them"
            ]
        if is_loopback(self.host):
            return []
        if not self.links and not self.header:
            return [
                "SIGNOFF_HOST: should be 127.0.0.1 while SIGNOFF_WEBCHAT is on, because its"
                " visitors choose who they are; to listen on"
                f" {self.host}, set SIGNOFF_WEBCHAT=off, SIGNOFF_WEB_LOGIN=link or"
                " SIGNOFF_WEB_USER_HEADER"
            ]
        if not self.public:
            return [
                "SIGNOFF_PUBLIC_URL: should be set while the web chat listens on"
                f" {self.host}, because only requests for that host are answered"
            ]
        return []


def guessable(token: str, host: str) -> list[str]:
    """One line for an admin token that others could find by trying, as nothing slows a bearer."""
    if not token or len(token) >= TOKEN_CHARS or is_loopback(host):
        return []
    return [
        f"SIGNOFF_ADMIN_TOKEN: should have {TOKEN_CHARS} characters or more, since others can reach"
        f" {host} and try; `openssl rand -hex 32` makes one"
    ]


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that is bound to `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def comma_list(value: Any) -> Any:
    """The parts of a comma-separated text; anything else is left for the next check."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _file_types(value: Any) -> tuple[str, ...]:
    kinds = tuple(str(kind).lower().lstrip(".") for kind in comma_list(value))
    if not kinds or set(kinds) - set(KINDS):
        raise ValueError("not a kind of file that can be read")
    return kinds


def pattern_list(value: Any) -> Any:
    """Regular expressions, separated by spaces; raises BadPattern for one that RE2 cannot run."""
    if not isinstance(value, str):
        return value
    patterns = tuple(value.split())
    for pattern in patterns:
        try:
            compile_linear(pattern)
        except BadPattern as error:
            raise BadPattern(f"{pattern!r}: {error}") from error
    masking(patterns)
    return patterns


def _projects(value: Any) -> Any:
    """`CONVERSATION=PROJECT` pairs; a conversation is named from its platform on."""
    if not isinstance(value, str):
        return value
    pairs: dict[str, str] = {}
    for part in comma_list(value):
        conversation, _, project = (side.strip() for side in part.rpartition("="))
        named = _TOKEN.fullmatch(conversation) and conversation.split(":")[0] in platform_names()
        if not named or conversation.endswith(":") or not _PROJECT.fullmatch(project):
            raise ValueError("not a conversation and its project")
        if pairs.setdefault(conversation, project) != project:
            raise ValueError("two projects of one conversation")
    return tuple(pairs.items())


def _prices(value: Any) -> Any:
    """Each model's prices of prompt and completion; a model's name may itself hold = and /."""
    if not isinstance(value, str):
        return value
    found = {}
    for part in comma_list(value):
        price = _PRICE.fullmatch(part)
        if price is None or price["model"] in found:
            raise ValueError("no price, or a second one")
        found[price["model"]] = (float(price["prompt"]), float(price["completion"]))
    return found


def _on_off(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if value.lower() not in ("on", "off"):
        raise ValueError("neither on nor off")
    return value.lower() == "on"


def _zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, OSError, ValueError) as error:
        raise ValueError("unknown") from error
    return value


def _host(value: str) -> str:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        if not _HOST_NAME.fullmatch(value):
            raise
    return value


def _web_address(value: str) -> str:
    parts = urlsplit(value)
    wrong = parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0
    if wrong or parts.query or parts.fragment or not _TOKEN.fullmatch(value):
        raise ValueError("not an address")
    return value.rstrip("/")


def _redcap_address(value: str) -> str:
    # Without the slash at its end a server redirects, and what was posted is lost.
    if not value.endswith("/api"):
        raise ValueError("not an API's address")
    return value + "/"


def _redis_address(value: str) -> str:
    parts = urlsplit(value)
    where = parts.path.strip("/") if parts.scheme == "unix" else parts.hostname
    if parts.scheme not in ("redis", "rediss", "unix") or not where or parts.port == 0:
        raise ValueError("not an address")
    return value


def _token(value: SecretStr) -> SecretStr:
    if not _TOKEN.fullmatch(value.get_secret_value()):
        raise ValueError("not a token")
    return value


def _telegram_token(value: SecretStr) -> SecretStr:
    if not _TELEGRAM_TOKEN.fullmatch(value.get_secret_value()):
        raise ValueError("not a bot's token")
    return value


def _token_keys(value: Any) -> Any:
    """Keys for what is kept encrypted, each as Fernet takes it."""
    if not isinstance(value, str):
        return value
    found = tuple(comma_list(value))
    if not found:
        raise ValueError("no key")
    for key in found:
        Fernet(key)
    return tuple(map(SecretStr, found))


def _slack_teams(value: Any) -> Any:
    """Ids of Slack workspaces."""
    parts = comma_list(value)
    if not all(_TEAM.fullmatch(str(part)) for part in parts):
        raise ValueError("not a workspace's id")
    return parts


def _webhook_secret(value: SecretStr) -> SecretStr:
    if not _WEBHOOK_SECRET.fullmatch(value.get_secret_value()):
        raise ValueError("not a secret")
    return value


def _header(value: str) -> str:
    if not _HEADER.fullmatch(value):
        raise ValueError("not a header's name")
    return value


def _networks(value: Any) -> Any:
    """Networks, separated by commas; an address is a network of one."""
    parts = comma_list(value)
    return tuple(map(ipaddress.ip_network, parts)) if isinstance(value, str) else value


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The known setting that an unknown one most likely means, None when none is near."""
    if name.removeprefix("SIGNOFF_") in known:
        return name.removeprefix("SIGNOFF_")
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    return near[0] if near else None


Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Networks = Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_networks)]
HeaderName = Annotated[str, AfterValidator(_header)]
Prices = Annotated[Mapping[str, tuple[float, float]], NoDecode, BeforeValidator(_prices)]
Projects = Annotated[tuple[tuple[str, str], ...], NoDecode, BeforeValidator(_projects)]
OnOff = Annotated[bool, BeforeValidator(_on_off)]
ZoneName = Annotated[str, AfterValidator(_zone)]
HostName = Annotated[str, AfterValidator(_host)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
RedcapAddress = Annotated[str, AfterValidator(_web_address), AfterValidator(_redcap_address)]
RedisAddress = Annotated[str, AfterValidator(_redis_address)]
Token = Annotated[SecretStr, AfterValidator(_token)]
TokenKeys = Annotated[tuple[SecretStr, ...] | None, NoDecode, BeforeValidator(_token_keys)]
SlackTeams = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_slack_teams)]
TelegramToken = Annotated[SecretStr, AfterValidator(_telegram_token)]
WebhookSecret = Annotated[SecretStr, AfterValidator(_webhook_secret)]
FileTypes = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_file_types)]
