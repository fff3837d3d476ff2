"""Commands: exact, and never a part of a longer message."""

import re

from engine.frames.intents import Intent
from engine.ports.model import Model
from engine.text.entities import fold
from engine.understanding.context import RouteContext, StrategyResult

COMMANDS = (
    *("help", "pending", "mine", "runs", "why", "cancel", "case"),
    *("handover", "language", "project", "start"),
)

_SLASHED = re.compile(r"[/／]([A-Za-z]+)(?:@\w+)?(?:\s(.*))?", re.DOTALL)
_WORDS = {
    "help": "help",
    "帮助": "help",
    "pending": "pending",
    "待办": "pending",
    "mine": "mine",
    "我的请求": "mine",
    "我的申请": "mine",
    "runs": "runs",
    "cancel": "cancel",
    "取消": "cancel",
    "all of it": "case",
    "全部内容": "case",
}


def parse_command(text: str) -> tuple[str, str] | None:
    """The command's name and what follows it, for `/name …` or a bare command word; else None."""
    said = text.strip()
    slashed = _SLASHED.fullmatch(said)
    if slashed and slashed[1].lower() in COMMANDS:
        return slashed[1].lower(), (slashed[2] or "").strip()
    word = _WORDS.get(fold(said).rstrip(".!。"))
    return (word, "") if word else None


async def command(text: str, context: RouteContext, model: Model | None) -> StrategyResult:
    """One command intent, when the whole message is a command."""
    parsed = parse_command(text)
    if parsed is None:
        return StrategyResult((), "no command")
    why = f"the command {parsed[0]}"
    return StrategyResult((Intent(kind="command", text=text.strip(), why=why),), why)
