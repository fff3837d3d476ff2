"""The service's settings, read from the environment and `.env` (design.md §9)."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bot import failpoints
from bot.setting_rules import (
    FileTypes,
    HeaderName,
    HostName,
    Network,
    Networks,
    OnOff,
    Prices,
    Projects,
    RedcapAddress,
    RedisAddress,
    SlackTeams,
    TelegramToken,
    Token,
    TokenKeys,
    Visitors,
    WebAddress,
    WebhookSecret,
    ZoneName,
    at_odds,
    comma_list,
    guessable,
    half_set,
    is_loopback,
    nearest,
    nobody_to_talk_to,
    pattern_list,
)
from cards.linear import BadPattern
from engine.errors import DefinitionError
from engine.ports.inbox_files import KINDS
from engine.ports.model import GRAPH_BUDGET, RUN_BUDGET, ModelBudget

_ENV_FILE = ".env"
_ENCODING = "utf-8-sig"
_LONGEST_SHOWN = 40
# Kubernetes puts these beside a service that is called "signoff".
_NOT_OURS = re.compile(r"SIGNOFF_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP)).*")
_PATTERNS = (
    "regular expressions of RE2's kind (no look-around, back-references or possessive repeats, no"
    " repeat above 1000), separated by spaces"
)
_WEB = "an http:// or https:// address without a query"


def _setting(env: str, default: Any, should_be: str, **limits: Any) -> Any:
    return Field(default, validation_alias=env, description=should_be, **limits)


def _shown(env: str, default: Any, should_be: str, **limits: Any) -> Any:
    # Only what can hold no secret is repeated in an error.
    return _setting(env, default, should_be, json_schema_extra={"shown": True}, **limits)


def _secret(env: str, should_be: str = "the secret, without spaces") -> Any:
    return _setting(env, None, should_be)


_CALLS: dict[str, Any] = {"should_be": "a whole number from 1 to 1000000", "ge": 1, "le": 10**6}
_TOKENS: dict[str, Any] = {
    "should_be": "a whole number from 100 to 1000000000",
    "ge": 100,
    "le": 10**9,
}


class Settings(BaseSettings):
    """Everything a deployment may choose; frozen. What is not set has its default or is None.

    Each field's description completes the sentence "NAME should be ...".
    """

    model_config = SettingsConfigDict(
        frozen=True,
        env_file=_ENV_FILE,
        env_file_encoding=_ENCODING,
        env_ignore_empty=True,
        extra="ignore",
        case_sensitive=True,
        # Code may build settings by attribute name; with a prefix that no variable has, a foreign
        # variable `port` or `host` cannot.
        populate_by_name=True,
        env_prefix="attribute.",
        hide_input_in_errors=True,
    )

    redis_url: RedisAddress | None = _setting(
        "REDIS_URL", None, "redis://HOST:PORT/0, rediss:// or unix:///PATH", repr=False
    )
    data_dir: Path = _shown("SIGNOFF_DATA_DIR", Path("data"), "a folder")
    playbooks: Path = _shown("SIGNOFF_PLAYBOOKS", Path("playbooks"), "a folder")
    people: Path = _shown("SIGNOFF_PEOPLE", Path("playbooks/people.yaml"), "a file")
    group_age_s: float = _shown(
        "SIGNOFF_GROUP_AGE_S", 900.0, "a number of seconds from 1 to 86400", ge=1, le=86_400
    )
    projects: Projects = _shown(
        "SIGNOFF_PROJECTS", (), "pairs as in slack:T1:C2=MATTER-7, separated by commas"
    )
    mcp: Path | None = _shown("SIGNOFF_MCP", None, "a file")
    public_url: WebAddress | None = _setting("SIGNOFF_PUBLIC_URL", None, _WEB)
    admin_token: Token | None = _secret("SIGNOFF_ADMIN_TOKEN")
    skill_api_s: float = _shown(
        "SIGNOFF_SKILL_API_S", 120.0, "a number of seconds from 0.1 to 3600", ge=0.1, le=3600
    )
    host: HostName = _shown("SIGNOFF_HOST", "127.0.0.1", "a host name or IP address, no port")
    port: int = _shown("PORT", 8080, "a whole number from 1 to 65535", ge=1, le=65535)
    share_port: OnOff = _shown("SIGNOFF_SHARE_PORT", False, "on or off")
    webchat: OnOff = _shown("SIGNOFF_WEBCHAT", True, "on or off")
    web_login: Literal["off", "link"] = _shown("SIGNOFF_WEB_LOGIN", "off", "off or link")
    web_session_h: float = _shown(
        "SIGNOFF_WEB_SESSION_H", 12.0, "a number of hours from 0.1 to 720", ge=0.1, le=720
    )
    web_user_header: HeaderName | None = _shown(
        "SIGNOFF_WEB_USER_HEADER", None, "the name of a header, as in X-Forwarded-User"
    )
    trusted_proxy: Networks = _shown(
        "SIGNOFF_TRUSTED_PROXY", (), "addresses or networks, as in 10.0.0.0/24, with commas"
    )
    web_trusted_proxy: Networks = _shown(
        "SIGNOFF_WEB_TRUSTED_PROXY", (), "addresses or networks, as in 10.0.0.0/24, with commas"
    )
    file_max_mb: int = _shown(
        "SIGNOFF_FILE_MAX_MB", 20, "a whole number from 1 to 1000", ge=1, le=1000
    )
    file_types: FileTypes = _shown("SIGNOFF_FILE_TYPES", KINDS, f"some of {', '.join(KINDS)}")
    file_seconds: float = _shown(
        "SIGNOFF_FILE_SECONDS", 20.0, "a number of seconds from 1 to 600", ge=1, le=600
    )
    file_memory_mb: int = _shown(
        "SIGNOFF_FILE_MEMORY_MB", 512, "a whole number from 128 to 8192", ge=128, le=8192
    )
    timezone: ZoneName = _shown(
        "SIGNOFF_TIMEZONE", "Asia/Shanghai", "an IANA time zone, as in Europe/Berlin"
    )
    partitions: int = _shown(
        "SIGNOFF_PARTITIONS", 1, "a whole number from 1 to 4096", ge=1, le=4096
    )
    allow_unsafe_redis: bool = _shown("SIGNOFF_ALLOW_UNSAFE_REDIS", False, "true or false")
    worker_lanes: int = _shown(
        "SIGNOFF_WORKER_LANES", 32, "a whole number from 1 to 1024", ge=1, le=1024
    )
    kept_lanes: int = _shown(
        "SIGNOFF_KEPT_LANES", 4, "a whole number from 0 to 1024", ge=0, le=1024
    )
    lease_s: float = _shown(
        "SIGNOFF_LEASE_S", 25.0, "a number of seconds from 1 to 3600", ge=1, le=3600
    )
    watchdog_s: float = _shown(
        "SIGNOFF_WATCHDOG_S", 15.0, "a number of seconds from 0 to 3600", ge=0, le=3600
    )
    messages_per_min: int = _shown(
        "SIGNOFF_MESSAGES_PER_MIN", 60, "a whole number from 1 to 100000", ge=1, le=100_000
    )
    mailbox_length: int = _shown(
        "SIGNOFF_MAILBOX_LENGTH", 1000, "a whole number from 1 to 100000", ge=1, le=100_000
    )
    mailbox_age_s: float = _shown(
        "SIGNOFF_MAILBOX_AGE_S", 900.0, "a number of seconds from 1 to 86400", ge=1, le=86_400
    )
    reply_after_s: float = _shown(
        "SIGNOFF_REPLY_AFTER_S", 2.0, "a number of seconds from 0 to 60", ge=0, le=60
    )

    streaming: OnOff = _shown("SIGNOFF_STREAMING", True, "on or off")
    react_iterations: int = _shown(
        "SIGNOFF_REACT_ITERATIONS", 5, "a whole number from 1 to 50", ge=1, le=50
    )
    react_tokens: int = _shown(
        "SIGNOFF_REACT_TOKENS", 4000, "a whole number from 100 to 1000000", ge=100, le=1_000_000
    )
    run_calls: int = _shown("SIGNOFF_RUN_CALLS", RUN_BUDGET.calls, **_CALLS)
    run_tokens: int = _shown("SIGNOFF_RUN_TOKENS", RUN_BUDGET.tokens, **_TOKENS)
    graph_calls: int = _shown("SIGNOFF_GRAPH_CALLS", GRAPH_BUDGET.calls, **_CALLS)
    graph_tokens: int = _shown("SIGNOFF_GRAPH_TOKENS", GRAPH_BUDGET.tokens, **_TOKENS)
    soft_rounds: int = _shown("SIGNOFF_SOFT_ROUNDS", 3, "a whole number from 1 to 10", ge=1, le=10)
    soft_confidence: float = _shown(
        "SIGNOFF_SOFT_CONFIDENCE", 0.7, "a number from 0 to 1", ge=0, le=1
    )
    trace_days: float = _shown(
        "SIGNOFF_TRACE_DAYS", 30.0, "a number of days from 0 to 3650", ge=0, le=3650
    )
    trace_mask: Annotated[tuple[str, ...] | None, NoDecode, BeforeValidator(pattern_list)] = _shown(
        "SIGNOFF_TRACE_MASK", None, _PATTERNS
    )

    log_texts: OnOff = _shown("SIGNOFF_LOG_TEXTS", False, "on or off")
    otlp_endpoint: WebAddress | None = _setting("OTEL_EXPORTER_OTLP_ENDPOINT", None, _WEB)
    failpoint: str | None = _shown("SIGNOFF_FAILPOINT", None, "a point of bot/failpoints.py")

    openai_api_key: Token | None = _secret("OPENAI_API_KEY")
    openai_base_url: WebAddress | None = _setting("OPENAI_BASE_URL", None, _WEB)
    llm_model: str | None = _shown("LLM_MODEL", None, "the name of a model")
    llm_fallback_models: Annotated[tuple[str, ...], NoDecode, BeforeValidator(comma_list)] = _shown(
        "LLM_FALLBACK_MODELS", (), "names of models, separated by commas"
    )
    llm_concurrency: int = _shown(
        "LLM_CONCURRENCY", 8, "a whole number from 1 to 1000", ge=1, le=1000
    )
    llm_lanes: int | None = _shown(
        "LLM_LANES", None, "a whole number from 1 to 10000", ge=1, le=10_000
    )
    llm_lanes_per_project: int | None = _shown(
        "LLM_LANES_PER_PROJECT", None, "a whole number from 1 to 10000", ge=1, le=10_000
    )
    llm_lanes_per_person: int | None = _shown(
        "LLM_LANES_PER_PERSON", None, "a whole number from 1 to 10000", ge=1, le=10_000
    )
    llm_prices: Prices = _shown(
        "LLM_PRICES", {}, "MODEL=PROMPT/COMPLETION per million tokens, separated by commas"
    )

    slack_bot_token: Token | None = _secret("SLACK_BOT_TOKEN")
    slack_signing_secret: Token | None = _secret("SLACK_SIGNING_SECRET")
    slack_app_token: Token | None = _secret("SLACK_APP_TOKEN")
    slack_client_id: Token | None = _secret("SLACK_CLIENT_ID", "the client id, without spaces")
    slack_client_secret: Token | None = _secret("SLACK_CLIENT_SECRET")
    slack_token_keys: TokenKeys = _secret(
        "SLACK_TOKEN_KEYS", "keys of 32 bytes in URL-safe base64, separated by commas"
    )
    slack_workspaces: SlackTeams = _shown(
        "SLACK_WORKSPACES", (), "ids of workspaces as in T0EXAMPLE1, separated by commas"
    )
    slack_api_url: Annotated[WebAddress, AfterValidator(lambda url: url + "/")] | None = _setting(
        "SLACK_API_URL", None, _WEB
    )

    telegram_bot_token: TelegramToken | None = _secret(
        "TELEGRAM_BOT_TOKEN", "DIGITS:SECRET, as @BotFather gives it"
    )
    telegram_webhook_secret: WebhookSecret | None = _secret(
        "TELEGRAM_WEBHOOK_SECRET", "1 to 256 of A-Z, a-z, 0-9, _ and -"
    )
    telegram_per_s: int = _shown(
        "TELEGRAM_MESSAGES_PER_S", 30, "a whole number from 1 to 1000", ge=1, le=1000
    )
    telegram_api_url: WebAddress | None = _setting("TELEGRAM_API_URL", None, _WEB)

    redcap_api_url: RedcapAddress | None = _setting(
        "REDCAP_API_URL", None, "an http:// or https:// address that ends in /api/"
    )
    redcap_api_token: Token | None = _secret("REDCAP_API_TOKEN")
    redcap_fields: Path | None = _shown("REDCAP_FIELDS", None, "a file")

    sync_secret: Token | None = _secret("SIGNOFF_SYNC_SECRET")

    @property
    def only_here(self) -> bool:
        """Whether only this machine's own browsers and programs ask, and no proxy for others."""
        return is_loopback(self.host) and self.web_user_header is None

    @property
    def proxies(self) -> tuple[Network, ...]:
        """The proxies that are believed where a request came from."""
        return (*self.trusted_proxy, *self.web_trusted_proxy)

    @property
    def run_budget(self) -> ModelBudget:
        """What a run may use of the model before an operator lets it go on."""
        return ModelBudget(calls=self.run_calls, tokens=self.run_tokens)

    @property
    def graph_budget(self) -> ModelBudget:
        """What the jobs of a graph together may use before its requester lets it go on."""
        return ModelBudget(calls=self.graph_calls, tokens=self.graph_tokens)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every key, token and secret that is set."""
        values = (getattr(self, name) for name in type(self).model_fields)
        return tuple(v.get_secret_value() for v in values if isinstance(v, SecretStr))

    def _visitors(self) -> Visitors:
        return Visitors(
            host=self.host,
            links=self.web_login == "link",
            header=self.web_user_header is not None,
            public=self.public_url is not None,
        )

    @property
    def slack_on(self) -> bool:
        """Whether Slack is connected."""
        return self.slack_bot_token is not None or self.slack_many

    @property
    def slack_many(self) -> bool:
        """Whether workspaces install the Slack app themselves, by OAuth."""
        return self.slack_client_id is not None

    @property
    def telegram_on(self) -> bool:
        """Whether Telegram is connected."""
        return self.telegram_bot_token is not None

    @property
    def redcap_on(self) -> bool:
        """Whether records come from a REDCap server, not from the sample."""
        return self.redcap_api_url is not None

    @model_validator(mode="before")
    @classmethod
    def _strip(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        texts = {name: v.strip() if isinstance(v, str) else v for name, v in values.items()}
        return {name: value for name, value in texts.items() if value != ""}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = {env for name, env in _ENV_NAMES.items() if getattr(self, name)}
        lines = half_set(given) + at_odds(given)
        if self.webchat:
            lines += self._visitors().faults()
        else:
            lines += nobody_to_talk_to(given)
        token = self.admin_token.get_secret_value() if self.admin_token else ""
        lines += guessable(token, self.host)
        if self.failpoint and self.failpoint not in failpoints.names():
            lines.append("SIGNOFF_FAILPOINT: should be left out; it is for tests")
        if lines:
            raise ValueError("\n".join(lines))
        return self


_ENV_NAMES = {name: str(field.validation_alias) for name, field in Settings.model_fields.items()}


def load_settings() -> Settings:
    """The settings of this process; DefinitionError with a line for each wrong variable."""
    problems: list[str] = []
    settings: Settings | None = None
    try:
        variables = environment()
        problems += _unknown(variables)
        settings = Settings()
    except ValidationError as error:
        problems += [line for detail in error.errors() for line in _lines(detail)]
    except (OSError, UnicodeDecodeError):
        problems.append(f"{_ENV_FILE}: should be a readable text file in UTF-8")
    if problems or settings is None:
        raise DefinitionError(*dict.fromkeys(problems))
    return settings


def environment() -> dict[str, str | None]:
    """The variables of this process over those of `.env`."""
    return {**dotenv_values(_ENV_FILE, encoding=_ENCODING), **os.environ}


def _lines(detail: ErrorDetails) -> list[str]:
    if not detail["loc"]:
        return str(detail["ctx"]["error"]).split("\n")
    where = str(detail["loc"][0])
    env = _ENV_NAMES.get(where, where)
    name = next(name for name, known in _ENV_NAMES.items() if known == env)
    field = Settings.model_fields[name]
    line = f"{env}: should be {field.description}"
    if field.json_schema_extra is None:
        return [line]
    value = str(detail["input"])
    cut = value if len(value) <= _LONGEST_SHOWN else value[:_LONGEST_SHOWN] + "..."
    error = detail.get("ctx", {}).get("error")
    why = f" ({error})" if isinstance(error, BadPattern) else ""
    return [f"{line}, not {cut!r}{why}"]


def _unknown(variables: Mapping[str, str | None]) -> list[str]:
    lines = []
    for name, value in sorted(variables.items()):
        mine = name.upper().startswith("SIGNOFF_") and name not in _ENV_NAMES.values()
        if not mine or _NOT_OURS.fullmatch(name) or (value or "").startswith("tcp://"):
            continue
        near = nearest(name.upper(), list(_ENV_NAMES.values()))
        hint = f"did you mean {near}?" if near else "see .env.example"
        lines.append(f"{name}: there is no such setting; {hint}")
    return lines
