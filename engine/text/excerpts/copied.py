"""Words that a model copied from a text, found again however it spaced and quoted them."""

import unicodedata

_QUOTES = str.maketrans("“”„‘’‚", '"""' + "'''")


def find_copied(words: str, text: str) -> tuple[int, int] | None:
    """Where the words stand in the text; None where they do not, or are none."""
    letters, places = letters_of(text)
    wanted, _ = letters_of(words)
    begin = letters.find(wanted) if wanted else -1
    return (places[begin], places[begin + len(wanted) - 1] + 1) if begin >= 0 else None


def letters_of(text: str) -> tuple[str, list[int]]:
    """The text as it is compared, without spaces, and where each letter of it stands."""
    letters: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text.translate(_QUOTES)):
        for letter in unicodedata.normalize("NFKC", char).lower():
            if not letter.isspace():
                letters.append(letter)
                places.append(place)
    return "".join(letters), places
