"""The web chat's room: pages of our own."""

import re
from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import AfterValidator

from adapters.platform_room import Adapter, PlatformContext, PlatformRoom
from adapters.webchat.room_names import conversation_of, home_room, is_own, may_enter
from cards.model import Lang
from cards.moments import READERS_OWN
from cards.texts import say
from engine.events import Actor
from engine.ports.accounts import AccountRules
from engine.ports.settings import (
    Network,
    Networks,
    OnOff,
    PlatformSettings,
    ServiceSettings,
    is_loopback,
    is_on_this_machine,
    missing_settings,
    visible_setting,
)

_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PROXY = ("SIGNOFF_WEB_USER_HEADER", "SIGNOFF_WEB_TRUSTED_PROXY")
MAIN_ROOM = conversation_of("main")
"""Where people are reached while visitors choose who they are."""

OWN_ROOMS = "web:own"
"""Among the connected places: people sign in, and are reached in rooms of their own."""


class WebAccountRules(AccountRules):
    """Accounts are the names that people have here; a room is one person's own, or all people's."""

    def account_id(self, written: str) -> str:
        """The id of a name."""
        return conversation_of(written)

    def owner_id(self, conversation: str) -> str:
        """Return "": no room is named by its person."""
        return ""

    def is_own(self, conversation: str, account: str) -> bool:
        """Whether it is a room of that person's own."""
        room, name = (each.removeprefix(conversation_of("")) for each in (conversation, account))
        is_named = conversation_of(room) == conversation and conversation_of(name) == account
        return is_named and is_own(room) and may_enter(room, name)

    def home(self, written: str, places: Collection[str]) -> str:
        """The room of their own, or the main one."""
        if self.platform not in places:
            return ""
        return conversation_of(home_room(written)) if OWN_ROOMS in places else MAIN_ROOM

    def private_place(self, actor: Actor, conversation: str, places: Collection[str]) -> str:
        """A room of their own, while people sign in; where visitors choose, all is everybody's."""
        if not self.is_public(conversation):
            return conversation
        return conversation_of(home_room(actor.user)) if OWN_ROOMS in places else ""

    def is_public(self, conversation: str) -> bool:
        """Every room but those of one person."""
        return not is_own(conversation.split(":", 2)[-1])

    @property
    def zone(self) -> str:
        """The page shows times by each reader's own clock."""
        return READERS_OWN

    def place_name(self, conversation: str, lang: Lang) -> str:
        """The room where others may enter it."""
        if self.is_public(conversation):
            return AccountRules.place_name(self, conversation, lang)
        return say("web.own_place", lang)


def _header(value: str) -> str:
    if not _HEADER.fullmatch(value):
        raise ValueError("not a header's name")
    return value


