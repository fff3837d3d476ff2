"""A stub of Telegram's Bot API on 127.0.0.1 that checks what it gets as Telegram does."""

import re
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Self

from aiohttp import web

from tests.fakes.platforms.faults import Fault, FaultPlan
from tests.fakes.platforms.file_host import FileHost, Hosted
from tests.fakes.platforms.telegram.allowances import Allowances
from tests.fakes.platforms.telegram.checks import (
    json_of,
    markup_of,
    refusal_of,
    refuse_same,
    shown_text,
    too_fast,
)
from tests.fakes.platforms.telegram.delivery import CALLBACK_LIFE_S, Deliveries
from tests.fakes.platforms.telegram.files import (
    CAPTION,
    DOWNLOAD_BYTES,
    FILE_BYTES,
    PHOTO_BYTES,
    Params,
    Refused,
    file_of,
    refuse_no_picture,
)
from tests.fakes.platforms.telegram.text import Parsed, units, with_found
from tests.fakes.platforms.telegram.updates import Sent, chat_of

TOKEN = "7000000001:AAtestTESTtestTESTtestTESTtestTEST"
BOT_ID = 7000000001
SECRET = "Test-secret_42"
_DELETABLE_S = 48 * 3_600.0


@dataclass
class CallbackAnswer:
    """What a tapper was shown; `show_alert` when it had to be closed by hand."""

    callback_id: str
    text: str
    show_alert: bool


@dataclass(frozen=True, slots=True)
class Drafted:
    """What a private chat showed of a message in the making; "" is the sign that the bot thinks."""

    chat_id: int
    draft_id: int
    text: str


