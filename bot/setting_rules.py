"""Checks and types of the service's own settings (design.md §9)."""

import difflib
import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import AfterValidator, BeforeValidator, ValidationInfo

from bot.masking import compile_mask
from cards.linear import BadPattern, compile_linear
from cards.model import Lang
from cards.texts import languages
from engine.ports.inbox_files import FILE_KINDS
from engine.ports.model import KEPT_FIELDS, PURPOSES, THOUGHT_WAYS, ThoughtWay
from engine.ports.settings import (
    TOKEN,
    comma_list,
    is_loopback,
    is_on_this_machine,
    web_address,
)

_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_AMOUNT = r"\d{1,9}(?:\.\d{1,9})?"
_PRICE = re.compile(
    rf"(?P<model>\S+)\s*=\s*(?P<prompt>{_AMOUNT})\s*/\s*(?P<completion>{_AMOUNT})", re.ASCII
)
_PROJECT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")

_MODEL = ("OPENAI_API_KEY", "LLM_MODEL", "OPENAI_BASE_URL", "LLM_FALLBACK_MODELS", "LLM_PRICES")

_OIDC = ("SIGNOFF_OIDC_ISSUER", "SIGNOFF_OIDC_CLIENT_ID", "SIGNOFF_OIDC_CLIENT_SECRET")

REQUIRED_TOGETHER: Final = (
    (_OIDC, ("SIGNOFF_OIDC_ISSUER",)),
    (_OIDC, ("SIGNOFF_OIDC_CLIENT_ID",)),
    (_MODEL, ("OPENAI_API_KEY",)),
    (_MODEL, ("LLM_MODEL",)),
    (("SIGNOFF_STORE_ACKS",), ("REDIS_URL",)),
    (("LLM_DAY_COST", "LLM_DAY_COST_PER_PROJECT", "LLM_DAY_COST_PER_PERSON"), ("LLM_PRICES",)),
)
"""Which of the service's own settings need each other, as `missing_settings` takes it."""

_REDCAP: Final = "a REDCap project is a connection of connections.yaml, as docs/redcap.md shows"
REMOVED: Final = {"REDCAP_API_URL": _REDCAP, "REDCAP_FIELDS": _REDCAP}
"""Settings of earlier versions, and what to do instead."""

_TOKEN_CHARS: Final = 16
"""The shortest admin token where others can reach the service."""


def check_admin_token(token: str, host: str, public_url: str | None) -> list[str]:
    """A line for an admin token that others could guess, since bearer tokens have no rate limit."""
    is_private = is_loopback(host) and is_on_this_machine(public_url)
    if not token or len(token) >= _TOKEN_CHARS or is_private:
        return []
    where = public_url if is_loopback(host) else host
    return [
        f"SIGNOFF_ADMIN_TOKEN: should have {_TOKEN_CHARS} characters or more, since others can"
        f" reach {where} and try; `openssl rand -hex 32` makes one"
    ]


def check_store_address(variables: Mapping[str, str | None]) -> list[str]:
    """A line for a store that was to be named, so that nobody is given an empty one instead."""
    if (variables.get("REDIS_URL") or "").strip() or "REDIS_URL" not in variables:
        return []
    return [
        "REDIS_URL: is there, and empty; give the address of your Redis, or leave the whole"
        " variable out for the embedded server"
    ]


def _issuer(value: str) -> str:
    """The issuer without a slash at its end; over TLS, unless it is on this machine."""
    address = web_address(value)
    parts = urlsplit(address)
    if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
        raise ValueError("secrets would be sent in the clear")
    return address


def _public_address(value: str) -> str:
    """Our own address; its pages and webhooks stand right under it."""
    address = web_address(value)
    if urlsplit(address).path:
        raise ValueError("has a path")
    return address


def _scopes(value: str) -> str:
    if "openid" not in value.split():
        raise ValueError("without openid nobody says who signs in")
    return " ".join(value.split())


PublicAddress = Annotated[str, AfterValidator(_public_address)]
Issuer = Annotated[str, AfterValidator(_issuer)]
Scopes = Annotated[str, AfterValidator(_scopes)]


def _file_types(value: Any) -> tuple[str, ...]:
    kinds = tuple(str(kind).lower().lstrip(".") for kind in comma_list(value))
    if not kinds or set(kinds) - set(FILE_KINDS):
        raise ValueError("not a kind of file that can be read")
    return kinds


def parse_patterns(value: Any) -> Any:
    """Regular expressions, separated by spaces; raises BadPattern for one that RE2 cannot run."""
    if not isinstance(value, str):
        return value
    patterns = tuple(value.split())
    for pattern in patterns:
        try:
            compile_linear(pattern)
        except BadPattern as error:
            raise BadPattern(f"{pattern!r}: {error}") from error
    compile_mask(patterns)
    return patterns


