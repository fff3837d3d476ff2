"""The numbers of the choices on cards: a button keeps its own as long as the client runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cards.model import Lang


@dataclass(frozen=True, slots=True)
class NumberedButton:
    """A button of a card, as the web chat shows it, and the language of its card."""

    number: int
    button: Mapping[str, Any]
    lang: Lang


class Choices:
    """Numbers are never given twice, so that one that is typed late cannot mean another card."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._open: dict[str, tuple[NumberedButton, ...]] = {}

    def see(self, card: Mapping[str, Any], lang: str) -> tuple[NumberedButton, ...]:
        """The numbered buttons of a card as it is shown now; none of a card that is closed."""
        numbered = tuple(
            NumberedButton(self._number(str(button["data"])), button, lang)
            for button in card["buttons"]
        )
        self._open[str(card["token"])] = numbered
        return numbered

    def find(self, number: int) -> NumberedButton | None:
        """The open choice of that number."""
        every = (one for numbered in self._open.values() for one in numbered)
        return next((one for one in every if one.number == number), None)

    def was(self, number: int) -> bool:
        """Whether the number was given to a choice, open or not."""
        return number in self._numbers.values()

    def _number(self, data: str) -> int:
        return self._numbers.setdefault(data, len(self._numbers) + 1)