class TelegramServer(Deliveries):
    """`async with TelegramServer() as server`; its `url` is the API's root.

    `messages` holds what the bot sent by (chat id, message id), `callback_answers` what tappers
    were shown, `faults` every wrong request. `refuses` says, by method in lower case, why it does
    not take certain parameters beyond what it always checks, "" when it does.
    """

    def __init__(
        self, *, token: str = TOKEN, secret: str = SECRET, username: str = "signoff_bot"
    ) -> None:
        bot_id = int(token.partition(":")[0])
        bot = {"id": bot_id, "is_bot": True, "first_name": "Signoff", "username": username}
        super().__init__(bot, secret)
        self.token = token
        self.url = ""
        self.messages: dict[tuple[int, int], Sent] = {}
        self.callback_answers: list[CallbackAnswer] = []
        self.actions: list[tuple[int, str]] = []
        self.drafts: list[Drafted] = []
        self.undrafted: set[int] = set()
        self.calls: list[tuple[str, Params]] = []
        self.faults: list[str] = []
        self.commands: dict[str, list[dict[str, str]]] = {}
        self.host = FileHost()
        self.too_big: set[str] = set()
        self.gone_chats: set[int] = set()
        self.blocked_chats: set[int] = set()
        self.migrated: dict[int, int] = {}
        self.refused_files: set[int] = set()
        self.acquainted: set[int] = set()
        self.refuses: dict[str, Callable[[Params], str]] = {}
        self.planned = FaultPlan()
        self.allowances = Allowances(self.time.now)
        self._methods: dict[str, Callable[[Params], Awaitable[Any]]] = {
            "getme": self._get_me,
            "getchat": self._get_chat,
            "sendmessage": self._send_message,
            "sendphoto": self._send_photo,
            "sendmessagedraft": self._send_draft,
            "senddocument": self._send_document,
            "editmessagetext": self._edit_message_text,
            "editmessagereplymarkup": self._edit_markup,
            "deletemessage": self._delete_message,
            "answercallbackquery": self._answer_callback_query,
            "sendchataction": self._send_chat_action,
            "getmycommands": self._get_my_commands,
            "setmycommands": self._set_my_commands,
            "setwebhook": self._set_webhook,
            "getwebhookinfo": self._get_webhook_info,
            "deletewebhook": self._delete_webhook,
            "getupdates": self._get_updates,
            "getfile": self._get_file,
        }

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_route("*", r"/bot{token:[^/]+}/{method}", self._handle)
        app.router.add_get(r"/file/bot{token:[^/]+}/{path:.+}", self._file)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        await web.SockSite(self._runner, listener).start()
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closing = True
        self.host.close()
        await self._tell()
        await self._runner.cleanup()

    def fail_next(self, method: str, fault: Fault, *, times: int = 1, after: int = 0) -> None:
        """The next `times` calls of a method fail so, once `after` others went well."""
        self.planned.add(method, fault, times=times, after=after)

    def chat(self, chat_id: int) -> list[Sent]:
        """What the bot's messages in a chat show now, oldest first."""
        return [m for m in self.messages.values() if m.chat_id == chat_id and not m.deleted]

    def count(self, method: str) -> int:
        """How often a method was called."""
        return sum(called.lower() == method.lower() for called, _ in self.calls)

    async def _handle(self, request: web.Request) -> web.Response:
        method, params = request.match_info["method"], await _params(request)
        self.calls.append((method, params))
        planned = self.planned.take(method)
        try:
            if planned and planned.kind not in ("dropped", "garbled"):
                raise refusal_of(planned)
            if wait_s := self.allowances.wait_s(method, params):
                raise too_fast(wait_s)
            known = request.match_info["token"] == self.token
            if not known or method.lower() not in self._methods:
                raise Refused("Not Found", 404)
            refuses = self.refuses.get(method.lower())
            if refuses and (told := refuses(params)):
                raise Refused(told, fault=False)
            result = await self._methods[method.lower()](params)
        except Refused as refused:
            return await self._refuse(method, refused)
        await self._tell()
        if planned and planned.kind == "garbled":
            return web.Response(text=planned.told, status=planned.status)
        if planned and request.transport is not None:
            request.transport.abort()
        return web.json_response({"ok": True, "result": result})

    async def _refuse(self, method: str, refused: Refused) -> web.Response:
        prefixes = {400: "Bad Request: ", 403: "Forbidden: ", 409: "Conflict: "}
        description = prefixes.get(refused.status, "") + refused.description
        if refused.fault:
            self.faults.append(f"{method}: {description}")
        await self._tell()
        body = {"ok": False, "error_code": refused.status, "description": description}
        if refused.parameters:
            body["parameters"] = refused.parameters
        return web.json_response(body, status=refused.status)

    async def _get_me(self, _: Params) -> Any:
        return {**self.bot, "can_join_groups": True, "can_read_all_group_messages": False}

    def document_update(
        self, caption: str, name: str, hosted: Hosted, *, size: int = 0, **where: Any
    ) -> dict[str, Any]:
        """A person sends a file, with something written under it or nothing."""
        file_id = f"BQAC{len(self.host.hosted):06d}"
        self.host.hosted[file_id] = hosted
        update = self.message_update(caption, **where)
        message = update["message"]
        if message.pop("text"):
            message["caption"] = caption
        if "entities" in message:
            message["caption_entities"] = message.pop("entities")
        size = size or len(hosted.content) * hosted.times
        about = {"file_id": file_id, "file_unique_id": f"U{file_id}", "file_size": size}
        message["document"] = {**about, "file_name": name}
        return update

    async def _get_file(self, params: Params) -> Any:
        file_id = params["file_id"]
        if file_id not in self.host.hosted:
            raise Refused("wrong file_id or the file is temporarily unavailable", fault=False)
        hosted = self.host.hosted[file_id]
        if file_id in self.too_big or len(hosted.content) * hosted.times > DOWNLOAD_BYTES:
            raise Refused("file is too big", fault=False)
        unique = {"file_id": file_id, "file_unique_id": f"U{file_id}"}
        return {**unique, "file_path": f"documents/{file_id}"}

    async def _file(self, request: web.Request) -> web.StreamResponse:
        if request.match_info["token"] != self.token:
            return web.Response(status=404)
        return await self.host.serve(request, request.match_info["path"].partition("/")[2])

    async def _get_chat(self, params: Params) -> Any:
        chat_id = self._chat_id(params)
        if chat_id not in self.acquainted:
            # A bot knows nobody who never wrote to it.
            raise Refused("chat not found", fault=False)
        gifts = dict.fromkeys(
            (
                "unlimited_gifts",
                "limited_gifts",
                "unique_gifts",
                "premium_subscription",
                "gifts_from_channels",
            ),
            False,
        )
        more = {"accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": gifts}
        return chat_of(chat_id) | more

    async def _send_message(self, params: Params) -> Any:
        chat_id = self._chat_id(params)
        shown, markup = shown_text(params), markup_of(params)
        sent = Sent(
            chat_id,
            len(self.messages) + 1,
            params["text"],
            shown.text,
            shown.entities,
            markup.get("inline_keyboard", []),
            force_reply=bool(markup.get("force_reply")),
            reply_to=json_of(params, "reply_parameters", {}).get("message_id"),
            topic=int(params["message_thread_id"]) if "message_thread_id" in params else None,
        )
        return self._keep(sent)

    def _keep(self, sent: Sent) -> Any:
        if sent.topic == 1:
            # The topic General is named by leaving the number out.
            raise Refused("message thread not found")
        sent.sent_at = self.time.now()
        self.messages[sent.chat_id, sent.message_id] = sent
        return self.payload_of(sent)

    async def _send_draft(self, params: Params) -> Any:
        chat_id, draft_id = self._chat_id(params), int(params.get("draft_id", "0"))
        if chat_id < 0 or chat_id in self.undrafted:
            raise Refused("TEXTDRAFT_PEER_INVALID", fault=chat_id < 0)
        if draft_id == 0:
            raise Refused("RANDOM_ID_INVALID")
        text = shown_text(params).text if params.get("text") else ""
        self.drafts.append(Drafted(chat_id, draft_id, text))
        return True

    async def _send_photo(self, params: Params) -> Any:
        name, content = file_of(params, "photo", most=PHOTO_BYTES)
        refuse_no_picture(content)
        return self._sent_file(params, name, photo=content)

    async def _send_document(self, params: Params) -> Any:
        name, content = file_of(params, "document", most=FILE_BYTES)
        return self._sent_file(params, name, document=content)

    def _sent_file(
        self, params: Params, name: str, *, photo: bytes = b"", document: bytes = b""
    ) -> Any:
        chat_id, caption = self._chat_id(params), str(params.get("caption", ""))
        if chat_id in self.refused_files:
            kind = "photos" if photo else "documents"
            raise Refused(f"not enough rights to send {kind} to the chat", fault=False)
        if units(caption) > CAPTION:
            raise Refused("message caption is too long")
        sent = Sent(
            chat_id,
            len(self.messages) + 1,
            caption,
            caption,
            with_found(Parsed(caption)).entities,
            topic=int(params["message_thread_id"]) if "message_thread_id" in params else None,
            photo=photo,
            document=document,
            file_name=name,
        )
        return self._keep(sent)

    async def _edit_message_text(self, params: Params) -> Any:
        message = self._message(params, "edit")
        if message.file_name:
            raise Refused("there is no text in the message to edit")
        shown, keyboard = shown_text(params), markup_of(params).get("inline_keyboard", [])
        now = (message.text, message.entities, message.keyboard)
        refuse_same(now, (shown.text, shown.entities, keyboard))
        message.html, message.text, message.entities = params["text"], shown.text, shown.entities
        message.keyboard = keyboard
        message.edits += 1
        return self.payload_of(message)

    async def _edit_markup(self, params: Params) -> Any:
        message, keyboard = (
            self._message(params, "edit"),
            markup_of(params).get("inline_keyboard", []),
        )
        refuse_same(message.keyboard, keyboard)
        message.keyboard = keyboard
        message.edits += 1
        return self.payload_of(message)

    async def _delete_message(self, params: Params) -> Any:
        message = self._message(params, "delete")
        if self.time.now() - message.sent_at > _DELETABLE_S:
            raise Refused("message can't be deleted for everyone", fault=False)
        message.deleted = True
        return True

    async def _answer_callback_query(self, params: Params) -> Any:
        callback_id, text = params.get("callback_query_id", ""), params.get("text", "")
        made_at = self.open_callbacks.get(callback_id)
        if made_at is None or self.time.now() - made_at > CALLBACK_LIFE_S:
            description = "query is too old and response timeout expired or query ID is invalid"
            raise Refused(description, fault=False)
        if len(text) > 200:
            raise Refused("MESSAGE_TOO_LONG")
        del self.open_callbacks[callback_id]
        alert = params.get("show_alert", "false") == "true"
        self.callback_answers.append(CallbackAnswer(callback_id, text, alert))
        return True

    async def _send_chat_action(self, params: Params) -> Any:
        self.actions.append((self._chat_id(params), params.get("action", "")))
        return True

    async def _get_my_commands(self, params: Params) -> Any:
        return self.commands.get(params.get("language_code", ""), [])

    async def _set_my_commands(self, params: Params) -> Any:
        commands = json_of(params, "commands", [])
        for command in commands:
            if not re.fullmatch(r"[a-z0-9_]{1,32}", command["command"]):
                raise Refused("BOT_COMMAND_INVALID")
            if not 1 <= len(command["description"]) <= 256:
                raise Refused("BOT_COMMAND_DESCRIPTION_INVALID")
        self.commands[params.get("language_code", "")] = commands
        return True

    def _chat_id(self, params: Params) -> int:
        try:
            chat_id = int(params["chat_id"])
        except (KeyError, ValueError):
            raise Refused("chat_id is empty or no number") from None
        if chat_id in self.gone_chats:
            raise Refused("chat not found", fault=False)
        if chat_id in self.migrated:
            raise Refused(
                "group chat was upgraded to a supergroup chat",
                fault=False,
                parameters={"migrate_to_chat_id": self.migrated[chat_id]},
            )
        if chat_id in self.blocked_chats:
            raise Refused("bot was blocked by the user", 403, fault=False)
        return chat_id

    def _message(self, params: Params, verb: str) -> Sent:
        message = self.messages.get((self._chat_id(params), int(params.get("message_id", 0))))
        if message is None or message.deleted:
            raise Refused(f"message to {verb} not found", fault=message is None)
        return message


async def _params(request: web.Request) -> Params:
    if request.content_type == "application/json":
        return {**request.query, **await request.json()}
    given = (await request.post()).items()
    return {**request.query, **{k: v if isinstance(v, web.FileField) else str(v) for k, v in given}}