def _projects(value: Any, info: ValidationInfo) -> Any:
    """`CONVERSATION=PROJECT` pairs; a conversation is named from its platform on."""
    if not isinstance(value, str):
        return value
    pairs: dict[str, str] = {}
    for part in comma_list(value):
        conversation, _, project = (side.strip() for side in part.rpartition("="))
        named = (
            TOKEN.fullmatch(conversation) and conversation.split(":")[0] in info.data["platforms"]
        )
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


def _thoughts(value: Any) -> Any:
    """How each model gives its thoughts; a model's name may itself hold =."""
    if not isinstance(value, str):
        return value
    found: dict[str, str] = {}
    for part in comma_list(value):
        model, _, way = (side.strip() for side in part.rpartition("="))
        if not model or way not in THOUGHT_WAYS or model in found:
            raise ValueError("no model and its way, or a second one")
        found[model] = way
    return found


def _zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, OSError, ValueError) as error:
        near = difflib.get_close_matches(value, available_timezones(), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        told = f"should be an IANA time zone, as in Europe/Berlin, not {value!r:.60}{hint}"
        raise ValueError(told) from error
    return value


def _host(value: str) -> str:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        if not _HOST_NAME.fullmatch(value):
            raise
    return value


def _redis_address(value: str) -> str:
    parts = urlsplit(value)
    where = parts.path.strip("/") if parts.scheme == "unix" else parts.hostname
    if parts.scheme not in ("redis", "rediss", "unix") or not where or parts.port == 0:
        raise ValueError("not an address")
    return value


def suggest_setting(name: str, known: Sequence[str]) -> str | None:
    """The known setting that is most like an unknown one; None when none is near."""
    if name.removeprefix("SIGNOFF_") in known:
        return name.removeprefix("SIGNOFF_")
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    return near[0] if near else None


def _request_fields(value: Any) -> Any:
    """Fields of requests by purpose, as JSON; the room of the model keeps some for itself."""
    if not isinstance(value, str):
        return value
    fields = json.loads(value)
    if not isinstance(fields, dict) or set(fields) - {"all", *PURPOSES}:
        raise ValueError("no object of purposes")
    for each in fields.values():
        limit = each.get("max_tokens", 1) if isinstance(each, dict) else 0
        if (
            not isinstance(limit, int)
            or isinstance(limit, bool)
            or limit < 1
            or KEPT_FIELDS & set(each)
        ):
            raise ValueError("no fields of a request, or such as are the service's own")
    return fields


RequestFieldsByPurpose = Annotated[
    Mapping[str, Mapping[str, Any]], BeforeValidator(_request_fields)
]
Thoughts = Annotated[Mapping[str, ThoughtWay], BeforeValidator(_thoughts)]
Prices = Annotated[Mapping[str, tuple[float, float]], BeforeValidator(_prices)]
Projects = Annotated[tuple[tuple[str, str], ...], BeforeValidator(_projects)]


def _languages(value: tuple[str, ...]) -> tuple[str, ...]:
    if not value or any(lang not in languages() for lang in value):
        raise ValueError(f"should be some of {', '.join(languages())}")
    return tuple(dict.fromkeys(value))


def _project(value: str) -> str:
    if value and not _PROJECT.fullmatch(value):
        raise ValueError("no name of a project")
    return value


_DURATION = re.compile(r"([1-9][0-9]{0,4})([dwy])")
_UNIT_DAYS: Final = {"d": 1, "w": 7, "y": 365}


def _duration(value: str) -> str:
    if not _DURATION.fullmatch(value):
        raise ValueError("should be days, weeks or years, as in 90d, 12w or 2y")
    return value


def days_of(duration: str) -> int:
    """The days of a duration such as 90d, 12w or 2y."""
    return int(duration[:-1]) * _UNIT_DAYS[duration[-1]]


Duration = Annotated[str, AfterValidator(_duration)]
ProjectName = Annotated[str, AfterValidator(_project)]
ZoneName = Annotated[str, AfterValidator(_zone)]
HostName = Annotated[str, AfterValidator(_host)]
RedisAddress = Annotated[str, AfterValidator(_redis_address)]
FileTypes = Annotated[tuple[str, ...], BeforeValidator(_file_types)]
Patterns = Annotated[tuple[str, ...] | None, BeforeValidator(parse_patterns)]
Names = Annotated[tuple[str, ...], BeforeValidator(comma_list)]
LanguageList = Annotated[tuple[str, ...], AfterValidator(_languages)]
Languages = Annotated[tuple[Lang, ...], BeforeValidator(comma_list), AfterValidator(_languages)]
