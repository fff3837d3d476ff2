"""What happened in a step, in lines that stand below a failed check."""

from collections.abc import Iterator

from bot.api.skills import ApiAnswer
from bot.testing.answers import kind_of, problems_of, questions_of
from bot.testing.happenings import Happenings, asked_people, is_open, text_of
from bot.testing.harness.platform import ShownMessage
from bot.testing.harness.stubs import MadeCall
from cards.clipping import shorten
from cards.model import Card

_CHARS = 160
_MOST = 12


def describe_happenings(happened: Happenings) -> Iterator[str]:
    """Messages, cards, calls and ends of the step, a line each."""
    if happened.answer is not None:
        yield _answer_line(happened.answer)
    elif not happened.has_any:
        yield "nothing happened"
        return
    if happened.said_at_once:
        word = "refused" if happened.is_refused else "answered at once"
        yield f"{word}: {one_line(happened.said_at_once)}"
    for message in happened.shown[-_MOST:]:
        yield _message(happened, message)
    for card in happened.cards:
        if is_open(card):
            yield card_line(card)
    for call in happened.calls[-_MOST:]:
        yield f"called {call_text(call)}"
    for name, end in happened.ended.items():
        yield f"{happened.runs[name].name} ended: {end}"


def _answer_line(answer: ApiAnswer) -> str:
    """What the program got."""
    asks = ", ".join(questions_of(answer))
    told = "; ".join([*([f"asks {asks}"] if asks else ()), *problems_of(answer)])
    kind = f"the program was answered: {kind_of(answer)}"
    return one_line(f"{kind}: {told}" if told else kind)


def _message(happened: Happenings, message: ShownMessage) -> str:
    readers = ", ".join(happened.readers(message.conversation)) or message.conversation
    states = ", ".join(dict.fromkeys(part.state for part in message.view.parts))
    sign = "was shown" if message.new else "sees now"
    kind = f" ({states})" if states else ""
    return f"{readers} {sign}{kind}: {one_line(text_of(message.view))}"


def card_line(card: Card) -> str:
    """A card on a line: its kind, title, whom it waits for, its buttons, its values."""
    to = ", ".join(asked_people(card)) or "nobody"
    buttons = ", ".join(choice.id for choice in card.choices)
    rows = "; ".join(f"{row.label}: {one_line(row.value)}" for row in card.rows)
    return f"open card {card.kind} {card.title!r} to {to} [{buttons}]" + (
        f" {shorten(rows, 3 * _CHARS)}" if rows else ""
    )


def call_text(call: MadeCall) -> str:
    """A call of a tool with its arguments, and what came of it."""
    given = ", ".join(f"{name}: {value}" for name, value in call.arguments.items())
    came = "" if call.result == "ok" else f" -> {call.result}"
    return shorten(f"{call.tool} {{{given}}}", 3 * _CHARS) + came


def one_line(text: str) -> str:
    """A text without line breaks, of bounded length."""
    return shorten(" / ".join(line.strip() for line in text.splitlines() if line.strip()), _CHARS)
