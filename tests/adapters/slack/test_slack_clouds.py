"""slack.com and GovSlack: what is of one goes to no host of the other, and to nobody else."""

import pytest
from yarl import URL

from adapters.clock import SystemClock
from adapters.slack.api import WebApi, web_client
from adapters.slack.clouds import cloud_of, is_response_url
from adapters.slack.inbound.shared_files import SlackFiles
from adapters.slack.workspace.doctor import SlackDoctor
from adapters.slack.workspace.install import Install, SlackApp
from adapters.slack.workspace.workspaces import OneWorkspace
from engine.errors import PlatformError
from tests.fakes.tables import table

OURS, GOV = "", "https://slack-gov.com/api/"
TESTS = "http://127.0.0.1:9/api/"


@table(
    ("api_url", "cloud"),
    [
        ("", "slack.com"),
        ("https://slack.com/api/", "slack.com"),
        (GOV, "slack-gov.com"),
        ("https://api.slack-gov.com/api/", "slack-gov.com"),
        (TESTS, ""),
        ("http://slack-gov.com/api/", ""),
        ("https://slack-gov.com:8443/api/", ""),
        ("https://slack-gov.com.example/api/", ""),
        ("https://notslack-gov.com/api/", ""),
        ("https://slack.com@example.org/api/", ""),
    ],
)
def test_the_address_of_the_api_says_which_cloud_it_is(api_url, cloud):
    assert cloud_of(api_url) == cloud


@table(
    ("url", "taken_by"),
    [
        ("https://hooks.slack.com/actions/T/1/x", {OURS, TESTS}),
        ("https://hooks.slack-gov.com/actions/T/1/x", {GOV}),
        ("http://127.0.0.1:9/respond/1", {TESTS}),
        ("http://hooks.slack-gov.com/actions/T/1/x", set()),
        ("https://hooks.slack-gov.com.example/x", set()),
        ("https://hooks.slack-gov.com:8443/x", set()),
        ("https://hooks.slack-gov.com@example.org/x", set()),
        ("https://example.slack-gov.com/x", set()),
        ("https://slack-gov.com/respond", set()),
        ("http://[", set()),
        ("", set()),
    ],
)
async def test_an_answer_goes_to_the_cloud_that_asked(url, taken_by):
    assert {api for api in (OURS, GOV, TESTS) if is_response_url(url, api)} == taken_by
    for api in {OURS, GOV, TESTS} - taken_by:
        with pytest.raises(PlatformError, match="not an address of Slack's"):
            await WebApi(api_url=api, token="xoxb-1").respond(url, {})


@pytest.mark.parametrize(
    ("api_url", "allowed"),
    [
        (OURS, ["https://files.slack.com/x"]),
        (GOV, ["https://files.slack-gov.com/x"]),
        (TESTS, ["https://files.slack.com/x", "http://127.0.0.1:9/x"]),
    ],
)
def test_a_file_is_fetched_from_its_own_cloud(api_url, allowed):
    files = SlackFiles(OneWorkspace(api_url=api_url, token="xoxb-1"))
    every = ["https://files.slack.com/x", "https://files.slack-gov.com/x", "http://127.0.0.1:9/x"]
    every += ["http://files.slack-gov.com/x", "https://files.slack-gov.com.example/x"]
    assert [url for url in every if files._is_slack(URL(url))] == allowed


def test_both_clouds_are_reached_as_the_environment_says(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:8")
    reached = [web_client(api, "xoxb-1").proxy for api in (OURS, GOV, TESTS)]
    assert reached == ["http://127.0.0.1:8", "http://127.0.0.1:8", None]


@pytest.mark.parametrize(("api_url", "host"), [(OURS, "slack.com"), (GOV, "slack-gov.com")])
def test_the_app_is_installed_on_a_page_of_its_cloud(api_url, host):
    app = SlackApp("1.2", "secret", "https://signoff.example", api_url)
    install = Install(app, None, None, None)
    assert URL(install._urls.generate("s")).host == host


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://trial.slack.com/", "signoff in Trial (T0TRIAL)"),
        ("https://trial.slack-gov.com/", "signoff in Trial (T0TRIAL) of GovSlack"),
    ],
)
async def test_the_doctor_names_the_cloud_of_a_token(slack, url, told):
    slack.url = url
    found = await doctor(slack, slack.bot_token).findings()
    assert (found[0].state, found[0].told) == ("ok", told)


async def test_the_doctor_says_how_a_token_of_govslack_is_used(slack):
    found = await doctor(slack, "xoxb-of-another-cloud").findings()
    assert found[0].state == "wrong"
    assert found[0].fix.endswith("SLACK_API_URL=https://slack-gov.com/api/")
    slack.faults.clear()


def doctor(slack, token):
    return SlackDoctor(
        bot_token=token,
        app_token="",
        signing_secret="",
        api_url=slack.api_url,
        public_url="",
        clock=SystemClock("UTC"),
    )
