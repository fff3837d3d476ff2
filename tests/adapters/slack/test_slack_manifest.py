"""The manifests ask for what the code uses, and for no more."""

import ast
from pathlib import Path

import pytest
import yaml

from adapters.slack.inbound.receive import receive
from adapters.slack.inbound.shortcuts import COMMAND, SHORTCUT
from adapters.slack.workspace import scopes as needs
from adapters.slack.workspace.doctor import PATH
from adapters.slack.workspace.install import REDIRECT
from cards.showing.view import MessageView
from engine.errors import Forbidden
from tests.fakes.slack_app import local_slack

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs" / "slack"
URL = f"https://YOUR-HOST{PATH}"


def _manifest(name):
    return yaml.safe_load((FOLDER / name).read_text())


def _called():
    """The first argument of every call, told or permitted method in the room's code."""
    found = set()
    for path in (ROOT / "adapters" / "slack").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(getattr(node, "func", None), "attr", "")
            if (
                name in ("call", "told", "as_app")
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                found.add(node.args[0].value)
    return found


def test_every_method_that_is_called_is_among_the_needs_and_no_other():
    assert _called() == set(needs.METHODS)


@pytest.mark.parametrize("name", ["manifest.yaml", "manifest-http.yaml"])
def test_a_manifest_asks_for_what_is_used_and_no_more(name):
    manifest = _manifest(name)
    features, settings = manifest["features"], manifest["settings"]
    assert manifest["oauth_config"]["scopes"] == {"bot": sorted(needs.required_scopes())}
    assert settings["event_subscriptions"]["bot_events"] == sorted(needs.EVENTS)
    assert [each["command"] for each in features["slash_commands"]] == [COMMAND]
    shortcuts = [(each["type"], each["callback_id"]) for each in features["shortcuts"]]
    assert shortcuts == [("message", SHORTCUT)]
    assert settings["interactivity"]["is_enabled"] is True
    assert features["app_home"]["messages_tab_enabled"] is True
    assert features["app_home"]["messages_tab_read_only_enabled"] is False
    home = "app_home_opened" in needs.EVENTS
    assert features["app_home"]["home_tab_enabled"] is home


def test_the_two_manifests_differ_in_the_way_in_only():
    socket, http = _manifest("manifest.yaml"), _manifest("manifest-http.yaml")
    assert socket["settings"].pop("socket_mode_enabled") is True
    assert http["settings"].pop("socket_mode_enabled") is False
    assert http["settings"]["event_subscriptions"].pop("request_url") == URL
    assert http["settings"]["interactivity"].pop("request_url") == URL
    assert http["features"]["slash_commands"][0].pop("url") == URL
    assert socket == http


def test_the_manifest_for_many_workspaces_adds_how_they_come_and_go():
    one, many = _manifest("manifest-http.yaml"), _manifest("manifest-oauth.yaml")
    assert many["oauth_config"].pop("redirect_urls") == [f"https://YOUR-HOST{REDIRECT}"]
    events = many["settings"]["event_subscriptions"]["bot_events"]
    assert events == sorted({*needs.EVENTS, "app_uninstalled", "tokens_revoked"})
    one["settings"]["event_subscriptions"]["bot_events"] = events
    assert one == many


def test_what_the_manifest_creates_is_what_is_read(payload):
    """Each event, the command and the shortcut become an update of ours."""
    for name in ("app_mention", "message_im", "slash_command", "message_action"):
        assert receive(payload(name)) is not None


async def test_without_a_scope_the_local_slack_refuses(platform, slack):
    """So that a scope which is missing in the manifest fails the walks."""
    assert local_slack().scopes == needs.required_scopes()
    slack.scopes.discard("chat:write")
    with pytest.raises(Forbidden, match="missing_scope \\(chat:write\\)"):
        await platform.send("slack:T0TRIAL:C0TRIAL", MessageView(lang="en"), key="k")
