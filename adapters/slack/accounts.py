"""What Slack says about accounts and user groups; needs the scopes users:read, usergroups:read."""

from adapters.slack.api import WebApi
from engine.errors import Gone, PlatformError


class SlackAccounts:
    """Asks with one bot token, which knows its own workspace only."""

    def __init__(self, *, bot_token: str, api_url: str) -> None:
        self._api = WebApi(api_url=api_url, token=bot_token)
        self._team = ""

    async def members(self, group: str) -> tuple[str, ...]:
        """The accounts ("TEAM:USER") in a group ("TEAM:GROUP"). Raises PlatformError.

        Gone for a group that is not, or not of the token's workspace.
        """
        team, _, name = group.partition(":")
        await self._own(team)
        answer = await self._api.call("usergroups.users.list", {"usergroup": name}, reads=True)
        users = answer.get("users")
        if not isinstance(users, list):
            raise PlatformError("usergroups.users.list: no users in the answer")
        return tuple(f"{team}:{user}" for user in users if isinstance(user, str))

    async def account(self, account: str) -> str:
        """What the person of an account ("TEAM:USER") is called there.

        Raises Gone for one that is not, or no longer, a person's of that workspace; PlatformError.
        """
        team, _, user = account.partition(":")
        await self._own(team)
        answer = await self._api.call("users.info", {"user": user}, reads=True)
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
        """Ends the HTTP session."""
        await self._api.close()

    async def _own(self, team: str) -> None:
        """Nothing of another workspace is asked for: its ids mean other people here."""
        if not self._team:
            self._team = str((await self._api.call("auth.test", {})).get("team_id", ""))
        if team != self._team:
            raise Gone(f"auth.test: the bot's workspace is {self._team}, not {team}")