class WebSettings(PlatformSettings):
    """Whether there is a web chat, and how its visitors say who they are."""

    platform = "web"
    switch = "SIGNOFF_WEBCHAT"
    accounts = WebAccountRules("web")

    webchat: OnOff = visible_setting("SIGNOFF_WEBCHAT", True, "on or off")
    web_login: Literal["off", "link", "oidc"] = visible_setting(
        "SIGNOFF_WEB_LOGIN", "off", "off, link or oidc"
    )
    web_session_h: float = visible_setting(
        "SIGNOFF_WEB_SESSION_H", 12.0, "a number of hours from 0.1 to 720", ge=0.1, le=720
    )
    web_user_header: Annotated[str, AfterValidator(_header)] | None = visible_setting(
        "SIGNOFF_WEB_USER_HEADER", None, "the name of a header, as in X-Forwarded-User"
    )
    web_trusted_proxy: Networks = visible_setting(
        "SIGNOFF_WEB_TRUSTED_PROXY", (), "addresses or networks, as in 10.0.0.0/24, with commas"
    )

    @property
    def is_on(self) -> bool:
        """Unless it is switched off."""
        return self.webchat

    @property
    def places(self) -> tuple[str, ...]:
        """Rooms, and those of one person where people sign in."""
        signs_in = self.web_user_header or self.web_login != "off"
        return (self.platform, OWN_ROOMS) if signs_in else (self.platform,)

    @property
    def proxies(self) -> tuple[Network, ...]:
        """The proxy that signs people in."""
        return self.web_trusted_proxy

    @property
    def has_page(self) -> bool:
        """At our own address."""
        return self.webchat

    @property
    def has_sign_in_links(self) -> bool:
        """Where that is how people sign in."""
        return self.web_login == "link"

    def faults(self, service: ServiceSettings) -> list[str]:
        """Return half-set proxy settings and, while it is on, faults of the sign-in."""
        lines = missing_settings([(_PROXY, (name,)) for name in _PROXY], self.used_variables())
        return [*lines, *self._visitor_faults(service)] if self.webchat else lines

    def _visitor_faults(self, service: ServiceSettings) -> list[str]:
        """Return faults of the sign-in: strangers who choose who they are, or two ways at once."""
        if self.web_login == "oidc" and not service.has_identity_provider:
            return ["SIGNOFF_OIDC_ISSUER: should be set, because SIGNOFF_WEB_LOGIN is oidc"]
        if self.web_login != "off" and self.web_user_header:
            return [
                "SIGNOFF_WEB_LOGIN: should be off while SIGNOFF_WEB_USER_HEADER is set, because a"
                " visitor is signed in by one of them"
            ]
        if self.web_login == "off" and not self.web_user_header:
            return _free_choice_faults(service)
        if is_loopback(service.host):
            return []
        if not service.public_url:
            return [
                "SIGNOFF_PUBLIC_URL: should be set while the web chat listens on"
                f" {service.host}, because only requests for that host are answered"
            ]
        return []


def _free_choice_faults(service: ServiceSettings) -> list[str]:
    """A line where others can reach a page whose visitors choose who they are."""
    ways = "set SIGNOFF_WEBCHAT=off, SIGNOFF_WEB_LOGIN=link or oidc, or SIGNOFF_WEB_USER_HEADER"
    because = "while SIGNOFF_WEBCHAT is on, because its visitors choose who they are"
    if not is_loopback(service.host):
        to_listen = f"to listen on {service.host}, {ways}"
        return [f"SIGNOFF_HOST: should be 127.0.0.1 {because}; {to_listen}"]
    if not is_on_this_machine(service.public_url):
        to_reach = f"to be reached from elsewhere, {ways}"
        return [f"SIGNOFF_PUBLIC_URL: should name this machine alone {because}; {to_reach}"]
    return []


def _open(settings: WebSettings, context: PlatformContext) -> Adapter:
    from adapters.webchat.platform import WebChat
    from adapters.webchat.provider_sign_in import ProviderSignIn
    from adapters.webchat.uploads import Uploads
    from adapters.webchat.visitors import FreeChoice, ProxySignIn, SignInLinks, WebPeople

    service = context.service
    persons = WebPeople(context.persons)
    public_url = service.public_url or ""
    authenticator: ProxySignIn | SignInLinks | FreeChoice = FreeChoice()
    if settings.web_user_header:
        authenticator = ProxySignIn(settings.web_user_header, settings.web_trusted_proxy, persons)
    elif settings.web_login == "oidc":
        assert context.identity is not None, "the settings are checked"
        authenticator = ProviderSignIn(
            context.logins,
            persons,
            context.identity,
            session_s=settings.web_session_h * 3600,
            public_url=public_url,
        )
    elif settings.has_sign_in_links:
        authenticator = SignInLinks(
            context.logins,
            persons,
            session_s=settings.web_session_h * 3600,
            secure=public_url.startswith("https:"),
        )
    return WebChat(
        log=context.chat_log,
        people=persons,
        authenticator=authenticator,
        inbox=context.inbox,
        reply_cards=context.reply_cards,
        runs=context.runs,
        conversations=context.conversations,
        uploads=Uploads(
            service.data_dir / "files" / ".uploads",
            context.clock,
            max_mb=service.file_max_mb,
            seconds=service.file_seconds,
            kinds=service.file_types,
        ),
        public_url=public_url,
        may_read=context.may_read,
    )


WEBCHAT = PlatformRoom(
    WebSettings,
    _open,
    loads=(
        "adapters.webchat.platform",
        "adapters.webchat.provider_sign_in",
        "adapters.webchat.uploads",
        "adapters.webchat.visitors",
    ),
)
