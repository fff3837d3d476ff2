"""Who installed the Slack app: tokens of workspaces, encrypted; states of who is installing it.

A workspace's value is bound to its id: copied to another workspace's key it is not read.
"""

import json
import logging
import secrets
from collections.abc import Sequence
from hashlib import sha256

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from slack_sdk.oauth import OAuthStateUtils
from slack_sdk.oauth.installation_store import Bot, Installation
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore

from engine.errors import StoreUnavailable
from engine.ports.storage.platform_texts import PlatformTexts

STATE_S = OAuthStateUtils.default_expiration_seconds
"""How long an installation may take, in seconds."""

_TEAMS, _BOT, _STATE = "teams", "bot", "state"
_FIELDS = (
    *("app_id", "team_id", "team_name", "user_id", "installed_at"),
    *("bot_id", "bot_user_id", "bot_scopes", "bot_token"),
)


class Installations(AsyncInstallationStore):
    """slack_sdk's port: one value for each workspace, with its bot's token and no user's.

    The first of the keys (Fernet's, 32 bytes in URL-safe base64) writes, all of them read.
    """

    def __init__(self, texts: PlatformTexts, token_keys: Sequence[str]) -> None:
        self._texts = texts
        self._cipher = MultiFernet([Fernet(key) for key in token_keys])

    @property
    def logger(self) -> logging.Logger:
        """Where the SDK would log; nothing is."""
        return logging.getLogger(__name__)

    async def async_save(self, installation: Installation) -> None:
        """Keep an installation in place of the workspace's last one. Raises StoreUnavailable."""
        team = _team(installation.team_id)
        body = json.dumps({name: getattr(installation, name) for name in _FIELDS})
        value = self._cipher.encrypt(body.encode()).decode()
        # Listed first: what is kept is always found by who looks through all.
        await self._texts.enlist(_TEAMS, team)
        await self._texts.put(_BOT, team, value)

    async def async_find_installation(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        user_id: str | None = None,
        is_enterprise_install: bool | None = False,
    ) -> Installation | None:
        """Return a workspace's installation; None for none. Raises StoreUnavailable.

        Also when none of the keys reads it: once the right one is set, all goes on.
        """
        if not team_id:
            return None
        value = await self._texts.get(_BOT, team_id)
        if not value:
            return None
        try:
            found = json.loads(self._cipher.decrypt(value.encode()))
        except InvalidToken as error:
            reason = f"the installation of {team_id} was written with none of SLACK_TOKEN_KEYS"
            raise StoreUnavailable(reason) from error
        if found["team_id"] != team_id:
            raise StoreUnavailable(f"the installation of {team_id} is another workspace's")
        return Installation(**found)

    async def async_find_bot(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        is_enterprise_install: bool | None = False,
    ) -> Bot | None:
        """Return the bot of a workspace, as `async_find_installation` finds it."""
        found = await self.async_find_installation(enterprise_id=enterprise_id, team_id=team_id)
        return found.to_bot() if found else None

    async def async_delete_bot(self, *, enterprise_id: str | None, team_id: str | None) -> None:
        """Forget a workspace. Raises StoreUnavailable."""
        if team_id:
            await self._texts.drop(_BOT, team_id)
            await self._texts.delist(_TEAMS, team_id)

    async def async_delete_installation(
        self, *, enterprise_id: str | None, team_id: str | None, user_id: str | None = None
    ) -> None:
        """Forget a workspace: there is nothing of a user alone."""
        await self.async_delete_bot(enterprise_id=enterprise_id, team_id=team_id)

    async def teams(self) -> Sequence[str]:
        """Return every workspace that has the app. Raises StoreUnavailable."""
        return await self._texts.names(_TEAMS)


class OAuthStates(AsyncOAuthStateStore):
    """slack_sdk's port: each state is valid once, for `STATE_S`; its digest is kept."""

    def __init__(self, texts: PlatformTexts) -> None:
        self._texts = texts

    @property
    def logger(self) -> logging.Logger:
        """Where the SDK would log; nothing is."""
        return logging.getLogger(__name__)

    async def async_issue(self, *args: object, **kwargs: object) -> str:
        """Return a new state. Raises StoreUnavailable."""
        state = secrets.token_urlsafe(32)
        await self._texts.put(_STATE, _digest(state), "begun", keep_s=STATE_S)
        return state

    async def async_consume(self, state: str) -> bool:
        """Spend a state; whether it was valid. Raises StoreUnavailable."""
        return await self._texts.drop(_STATE, _digest(state))


def _digest(state: str) -> str:
    return sha256(state.encode()).hexdigest()


def _team(team: str | None) -> str:
    if not team:
        raise ValueError("an installation for a whole organisation is not kept")
    return team
