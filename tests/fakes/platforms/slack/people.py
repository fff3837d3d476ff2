"""What people do in a local Slack, as the payloads that Slack makes of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tests.fakes.platforms.file_host import FileHost, Hosted
from tests.fakes.platforms.slack import payloads
from tests.fakes.platforms.slack.allowances import Allowances
from tests.fakes.platforms.slack.delivery import SlackDelivery
from tests.fakes.platforms.slack.message import Shown
from tests.fakes.platforms.slack.workspace import OpenedView

Json = dict[str, Any]


@dataclass
class SlackPeople(SlackDelivery):
    """Each method is one thing that somebody does; its payload is still to be delivered.

    Or it goes down a socket (`envelope`). `host` is where their files lie.
    """

    bot_token: str = "xoxb-stub"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.host = FileHost(f"Bearer {self.bot_token}")
        self.allowances = Allowances(self.now)

    def message_event(
        self,
        text: str,
        *,
        user: str = "U0REQUESTER",
        channel: str = "D0REQUESTER",
        ts: str = "",
        thread_ts: str = "",
        kind: Literal["message", "app_mention"] = "message",
    ) -> Json:
        """Somebody wrote `text` (mrkdwn, entities and all)."""
        inner = payloads.inner_message(
            text,
            kind=kind,
            user=user,
            channel=channel,
            ts=ts or self.new_ts(),
            thread_ts=thread_ts,
            team=self.team,
        )
        return self._event(inner)

    def file_of(self, name: str, hosted: Hosted, *, size: int = 0, remote: bool = False) -> Json:
        """A file as events name it; one of a `remote` workspace is named by its id alone."""
        file_id = f"F0{next(self._numbers):06d}"
        self.host.hosted[file_id] = hosted
        address = f"{self.api_url.removesuffix('api/')}files-pri/{file_id}"
        if remote:
            return {"id": file_id, "file_access": "check_file_info"}
        size = size or len(hosted.content) * hosted.times
        return {"id": file_id, "name": name, "size": size, "url_private_download": address}

    def file_event(self, text: str, *files: Json, **more: Any) -> Json:
        """Somebody wrote `text` to the bot, with files."""
        payload = self.message_event(text, **more)
        payload["event"] |= {"subtype": "file_share", "files": list(files)}
        return payload

    def mention_event(
        self,
        text: str,
        *,
        channel: str = "C0TRIAL",
        kind: Literal["message", "app_mention"] = "app_mention",
        **more: str,
    ) -> Json:
        """Somebody wrote `@bot text` in a channel; Slack sends it as `message` as well.

        The rest is as for `message_event`.
        """
        said = f"<@{self.bot_user}> {text}"
        return self.message_event(said, channel=channel, kind=kind, **more)

    def action(self, message: Shown, button: int | str = 0, *, user: str = "U0REVIEWER") -> Json:
        """A tap on a button of a message that stands here, by index or label; or a menu's option.

        The person says yes where Slack asks whether they are sure.
        """
        found = [
            element
            for index, element in enumerate(message.buttons)
            if button in (index, element["text"]["text"])
        ]
        if not found:
            raise LookupError(f"no button {button!r} on {message.ts}")
        return payloads.block_actions(
            found[0],
            {
                "channel": message.channel,
                "ts": message.ts,
                "thread_ts": message.thread_ts,
                "text": message.text,
                "blocks": message.blocks,
            },
            team=self.team,
            user=user,
            trigger_id=self.new_trigger(user),
            action_ts=self.new_ts(),
        )

    def message_action(
        self,
        text: str,
        *,
        user: str = "U0REQUESTER",
        channel: str = "C0TRIAL",
        callback_id: str = "ask_signoff",
    ) -> Json:
        """Somebody chose a message shortcut on what a colleague wrote."""
        return payloads.message_action(
            {"channel": channel, "ts": self.new_ts(), "user": "U0BYSTANDER", "text": text},
            team=self.team,
            user=user,
            trigger_id=self.new_trigger(user),
            response_url=self.api_url.replace(
                "/api/", f"/respond/{self.allowances.open_response(next(self._numbers))}"
            ),
            callback_id=callback_id,
        )

    def home_event(self, user: str = "U0REQUESTER", tab: str = "home") -> Json:
        """Somebody opened the app's Home."""
        inner = {"type": "app_home_opened", "user": user, "channel": "D" + user[1:], "tab": tab}
        return self._event(inner | {"event_ts": self.new_ts()})

    def home_action(self, user: str, label: str) -> Json:
        """A tap on a button of the person's Home tab."""
        home = Shown(channel="", ts="", thread_ts="", text="", blocks=self.homes[user]["blocks"])
        button = next(b for b in home.buttons if b["text"]["text"] == label)
        message = {"channel": "D", "ts": "", "thread_ts": "", "text": "", "blocks": []}
        made = payloads.block_actions(
            button,
            message,
            team=self.team,
            user=user,
            trigger_id=self.new_trigger(user),
            action_ts=self.new_ts(),
        )
        for absent in ("channel", "message", "response_url"):
            del made[absent]
        view = {"id": "V0HOME", "type": "home", "blocks": home.blocks, "hash": "1.home"}
        return made | {"container": {"type": "view", "view_id": "V0HOME"}, "view": view}

    def edit_event(self, event: Json, text: str) -> Json:
        """The writer of a `message` event changed its text, or with "" deleted it."""
        inner = payloads.message_changed(event["event"], text, ts=self.new_ts())
        return event | {"event": inner, "event_id": f"Ev{next(self._numbers):08d}"}

    def view_submission(self, opened: OpenedView, values: Mapping[str, Any]) -> Json:
        """The open form is sent, by the person it was opened for."""
        return payloads.view_submission(
            opened.view,
            values,
            team=self.team,
            user=opened.user,
            view_id=opened.id,
            hash=f"{int(self.now())}.h{next(self._numbers)}",
        )

    def slash_command(
        self,
        text: str,
        *,
        command: str = "/signoff",
        user: str = "U0REQUESTER",
        channel: str = "D0REQUESTER",
    ) -> Json:
        """Somebody used a slash command."""
        return payloads.slash_command(
            command,
            text,
            team=self.team,
            user=user,
            channel=channel,
            trigger_id=self.new_trigger(user),
        )

    def _event(self, inner: Json) -> Json:
        return payloads.event(
            inner,
            team=self.team,
            bot_user=self.bot_user,
            event_id=f"Ev{next(self._numbers):08d}",
            event_time=int(self.now()),
        )
