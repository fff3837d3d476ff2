"""Settings become the workspaces of Slack: one by its bot token, or all that install the app."""

from pydantic import SecretStr

from adapters.clock import SystemClock
from adapters.redis.client.client import Client
from adapters.redis.kept.installations import RedisInstallations, RedisOAuthStates
from adapters.slack.workspace.install import Install, SlackApp
from adapters.slack.workspace.workspaces import ManyWorkspaces, OneWorkspace, Workspaces
from bot.settings import Settings
from bot.wiring.store import Store


def secret(value: SecretStr | None) -> str:
    """What a secret setting holds, "" when it is not set."""
    return value.get_secret_value() if value else ""


def slack_workspaces(settings: Settings, store: Store | None) -> Workspaces | None:
    """The workspaces that are connected, None while Slack is off; one alone needs no store."""
    api_url = settings.slack_api_url or ""
    if settings.slack_bot_token is not None:
        return OneWorkspace(api_url=api_url, token=secret(settings.slack_bot_token))
    if not settings.slack_many or store is None:
        return None
    return ManyWorkspaces(api_url=api_url, installations=installations(settings, store.client))


def installations(settings: Settings, client: Client) -> RedisInstallations:
    """Who installed the app."""
    keys = [key.get_secret_value() for key in settings.slack_token_keys or ()]
    return RedisInstallations(client, keys)


def slack_install(settings: Settings, store: Store) -> Install | None:
    """The pages of installing the app, None where there is one workspace by its token."""
    if not settings.slack_many:
        return None
    app = SlackApp(
        client_id=secret(settings.slack_client_id),
        client_secret=secret(settings.slack_client_secret),
        public_url=settings.public_url or "",
        api_url=settings.slack_api_url or "",
        teams=settings.slack_workspaces,
    )
    return Install(
        app,
        installations(settings, store.client),
        RedisOAuthStates(store.client),
        SystemClock(settings.timezone),
    )
