"""The service's settings, read from the environment and `.env` (design.md §9).

Each platform has settings of its own, which stand in its room.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from dotenv import dotenv_values
from pydantic import ValidationError, model_validator
from pydantic_core import ErrorDetails

from bot import failpoints
from bot.programs import Programs
from bot.project import project_variables
from bot.setting_rules import (
    REMOVED,
    REQUIRED_TOGETHER,
    FileTypes,
    HostName,
    Issuer,
    Languages,
    Names,
    Patterns,
    Prices,
    ProjectName,
    Projects,
    PublicAddress,
    RedisAddress,
    RequestFieldsByPurpose,
    Scopes,
    Thoughts,
    ZoneName,
    check_admin_token,
    check_store_address,
    suggest_setting,
)
from cards.linear import BadPattern
from cards.texts import COMPLETE, languages
from engine.errors import DefinitionError
from engine.ports.accounts import AccountRules
from engine.ports.inbox_files import FILE_KINDS
from engine.ports.model import GRAPH_BUDGET, PURPOSES, RUN_BUDGET, THOUGHT_WAYS, ModelBudget
from engine.ports.settings import (
    WEB,
    Network,
    Networks,
    OnOff,
    PlatformSettings,
    SettingsGroup,
    Token,
    WebAddress,
    is_loopback,
    is_on_this_machine,
    missing_settings,
    secret,
    setting,
    visible_setting,
)

NO_ZONE = "nothing says which: write timezone in signoff.yaml, or SIGNOFF_TIMEZONE"

_ENV_FILE = ".env"
_ENCODING = "utf-8-sig"
_LONGEST_SHOWN = 40
# Kubernetes puts these beside a service that is called "signoff".
_NOT_OURS = re.compile(r"SIGNOFF_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP)).*")
_PATTERNS = (
    "regular expressions of RE2's kind (no look-around, back-references or possessive repeats, no"
    " repeat above 1000), separated by spaces"
)

GroupT = TypeVar("GroupT", bound=SettingsGroup)

_CALLS: dict[str, Any] = {"should_be": "a whole number from 1 to 1000000", "ge": 1, "le": 10**6}
_TOKENS: dict[str, Any] = {
    "should_be": "a whole number from 100 to 1000000000",
    "ge": 100,
    "le": 10**9,
}


_COST: dict[str, Any] = {"should_be": "a number from 0.01 to 1000000", "ge": 0.01, "le": 10**6}


class Settings(SettingsGroup):
    """Everything a deployment may choose; frozen. What is not set has its default or is None.

    Each field's description completes the sentence "NAME should be ...". `platforms` are those that
    there are, whether they are on or not.
    """

    platforms: Mapping[str, PlatformSettings] = {}

    redis_url: RedisAddress | None = setting(
        "REDIS_URL", None, "redis://HOST:PORT/0, rediss:// or unix:///PATH", repr=False
    )
    data_dir: Path = visible_setting("SIGNOFF_DATA_DIR", Path("data"), "a folder")
    playbooks: Path = visible_setting("SIGNOFF_PLAYBOOKS", Path("playbooks"), "a folder")
    people: Path = visible_setting("SIGNOFF_PEOPLE", Path("playbooks/people.yaml"), "a file")
    skills: Path | None = visible_setting("SIGNOFF_SKILLS", None, "a folder")
    group_age_s: float = visible_setting(
        "SIGNOFF_GROUP_AGE_S", 900.0, "a number of seconds from 1 to 86400", ge=1, le=86_400
    )
    projects: Projects = visible_setting(
        "SIGNOFF_PROJECTS", (), "pairs as in slack:T1:C2=STORES, separated by commas"
    )
    project: ProjectName = visible_setting("SIGNOFF_PROJECT", "", "a project, as in STORES")
    connections: Path | None = visible_setting("SIGNOFF_CONNECTIONS", None, "a file")
    mcp: Path | None = visible_setting("SIGNOFF_MCP", None, "a file")
    public_url: PublicAddress | None = setting(
        "SIGNOFF_PUBLIC_URL", None, "an http:// or https:// address without a path or query"
    )
    admin_token: Token | None = secret("SIGNOFF_ADMIN_TOKEN")
    programs: Programs = setting(
        "SIGNOFF_PROGRAMS",
        (),
        "pairs as in kite=TOKEN, with tokens of 16 characters or more",
    )
    oidc_issuer: Issuer | None = visible_setting(
        "SIGNOFF_OIDC_ISSUER", None, "https://HOST, as the identity provider calls itself"
    )
    oidc_client_id: str | None = visible_setting(
        "SIGNOFF_OIDC_CLIENT_ID", None, "the id of this client there"
    )
    oidc_client_secret: Token | None = secret("SIGNOFF_OIDC_CLIENT_SECRET")
    oidc_scopes: Scopes = visible_setting(
        "SIGNOFF_OIDC_SCOPES", "openid email", "scopes apart by spaces, openid among them"
    )
    oidc_claim: str = visible_setting("SIGNOFF_OIDC_CLAIM", "email", "the name of a claim")
    skill_api_s: float = visible_setting(
        "SIGNOFF_SKILL_API_S", 120.0, "a number of seconds from 0.1 to 3600", ge=0.1, le=3600
    )
    host: HostName = visible_setting(
        "SIGNOFF_HOST", "127.0.0.1", "a host name or IP address, no port"
    )
    port: int = visible_setting("PORT", 8080, "a whole number from 1 to 65535", ge=1, le=65535)
    share_port: OnOff = visible_setting("SIGNOFF_SHARE_PORT", False, "on or off")
    trusted_proxy: Networks = visible_setting(
        "SIGNOFF_TRUSTED_PROXY", (), "addresses or networks, as in 10.0.0.0/24, with commas"
    )
    file_max_mb: int = visible_setting(
        "SIGNOFF_FILE_MAX_MB", 20, "a whole number from 1 to 1000", ge=1, le=1000
    )
    file_types: FileTypes = visible_setting(
        "SIGNOFF_FILE_TYPES", FILE_KINDS, f"some of {', '.join(FILE_KINDS)}"
    )
    file_seconds: float = visible_setting(
        "SIGNOFF_FILE_SECONDS", 20.0, "a number of seconds from 1 to 600", ge=1, le=600
    )
    file_memory_mb: int = visible_setting(
        "SIGNOFF_FILE_MEMORY_MB", 512, "a whole number from 128 to 8192", ge=128, le=8192
    )
    file_link_days: int = visible_setting(
        "SIGNOFF_FILE_LINK_DAYS", 7, "a whole number of days from 0 to 366", ge=0, le=366
    )
    languages: Languages = visible_setting(
        "SIGNOFF_LANGUAGES", COMPLETE, f"some of {', '.join(languages())}, separated by commas"
    )
    timezone: ZoneName = visible_setting(
        "SIGNOFF_TIMEZONE", "Asia/Shanghai", "an IANA time zone, as in Europe/Berlin"
    )
    partitions: int = visible_setting(
        "SIGNOFF_PARTITIONS", 1, "a whole number from 1 to 4096", ge=1, le=4096
    )
    store_acks: int = visible_setting(
        "SIGNOFF_STORE_ACKS", 0, "a whole number from 0 to 5", ge=0, le=5
    )
    allow_unsafe_redis: bool = visible_setting("SIGNOFF_ALLOW_UNSAFE_REDIS", False, "true or false")
    worker_lanes: int = visible_setting(
        "SIGNOFF_WORKER_LANES", 32, "a whole number from 1 to 1024", ge=1, le=1024
    )
    kept_lanes: int = visible_setting(
        "SIGNOFF_KEPT_LANES", 4, "a whole number from 0 to 1024", ge=0, le=1024
    )
    lease_s: float = visible_setting(
        "SIGNOFF_LEASE_S", 25.0, "a number of seconds from 1 to 3600", ge=1, le=3600
    )
    watchdog_s: float = visible_setting(
        "SIGNOFF_WATCHDOG_S", 15.0, "a number of seconds from 0 to 3600", ge=0, le=3600
    )
    messages_per_min: int = visible_setting(
        "SIGNOFF_MESSAGES_PER_MIN", 60, "a whole number from 1 to 100000", ge=1, le=100_000
    )
    mailbox_length: int = visible_setting(
        "SIGNOFF_MAILBOX_LENGTH", 1000, "a whole number from 1 to 100000", ge=1, le=100_000
    )
    mailbox_age_s: float = visible_setting(
        "SIGNOFF_MAILBOX_AGE_S", 900.0, "a number of seconds from 1 to 86400", ge=1, le=86_400
    )
    reply_after_s: float = visible_setting(
        "SIGNOFF_REPLY_AFTER_S", 2.0, "a number of seconds from 0 to 60", ge=0, le=60
    )

    streaming: OnOff = visible_setting("SIGNOFF_STREAMING", True, "on or off")
    react_iterations: int = visible_setting(
        "SIGNOFF_REACT_ITERATIONS", 5, "a whole number from 1 to 50", ge=1, le=50
    )
    react_tokens: int = visible_setting(
        "SIGNOFF_REACT_TOKENS", 20_000, "a whole number from 100 to 1000000", ge=100, le=1_000_000
    )
    react_tools: int = visible_setting(
        "SIGNOFF_REACT_TOOLS", 16, "a whole number from 1 to 128", ge=1, le=128
    )
    run_calls: int = visible_setting("SIGNOFF_RUN_CALLS", RUN_BUDGET.calls, **_CALLS)
    run_tokens: int = visible_setting("SIGNOFF_RUN_TOKENS", RUN_BUDGET.tokens, **_TOKENS)
    graph_calls: int = visible_setting("SIGNOFF_GRAPH_CALLS", GRAPH_BUDGET.calls, **_CALLS)
    graph_tokens: int = visible_setting("SIGNOFF_GRAPH_TOKENS", GRAPH_BUDGET.tokens, **_TOKENS)
    soft_rounds: int = visible_setting(
        "SIGNOFF_SOFT_ROUNDS", 3, "a whole number from 1 to 10", ge=1, le=10
    )
    soft_confidence: float = visible_setting(
        "SIGNOFF_SOFT_CONFIDENCE", 0.7, "a number from 0 to 1", ge=0, le=1
    )
    run_days: float = visible_setting(
        "SIGNOFF_RUN_DAYS", 90.0, "a number of days from 1 to 3650", ge=1, le=3650
    )
    case_days: float = visible_setting(
        "SIGNOFF_CASE_DAYS", 730.0, "a number of days from 1 to 36500", ge=1, le=36_500
    )
    file_days: float = visible_setting(
        "SIGNOFF_FILE_DAYS", 0.0, "a number of days from 0 to 36500", ge=0, le=36_500
    )
    trace_days: float = visible_setting(
        "SIGNOFF_TRACE_DAYS", 30.0, "a number of days from 0 to 3650", ge=0, le=3650
    )
    trace_mask: Patterns = visible_setting("SIGNOFF_TRACE_MASK", None, _PATTERNS)

    log_texts: OnOff = visible_setting("SIGNOFF_LOG_TEXTS", False, "on or off")
    otlp_endpoint: WebAddress | None = setting("OTEL_EXPORTER_OTLP_ENDPOINT", None, WEB)
    failpoint: str | None = visible_setting(
        "SIGNOFF_FAILPOINT", None, "a point of bot/failpoints.py"
    )

    openai_api_key: Token | None = secret("OPENAI_API_KEY")
    openai_base_url: WebAddress | None = setting("OPENAI_BASE_URL", None, WEB)
    llm_model: str | None = visible_setting("LLM_MODEL", None, "the name of a model")
    llm_fallback_models: Names = visible_setting(
        "LLM_FALLBACK_MODELS", (), "names of models, separated by commas"
    )
    llm_concurrency: int = visible_setting(
        "LLM_CONCURRENCY", 8, "a whole number from 1 to 1000", ge=1, le=1000
    )
    llm_lanes: int | None = visible_setting(
        "LLM_LANES", None, "a whole number from 1 to 10000", ge=1, le=10_000
    )
    llm_lanes_per_project: int | None = visible_setting(
        "LLM_LANES_PER_PROJECT", None, "a whole number from 1 to 10000", ge=1, le=10_000
    )
    llm_lanes_per_person: int | None = visible_setting(
        "LLM_LANES_PER_PERSON", None, "a whole number from 1 to 10000", ge=1, le=10_000
    )
    llm_first_token_s: float = visible_setting(
        "LLM_FIRST_TOKEN_S", 90.0, "a number of seconds from 1 to 3600", ge=1, le=3600
    )
    llm_between_tokens_s: float = visible_setting(
        "LLM_BETWEEN_TOKENS_S", 60.0, "a number of seconds from 1 to 3600", ge=1, le=3600
    )
    llm_total_s: float | None = visible_setting(
        "LLM_TOTAL_S", None, "a number of seconds from 1 to 86400", ge=1, le=86_400
    )
    llm_request_fields: RequestFieldsByPurpose = setting(
        "LLM_REQUEST_FIELDS", {}, f"JSON: fields of requests under all, {', '.join(PURPOSES)}"
    )
    llm_thoughts: Thoughts = visible_setting(
        "LLM_THOUGHTS", {}, f"MODEL={'|'.join(THOUGHT_WAYS)}, separated by commas"
    )
    llm_day_tokens: int | None = visible_setting("LLM_DAY_TOKENS", None, **_TOKENS)
    llm_day_tokens_per_project: int | None = visible_setting(
        "LLM_DAY_TOKENS_PER_PROJECT", None, **_TOKENS
    )
    llm_day_tokens_per_person: int | None = visible_setting(
        "LLM_DAY_TOKENS_PER_PERSON", None, **_TOKENS
    )
    llm_day_cost: float | None = visible_setting("LLM_DAY_COST", None, **_COST)
    llm_day_cost_per_project: float | None = visible_setting(
        "LLM_DAY_COST_PER_PROJECT", None, **_COST
    )
    llm_day_cost_per_person: float | None = visible_setting(
        "LLM_DAY_COST_PER_PERSON", None, **_COST
    )
    llm_prices: Prices = visible_setting(
        "LLM_PRICES", {}, "MODEL=PROMPT/COMPLETION per million tokens, separated by commas"
    )

    sync_secret: Token | None = secret("SIGNOFF_SYNC_SECRET")

    @property
    def only_language(self) -> str:
        """The language of everybody here, "" where there are several."""
        return self.languages[0] if len(self.languages) == 1 else ""

    @property
    def enabled_platforms(self) -> Mapping[str, PlatformSettings]:
        """The platforms that are on."""
        return {name: each for name, each in self.platforms.items() if each.is_on}

    @property
    def accounts(self) -> Mapping[str, AccountRules]:
        """How each platform that there is names its people."""
        return {name: each.accounts for name, each in self.platforms.items()}

    @property
    def isolates_workspaces(self) -> bool:
        """Whether workspaces of a platform know nothing of each other."""
        return any(each.isolates_workspaces for each in self.platforms.values())

    @property
    def has_identity_provider(self) -> bool:
        """Whether people can sign in at an identity provider."""
        return self.oidc_issuer is not None

    @property
    def names_zone(self) -> bool:
        """Whether somebody chose the time zone."""
        return "timezone" in self.model_fields_set

    @property
    def has_page(self) -> bool:
        """Whether a platform is a page of the service itself."""
        return any(each.has_page for each in self.platforms.values())

    @property
    def is_local_only(self) -> bool:
        """Whether only this machine can reach the service, and no proxy forwards to it."""
        is_public = self._signing_proxies or not is_on_this_machine(self.public_url)
        return is_loopback(self.host) and not is_public

    @property
    def proxies(self) -> tuple[Network, ...]:
        """The proxies whose X-Forwarded-For is believed."""
        return (*self.trusted_proxy, *self._signing_proxies)

    @property
    def _signing_proxies(self) -> list[Network]:
        """The proxies that sign people in."""
        return [proxy for each in self.platforms.values() for proxy in each.proxies]

    @property
    def run_budget(self) -> ModelBudget:
        """What a run may use of the model before an operator has to let it go on."""
        return ModelBudget(calls=self.run_calls, tokens=self.run_tokens)

    @property
    def allowances(self) -> Mapping[str, tuple[int | None, float | None]]:
        """What a day may take of the model, in tokens and cost, by whose it is, where it is set."""
        day = {
            "all": (self.llm_day_tokens, self.llm_day_cost),
            "project": (self.llm_day_tokens_per_project, self.llm_day_cost_per_project),
            "person": (self.llm_day_tokens_per_person, self.llm_day_cost_per_person),
        }
        return {whose: limits for whose, limits in day.items() if limits != (None, None)}

    @property
    def graph_budget(self) -> ModelBudget:
        """What the jobs of a graph together may use before the requester has to let it go on."""
        return ModelBudget(calls=self.graph_calls, tokens=self.graph_tokens)

    def secrets(self) -> Iterator[str]:
        """Every key, token and secret that is set, those of platforms too."""
        for group in self.platforms.values():
            yield from group.secrets()
        yield from super().secrets()
        yield from (program.token.get_secret_value() for program in self.programs)

    @property
    def key_patterns(self) -> list[str]:
        """What the keys of platforms look like."""
        return [pattern for each in self.platforms.values() for pattern in each.key_patterns]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        platforms = self.platforms.values()
        lines = [line for each in platforms for line in each.faults(self)]
        if not lines and platforms and not self.enabled_platforms:
            lines += _no_platform_lines([each.switch for each in platforms])
        lines += missing_settings(REQUIRED_TOGETHER, self.used_variables())
        token = self.admin_token.get_secret_value() if self.admin_token else ""
        lines += check_admin_token(token, self.host, self.public_url)
        if self.failpoint and self.failpoint not in failpoints.failpoint_names():
            lines.append("SIGNOFF_FAILPOINT: should be left out; it is for tests")
        if lines:
            raise ValueError("\n".join(lines))
        return self


def read_settings(platforms: Sequence[type[PlatformSettings]]) -> Settings:
    """The settings of this process; DefinitionError with a line for each wrong variable."""
    try:
        variables = read_environment()
    except (OSError, UnicodeDecodeError) as error:
        told = f"{_ENV_FILE}: should be a readable text file in UTF-8"
        raise DefinitionError(told) from error
    groups: list[type[SettingsGroup]] = [Settings, *platforms]
    problems = _unknown(variables, [env for each in groups for env in each.variables().values()])
    wrong: list[str] = []
    chosen = {each.platform: _read(each, variables, wrong) or each() for each in platforms}
    settings = _read(Settings, variables, wrong, platforms=chosen)
    problems += [*wrong, *check_store_address(variables)]
    if problems or settings is None:
        raise DefinitionError(*dict.fromkeys(problems))
    return settings


def _read(
    group: type[GroupT], variables: Mapping[str, str | None], wrong: list[str], **given: Any
) -> GroupT | None:
    """The group's settings; None, and the lines for what is wrong, where they are not right."""
    try:
        return group.read(variables, **given)
    except ValidationError as error:
        values = [detail for detail in error.errors() if detail["loc"]]
        # Whether settings fit together is checked once each of them is right.
        wrong += [_line(group, detail) for detail in values]
        wrong += [] if wrong else str(error.errors()[0]["ctx"]["error"]).split("\n")
        return None


