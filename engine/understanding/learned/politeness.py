"""Politeness around a request, which says nothing about what is asked for."""

import re

_FAVOUR = (
    r"any chance (?:you|we|u) (?:can|could)"
    r"|(?:it )?would be (?:great|nice|good) if(?: (?:you|we) (?:can|could))?"
    r"|i was wondering (?:if|whether) you (?:might|could|can)|i wonder (?:if|whether) you could"
    r"|(?:do you |would you )?mind|can we (?:get|have)|(?:can|could) u"
)
# In these words it is no please: leave is asked for, or money, or what to do.
_PLEASE = r"请(?!问|假|款(?!待)|示(?!范|例)|客(?!户|服|人)|辞|购(?!买|置)|领(?!导))"
_POLITE = re.compile(
    rf"(?:{_FAVOUR})(?![a-z'])"
    r"|\s|[,!~]|(?:能不能|可不可以|可以|可否|能否|能)(?=请|帮|麻烦|把|给|替)(?:请|麻烦)?你?|麻烦(?:你|您|帮我|帮忙)?"
    rf"|{_PLEASE}(?:你|您)?"
    r"|帮(?:我|忙|我们)|劳驾|劳烦|烦请|辛苦|我(?:想|要|想要|需要|得)|我们(?:要|需要)|需要|给我|现在|马上|立即|先"
    r"|好的|你好|您好|那就?|接下来"
    r"|(?:please|pls|kindly|(?:could|can|would|will) you|i (?:want|need|have)(?: you)? to"
    r"|i(?: would|'d) like(?: you)? to|let's|lets|let us|let me|help me(?: to)?"
    r"|go ahead and|now|just|ok|okay|hi|hello|hey|time to|we need to|first)(?![a-z'])"
)
_TAGS = re.compile(
    r"(?:[,\s]{0,3}(?:好吗|好不好|行吗|可以吗|可以么|吧|谢谢|多谢|哦|啊|呀|thanks|thank you|please"
    r"|ok|right now|now|for me|would you)){1,6}\s{0,3}[?.!。]{0,9}$"
)
_ASKS_A_FAVOUR = re.compile(
    rf".{{0,8}}?(?:能|可以|可否|can you|could you|would you|will you|{_FAVOUR})"
)


def strip_politeness(said: str) -> tuple[str, bool]:
    """A folded text without politeness at either end, and whether its question was part of that."""
    begun = _strip_opening(said)
    asked = bool(_ASKS_A_FAVOUR.match(said))
    ended = _TAGS.sub("", begun)
    polite = (asked and begun != said) or ended != begun
    if polite:
        ended = _strip_question_mark(ended)
    return ended.strip(), polite


def _strip_question_mark(said: str) -> str:
    """The text without the question's particle and marks at its end."""
    bare = said.rstrip().rstrip("?").rstrip()
    return bare[:-1] if bare.endswith(("吗", "么")) else bare


def _strip_opening(said: str) -> str:
    """The folded text without the politeness that it begins with."""
    at = 0
    while begging := _POLITE.match(said, at):
        at = begging.end()
    return said[at:]
