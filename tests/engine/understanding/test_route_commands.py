from engine.understanding.router.command import parse_command
from tests.fakes.tables import table


@table(
    ("text", "parsed"),
    [
        ("/help", ("help", "")),
        (" /Help ", ("help", "")),
        ("/cancel@signoff_bot", ("cancel", "")),
        ("/cancel 1-abc", ("cancel", "1-abc")),
        ("/language zh", ("language", "zh")),
        ("/start payload", ("start", "payload")),
        ("/runs", ("runs", "")),
        ("/why", ("why", "")),
        ("why?", None),
        ("为什么", None),
        ("／help", ("help", "")),
        ("pending", ("pending", "")),
        ("Help.", ("help", "")),
        ("取消", ("cancel", "")),
        ("/unknown", None),
        ("/helpme", None),
        ("help me record a visit", None),
        ("取消 P003 的访视", None),
        ("see /help", None),
        ("", None),
    ],
)
def test_a_command_is_the_whole_message(text: str, parsed: tuple[str, str] | None) -> None:
    assert parse_command(text) == parsed
