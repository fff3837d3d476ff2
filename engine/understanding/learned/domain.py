"""What a project folder says of each request besides its examples: names, cues and fields."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from engine.playbooks.leaf import Leaf
from engine.text.entities import entity_mark, fold
from engine.text.language import HAN, LocalizedText
from engine.text.search_words import QUESTION_WORDS, stem
from engine.understanding.learned.lessons import tokens
from engine.understanding.lookups.words import LINKS

_SMALL = LINKS | QUESTION_WORDS


class DomainWords:
    """How much each word of a text tells of each request: the more, the fewer texts have it.

    `every` are the words of each group, `requests` those groups that may be asked for: the others
    only say that a word is not theirs alone.
    """

    def __init__(
        self, every: Iterable[tuple[str, Iterable[str]]], requests: Collection[str]
    ) -> None:
        self._requests = frozenset(requests)
        self._groups: dict[str, tuple[str, ...]] = {}
        for group, words in every:
            for word in words:
                self._groups[word] = (*self._groups.get(word, ()), group)

    def shares(self, said: str) -> Mapping[str, float]:
        """By request, what the words of a folded, marked text weigh together."""
        found: dict[str, float] = {}
        for word in sorted(words_of((said, *said))):  # sums come out the same everywhere
            groups = self._groups.get(word, ())
            for group in groups:
                if group in self._requests:
                    found[group] = found.get(group, 0.0) + 1 / len(groups)
        return found


def words_of(texts: Iterable[str], found: Collection[str] = ()) -> frozenset[str]:
    """The words of folded texts by their stems, pairs of Chinese characters, and marks.

    A text that is a single character is a word, as a cue may be. `found` are tokens of more texts.
    """
    every = {word for text in texts for word in (tokens(text) or HAN.findall(text))}
    every.update(found)
    return frozenset(stem(w) if w[0].isascii() else w for w in every if w not in _SMALL)


def texts_of_fields(leaves: Iterable[Leaf]) -> Iterator[str]:
    """What the fields are called, what they may be, and the mark of what they name."""
    for leaf in leaves:
        texts: list[LocalizedText] = [leaf.label, *leaf.labels.values()]
        yield from (fold(text) for each in texts for text in each.texts)
        yield from map(fold, (*leaf.cues, *leaf.options))
        if leaf.entity:
            yield entity_mark(leaf.entity)
