"""Looking at the items of a text one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from engine.text.readers.lexer import Item

_NOTHING = Item("mark", "", -1, -1)


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a text, and the day on which it is written; any index may be asked for."""

    items: Sequence[Item]
    today: date
    chinese: bool = False

    def at(self, index: int) -> Item:
        """The item there; an empty one before the first and behind the last."""
        return self.items[index] if 0 <= index < len(self.items) else _NOTHING

    def text(self, index: int) -> str:
        """The word, character or mark there; "" for values."""
        if not 0 <= index < len(self.items):
            return ""
        item = self.items[index]
        return item.text if item.kind in ("word", "han", "mark") else ""

    def whole(self, index: int) -> int | None:
        """The whole number there, however it is written; also `03`, as days have it."""
        if not 0 <= index < len(self.items) or (item := self.items[index]).kind != "number":
            return None
        if not item.numbers and item.text.isdigit() and len(item.text) == len("03"):
            return int(item.text)
        return item.whole

    def is_glued(self, index: int) -> bool:
        """Whether the item stands right behind the one before."""
        return self.at(index).glued

    def phrase(self, index: int, most: int) -> tuple[str, ...]:
        """The words from there on, each the words up to it: "us", "us dollars"."""
        words: list[str] = []
        for i in range(index, index + most):
            if self.at(i).kind != "word":
                break
            words.append(self.text(i))
        return tuple(" ".join(words[: n + 1]) for n in range(len(words)))
