"""How a text has to begin to be heard, by what Slack said of the token."""

import pytest

from adapters.slack.workspace.scopes import THREAD_SCOPES
from tests.fakes.platforms.faults import Fault

THREAD = "slack:T0TRIAL:C0TRIAL:1763700000.000100"


async def test_what_the_token_may_read_is_asked_once(slack, platform):
    assert [await platform.address_prefix(THREAD) for _ in range(3)] == [""] * 3
    assert slack.calls["auth.test"] == 1


@pytest.mark.parametrize("left", sorted(THREAD_SCOPES))
async def test_a_scope_that_is_given_later_counts_from_the_next_answer_on(slack, platform, left):
    slack.scopes.discard(left)
    assert await platform.address_prefix(THREAD) == "@signoff"
    slack.scopes.add(left)
    await platform.link(THREAD, "")
    assert await platform.address_prefix(THREAD) == ""


@pytest.mark.parametrize("place", ["slack:T0TRIAL:D0REQUESTER", "slack:T0TRIAL:U0REQUESTER"])
async def test_in_direct_messages_everything_is_heard(slack, platform, place):
    slack.scopes -= THREAD_SCOPES
    assert await platform.address_prefix(place) == ""
    assert not slack.calls["auth.test"]


@pytest.mark.parametrize("fault", [Fault.broken(), Fault.refused("token_revoked")])
async def test_where_slack_does_not_tell_a_mention_is_always_heard(slack, platform, fault):
    slack.fail_next("auth.test", fault)
    assert await platform.address_prefix(THREAD) == "@Signoff"
