"""The web chat as a platform: the page's requests become updates, views become log entries."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from dataclasses import asdict, replace
from functools import partial
from urllib.parse import urlencode, urlsplit

import structlog
from aiohttp import web

from adapters.webchat.events import EventStreams, Subscription
from adapters.webchat.history import ConversationHistory
from adapters.webchat.middleware import (
    Handler,
    RequestGuard,
    json_response,
    no_such_request,
    outcome_response,
)
from adapters.webchat.page_requests import (
    BodyT,
    EnterBody,
    FormBody,
    ReadPosition,
    SayBody,
    TapBody,
    page_number,
    parse_body,
    read_positions,
    room_of,
)
from adapters.webchat.panel import PANEL, SidePanel
from adapters.webchat.provider_sign_in import CALLBACK, ProviderSignIn
from adapters.webchat.render import render_card, render_message
from adapters.webchat.room_names import (
    WORKSPACE,
    conversation_of,
    home_room,
    is_own,
    may_enter,
    own_room_prefix,
)
from adapters.webchat.static_files import StaticFiles
from adapters.webchat.uploads import Uploads, upload_handler
from adapters.webchat.visitors import (
    PLATFORM,
    Authenticator,
    FreeChoice,
    MayRead,
    SignInLinks,
    Visitors,
    WebPerson,
)
from cards.model import Lang
from cards.showing.view import MessageView
from cards.texts import languages
from engine.errors import Gone, StoreUnavailable, Unavailable
from engine.events import (
    Accepted,
    Actor,
    MessageReceived,
    SharedFile,
    Update,
)
from engine.ports.conversations import ChatLog, Conversations
from engine.ports.pages import (
    FindReplyCards,
    InboxPage,
    PanelFeed,
    RunsPage,
    no_reply_cards,
)
from engine.ports.platform import ExamplesOf, Intake, Pace
from engine.ports.storage.drafts import Growth

HEARTBEAT_S = 15.0
GROWS_EVERY_S = 0.3
EXAMPLES = 3
"""So many stand on an empty page: the last questions, and what can be started."""
_log = structlog.get_logger(__name__)


async def _empty_inbox(actor: Actor, page: int) -> InboxPage:
    return InboxPage()


async def _no_runs(actor: Actor, lang: Lang | None, page: int) -> RunsPage:
    return RunsPage(lang or "en")


class WebChat:
    """The Platform of the web chat (design §3, §9): rooms of one person, and rooms that all share.

    The `authenticator` says who a visitor is. Every request must name a loopback host, or that of
    `public_url` where visitors sign in. `inbox` returns what waits for a person, `runs` what they
    asked for, `reply_cards` the open cards of a reply.
    """

    name = PLATFORM
    overall = Pace()
    growth = Pace()

    def __init__(
        self,
        *,
        log: ChatLog,
        people: Sequence[WebPerson],
        authenticator: Authenticator | None = None,
        inbox: Callable[[Actor, int], Awaitable[InboxPage]] = _empty_inbox,
        reply_cards: FindReplyCards = no_reply_cards,
        runs: Callable[[Actor, Lang | None, int], Awaitable[RunsPage]] = _no_runs,
        conversations: Conversations | None = None,
        public_url: str = "",
        uploads: Uploads | None = None,
        may_read: MayRead | None = None,
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        self._log = log
        self._people = people
        self._authenticator = authenticator or FreeChoice()
        self._visitors = Visitors(self._authenticator, people, may_read)
        self._inbox = inbox
        self._reply_cards = reply_cards
        self._runs = runs
        self._files = StaticFiles()
        self._uploads = uploads
        self._examples: ExamplesOf = lambda actor, lang: ()
        self._public_url = public_url.rstrip("/")
        self._streams = EventStreams(log, heartbeat_s=heartbeat_s)
        self._panel: SidePanel | None = None
        chooses = isinstance(self._authenticator, FreeChoice)
        self._guard = RequestGuard(self._hosts(), refuses_proxies=chooses)
        self._history = ConversationHistory(log, conversations, self._visitors, self._guard)

    def _hosts(self) -> Collection[str]:
        host = urlsplit(self._public_url).netloc
        return [host] if host and not isinstance(self._authenticator, FreeChoice) else []

    async def send(self, conversation: str, view: MessageView, *, key: str) -> str:
        """Show a message; returns `key`, under which a repeat replaces it. Raises Unavailable."""
        await self._append(conversation, {"op": "post", "id": key, "view": render_message(view)})
        room = _room_of(conversation)
        readers = [each.id for each in self._people] if is_own(room) else ()
        for person in readers:
            if may_enter(room, person):
                await self._history.note_answer(person, conversation)
        return key

    async def edit(self, conversation: str, message_id: str, view: MessageView) -> str:
        """Show `view` in place of that message; its id stays. Raises Unavailable."""
        await self._append(
            conversation, {"op": "edit", "id": message_id, "view": render_message(view)}
        )
        return message_id

    def grows_every_s(self, conversation: str) -> float:
        """In every room."""
        return GROWS_EVERY_S

    async def grow(self, conversation: str, message_id: str, growth: Growth) -> str:
        """Show an answer as far as it is written, to current readers. Raises Unavailable."""
        if not message_id:
            return await self.send(conversation, growth.working, key=growth.key)
        body = {"op": "draft", "id": message_id, "view": render_message(growth.view)}
        try:
            await self._log.draft(conversation, body)
        except StoreUnavailable as away:
            raise Unavailable(f"the web conversation could not be written: {away}") from away
        return message_id

    def pace(self, conversation: str) -> Pace:
        """No limit."""
        return Pace()

    async def link(self, conversation: str, message_id: str) -> str:
        """A shared room's page, if the web chat is reached from elsewhere; never raises."""
        room = _room_of(conversation)
        shared = self._public_url and not is_own(room)
        return f"{self._public_url}/?{urlencode({'room': room})}" if shared else ""

    def place(self, conversation: str) -> str:
        """The room, on the page that its reader is on."""
        return f"/?{urlencode({'room': _room_of(conversation)})}"

    async def typing(self, conversation: str) -> None:
        """Show for a few seconds, or until the next message, that work goes on; never raises."""
        try:
            await self._log.append(conversation, {"op": "typing"})
        except StoreUnavailable:
            _log.info("typing_not_shown", conversation=conversation)

    async def listen(self, intake: Intake) -> None:
        """Do nothing: updates come in over `routes`."""

    async def close(self) -> None:
        """End the open event streams; call it on shutdown, before the server waits for them."""
        self._streams.close()
        if self._panel:
            self._panel.close()

    def show_panel(self, feed: PanelFeed) -> bool:
        """Show it beside conversations, where visitors are sample people whom anybody may be."""
        if isinstance(self._authenticator, FreeChoice):
            self._panel = SidePanel(feed, self._visitors, self._guard)
        return self._panel is not None

    def suggest_from(self, examples: ExamplesOf) -> None:
        """Show such examples on an empty page."""
        self._examples = examples

    def routes(self, intake: Intake) -> list[web.RouteDef]:
        """The page and its requests; verified updates go to `intake`."""
        guarded = self._guard
        routes = [
            web.get("/", guarded(self._page)),
            web.get("/static/{file}", guarded(self._static)),
            web.get("/chat/people", guarded(self._list_people)),
            web.get("/chat/inbox", guarded(self._list_inbox)),
            web.get("/chat/cards", guarded(self._list_reply_cards)),
            web.get("/chat/mine", guarded(self._list_runs)),
            web.get("/chat/events", guarded(self._events)),
            web.post("/chat/messages", guarded(self._post(SayBody, intake))),
            web.post("/chat/taps", guarded(self._post(TapBody, intake))),
            web.post("/chat/forms", guarded(self._post(FormBody, intake))),
            *self._history.routes(),
        ]
        if self._uploads:
            handler = upload_handler(self._uploads, self._guard, self._visitors.actor)
            routes.append(web.post("/chat/files", guarded(handler)))
        if self._panel:
            routes += self._panel.routes()
        if isinstance(self._authenticator, ProviderSignIn):
            routes += self._provider_routes(self._authenticator)
        elif isinstance(self._authenticator, SignInLinks):
            routes += self._sign_in_routes(self._authenticator)
        return [*routes, web.route("*", "/chat/{other:.*}", guarded(no_such_request(routes)))]

    def _provider_routes(self, provider: ProviderSignIn) -> list[web.RouteDef]:
        """Return the routes of signing in at an identity provider."""

        async def landing(request: web.Request) -> web.StreamResponse:
            return provider.page(request)

        async def leave(request: web.Request) -> web.StreamResponse:
            await self._guard.json_body(request)
            return await provider.leave(request)

        return [
            web.get("/login", self._guard(landing)),
            web.get("/login/begin", self._guard(provider.begin)),
            web.get(CALLBACK, self._guard(provider.finish)),
            web.post("/chat/logout", self._guard(leave)),
        ]

    def _sign_in_routes(self, links: SignInLinks) -> list[web.RouteDef]:
        """Return the sign-in routes: opening a link changes nothing, its button spends it."""

        async def landing(request: web.Request) -> web.StreamResponse:
            return self._files.serve("login.html")

        async def enter(request: web.Request) -> web.StreamResponse:
            body = parse_body(EnterBody, await self._guard.json_body(request))
            return await links.enter(body.token)

        async def leave(request: web.Request) -> web.StreamResponse:
            await self._guard.json_body(request)
            return await links.leave(request)

        return [
            web.get("/login", self._guard(landing)),
            web.post("/chat/login", self._guard(enter)),
            web.post("/chat/logout", self._guard(leave)),
        ]

    async def _page(self, request: web.Request) -> web.Response:
        try:
            await self._authenticator.who(request)
        except web.HTTPUnauthorized:
            if isinstance(self._authenticator, ProviderSignIn):
                return self._authenticator.page(request, status=401)
            page = self._files.serve("login.html")
            page.set_status(401)
            return page
        return self._files.serve("index.html")

    async def _static(self, request: web.Request) -> web.Response:
        return self._files.serve(request.match_info["file"])

    async def _list_people(self, request: web.Request) -> web.Response:
        people = [
            {
                "id": person.id,
                "name": person.name,
                "role": person.role_label,
                "rooms": own_room_prefix(person.id),
                "home": home_room(person.id),
                "examples": self._examples_of(person),
            }
            for person in await self._visitors.choices(request)
        ]
        uploads = self._uploads
        body = {
            "people": people,
            "chooses": isinstance(self._authenticator, FreeChoice),
            "leaves": self._authenticator.can_sign_out,
            "files_mb": uploads.max_mb if uploads else 0,
            "files_types": uploads.kinds if uploads else (),
            **({"panel": PANEL} if self._panel else {}),
        }
        return json_response(200, body)

    def _examples_of(self, person: WebPerson) -> dict[Lang, Sequence[str]]:
        actor = Actor(platform=PLATFORM, workspace=WORKSPACE, user=person.id, name=person.name)
        return {lang: self._examples(actor, lang)[-EXAMPLES:] for lang in languages()}

    async def _list_inbox(self, request: web.Request) -> web.Response:
        actor = await self._visitors.actor(request, request.query.get("person", ""))
        try:
            waiting = await self._inbox(actor, page_number(request))
        except StoreUnavailable:
            return json_response(503, {"error": "the store is away"})
        cards = [render_card(card) | {"lang": lang} for card, lang in waiting.cards]
        return json_response(200, {"cards": cards, "more": waiting.more})

    async def _list_reply_cards(self, request: web.Request) -> web.Response:
        room = room_of(request)
        reader = await self._visitors.reader(request, room, request.query.get("person", ""))
        try:
            is_hidden = await self._visitors.is_hidden(room, reader)
            reply = "" if is_hidden else request.query.get("reply", "")
            found = await self._reply_cards(reply, conversation_of(room))
        except StoreUnavailable:
            return json_response(503, {"error": "the store is away"})
        cards = [render_card(card) | {"lang": lang} for card, lang in found.cards]
        told = asdict(replace(found, cards=()))
        return json_response(200, told | {"cards": cards})

    async def _list_runs(self, request: web.Request) -> web.Response:
        actor = await self._visitors.actor(request, request.query.get("person", ""))
        lang, number = request.query.get("lang", ""), page_number(request)
        try:
            own = await self._runs(actor, lang if lang in languages() else None, number)
        except StoreUnavailable:
            return json_response(503, {"error": "the store is away"})
        cards = [render_card(run) | {"lang": own.lang} for run in own.runs]
        return json_response(200, {"cards": cards, "more": own.more, "days": own.days})

    async def _events(self, request: web.Request) -> web.StreamResponse:
        subscriptions = [await self._subscribe(request, place) for place in read_positions(request)]
        return await self._streams.serve(request, subscriptions)

    async def _subscribe(self, request: web.Request, place: ReadPosition) -> Subscription:
        """Return the subscription, if the room may be read now. Raises 401, 403, 404, or 503."""
        reader = await self._visitors.reader(request, place.room, place.person)

        async def may_read() -> bool:
            try:
                return await self._visitors.reader(request, place.room, place.person) == reader
            except web.HTTPException:
                return False

        return Subscription(
            conversation_of(place.room),
            place.after,
            may_read,
            lambda: self._visitors.is_hidden(place.room, reader),
        )

    def _post(self, model: type[BodyT], intake: Intake) -> Handler:
        async def post(request: web.Request) -> web.StreamResponse:
            body = parse_body(model, await self._guard.json_body(request))
            actor = await self._visitors.actor(request, body.person, body.room)
            # Who signed in need not say who they are.
            body = body.model_copy(update={"person": actor.user})
            outcome = await intake(self._with_files(body, body.update(actor)))
            if isinstance(body, SayBody) and outcome == Accepted(duplicate=False):
                await self._log_message(body, actor)
            if isinstance(body, SayBody) and isinstance(outcome, Accepted):
                answers = self._log.reply_id(body.conversation, body.said_id)
                return json_response(202, {"reply": answers})
            return outcome_response(outcome)

        return post

    def _with_files(self, body: BodyT, update: Update) -> Update:
        """Return the update with the files that were uploaded before for it."""
        if self._uploads is None:
            return update
        shared = partial(self._uploads.shared_file, body.room, body.person)
        if isinstance(body, SayBody) and isinstance(update, MessageReceived):
            files = tuple(shared(file.id, file.name) for file in body.files)
            return update.model_copy(update={"files": files})
        if isinstance(body, FormBody):
            uploads = {name: shared(file.id, file.name) for name, file in body.files.items()}
            return update.model_copy(update={"uploads": uploads})
        return update

    def fetch(self, file: SharedFile) -> AsyncGenerator[bytes, None]:
        """Yield a file that the page sent before its message. Raises Gone when it is not here."""
        if self._uploads is None:
            raise Gone("files are not taken here")
        return self._uploads.fetch(file)

    async def _log_message(self, body: SayBody, actor: Actor) -> None:
        entry = {
            "op": "said",
            "id": body.id,
            "person": actor.user,
            "name": actor.name,
            "text": body.text,
            **({"files": [file.name for file in body.files]} if body.files else {}),
        }
        try:
            listed = self._history.listed_for(body)
            await self._log.append(body.conversation, entry, listed=listed)
        except StoreUnavailable:
            # Intake has the message: an error would have it sent twice.
            _log.warning("own_message_not_shown", conversation=body.conversation, update=body.id)

    async def _append(self, conversation: str, entry: dict[str, object]) -> None:
        try:
            await self._log.append(conversation, entry)
        except StoreUnavailable as away:
            raise Unavailable(f"the web conversation could not be written: {away}") from away


def _room_of(conversation: str) -> str:
    return conversation.removeprefix(conversation_of(""))
