"""The state of a local Slack, and the Web API methods that change it."""

import itertools
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.fakes.platforms.slack.checks import (
    home_problems,
    metadata_problems,
    sent_problems,
    view_problems,
)
from tests.fakes.platforms.slack.message import Shown
from tests.fakes.platforms.slack.streams import Streams
from tests.fakes.platforms.timepiece import Timepiece

Json = dict[str, Any]

_TS = re.compile(r"[0-9]+\.[0-9]{6}")
_TRIGGER_LIFE_S = 3.0
_STATUS_LIFE_S = 120.0
_LOADING_MESSAGES = 10
ALT = 1_000
SCOPES = {
    "files.info": "files:read",
    "users.info": "users:read",
    "usergroups.users.list": "usergroups:read",
    "files.getUploadURLExternal": "files:write",
    "files.completeUploadExternal": "files:write",
    "chat.postMessage": "chat:write",
    "chat.update": "chat:write",
    "chat.postEphemeral": "chat:write",
    "chat.startStream": "chat:write",
    "chat.appendStream": "chat:write",
    "chat.stopStream": "chat:write",
    "chat.delete": "chat:write",
    "conversations.open": "im:write",
    "assistant.threads.setStatus": "chat:write",
}
"""The scope that a method needs, for those that need one."""
HISTORY = {"C": "channels:history", "G": "groups:history", "D": "im:history"}
"""The scope that reading a channel needs, by what its id begins with."""


def scopes_of(manifest: Path) -> set[str]:
    """The bot's scopes in an app that was created from that manifest."""
    return set(yaml.safe_load(manifest.read_text())["oauth_config"]["scopes"]["bot"])


@dataclass(frozen=True, slots=True)
class Ephemeral:
    """A notice that one person saw."""

    channel: str
    user: str
    thread_ts: str
    text: str


@dataclass(frozen=True, slots=True)
class OpenedView:
    """A modal that stands open for a person."""

    id: str
    user: str
    view: Json


@dataclass(slots=True)
class SharedFile:
    """A file of the bot: nobody sees it before it is shared (`channel` is "" until then)."""

    id: str
    name: str
    length: int
    alt: str
    content: bytes | None = None
    title: str = ""
    channel: str = ""
    thread_ts: str = ""


@dataclass(slots=True)
class _Trigger:
    user: str
    made: float
    used: bool = False


