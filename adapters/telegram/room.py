"""Telegram's room: one bot."""

import re
from collections.abc import Collection
from typing import Annotated

from pydantic import SecretStr

from adapters.platform_room import Adapter, PlatformContext, PlatformRoom, ProbeContext
from engine.events import Actor
from engine.ports.accounts import AccountRules, AccountSource
from engine.ports.doctor import Doctor
from engine.ports.settings import (
    WEB,
    PlatformSettings,
    ServiceSettings,
    WebAddress,
    matching,
    missing_settings,
    secret,
    secret_text,
    setting,
    visible_setting,
)

_TOKEN = re.compile(r"[0-9]{1,20}:[A-Za-z0-9_-]+")
_WEBHOOK_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
_ALL = ("TELEGRAM_BOT_TOKEN", "TELEGRAM_WEBHOOK_SECRET", "TELEGRAM_API_URL")


class TelegramAccountRules(AccountRules):
    """Accounts are numbers, the same for every bot; a private chat has the id of its person."""

    def actor_id(self, actor: Actor) -> str:
        """The person's number alone."""
        return self.account_id(actor.user)

    def owner_id(self, conversation: str) -> str:
        """The number behind that of the bot."""
        return self.account_id(conversation.split(":", 2)[-1])

    def private_place(self, actor: Actor, conversation: str, places: Collection[str]) -> str:
        """The person's private chat with the bot."""
        return f"{actor.platform}:{actor.workspace}:{actor.user}"


class TelegramSettings(PlatformSettings):
    """One bot: by webhook when there is a secret for it, else by polling."""

    platform = "telegram"
    switch = "TELEGRAM_BOT_TOKEN"
    key_patterns = (r"[0-9]{6,20}:[A-Za-z0-9_-]{30,}",)
    accounts = TelegramAccountRules(
        "telegram",
        r"[1-9][0-9]{0,19}",
        'is no Telegram user id; write the number, as in "100000001"; a user name can change hands',
    )

    bot_token: Annotated[SecretStr, matching(_TOKEN)] | None = secret(
        "TELEGRAM_BOT_TOKEN", "DIGITS:SECRET, as @BotFather gives it"
    )
    webhook_secret: Annotated[SecretStr, matching(_WEBHOOK_SECRET)] | None = secret(
        "TELEGRAM_WEBHOOK_SECRET", "1 to 256 of A-Z, a-z, 0-9, _ and -"
    )
    per_s: int = visible_setting(
        "TELEGRAM_MESSAGES_PER_S", 30, "a whole number from 1 to 1000", ge=1, le=1000
    )
    api_url: WebAddress | None = setting("TELEGRAM_API_URL", None, WEB)

    @property
    def is_on(self) -> bool:
        """With a bot's token."""
        return self.bot_token is not None

    @property
    def places(self) -> tuple[str, ...]:
        """Chats are named behind the bot's id."""
        return (f"telegram:{secret_text(self.bot_token).partition(':')[0]}",)

    def faults(self, service: ServiceSettings) -> list[str]:
        """Nothing goes without the token."""
        return missing_settings([(_ALL, _ALL[:1])], self.used_variables())


def _open(settings: TelegramSettings, context: PlatformContext) -> Adapter:
    from adapters.telegram.platform import TelegramPlatform

    return TelegramPlatform(
        bot_token=secret_text(settings.bot_token),
        webhook_secret=secret_text(settings.webhook_secret),
        api_url=settings.api_url or "",
        public_url=context.service.public_url or "",
        per_s=settings.per_s,
        lease=context.lease,
        texts=context.expiring_texts,
        read_card=context.read_card,
    )


def _accounts(settings: TelegramSettings, context: ProbeContext) -> AccountSource:
    from adapters.telegram.doctor import TelegramAccounts

    return TelegramAccounts(
        bot_token=secret_text(settings.bot_token), api_url=settings.api_url or ""
    )


def _doctor(settings: TelegramSettings, context: ProbeContext) -> Doctor:
    from adapters.telegram.doctor import TelegramDoctor

    return TelegramDoctor(
        bot_token=secret_text(settings.bot_token),
        api_url=settings.api_url or "",
        webhook=settings.webhook_secret is not None,
        public_url=context.service.public_url or "",
        clock=context.clock,
    )


TELEGRAM = PlatformRoom(
    TelegramSettings,
    _open,
    doctor=_doctor,
    accounts=_accounts,
    loads=("adapters.telegram.platform",),
)