def read_environment() -> dict[str, str | None]:
    """The variables of this process over those of `.env`, and these over what a project brings."""
    told = {**dotenv_values(_ENV_FILE, encoding=_ENCODING), **os.environ}
    return {**project_variables(Path(told.get("SIGNOFF_PLAYBOOKS") or "playbooks")), **told}


def _line(group: type[SettingsGroup], detail: ErrorDetails) -> str:
    where = str(detail["loc"][0])
    name = next(name for name, env in group.variables().items() if where in (name, env))
    field = group.model_fields[name]
    line = f"{field.validation_alias}: should be {field.description}"
    if field.json_schema_extra is None:
        return line
    value = str(detail["input"])
    cut = value if len(value) <= _LONGEST_SHOWN else value[:_LONGEST_SHOWN] + "..."
    error = detail.get("ctx", {}).get("error")
    why = f" ({error})" if isinstance(error, BadPattern) else ""
    return f"{line}, not {cut!r}{why}"


def _unknown(variables: Mapping[str, str | None], known: Sequence[str]) -> list[str]:
    lines = [
        f"{name}: is no setting any more; {REMOVED[name]}"
        for name in sorted(variables.keys() & REMOVED.keys())
        if variables[name]
    ]
    for name, value in sorted(variables.items()):
        is_ours = name.upper().startswith("SIGNOFF_") and name not in known
        if not is_ours or _NOT_OURS.fullmatch(name) or (value or "").startswith("tcp://"):
            continue
        near = suggest_setting(name.upper(), known)
        hint = f"did you mean {near}?" if near else "see .env.example"
        lines.append(f"{name}: there is no such setting; {hint}")
    return lines


def _no_platform_lines(switches: Sequence[str]) -> list[str]:
    """A line for a service whose platforms are all off; the web chat is on by default."""
    others = [switch for switch in switches if switch != "SIGNOFF_WEBCHAT"]
    return [
        f"nothing to talk to: SIGNOFF_WEBCHAT is off, and neither {' nor '.join(others)} is set"
    ]