@dataclass
class SlackWorkspace:
    """One workspace; `faults` collects everything that Slack would refuse or an app never wants.

    `time` is the workspace's own: `time.skip` lets triggers, statuses and response_urls run out.
    """

    team: str = "T0TRIAL"
    bot_user: str = "U0BOT"
    api_url: str = ""
    url: str = "https://trial.slack.com/"
    time: Timepiece = field(default_factory=Timepiece)
    messages: dict[tuple[str, str], Shown] = field(default_factory=dict)
    ephemerals: list[Ephemeral] = field(default_factory=list)
    views: list[OpenedView] = field(default_factory=list)
    files: dict[str, SharedFile] = field(default_factory=dict)
    homes: dict[str, Json] = field(default_factory=dict)
    shown_statuses: int = 0
    deleted: set[tuple[str, str]] = field(default_factory=set)
    scopes: set[str] = field(default_factory=lambda: set(SCOPES.values()))
    users: dict[str, Json] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    _triggers: dict[str, _Trigger] = field(default_factory=dict)
    _statuses: dict[tuple[str, str], tuple[str, float]] = field(default_factory=dict)
    _numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.streams = Streams(self)

    @property
    def latest(self) -> Shown:
        """The newest message."""
        return [*self.messages.values()][-1]

    @property
    def shared(self) -> list[SharedFile]:
        """The files that people see, in the order they were reserved."""
        return [file for file in self.files.values() if file.channel]

    def new_trigger(self, user: str) -> str:
        """A fresh trigger id of that user, good for one view within three seconds."""
        trigger = f"{next(self._numbers)}.0.trigger"
        self._triggers[trigger] = _Trigger(user, self.now())
        return trigger

    @property
    def statuses(self) -> dict[tuple[str, str], str]:
        """What threads show of work that goes on, by (channel, thread); two minutes at most."""
        return {
            place: text
            for place, (text, since) in self._statuses.items()
            if self.now() - since < _STATUS_LIFE_S
        }

    def new_ts(self) -> str:
        """A message timestamp that was not given before."""
        return f"{int(self.now())}.{next(self._numbers):06d}"

    def delete(self, message: Shown) -> None:
        """A moderator takes a message away."""
        del self.messages[message.channel, message.ts]
        self.deleted.add((message.channel, message.ts))

    def post(self, fields: Json) -> Json:
        """chat.postMessage."""
        channel, thread = str(fields.get("channel", "")), fields.get("thread_ts", "")
        if not re.fullmatch(r"[CDGU][A-Z0-9]+", channel):
            return self.fault("chat.postMessage", "channel_not_found", [channel])
        if thread and not _TS.fullmatch(thread):
            return self.fault("chat.postMessage", "invalid_thread_ts", [thread])
        problems = sent_problems(fields)
        if fields.get("unfurl_links") is not False or fields.get("unfurl_media") is not False:
            problems.append("previews are not off")
        problems += metadata_problems(fields.get("metadata"))
        if problems:
            return self.fault("chat.postMessage", "invalid_blocks", problems)
        shown = Shown(
            channel="D" + channel[1:] if channel[0] == "U" else channel,
            ts=self.new_ts(),
            thread_ts=thread,
            text=fields["text"],
            blocks=fields["blocks"],
            metadata=fields.get("metadata", {}),
        )
        self.keep(shown)
        shown.was.append(shown.body)
        return {"ok": True, "channel": shown.channel, "ts": shown.ts}

    def history(self, fields: Json) -> Json:
        """conversations.history: what stands in a channel, and no answers in threads."""
        return self._read("conversations.history", fields, "")

    def replies(self, fields: Json) -> Json:
        """conversations.replies: a thread, its root among it."""
        return self._read("conversations.replies", fields, str(fields.get("ts", "")))

    def _read(self, method: str, fields: Json, thread: str) -> Json:
        channel, needed = str(fields.get("channel", "")), HISTORY.get(fields["channel"][0], "")
        if not needed or (method == "conversations.replies" and not _TS.fullmatch(thread)):
            return self.fault(method, "channel_not_found", [str(fields)])
        if needed not in self.scopes:
            provided = ",".join(sorted(self.scopes))
            return refusal("missing_scope") | {"needed": needed, "provided": provided}
        found = [
            {"type": "message", "ts": m.ts, "text": m.text, "bot_id": "B0BOT"}
            | (
                {"metadata": m.metadata}
                if m.metadata and fields.get("include_all_metadata")
                else {}
            )
            for m in self.messages.values()
            if m.channel == channel
            and thread in ((m.thread_ts, m.ts) if thread else ("", m.ts))
            and (thread or not m.thread_ts)
            and float(m.ts) > float(fields.get("oldest", 0))
        ]
        return {"ok": True, "messages": found[: int(fields.get("limit", 100))]}

    def keep(self, shown: Shown) -> None:
        """A new message stands there."""
        self.messages[shown.channel, shown.ts] = shown
        self._statuses.pop((shown.channel, shown.thread_ts), None)

    def delete_own(self, fields: Json) -> Json:
        """The bot takes a message of its own away."""
        found = self.messages.get((fields.get("channel", ""), fields.get("ts", "")))
        if found is None:
            return refusal("message_not_found")
        if found.streams:
            return self.fault("chat.delete", "cant_delete_message", [found.ts])
        self.delete(found)
        return {"ok": True, "channel": found.channel, "ts": found.ts}

    def update(self, fields: Json) -> Json:
        """chat.update, of the app's own messages."""
        channel, ts = fields.get("channel", ""), fields.get("ts", "")
        shown = self.messages.get((channel, ts))
        if shown is None and (channel, ts) in self.deleted:
            return refusal("message_not_found")
        if shown is None:
            return self.fault("chat.update", "message_not_found", [f"{channel}:{ts}"])
        if shown.streams:
            return refusal("streaming_state_conflict")
        if shown.streamed and not self.streams.rewrites:
            return refusal("block_mismatch")
        if "blocks" not in fields:
            self.faults.append("chat.update: text without blocks removes the blocks")
            shown.text, shown.blocks = fields.get("text", ""), []
        else:
            if problems := sent_problems(fields):
                return self.fault("chat.update", "invalid_blocks", problems)
            shown.text, shown.blocks = fields["text"], fields["blocks"]
        shown.edits += 1
        shown.was.append(shown.body)
        return {"ok": True, "channel": channel, "ts": ts, "text": shown.text}

    def post_ephemeral(self, fields: Json) -> Json:
        """chat.postEphemeral; a text may come without blocks."""
        problems = sent_problems({"blocks": [{"type": "divider"}]} | fields)
        if not re.fullmatch(r"U[A-Z0-9]+", str(fields.get("user", ""))):
            problems.append("user")
        if problems:
            return self.fault("chat.postEphemeral", "invalid_blocks", problems)
        blocks = fields.get("blocks") or [{"text": fields}]
        text = "\n".join(block["text"]["text"] for block in blocks)
        self.ephemerals.append(
            Ephemeral(fields["channel"], fields["user"], fields.get("thread_ts", ""), text)
        )
        return {"ok": True, "message_ts": self.new_ts()}

    def form_problems(self, view: Any) -> list[str]:
        """What is wrong with a modal of this app: files are chosen for one that may read them."""
        problems = view_problems(view)
        if "files:read" not in self.scopes and '"file_input"' in json.dumps(view):
            problems.append("file_input: needs files:read")
        return problems

    def open_view(self, fields: Json) -> Json:
        """views.open, with a trigger that is young and unused."""
        trigger = self._triggers.get(str(fields.get("trigger_id")))
        if trigger is None:
            return self.fault("views.open", "invalid_trigger_id", [str(fields.get("trigger_id"))])
        if trigger.used:
            return self.fault("views.open", "exchanged_trigger_id", [])
        trigger.used = True
        if self.now() - trigger.made > _TRIGGER_LIFE_S:
            return self.fault("views.open", "expired_trigger_id", [])
        if problems := self.form_problems(fields.get("view")):
            return self.fault("views.open", "invalid_arguments", problems)
        opened = OpenedView(f"V{next(self._numbers):08d}", trigger.user, fields["view"])
        self.views.append(opened)
        return {"ok": True, "view": opened.view | {"id": opened.id, "hash": "1.first"}}

    def publish_view(self, fields: Json) -> Json:
        """views.publish, of a Home tab."""
        user, view = str(fields.get("user_id", "")), fields.get("view")
        if not re.fullmatch(r"[UW][A-Z0-9]+", user):
            return self.fault("views.publish", "user_not_found", [user])
        if problems := home_problems(view):
            return self.fault("views.publish", "invalid_arguments", problems)
        self.homes[user] = fields["view"]
        return {"ok": True, "view": fields["view"] | {"id": "V0HOME", "hash": "1.home"}}

    def home_body(self, user: str) -> str:
        """Everything that the person's Home tab says, "" while it shows nothing."""
        blocks = self.homes.get(user, {}).get("blocks", [])
        return Shown(channel="", ts="", thread_ts="", text="", blocks=blocks).body

    def set_status(self, fields: Json) -> Json:
        """assistant.threads.setStatus: until the thread's next message, two minutes at most."""
        channel, thread = str(fields.get("channel_id", "")), str(fields.get("thread_ts", ""))
        if not re.fullmatch(r"[CDG][A-Z0-9]+", channel) or not _TS.fullmatch(thread):
            return self.fault("assistant.threads.setStatus", "invalid_thread_ts", [thread])
        if len(fields.get("loading_messages", ())) > _LOADING_MESSAGES:
            return self.fault("assistant.threads.setStatus", "invalid_arguments", ["loading"])
        self._statuses[channel, thread] = (str(fields.get("status", "")), self.now())
        self.shown_statuses += 1
        return {"ok": True}

    def auth_test(self, fields: Json) -> Json:
        """auth.test."""
        who = {"user_id": self.bot_user, "user": "signoff", "bot_id": "B0BOT"}
        return {"ok": True, "url": self.url, "team_id": self.team, "team": "Trial", **who}

    def open_direct(self, fields: Json) -> Json:
        """conversations.open, for one person."""
        user = str(fields.get("users", ""))
        if not re.fullmatch(r"[UW][A-Z0-9]+", user):
            return self.fault("conversations.open", "user_not_found", [user])
        return {"ok": True, "channel": {"id": "D" + user[1:]}}

    def permalink(self, fields: Json) -> Json:
        """chat.getPermalink."""
        channel, ts = fields.get("channel", ""), fields.get("message_ts", "")
        if not re.fullmatch(r"[CG][A-Z0-9]+", channel) or not _TS.fullmatch(ts):
            return self.fault("chat.getPermalink", "message_not_found", [f"{channel}:{ts}"])
        link = f"{self.url}archives/{channel}/p{ts.replace('.', '')}"
        return {"ok": True, "channel": channel, "permalink": link}

    def reserve(self, fields: Json) -> Json:
        """files.getUploadURLExternal."""
        method, length = "files.getUploadURLExternal", str(fields.get("length", ""))
        if not length.isdigit() or int(length) == 0 or not fields.get("filename"):
            return self.fault(method, "missing_argument", [str(fields)])
        if len(fields.get("alt_txt", "")) > ALT:
            return self.fault(method, "alt_txt_too_large", [fields["alt_txt"]])
        file = SharedFile(
            id=f"F{next(self._numbers):08d}",
            name=fields["filename"],
            length=int(length),
            alt=fields.get("alt_txt", ""),
        )
        self.files[file.id] = file
        url = self.api_url.replace("/api/", f"/upload/{file.id}")
        return {"ok": True, "upload_url": url, "file_id": file.id}

    def receive(self, file_id: str, content: bytes) -> bool:
        """Takes a reserved file's bytes; False for an address that was never given."""
        file = self.files.get(file_id)
        if file is None or file.content is not None or len(content) != file.length:
            self.faults.append(f"upload: {file_id}: {len(content)} bytes are not what was said")
            return False
        file.content = content
        return True

    def share(self, fields: Json) -> Json:
        """files.completeUploadExternal."""
        method = "files.completeUploadExternal"
        channel, thread = str(fields.get("channel_id", "")), fields.get("thread_ts", "")
        if not re.fullmatch(r"[CDG][A-Z0-9]+", channel):
            return self.fault(method, "channel_not_found", [channel])
        if thread and not _TS.fullmatch(thread):
            return self.fault(method, "invalid_thread_ts", [thread])
        if thread and any(m.ts == thread and m.thread_ts for m in self.messages.values()):
            return self.fault(method, "invalid_thread_ts", ["a reply, and no thread's root"])
        wanted = fields.get("files")
        if not isinstance(wanted, list) or not wanted:
            return self.fault(method, "missing_argument", ["files"])
        found = [self.files.get(each.get("id")) for each in wanted]
        if any(file is None or file.content is None or file.channel for file in found):
            return self.fault(method, "file_not_found", [str(wanted)])
        for file, each in zip(found, wanted, strict=True):
            assert file is not None
            file.title, file.channel, file.thread_ts = each.get("title", ""), channel, thread
        return {"ok": True, "files": [{"id": each["id"]} for each in wanted]}

    def add_user(self, user: str, name: str, **more: Any) -> None:
        """A member of the workspace; `deleted` or another `team_id` as Slack tells them."""
        base = {"id": user, "team_id": self.team, "real_name": name, "name": name.lower()}
        self.users[user] = {**base, "deleted": False, "is_bot": False, **more}

    def user_info(self, fields: Json) -> Json:
        """users.info."""
        user = str(fields.get("user", ""))
        if not re.fullmatch(r"[UW][A-Z0-9]+", user):
            return self.fault("users.info", "user_not_found", [user])
        found = self.users.get(user)
        return {"ok": True, "user": found} if found else refusal("user_not_found")

    def group_members(self, fields: Json) -> Json:
        """usergroups.users.list."""
        group = str(fields.get("usergroup", ""))
        if not re.fullmatch(r"S[A-Z0-9]+", group):
            return self.fault("usergroups.users.list", "no_such_subteam", [group])
        users = self.groups.get(group)
        return refusal("no_such_subteam") if users is None else {"ok": True, "users": users}

    def fault(self, method: str, code: str, problems: list[str]) -> Json:
        """Notes what was wrong with a call; Slack's answer to it."""
        self.faults.append(f"{method}: {code}: {'; '.join(problems)}")
        return refusal(code)

    def now(self) -> float:
        """Seconds since the epoch, by the workspace's own time."""
        return self.time.now()


def refusal(code: str) -> Json:
    """Slack's answer to a call it does not take."""
    return {"ok": False, "error": code}
