"""Slack's room: one workspace by its bot token, or all that install the app."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BeforeValidator, SecretStr

from adapters.platform_room import Adapter, PlatformContext, PlatformRoom, ProbeContext
from engine.events import Actor
from engine.ports.accounts import AccountRules, AccountSource
from engine.ports.doctor import Doctor
from engine.ports.settings import (
    WEB,
    PlatformSettings,
    ServiceSettings,
    Token,
    WebAddress,
    comma_list,
    missing_settings,
    secret,
    secret_text,
    setting,
    visible_setting,
)
from engine.ports.storage.platform_texts import PlatformTexts

if TYPE_CHECKING:
    from adapters.slack.workspace.install import Install
    from adapters.slack.workspace.installations import Installations
    from adapters.slack.workspace.workspaces import Workspaces

_TEAM = re.compile(r"[TE][A-Z0-9]{2,20}")
_ONE = ("SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_APP_TOKEN", "SLACK_API_URL")
_OAUTH = ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SLACK_TOKEN_KEYS", "SLACK_WORKSPACES")
_WAY_IN = ((*_ONE, *_OAUTH), ("SLACK_SIGNING_SECRET", "SLACK_APP_TOKEN"))


class SlackAccountRules(AccountRules):
    """Accounts are TEAM:USER; a direct chat has its own id, other than the person's."""

    def private_place(self, actor: Actor, conversation: str, places: Collection[str]) -> str:
        """There, in direct messages; else the person's direct chat, which Slack opens by user."""
        return conversation if self.is_direct(conversation) else self.actor_id(actor)

    def room_of(self, conversation: str) -> str:
        """The channel, whose threads are conversations of their own."""
        return ":".join(conversation.split(":")[:3])

    def is_direct(self, conversation: str) -> bool:
        """Slack's ids of direct messages begin with a D."""
        return conversation.split(":", 2)[-1].startswith("D")


def _token_keys(value: Any) -> Any:
    """Return keys for encrypted texts, each checked by Fernet."""
    if not isinstance(value, str):
        return value
    found = tuple(comma_list(value))
    if not found:
        raise ValueError("no key")
    # A service without such keys does not load the cipher.
    from cryptography.fernet import Fernet

    for key in found:
        Fernet(key)
    return tuple(map(SecretStr, found))


def _teams(value: Any) -> Any:
    """Return checked ids of workspaces."""
    parts = comma_list(value)
    if not all(_TEAM.fullmatch(str(part)) for part in parts):
        raise ValueError("not a workspace's id")
    return parts


class SlackSettings(PlatformSettings):
    """One workspace by its bot token, or all that install the app by OAuth."""

    platform = "slack"
    switch = "SLACK_BOT_TOKEN"
    key_patterns = (r"xox[a-z]-[A-Za-z0-9-]{8,}", r"xapp-[A-Za-z0-9-]{8,}")
    accounts = SlackAccountRules(
        "slack",
        r"[TE][A-Z0-9]{1,40}:[UW][A-Z0-9]{1,40}",
        "is no Slack account; write TEAM:USER as in T0EXAMPLE1:U0EXAMPLE1",
    )

    bot_token: Token | None = secret("SLACK_BOT_TOKEN")
    signing_secret: Token | None = secret("SLACK_SIGNING_SECRET")
    app_token: Token | None = secret("SLACK_APP_TOKEN")
    client_id: Token | None = secret("SLACK_CLIENT_ID", "the client id, without spaces")
    client_secret: Token | None = secret("SLACK_CLIENT_SECRET")
    token_keys: Annotated[tuple[SecretStr, ...] | None, BeforeValidator(_token_keys)] = secret(
        "SLACK_TOKEN_KEYS", "keys of 32 bytes in URL-safe base64, separated by commas"
    )
    workspaces: Annotated[tuple[str, ...], BeforeValidator(_teams)] = visible_setting(
        "SLACK_WORKSPACES", (), "ids of workspaces as in T0EXAMPLE1, separated by commas"
    )
    api_url: Annotated[WebAddress, AfterValidator(lambda url: url + "/")] | None = setting(
        "SLACK_API_URL", None, WEB
    )

    @property
    def is_on(self) -> bool:
        """With a bot token, or the client id of an app."""
        return self.bot_token is not None or self.isolates_workspaces

    @property
    def isolates_workspaces(self) -> bool:
        """Where workspaces install the app themselves."""
        return self.client_id is not None

    def faults(self, service: ServiceSettings) -> list[str]:
        """The token and a way in; for many workspaces the whole app and no token."""
        given = self.used_variables() | ({"SIGNOFF_PUBLIC_URL"} if service.public_url else set())
        oauth = [name for name in _OAUTH if name in given]
        token = [] if oauth else [(_ONE, _ONE[:1])]
        app = [(_OAUTH, (name,)) for name in (*_OAUTH[:3], "SIGNOFF_PUBLIC_URL")]
        lines = missing_settings((*token, _WAY_IN, *app), given)
        if oauth and self.bot_token:
            lines.append(
                f"SLACK_BOT_TOKEN: should be left out while {oauth[0]} is set, because then each"
                " workspace that installs the app gives a token of its own; for one workspace,"
                f" leave out {' and '.join(oauth)}"
            )
        return lines


