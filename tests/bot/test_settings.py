"""Settings: what is read, and the line for each wrong value."""

import os
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.wiring.platforms import load_settings
from engine.errors import DefinitionError
from engine.ports.model import ModelBudget
from tests.fakes.settings import make_settings, variables

SLACK = {"SLACK_BOT_TOKEN": "xoxb-1", "SLACK_SIGNING_SECRET": "s"}
MODEL = {"OPENAI_API_KEY": "sk-1", "LLM_MODEL": "m"}
EXAMPLE = Path(__file__).parents[2] / ".env.example"
OWN = re.compile(r"(SIGNOFF|SLACK|TELEGRAM|OPENAI|LLM|REDCAP)_.*|REDIS_URL|PORT", re.IGNORECASE)


@pytest.fixture(autouse=True)
def empty_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in os.environ:
        if OWN.fullmatch(name):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def problems(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> list[str]:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(DefinitionError) as caught:
        load_settings()
    return list(caught.value.problems)


def test_nothing_set_gives_the_documented_defaults() -> None:
    settings = load_settings()

    assert settings.redis_url is None
    assert (settings.data_dir, settings.playbooks) == (Path("data"), Path("playbooks"))
    assert settings.people == Path("playbooks/people.yaml")
    assert (settings.host, settings.port, [*settings.enabled_platforms]) == (
        "127.0.0.1",
        8080,
        ["web"],
    )
    assert (settings.timezone, settings.partitions) == ("Asia/Shanghai", 1)
    assert (settings.worker_lanes, settings.lease_s, settings.reply_after_s) == (32, 25.0, 2.0)
    # Two thirds of a lease are always left when a worker stops: more than the watchdog takes.
    assert settings.lease_s * 2 / 3 > settings.watchdog_s + 1
    assert settings.allow_unsafe_redis is False
    assert settings.kept_lanes == 4
    assert (settings.llm_concurrency, settings.llm_prices) == (8, {})
    assert settings.run_budget == ModelBudget(calls=300, tokens=2_000_000)
    assert settings.graph_budget == ModelBudget(calls=500, tokens=3_000_000)
    assert (settings.soft_rounds, settings.soft_confidence) == (3, 0.7)
    assert settings.llm_model is None


def test_env_file_is_read_and_the_environment_wins(
    empty_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty_place / ".env").write_text("PORT=9000\nSIGNOFF_TIMEZONE=Europe/Berlin\nOTHER=1\n")
    monkeypatch.setenv("PORT", "9001")

    settings = load_settings()

    assert (settings.port, settings.timezone) == (9001, "Europe/Berlin")


def test_values_are_brought_into_form(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        **SLACK,
        **MODEL,
        "SLACK_API_URL": "http://127.0.0.1:9/api",
        "LLM_FALLBACK_MODELS": "a, b,,c ",
        "LLM_PRICES": "a=2.5/10, org/b=v2 = 0 / 0.6,",
        "LLM_THOUGHTS": "a=leading, org/b=v2 = returned,",
        "SIGNOFF_WEBCHAT": "Off",
        "SIGNOFF_HOST": "0.0.0.0",
        "SIGNOFF_PUBLIC_URL": " https://signoff.example.com/ ",
        "SIGNOFF_ALLOW_UNSAFE_REDIS": "true",
        "SIGNOFF_PROJECTS": " slack:T1:C2 = MATTER-7 ,,telegram:1:-2=A_1, web=W,web=W",
        "REDIS_URL": "unix:///run/redis.sock?db=1",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)

    settings = load_settings()

    assert settings.platforms["slack"].api_url == "http://127.0.0.1:9/api/"
    assert settings.llm_fallback_models == ("a", "b", "c")
    assert settings.projects == (
        ("slack:T1:C2", "MATTER-7"),
        ("telegram:1:-2", "A_1"),
        ("web", "W"),
    )
    assert settings.llm_prices == {"a": (2.5, 10.0), "org/b=v2": (0.0, 0.6)}
    assert settings.llm_thoughts == {"a": "leading", "org/b=v2": "returned"}
    assert settings.host == "0.0.0.0"
    assert settings.public_url == "https://signoff.example.com"
    assert settings.allow_unsafe_redis is True
    assert settings.redis_url == "unix:///run/redis.sock?db=1"
    assert [*settings.enabled_platforms] == ["slack"]


def test_empty_and_blank_values_count_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PORT", "SLACK_BOT_TOKEN", "LLM_FALLBACK_MODELS", "SIGNOFF_PROJECTS"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "  ")

    settings = load_settings()

    assert (settings.port, [*settings.enabled_platforms]) == (8080, ["web"])


def test_a_lower_case_variable_of_another_program_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("port", "1")
    monkeypatch.setenv("host", "elsewhere")

    assert (load_settings().port, load_settings().host) == (8080, "127.0.0.1")


WEB = "an http:// or https:// address without a query"
REDIS = "redis://HOST:PORT/0, rediss:// or unix:///PATH"
SECRET = "the secret, without spaces"
PROGRAMS = "pairs as in kite=TOKEN, with tokens of 16 characters or more"
PORTS = "a whole number from 1 to 65535"
PROXIED = {"SIGNOFF_WEB_USER_HEADER": "X-User", "SIGNOFF_WEB_TRUSTED_PROXY": "10.0.0.0/24"}
PUBLIC = "an http:// or https:// address without a path or query"
HEADER = "the name of a header, as in X-Forwarded-User"
NETWORKS = "addresses or networks, as in 10.0.0.0/24, with commas"
HOST = "a host name or IP address, no port"
HOOK = "1 to 256 of A-Z, a-z, 0-9, _ and -"
PAIRS = "pairs as in slack:T1:C2=STORES, separated by commas"
BOT = "DIGITS:SECRET, as @BotFather gives it"
LEASE = "a number of seconds from 1 to 3600"
THOUGHTS = "MODEL=apart|leading|returned, separated by commas"
PRICES = "MODEL=PROMPT/COMPLETION per million tokens, separated by commas"
FIELDS = (
    "JSON: fields of requests under all, answer, route, form, skill, rules, plan, jobs, document"
)
PARTITIONS = "a whole number from 1 to 4096"
TEAMS = "ids of workspaces as in T0EXAMPLE1, separated by commas"
PATTERNS = (
    "regular expressions of RE2's kind (no look-around, back-references or possessive repeats, no"
    " repeat above 1000), separated by spaces"
)
WRONG = [
    ("PORT", "abc", f"{PORTS}, not 'abc'"),
    ("PORT", "0", f"{PORTS}, not '0'"),
    ("PORT", "65536", f"{PORTS}, not '65536'"),
    ("PORT", "80.5", f"{PORTS}, not '80.5'"),
    ("SIGNOFF_PARTITIONS", "0", f"{PARTITIONS}, not '0'"),
    ("SIGNOFF_PARTITIONS", "4097", f"{PARTITIONS}, not '4097'"),
    ("SIGNOFF_WORKER_LANES", "many", "a whole number from 1 to 1024, not 'many'"),
    ("SIGNOFF_LEASE_S", "0.5", f"{LEASE}, not '0.5'"),
    ("SIGNOFF_LEASE_S", "nan", f"{LEASE}, not 'nan'"),
    ("SIGNOFF_WATCHDOG_S", "-1", "a number of seconds from 0 to 3600, not '-1'"),
    *(
        ("SIGNOFF_PROJECTS", wrong, f"{PAIRS}, not {wrong!r}")
        for wrong in (
            "MATTER-7",
            "slack:T1=",
            "=MATTER-7",
            "slack:T1:=MATTER-7",
            "slak:T1=MATTER-7",
            "slack:T1=MATTER 7",
            "slack:T 1=MATTER-7",
            "slack:T1=../x",
            "slack:T1=A, slack:T1=B",
        )
    ),
    ("SIGNOFF_REACT_ITERATIONS", "0", "a whole number from 1 to 50, not '0'"),
    ("SIGNOFF_SOFT_ROUNDS", "11", "a whole number from 1 to 10, not '11'"),
    ("SIGNOFF_SOFT_CONFIDENCE", "1.1", "a number from 0 to 1, not '1.1'"),
    ("SIGNOFF_REACT_TOKENS", "many", "a whole number from 100 to 1000000, not 'many'"),
    ("SIGNOFF_REACT_TOOLS", "0", "a whole number from 1 to 128, not '0'"),
    ("LLM_FIRST_TOKEN_S", "0", "a number of seconds from 1 to 3600, not '0'"),
    ("LLM_BETWEEN_TOKENS_S", "soon", "a number of seconds from 1 to 3600, not 'soon'"),
    ("LLM_TOTAL_S", "0", "a number of seconds from 1 to 86400, not '0'"),
    ("LLM_DAY_TOKENS", "many", "a whole number from 100 to 1000000000, not 'many'"),
    ("LLM_DAY_COST", "0", "a number from 0.01 to 1000000, not '0'"),
    *(
        ("LLM_REQUEST_FIELDS", wrong, FIELDS)
        for wrong in (
            "temperature=0",
            "[]",
            '{"talk": {}}',
            '{"all": 1}',
            '{"all": {"model": "other"}}',
            '{"all": {"stream": false}}',
            '{"all": {"max_tokens": 0}}',
            '{"all": {"max_tokens": true}}',
        )
    ),
    ("SIGNOFF_RUN_CALLS", "0", "a whole number from 1 to 1000000, not '0'"),
    ("SIGNOFF_GRAPH_TOKENS", "99", "a whole number from 100 to 1000000000, not '99'"),
    ("SIGNOFF_TRACE_DAYS", "-1", "a number of days from 0 to 3650, not '-1'"),
    *(
        (
            "SIGNOFF_TRACE_MASK",
            f"[0-9] {wrong}",
            f"{PATTERNS}, not {f'[0-9] {wrong}'!r} ({wrong!r}: {why})",
        )
        for wrong, why in (
            ("a(", "missing ): a("),
            ("(?<=a)b", "invalid perl operator: (?<="),
            ("a(?!b)", "invalid perl operator: (?!"),
            ("(a)\\1", "invalid escape sequence: \\1"),
            ("[0-9]++", "bad repetition operator: ++"),
            ("x{1001}", "invalid repetition size: {1001}"),
        )
    ),
    ("SIGNOFF_REPLY_AFTER_S", "-1", "a number of seconds from 0 to 60, not '-1'"),
    ("SIGNOFF_WEBCHAT", "maybe", "on or off, not 'maybe'"),
    ("SIGNOFF_WEBCHAT", "true", "on or off, not 'true'"),
    ("SIGNOFF_WEB_LOGIN", "password", "off, link or oidc, not 'password'"),
    ("SIGNOFF_WEB_SESSION_H", "0", "a number of hours from 0.1 to 720, not '0'"),
    ("SIGNOFF_WEB_USER_HEADER", "X User", f"{HEADER}, not 'X User'"),
    ("SIGNOFF_WEB_TRUSTED_PROXY", "proxy", f"{NETWORKS}, not 'proxy'"),
    ("SIGNOFF_PROJECT", "A:1", "a project, as in STORES, not 'A:1'"),
    ("SIGNOFF_GROUP_AGE_S", "0", "a number of seconds from 1 to 86400, not '0'"),
    ("SIGNOFF_ALLOW_UNSAFE_REDIS", "perhaps", "true or false, not 'perhaps'"),
    ("SIGNOFF_TIMEZONE", "Mars/Base", "an IANA time zone, as in Europe/Berlin, not 'Mars/Base'"),
    ("SIGNOFF_TIMEZONE", "../etc", "an IANA time zone, as in Europe/Berlin, not '../etc'"),
    ("SIGNOFF_TIMEZONE", "Asia", "an IANA time zone, as in Europe/Berlin, not 'Asia'"),
    ("SIGNOFF_HOST", "127.0.0.1:80", f"{HOST}, not '127.0.0.1:80'"),
    ("SIGNOFF_HOST", "http://me", f"{HOST}, not 'http://me'"),
    ("SIGNOFF_HOST", "a" + "-" * 60, f"{HOST}, not '{'a' + '-' * 39}...'"),
    ("SIGNOFF_PUBLIC_URL", "signoff.example.com", PUBLIC),
    ("SIGNOFF_PUBLIC_URL", "https://h/signoff", PUBLIC),
    ("SIGNOFF_PUBLIC_URL", "http://[x", PUBLIC),
    ("SIGNOFF_PUBLIC_URL", "https://h/?a=b", PUBLIC),
    ("SIGNOFF_ADMIN_TOKEN", "two words", SECRET),
    ("SIGNOFF_SYNC_SECRET", "two words", SECRET),
    ("SIGNOFF_PROGRAMS", "kite=short", PROGRAMS),
    ("SIGNOFF_PROGRAMS", "a-token-without-a-person", PROGRAMS),
    ("REDIS_URL", "localhost:6379", REDIS),
    ("REDIS_URL", "http://localhost", REDIS),
    ("REDIS_URL", "redis://", REDIS),
    ("REDIS_URL", "redis://h:99999/0", REDIS),
    ("REDIS_URL", "unix://", REDIS),
    ("OPENAI_API_KEY", "a\tb", SECRET),
    ("OPENAI_BASE_URL", "ftp://h", WEB),
    *(
        ("LLM_PRICES", wrong, f"{PRICES}, not {wrong!r}")
        for wrong in ("a", "a=1", "a=1/", "=1/2", "a=1/-2", "a=1/nan", "a=1/2/3", "a=1/2,a=1/2")
    ),
    *(
        ("LLM_THOUGHTS", wrong, f"{THOUGHTS}, not {wrong!r}")
        for wrong in ("a", "a=aloud", "=leading", "a=apart,a=leading")
    ),
    ("LLM_CONCURRENCY", "0", "a whole number from 1 to 1000, not '0'"),
    ("SIGNOFF_KEPT_LANES", "-1", "a whole number from 0 to 1024, not '-1'"),
    ("LLM_LANES", "0", "a whole number from 1 to 10000, not '0'"),
    ("LLM_LANES_PER_PROJECT", "x", "a whole number from 1 to 10000, not 'x'"),
    ("LLM_LANES_PER_PERSON", "0", "a whole number from 1 to 10000, not '0'"),
    ("SLACK_BOT_TOKEN", "xoxb 1", SECRET),
    ("SLACK_API_URL", "slack", WEB),
    ("SLACK_TOKEN_KEYS", "short", "keys of 32 bytes in URL-safe base64, separated by commas"),
    ("SLACK_WORKSPACES", "acme", f"{TEAMS}, not 'acme'"),
    ("TELEGRAM_API_URL", "//h", WEB),
    ("TELEGRAM_WEBHOOK_SECRET", "no!", HOOK),
    ("TELEGRAM_WEBHOOK_SECRET", "a" * 257, HOOK),
    ("TELEGRAM_BOT_TOKEN", "AAtest", BOT),
    ("TELEGRAM_BOT_TOKEN", "7000000001:", BOT),
    ("TELEGRAM_BOT_TOKEN", "@bot:AAtest", BOT),
]


@pytest.mark.parametrize(("name", "value", "should_be"), WRONG)
def test_a_wrong_value_has_one_line_that_says_what_it_should_be(
    name: str, value: str, should_be: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert problems(monkeypatch, {name: value}) == [f"{name}: should be {should_be}"]


TOKEN_KEY = "00000000000000000000000000000000000000000000"[:43] + "="
OAUTH = {
    "SLACK_CLIENT_ID": "1.2",
    "SLACK_CLIENT_SECRET": "x",
    "SLACK_TOKEN_KEYS": TOKEN_KEY,
    "SIGNOFF_PUBLIC_URL": "https://signoff.example.com",
    "SIGNOFF_WEBCHAT": "off",
}
SLACK_EITHER = "SLACK_SIGNING_SECRET or SLACK_APP_TOKEN"
HALF = [
    ({"SLACK_BOT_TOKEN": "x"}, [(SLACK_EITHER, "SLACK_BOT_TOKEN")]),
    ({"SLACK_SIGNING_SECRET": "x"}, [("SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET")]),
    ({"SLACK_APP_TOKEN": "x"}, [("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN")]),
    (
        {"SLACK_API_URL": "http://127.0.0.1:1/"},
        [("SLACK_BOT_TOKEN", "SLACK_API_URL"), (SLACK_EITHER, "SLACK_API_URL")],
    ),
    (
        {"SLACK_CLIENT_ID": "x"},
        [
            (SLACK_EITHER, "SLACK_CLIENT_ID"),
            ("SLACK_CLIENT_SECRET", "SLACK_CLIENT_ID"),
            ("SLACK_TOKEN_KEYS", "SLACK_CLIENT_ID"),
            ("SIGNOFF_PUBLIC_URL", "SLACK_CLIENT_ID"),
        ],
    ),
    (
        {**OAUTH, "SLACK_CLIENT_ID": "", "SLACK_APP_TOKEN": "x"},
        [("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET")],
    ),
    ({"TELEGRAM_WEBHOOK_SECRET": "x"}, [("TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET")]),
    ({"TELEGRAM_API_URL": "http://127.0.0.1:1"}, [("TELEGRAM_BOT_TOKEN", "TELEGRAM_API_URL")]),
    ({"OPENAI_API_KEY": "x"}, [("LLM_MODEL", "OPENAI_API_KEY")]),
    ({"LLM_MODEL": "x"}, [("OPENAI_API_KEY", "LLM_MODEL")]),
    (
        {"OPENAI_BASE_URL": "http://127.0.0.1:1"},
        [("OPENAI_API_KEY", "OPENAI_BASE_URL"), ("LLM_MODEL", "OPENAI_BASE_URL")],
    ),
    (
        {"LLM_FALLBACK_MODELS": "x"},
        [("OPENAI_API_KEY", "LLM_FALLBACK_MODELS"), ("LLM_MODEL", "LLM_FALLBACK_MODELS")],
    ),
    (
        {"LLM_PRICES": "x=1/2"},
        [("OPENAI_API_KEY", "LLM_PRICES"), ("LLM_MODEL", "LLM_PRICES")],
    ),
]


@pytest.mark.parametrize(("given", "missing"), HALF)
def test_a_half_set_part_names_what_is_missing(
    given: dict[str, str], missing: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"{name}: should be set, because {cause} is set" for name, cause in missing]

    assert problems(monkeypatch, given) == lines


def test_one_workspace_and_many_are_at_odds(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = problems(monkeypatch, {**OAUTH, "SLACK_BOT_TOKEN": "x", "SLACK_APP_TOKEN": "x"})

    assert line.startswith("SLACK_BOT_TOKEN: should be left out while SLACK_CLIENT_ID is set")
    assert "leave out SLACK_CLIENT_ID and SLACK_CLIENT_SECRET and SLACK_TOKEN_KEYS" in line


def test_many_workspaces_need_no_bot_token(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**OAUTH, "SLACK_SIGNING_SECRET": "x"}.items():
        monkeypatch.setenv(name, value)

    settings = load_settings()

    assert ([*settings.enabled_platforms], settings.isolates_workspaces) == (["slack"], True)
    assert TOKEN_KEY not in repr(settings)


@pytest.mark.parametrize("name", ["REDCAP_API_URL", "REDCAP_FIELDS"])
def test_settings_of_before_say_what_to_write_instead(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert problems(monkeypatch, {name: "x"}) == [
        f"{name}: is no setting any more; a REDCap project is a connection of connections.yaml, as "
        "docs/redcap.md shows"
    ]


def test_without_web_chat_and_platform_there_is_nothing_to_talk_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert problems(monkeypatch, {"SIGNOFF_WEBCHAT": "off"}) == [
        "nothing to talk to: SIGNOFF_WEBCHAT is off, and neither SLACK_BOT_TOKEN nor"
        " TELEGRAM_BOT_TOKEN is set"
    ]


@pytest.mark.parametrize("given", [SLACK, {"TELEGRAM_BOT_TOKEN": "1:x"}])
def test_one_platform_is_enough_without_web_chat(
    given: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**given, "SIGNOFF_WEBCHAT": "off"}.items():
        monkeypatch.setenv(name, value)

    assert "web" not in load_settings().enabled_platforms


@pytest.mark.parametrize("host", ["0.0.0.0", "10.0.0.1", "::", "signoff.example.com"])
def test_a_web_chat_that_others_can_reach_names_both_settings(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (line,) = problems(monkeypatch, {"SIGNOFF_HOST": host})

    assert line.startswith("SIGNOFF_HOST: should be 127.0.0.1 while SIGNOFF_WEBCHAT is on")
    assert f"to listen on {host}, set SIGNOFF_WEBCHAT=off" in line


@pytest.mark.parametrize("value", ["", "  "])
def test_a_store_that_was_to_be_named_is_not_replaced_by_an_empty_one(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (line,) = problems(monkeypatch, {"REDIS_URL": value})

    assert line.startswith("REDIS_URL: is there, and empty")


@pytest.mark.parametrize(
    ("given", "is_refused"),
    [
        ({}, True),
        ({"SIGNOFF_WEBCHAT": "off", **SLACK}, False),
        ({"SIGNOFF_WEB_LOGIN": "link"}, False),
        (PROXIED, False),
        ({"SIGNOFF_PUBLIC_URL": "http://localhost:8080"}, False),
    ],
)
def test_a_public_address_of_a_page_without_a_sign_in_is_refused(
    given: dict[str, str], is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"SIGNOFF_PUBLIC_URL": "https://signoff.example.com", **given}
    if is_refused:
        (line,) = problems(monkeypatch, given)
        assert line.startswith("SIGNOFF_PUBLIC_URL: should name this machine alone while")
        return
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert load_settings().public_url == given["SIGNOFF_PUBLIC_URL"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"SIGNOFF_WEB_LOGIN": "link"}, "SIGNOFF_PUBLIC_URL: should be set while the web chat"),
        (PROXIED, "SIGNOFF_PUBLIC_URL: should be set while the web chat"),
        ({**PROXIED, "SIGNOFF_WEB_LOGIN": "link"}, "SIGNOFF_WEB_LOGIN: should be off while"),
        (
            {"SIGNOFF_WEB_LOGIN": "link", "SIGNOFF_WEB_USER_HEADER": "X-User"},
            "SIGNOFF_WEB_TRUSTED_PROXY: should be set, because SIGNOFF_WEB_USER_HEADER is set",
        ),
        (
            {"SIGNOFF_WEB_LOGIN": "link", "SIGNOFF_WEB_TRUSTED_PROXY": "10.0.0.1"},
            "SIGNOFF_WEB_USER_HEADER: should be set, because SIGNOFF_WEB_TRUSTED_PROXY is set",
        ),
    ],
)
def test_a_login_that_is_not_whole_is_refused(
    given: dict[str, str], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = problems(monkeypatch, {"SIGNOFF_HOST": "0.0.0.0", **given})
    assert found[0].startswith(told)


@pytest.mark.parametrize(
    ("host", "token", "wrong"),
    [
        ("0.0.0.0", "letmein", True),
        ("0.0.0.0", "f" * 15, True),
        ("0.0.0.0", "f" * 16, False),
        ("127.0.0.1", "letmein", False),
        ("0.0.0.0", "", False),
    ],
)
def test_an_admin_token_that_others_could_guess_is_refused(
    host: str, token: str, wrong: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"SIGNOFF_HOST": host, "SIGNOFF_ADMIN_TOKEN": token, **SLACK, "SIGNOFF_WEBCHAT": "off"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    if not wrong:
        assert load_settings().host == host
        return
    (line,) = problems(monkeypatch, given)
    assert line.startswith("SIGNOFF_ADMIN_TOKEN: should have 16 characters or more")
    assert token not in line


def test_a_short_admin_token_is_refused_where_a_proxy_leads_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = {"SIGNOFF_PUBLIC_URL": "https://signoff.example.com", "SIGNOFF_WEB_LOGIN": "link"}
    (line,) = problems(monkeypatch, {**given, "SIGNOFF_ADMIN_TOKEN": "letmein"})
    assert line.startswith("SIGNOFF_ADMIN_TOKEN: should have 16 characters or more")
    monkeypatch.setenv("SIGNOFF_ADMIN_TOKEN", "f" * 16)
    assert not load_settings().is_local_only


@pytest.mark.parametrize("way", [{"SIGNOFF_WEB_LOGIN": "link"}, PROXIED])
def test_with_a_login_others_may_reach_the_web_chat(
    way: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    public = {"SIGNOFF_HOST": "0.0.0.0", "SIGNOFF_PUBLIC_URL": "https://signoff.example"}
    for name, value in {**public, **way}.items():
        monkeypatch.setenv(name, value)
    assert "web" in load_settings().enabled_platforms


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_the_web_chat_may_listen_on_loopback(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIGNOFF_HOST", host)

    assert load_settings().host == host


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("SIGNOFF_HOTS", "did you mean SIGNOFF_HOST?"),
        ("SIGNOFF_TIME_ZONE", "did you mean SIGNOFF_TIMEZONE?"),
        ("SIGNOFF_PORT", "did you mean PORT?"),
        ("SIGNOFF_REDIS_URL", "did you mean REDIS_URL?"),
        ("signoff_webchat", "did you mean SIGNOFF_WEBCHAT?"),
        ("SIGNOFF_XYZZY", "see .env.example"),
    ],
)
@pytest.mark.parametrize("in_file", [False, True])
def test_an_unknown_name_of_ours_is_an_error(
    name: str, hint: str, in_file: bool, empty_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if in_file:
        (empty_place / ".env").write_text(f"{name}=1\n")
    else:
        monkeypatch.setenv(name, "1")

    assert problems(monkeypatch, {}) == [f"{name}: there is no such setting; {hint}"]


def test_variables_of_a_kubernetes_service_named_signoff_are_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIGNOFF_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("SIGNOFF_SERVICE_PORT_HTTP", "80")
    monkeypatch.setenv("SIGNOFF_PORT", "tcp://10.0.0.1:80")
    monkeypatch.setenv("SIGNOFF_PORT_80_TCP_ADDR", "10.0.0.1")

    assert load_settings().port == 8080


def test_all_wrong_values_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"PORT": "x", "SIGNOFF_LEASE_S": "x", "SIGNOFF_HOTS": "x"}

    told = [line.partition(":")[0] for line in problems(monkeypatch, wrong)]

    assert sorted(told) == sorted(wrong)


def test_an_env_file_that_is_no_text_is_told(
    empty_place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty_place / ".env").write_bytes(b"PORT=\xff\xfe\n")

    assert problems(monkeypatch, {}) == [".env: should be a readable text file in UTF-8"]


@pytest.mark.parametrize(
    "name",
    [
        "SLACK_BOT_TOKEN",
        "REDIS_URL",
        "TELEGRAM_WEBHOOK_SECRET",
        "SLACK_TOKEN_KEYS",
    ],
)
def test_a_secret_never_stands_in_a_message(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = "\n".join(problems(monkeypatch, {name: "hush hush", "SLACK_SIGNING_SECRET": "hushed"}))

    assert name in told
    assert "hush" not in told


def test_a_secret_never_stands_in_the_repr_or_a_validation_error() -> None:
    settings = make_settings(
        redis_url="redis://:hush@127.0.0.1:1/0", slack_bot_token="hush", slack_app_token="hush"
    )
    with pytest.raises(ValidationError) as caught:
        make_settings(slack_bot_token="hush")

    assert "hush" not in repr(settings)
    assert "hush" not in str(caught.value)


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        load_settings().port = 1  # type: ignore[misc]


# Only tests set it.
NOT_SHOWN = {"SIGNOFF_FAILPOINT"}


def test_the_example_names_every_setting_with_a_line_of_explanation() -> None:
    lines = EXAMPLE.read_text("utf-8").splitlines()
    named = {found[1]: n for n, line in enumerate(lines) if (found := re.match(r"#(\w+)=", line))}
    known = {*variables().values()}

    assert set(named) == known - NOT_SHOWN
    assert all(re.match(r"# [A-Z].*\.$|# .*: .*\.$", lines[n - 1]) for n in named.values())


@pytest.mark.parametrize(
    "other_way", ["SLACK_BOT_TOKEN", "SLACK_(?:CLIENT_ID|CLIENT_SECRET|TOKEN_KEYS|WORKSPACES)"]
)
def test_the_values_of_the_example_are_valid(
    empty_place: Path, monkeypatch: pytest.MonkeyPatch, other_way: str
) -> None:
    active = re.sub(rf"(?m)^#(?!{other_way}=)(\w+=)", r"\1", EXAMPLE.read_text("utf-8"))
    active = active.replace("\nSLACK_TOKEN_KEYS=", f"\nSLACK_TOKEN_KEYS={TOKEN_KEY}")
    active = active.replace("TELEGRAM_BOT_TOKEN=", "TELEGRAM_BOT_TOKEN=1:x")
    active = active.replace("SIGNOFF_ADMIN_TOKEN=", f"SIGNOFF_ADMIN_TOKEN={'f' * 16}")
    filled = re.sub(r"(?m)^(\w+)=$", r"\1=x", active)
    (empty_place / ".env").write_text(filled, "utf-8")

    assert load_settings().platforms["slack"].api_url == "https://slack.com/api/"
