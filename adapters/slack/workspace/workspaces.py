"""The connected workspaces and their tokens: one by its token, or many by OAuth."""

from collections import OrderedDict
from typing import Final, Protocol

from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore

from adapters.slack.api import HttpSession, WebApi
from engine.errors import Gone, StoreError, Unavailable

_REMEMBERED: Final = 200


class Workspaces(Protocol):
    """The workspaces that are connected; `api_url` is an address given by hand, or ""."""

    api_url: str

    async def api(self, team: str) -> WebApi:
        """Return Slack's Web API with the token of that workspace.

        Raises Gone for one that has not (or no more) installed the app, Unavailable when that
        cannot be told now.
        """
        ...

    async def probe(self) -> None:
        """Raises PlatformError when Slack does not take the one token there is.

        Of many workspaces none speaks for the others, and none is asked.
        """
        ...

    async def close(self) -> None:
        """Ends the HTTP sessions."""
        ...


class OneWorkspace:
    """The workspace of one bot token."""

    def __init__(self, *, api_url: str, token: str) -> None:
        self.api_url = api_url
        self._api = WebApi(api_url=api_url, token=token)

    async def api(self, team: str) -> WebApi:
        """Return the only one: Slack refuses ids of another workspace."""
        return self._api

    async def probe(self) -> None:
        """Check the token with Slack."""
        await self._api.call("auth.test", {})

    async def close(self) -> None:
        """Ends the HTTP session."""
        await self._api.close()


class ManyWorkspaces:
    """Each workspace that installed the app, with its own token, looked up anew for every call.

    So a workspace that takes the app away is written to no more by any process, and one that
    installs it again is written to with its new token.
    """

    def __init__(self, *, api_url: str, installations: AsyncInstallationStore) -> None:
        self.api_url = api_url
        self._installations = installations
        self._http = HttpSession()
        self._apis: OrderedDict[str, WebApi] = OrderedDict()

    async def api(self, team: str) -> WebApi:
        """Return the Web API with the token of the workspace's last installation."""
        try:
            bot = await self._installations.async_find_bot(enterprise_id=None, team_id=team)
        except StoreError as error:
            raise Unavailable(f"the installation of {team}: {error}") from error
        if bot is None or not bot.bot_token:
            self._apis.pop(team, None)
            raise Gone(f"the app is not installed in workspace {team} (any more)")
        known = self._apis.get(team)
        if known is None or known.token != bot.bot_token:
            known = WebApi(api_url=self.api_url, token=bot.bot_token, http=self._http)
            self._apis[team] = known
        self._apis.move_to_end(team)
        if len(self._apis) > _REMEMBERED:
            self._apis.popitem(last=False)
        return known

    async def probe(self) -> None:
        """Do nothing: errors of a token show where it is used."""

    async def close(self) -> None:
        """Ends the HTTP session of all."""
        await self._http.close()