def _open(settings: SlackSettings, context: PlatformContext) -> Adapter:
    from adapters.slack.platform import SlackPlatform

    return SlackPlatform(
        workspaces=_workspaces(settings, context.texts),
        signing_secret=secret_text(settings.signing_secret),
        app_token=secret_text(settings.app_token),
        clock=context.clock,
        home=context.home,
        install=_install(settings, context) if settings.isolates_workspaces else None,
        language_of=context.language_of,
    )


def _accounts(settings: SlackSettings, context: ProbeContext) -> AccountSource:
    from adapters.slack.workspace.accounts import SlackAccounts

    return SlackAccounts(_workspaces(settings, context.texts))


def _doctor(settings: SlackSettings, context: ProbeContext) -> Doctor:
    from adapters.slack.workspace.doctor import SlackDoctor

    return SlackDoctor(
        many=_installations(settings, context.texts) if settings.isolates_workspaces else None,
        bot_token=secret_text(settings.bot_token),
        app_token=secret_text(settings.app_token),
        signing_secret=secret_text(settings.signing_secret),
        api_url=settings.api_url or "",
        public_url=context.service.public_url or "",
        clock=context.clock,
    )


def _workspaces(settings: SlackSettings, texts: PlatformTexts) -> "Workspaces":
    from adapters.slack.workspace.workspaces import ManyWorkspaces, OneWorkspace

    api_url = settings.api_url or ""
    if settings.bot_token is not None:
        return OneWorkspace(api_url=api_url, token=secret_text(settings.bot_token))
    return ManyWorkspaces(api_url=api_url, installations=_installations(settings, texts))


def _installations(settings: SlackSettings, texts: PlatformTexts) -> "Installations":
    from adapters.slack.workspace.installations import Installations

    return Installations(texts, [key.get_secret_value() for key in settings.token_keys or ()])


def _install(settings: SlackSettings, context: PlatformContext) -> "Install":
    from adapters.slack.workspace.install import Install, SlackApp
    from adapters.slack.workspace.installations import OAuthStates

    app = SlackApp(
        client_id=secret_text(settings.client_id),
        client_secret=secret_text(settings.client_secret),
        public_url=context.service.public_url or "",
        api_url=settings.api_url or "",
        teams=settings.workspaces,
    )
    installed = _installations(settings, context.texts)
    return Install(app, installed, OAuthStates(context.texts), context.clock)


SLACK = PlatformRoom(
    SlackSettings,
    _open,
    doctor=_doctor,
    accounts=_accounts,
    loads=("adapters.slack.platform", "adapters.slack.workspace.workspaces"),
)
