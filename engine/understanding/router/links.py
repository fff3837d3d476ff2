"""Words between the pieces of a message that say nothing by themselves."""

import re

from engine.text.entities import fold
from engine.understanding.learned.politeness import strip_politeness
from engine.understanding.smalltalk import is_smalltalk

_LINKS = re.compile(
    r"(?:[^\w]|然后|接着|随后|之后|另外|此外|顺便|顺手|同时|以及|并且|还有|最后|对了|首先|其次"
    r"|[再和并也先请且与]|(?:and|then|also|so|plus|but|after that|afterwards|finally|lastly|next"
    r"|first|second|by the way|btw|in addition)(?![a-z]))"
)


def is_connective(text: str) -> bool:
    """Whether a text is nothing but connectives and punctuation, and has some of them."""
    said, at = fold(text).strip(), 0
    while link := _LINKS.match(said, at):
        at = link.end()
    return 0 < at == len(said)


def is_link(text: str) -> bool:
    """Whether a text is nothing but connectives, politeness or small talk."""
    said, _ = strip_politeness(fold(text).strip())
    return not said or is_connective(said) or is_smalltalk(said)
