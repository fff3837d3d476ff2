"""What `signoff doctor` and `signoff people check` ask Telegram: bot, webhook, accounts."""

from collections.abc import Sequence

from telegram import WebhookInfo
from telegram.constants import ChatType

from adapters.telegram.bot import CarefulBot
from adapters.telegram.errors import translate_errors
from adapters.telegram.inbound.polling import ALLOWED
from adapters.telegram.inbound.webhook import PATH
from engine.errors import Gone, PlatformError
from engine.ports.clock import Clock
from engine.ports.doctor import Diagnosis

_RECENT_S = 3600.0
_WEBHOOK = "telegram webhook"


class TelegramDoctor:
    """Asks as the bot; with `webhook` its updates should come to `public_url`."""

    def __init__(
        self, *, bot_token: str, api_url: str, webhook: bool, public_url: str, clock: Clock
    ) -> None:
        self._bot = CarefulBot(bot_token, api_url)
        self._wanted = public_url.rstrip("/") + PATH if webhook and public_url else ""
        self._by_hand = webhook and not public_url
        self._clock = clock

    async def findings(self) -> Sequence[Diagnosis]:
        """The token and the webhook."""
        found: list[Diagnosis] = []
        try:
            with translate_errors():
                me = await self._bot.get_me()
                found.append(Diagnosis(check="telegram token", state="ok", told=f"@{me.username}"))
                found.append(self._webhook(await self._bot.get_webhook_info()))
        except PlatformError as error:
            check = _WEBHOOK if found else "telegram token"
            found.append(_failure(check, error))
        finally:
            await self._bot.close_connections()
        return found

    def _webhook(self, info: WebhookInfo) -> Diagnosis:
        if self._by_hand:
            return self._hand_set(info)
        if not self._wanted:
            told = "none; updates are polled"
            if info.url:
                told = f"{info.url}, which the service takes away when it starts to poll"
            return Diagnosis(check=_WEBHOOK, state="ok", told=told)
        if info.url != self._wanted:
            return Diagnosis(
                check=_WEBHOOK,
                state="wrong",
                told=f"it is {info.url or 'not set'}, not {self._wanted}",
                fix="start the service, which sets it; no other service may use this bot's token",
            )
        return self._trouble(info) or Diagnosis(check=_WEBHOOK, state="ok", told=info.url)

    def _hand_set(self, info: WebhookInfo) -> Diagnosis:
        if not info.url:
            fix = "set SIGNOFF_PUBLIC_URL, and the service sets the webhook when it starts"
            return Diagnosis(check=_WEBHOOK, state="wrong", told="it is not set", fix=fix)
        return self._trouble(info) or Diagnosis(
            check=_WEBHOOK, state="ok", told=f"{info.url}, set by hand"
        )

    def _trouble(self, info: WebhookInfo) -> Diagnosis | None:
        now, failed = self._clock.now(), info.last_error_date
        if failed and (now - failed).total_seconds() < _RECENT_S:
            return Diagnosis(
                check=_WEBHOOK,
                state="wrong",
                told=f"Telegram could not deliver: {info.last_error_message}"
                f" ({info.pending_update_count} updates wait)",
                fix="look at name, certificate, port (443, 80, 88 or 8443) and proxy of the"
                " address, and whether the service runs with this TELEGRAM_WEBHOOK_SECRET",
            )
        if missing := sorted(set(ALLOWED) - set(info.allowed_updates or ())):
            return Diagnosis(
                check=_WEBHOOK,
                state="wrong",
                told=f"Telegram does not send: {', '.join(missing)}",
                fix="start the service again, which asks for them",
            )
        return None


def _failure(check: str, error: PlatformError) -> Diagnosis:
    if error.retryable:
        return Diagnosis(check=check, state="unknown", told=str(error), fix="try again later")
    fix = "set TELEGRAM_BOT_TOKEN to the token that @BotFather gave for this bot"
    return Diagnosis(check=check, state="wrong", told=str(error), fix=fix)


class TelegramAccounts:
    """Asks as one bot."""

    def __init__(self, *, bot_token: str, api_url: str) -> None:
        self._bot = CarefulBot(bot_token, api_url)

    async def account(self, account: str) -> str:
        """What the person of a user id is called there.

        Raises Gone for one that never wrote to the bot; PlatformError.
        """
        with translate_errors():
            chat = await self._bot.get_chat(int(account))
            if chat.type != ChatType.PRIVATE:
                raise Gone(f"getChat: the id is a {chat.type}'s, not a person's")
            return chat.effective_name or ""
        raise PlatformError("getChat: no answer")

    async def close(self) -> None:
        """Ends the HTTP sessions."""
        await self._bot.close_connections()
