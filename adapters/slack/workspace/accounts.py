"""What Slack says about accounts and user groups; needs the scopes users:read, usergroups:read."""

from adapters.slack.api import WebApi
from adapters.slack.workspace.workspaces import Workspaces
from engine.errors import Gone, PlatformError


class SlackAccounts:
    """Asks each workspace with its own bot token, which knows only its own accounts."""

    def __init__(self, workspaces: Workspaces) -> None:
        self._workspaces = workspaces
        self._teams: dict[str, str] = {}

    async def members(self, group: str) -> tuple[str, ...]:
        """Return the accounts ("TEAM:USER") in a group ("TEAM:GROUP"). Raises PlatformError.

        Gone for a group that is not, or not of the token's workspace.
        """
        team, _, name = group.partition(":")
        api = await self._api_of(team)
        answer = await api.call("usergroups.users.list", {"usergroup": name}, reads=True)
        users = answer.get("users")
        if not isinstance(users, list):
            raise PlatformError("usergroups.users.list: no users in the answer")
        return tuple(f"{team}:{user}" for user in users if isinstance(user, str))

    async def account(self, account: str) -> str:
        """Return the name of the person of an account ("TEAM:USER").

        Raises Gone for one that is not, or no longer, a person's of that workspace; PlatformError.
        """
        team, _, user = account.partition(":")
        api = await self._api_of(team)
        answer = await api.call("users.info", {"user": user}, reads=True)
        found = answer.get("user")
        if not isinstance(found, dict):
            raise PlatformError("users.info: no user in the answer")
        if found.get("deleted"):
            raise Gone("users.info: the account is deactivated")
        if found.get("is_bot"):
            raise Gone("users.info: the account is a bot's")
        if found.get("team_id", team) != team:
            raise Gone(f"users.info: the account is of workspace {found['team_id']}")
        return str(found.get("real_name") or found.get("name") or "")

    async def close(self) -> None:
        """Close the HTTP sessions."""
        await self._workspaces.close()

    async def _api_of(self, team: str) -> WebApi:
        """Return the API of that workspace. Raises Gone where the token is another's."""
        api = await self._workspaces.api(team)
        if api.token not in self._teams:
            answer = await api.call("auth.test", {})
            self._teams[api.token] = str(answer.get("team_id", ""))
        if (own := self._teams[api.token]) != team:
            raise Gone(f"auth.test: the bot's workspace is {own}, not {team}")
        return api
