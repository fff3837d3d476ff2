"""The app's Home tab: what waits for a person, with buttons, and their runs."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import structlog
from pydantic import ValidationError

from adapters.slack.outbound.blocks import plain_section, render_brief, render_plainer
from adapters.slack.outbound.markdown import literal
from adapters.slack.payload import Id, PayloadPart
from adapters.slack.workspace.workspaces import Workspaces
from cards.clipping import clip
from cards.model import Lang
from cards.showing.plainer import one_line_view
from cards.showing.view import CardView, MessageView
from cards.texts import say
from engine.errors import PlatformError, StoreError, is_about_content
from engine.events import Actor
from engine.ports.clock import Clock
from engine.ports.meter import NO_METER, Meter
from engine.ports.pages import HomePage

WATCH_S = 600.0
"""How long an opened tab is kept up to date, in seconds: Slack does not say when it is left."""

_WATCHED = 200
_SHOW_S = 2.0
_BLOCKS = 95
_FOR_RUNS = 30
_LINE = 300

log = structlog.get_logger("slack")


Home = Callable[[Actor], Awaitable[HomePage]]
"""Returns the page of a person, by the roles held now. Raises StoreError."""


class _OpenedTab(PayloadPart):
    user: Id
    tab: str = "home"


class _Event(PayloadPart):
    team_id: Id
    event: _OpenedTab


def read_home_opened(payload: Mapping[str, Any]) -> Actor | None:
    """Return who opened their Home tab, None for any other payload."""
    event = payload.get("event")
    if not isinstance(event, Mapping) or event.get("type") != "app_home_opened":
        return None
    try:
        event_callback = _Event.model_validate(payload)
    except ValidationError:
        return None
    if event_callback.event.tab != "home":
        return None
    return Actor(platform="slack", workspace=event_callback.team_id, user=event_callback.event.user)


def plainer_home_views(page: HomePage) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield names and views to try in turn: as it is, without mark-up, as one line."""
    yield "ok", home_view(page)
    yield "plain", home_view(page, plain=True)
    notice = say("unshown.command", page.lang, command="/signoff pending")
    yield "line", {"type": "home", "blocks": [plain_section(notice)]}


def home_view(page: HomePage, *, plain: bool = False) -> dict[str, Any]:
    """Return the page as a view of type home, within Slack's limits; `plain` has no mark-up."""
    text = _plain_text if plain else _text
    if page.note:
        return {"type": "home", "blocks": [text(page.note)]}
    blocks = [_header(say("slack.home_waiting", page.lang))]
    left = page.more
    for card, lang in page.cards:
        drawn = _plain_card(card, lang) if plain else render_brief(card, lang)
        shown = [*drawn, {"type": "divider"}]
        if len(blocks) + len(shown) + _FOR_RUNS > _BLOCKS:
            left = True
            break
        blocks += shown
    if len(blocks) == 1:
        blocks.append(text(say("pending.none", page.lang)))
    if left:
        blocks.append(text(say("slack.home_more", page.lang)))
    return {"type": "home", "blocks": [*blocks, *_runs(page, len(blocks), plain=plain)]}


def _runs(page: HomePage, used: int, *, plain: bool) -> list[dict[str, Any]]:
    """Return the person's own runs, as many as there is room for; how to see the others."""
    text = _plain_text if plain else _text
    blocks = [_header(say("slack.home_runs", page.lang))]
    if not page.runs:
        blocks.append(text(say("runs.none", page.lang)))
    for run in page.runs:
        drawn = _plain_card(run, page.lang) if plain else render_brief(run, page.lang)
        if used + len(blocks) + len(drawn) + 2 > _BLOCKS:
            return [*blocks, text(say("slack.home_more_runs", page.lang))]
        blocks += drawn
    return blocks


def _plain_card(card: CardView, lang: Lang) -> list[dict[str, Any]]:
    view = MessageView(lang=lang, card=card)
    try:
        shown = render_plainer(view)
    except PlatformError:
        shown = render_plainer(one_line_view(view, clip(card.title, _LINE)))
    return [block for page in shown for block in page.blocks]


def _header(text: str) -> dict[str, Any]:
    return {"type": "header", "text": {"type": "plain_text", "text": text, "emoji": False}}


def _text(line: str) -> dict[str, Any]:
    shown = literal(clip(line, _LINE))
    return {"type": "section", "text": {"type": "mrkdwn", "text": shown, "verbatim": True}}


def _plain_text(line: str) -> dict[str, Any]:
    return plain_section(clip(line, _LINE) or "…")


@dataclass(slots=True)
class _WatchedHome:
    actor: Actor
    until_s: float = 0.0
    shown: str = ""
    one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)


def _person_of(actor: Actor) -> tuple[str, str]:
    return actor.workspace, actor.user


class Homes:
    """Publishes tabs: at once when one is opened, later when its content has changed.

    Refused views are counted in `meter`, which is set once there is one.
    """

    def __init__(self, workspaces: Workspaces, page: Home, clock: Clock, *, every_s: float) -> None:
        self._workspaces = workspaces
        self._page = page
        self._clock = clock
        self._every_s = every_s
        self.meter: Meter = NO_METER
        self._watched: dict[tuple[str, str], _WatchedHome] = {}
        self._soon = asyncio.Event()

    async def open(self, actor: Actor) -> None:
        """Show the tab now, best effort and in Slack's time, and keep it up to date."""
        watched = self._watched.pop(_person_of(actor), None) or _WatchedHome(actor)
        watched.until_s, watched.shown = self._clock.elapsed_s() + WATCH_S, ""
        self._watched[_person_of(actor)] = watched
        if len(self._watched) > _WATCHED:
            del self._watched[next(iter(self._watched))]
        try:
            async with asyncio.timeout(_SHOW_S):
                await self._show(watched)
        except TimeoutError:
            log.warning("home_not_shown", user=actor.user, error="time limit")

    def refresh_soon(self, actor: Actor) -> None:
        """Refresh this person's tab soon, if it is watched: they have decided something."""
        if _person_of(actor) in self._watched:
            self._soon.set()

    async def run(self) -> None:
        """Refresh each watched tab every few seconds until cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every_s):
                    await self._soon.wait()
            self._soon.clear()
            now_s = self._clock.elapsed_s()
            for who, watched in [*self._watched.items()]:
                if watched.until_s < now_s:
                    self._watched.pop(who, None)
                else:
                    await self._show(watched)

    async def _show(self, watched: _WatchedHome) -> None:
        async with watched.one_at_a_time:
            await self._publish(watched)

    async def _publish(self, watched: _WatchedHome) -> None:
        try:
            page = await self._page(watched.actor)
            content = json.dumps(home_view(page))
            if content == watched.shown:
                return
            await self._publish_plainer(watched.actor, page)
            watched.shown = content
        except (PlatformError, StoreError) as error:
            log.warning("home_not_shown", user=watched.actor.user, error=str(error))

    async def _publish_plainer(self, actor: Actor, page: HomePage) -> None:
        """Publish the page, plainer where Slack refuses its content. Raises PlatformError."""
        api = await self._workspaces.api(actor.workspace)
        *ways, last = plainer_home_views(page)
        for way, view in ways:
            try:
                await api.call("views.publish", {"user_id": actor.user, "view": view})
                return
            except PlatformError as error:
                if not is_about_content(error):
                    raise
                self.meter.count("refused", "slack", f"home_{way}")
                log.warning("home_refused", user=actor.user, way=way, error=str(error))
        await api.call("views.publish", {"user_id": actor.user, "view": last[1]})
