"""How a text has to begin to be heard: in a group Telegram brings mentions and replies alone."""

import pytest


@pytest.mark.parametrize(
    ("chat", "begins"), [("-100777", "@signoff_bot"), ("-100777:5", "@signoff_bot"), ("1001", "")]
)
async def test_a_group_hears_what_names_the_bot(server, platform, chat, begins):
    bot = server.token.partition(":")[0]
    assert await platform.address_prefix(f"telegram:{bot}:{chat}") == begins


async def test_what_is_no_place_of_telegrams_needs_nothing(platform):
    assert await platform.address_prefix("web:w:main") == ""
