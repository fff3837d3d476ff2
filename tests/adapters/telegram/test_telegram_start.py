"""What Telegram is told when the service starts."""

from tests.fakes.platforms.faults import Fault


async def test_commands_are_registered_in_both_languages_and_once(server, platform, intake):
    await platform.listen(intake)
    names = [c["command"] for c in server.commands["zh"]]
    assert names == ["pending", "mine", "case", "runs", "why", "cancel", "stop", "recover", "help"]
    assert server.commands["zh"][0]["description"] == "等我处理的卡片"
    assert server.commands["en"] == server.commands[""]
    assert server.commands["en"][0]["description"] == "What waits for me"
    assert server.count("setMyCommands") == 3
    await platform.listen(intake)
    assert server.count("setMyCommands") == 3, "what stands is not sent again"
    server.commands["zh"] = []
    await platform.listen(intake)
    assert server.count("setMyCommands") == 4
    assert server.faults == []


async def test_commands_that_telegram_does_not_take_keep_nothing_from_starting(
    server, platform, intake
):
    server.fail_next("getMyCommands", Fault.broken())
    await platform.listen(intake)
    assert server.webhook["url"]
