"""Where a folded text names something, and what of it nothing names."""

from collections.abc import Iterator

from engine.understanding.own_work import words
from engine.understanding.own_work.subjects import CHINESE, LATIN, NUMBER, SHORT, WorkVocabulary

LONG = 6
"""Words with more letters are known with one of them left out."""


def remove_words(said: str, text: str) -> str:
    """The text without these words, wherever they stand by themselves."""
    for start, end in reversed([*_places(said, text)]):
        said = f"{said[:start]} {said[end:]}"
    return said


def _places(said: str, name: str) -> Iterator[tuple[int, int]]:
    """Where a folded text has the name, as whole words; a plural counts."""
    at = said.find(name)
    while at >= 0:
        end = at + len(name)
        if name[-1:].isascii() and said[end : end + 1] == "s":
            end += 1
        before, behind = said[at - 1 : at] if at else "", said[end : end + 1]
        if not (_joins(before, name[:1]) or _joins(behind, name[-1:])):
            yield at, end
        at = said.find(name, at + len(name))


def _joins(beside: str, edge: str) -> bool:
    """Whether a character goes on with a word that has this one at its edge."""
    return bool(beside) and beside.isascii() and beside.isalnum() and edge.isascii()


def points_somewhere(name: str) -> bool:
    """Whether a folded name says something by itself, beside the words of any question."""
    if CHINESE.search(name):
        return len(name) > 2 or bool(words.GENERIC_ZH.sub("", name).strip())
    found = LATIN.findall(name)
    return len(found) > 1 or any(word not in words.GENERIC for word in found)


def is_asked_for(said: str, name: str) -> bool:
    """Whether a word of any question is what this one asks for: "what kind", "where … from"."""
    if not name.isascii():
        return len(name) > 1
    if name in words.ASKING:
        return False
    first = words.ASKED.search(said)
    return first is not None and holds_name(said[first.end() :], name)


def holds_name(said: str, name: str) -> bool:
    """Whether a folded text has the name, as whole words."""
    return bool(name) and name in said and any(True for _ in _places(said, name))


def lacks_letter(word: str, known: str) -> bool:
    """Whether a word is a longer one with a letter left out, as in "helicoptr"."""
    if len(word) != len(known) - 1 or len(word) <= LONG:
        return False
    return any(word == known[:n] + known[n + 1 :] for n in range(len(known)))


def has_like(vocabulary: WorkVocabulary, word: str) -> bool:
    """Whether the vocabulary has a form of the word with this stem: "spend" and "spent".

    That is the stem itself, without "ing", or with another last letter or one more.
    """
    bare, known = word.removesuffix("ing"), vocabulary.latin
    if word in known or bare in known or f"{bare}e" in known:
        return True
    if len(word) >= SHORT and word in vocabulary.beginnings:
        return True
    return len(word) > SHORT and (word[:-1] in known or word[:-1] in vocabulary.beginnings)


def names_word(stemmed: str, vocabulary: WorkVocabulary, word: str) -> bool:
    """Whether the vocabulary has the word, which is `stemmed`, or one that is like it.

    Or one that begins alike: "reimburse" and "reimbursement".
    """
    if stemmed in vocabulary.latin:
        return True
    if word in words.GENERIC:
        return False
    if has_like(vocabulary, stemmed):
        return True
    begins = (stemmed[:size] for size in range(SHORT + 1, len(stemmed)))
    return any(each in vocabulary.latin for each in begins) or (
        len(stemmed) > SHORT and f" {stemmed}" in vocabulary.word_list
    )


def unexplained(rest: str, letters: frozenset[str]) -> tuple[str, int]:
    """What is left once the words of any question are taken away.

    A single character of a name stands for it; how many of these there were comes second.
    """
    left = [word for word in LATIN.findall(rest) if word not in words.GENERIC]
    runs = [
        part for run in CHINESE.findall(rest) for part in words.GENERIC_ZH.sub(" ", run).split()
    ]
    short = [part for part in runs if part in letters]
    left += [part for part in runs if part not in letters]
    left += NUMBER.findall(rest)
    return " ".join(left), len(short)
