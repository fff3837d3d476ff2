"""Yes and no for a field: behind its name, in a clause of its own words, and as an answer alone."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from cards.model import Field
from engine.text.claims.form_text import FormText, ValueSpan
from engine.text.values import LINK, NO, UNLESS, cue_pattern, field_names
from engine.text.vocabulary import make_vocabulary, unexplained_text

YES: Final = ("yes", "true", "是", "有", "对")
NOT: Final = ("no", "false", "none", "否", "无", "没有", "不")
_CLAUSE: Final = re.compile(r"[^,;。.!?\n]+[?]?")
_END: Final = (
    r"(?=\s*(?:$|[,;。.!\n]|(?:and|by|on|since|already|last|yesterday|today|yet)(?![a-z])))"
)
_NOT_YET: Final = r"(?:还[没未]有?|[没未]有?|尚未|不太?|并?非)"
_DENIAL: Final = re.compile(
    r"[没未无]|(?<!对)不|非|(?<![a-z])(?:not|never|no)(?![a-z])|n't(?![a-z])", re.IGNORECASE
)
# What is not yet so, or not known to be so.
_DOUBTFUL: Final = re.compile(
    r"[?吗]|么$|(\w)[不没]\1|好像|似乎|应该|大概|可能|也许|不清楚|不知道|不确定|是不是|是否|如果|要是|假如|只要|等|之后|以后|再"
    r"|[下明后]天|下周|下个?月|准备|打算|快要?|马上|即将"
    r"|(?<![a-z])(?:if|once|when|after|before|until|unless|whether|will|would|should|shall|may|might"
    r"|could|maybe|perhaps|probably|likely|think|guess|hope|soon|tomorrow|next|know|sure|but|except"
    r"|almost|nearly|going to|to be)(?![a-z])",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(
    r"(?:(?P<yes>yes|yep|yeah|yup|sure|是的?|对的?|嗯|好的?|有的?)"
    r"|(?P<no>not yet|no|nope|nah|还没有?|没有|没|不是|不))(?![a-z])(?:\s*[,。.!]\s*|\s+|$)",
    re.IGNORECASE,
)
_ANSWERS: Final = {
    **dict.fromkeys(("of course", "certainly", "yes it is", "it is"), "yes"),
    **dict.fromkeys(("yes there is", "对的", "需要", "当然"), "yes"),
    **dict.fromkeys(("not at all", "no it isn't", "no it is not", "it isn't"), "no"),
    **dict.fromkeys(("it is not", "it hasn't been", "it has not been"), "no"),
    **dict.fromkeys(("不需要", "不用", "没有的", "不要"), "no"),
}
_SMALL: Final = re.compile(
    r"(?<![a-z])(?:not|never|no|yet|already|been|(?:is|has|was|have)n't|all|fully)(?![a-z])",
    re.IGNORECASE,
)
_SMALL_ZH: Final = re.compile(r"已经?|[经过呢还没未无不非]")
_STEM: Final = 5


def find_yes_or_no(said: FormText, field: Field) -> Iterator[ValueSpan]:
    """`receipt: yes`, `no receipt`, 有发票, 没有发票; `already inspected`, 验收过了, 还没验收."""
    names = said.own_names(field)
    if not names:
        return
    cue = cue_pattern(names)
    for match in re.finditer(NO + cue + UNLESS, said.text, re.IGNORECASE):
        yield ValueSpan(match.start(), match.end(), {field.name: "no"})
    for answer, words in (("yes", YES), ("no", NOT)):
        for match in said.mentions(names, after=f"{LINK}{cue_pattern(words)}(?!{cue})"):
            yield ValueSpan(match.start(), match.end(), {field.name: answer})
    for match in re.finditer(rf"(?<![没有])有{cue}", said.text):
        yield ValueSpan(match.start(), match.end(), {field.name: "yes"})
    yield from _clauses(said, field, cue)


def _clauses(said: FormText, field: Field, cue: str) -> Iterator[ValueSpan]:
    """Clauses that say that it is so, or is not: none of what is asked, or only may be."""
    forms, names = _states(cue), said.own_names(field)
    for clause in _CLAUSE.finditer(said.text):
        if _DOUBTFUL.search(clause[0]):
            continue
        for answer, form in forms:
            if found := form.search(clause[0]):
                start, end = (clause.start() + place for place in found.span())
                if not any(said.is_begun(names, at) for at in range(start, end)):
                    yield ValueSpan(start, end, {field.name: answer})
                break


@lru_cache(maxsize=256)
def _states(cue: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """How a clause says of a name that it is not so, and that it is; the first that fits counts."""
    be = r"(?:is|was|are|were|been|be)"
    denied = rf"(?:{be}n't|(?:has|have|had)n't(?: been)?|(?:not|never)(?: yet)?(?: been)?)"
    no = (
        rf"{_NOT_YET}{cue}(?:通?过)?[了呢的]?{_END}"
        rf"|{cue}(?:都|还)?[没未不](?:有)?(?:通过|过|完|好)[了呢]?{_END}"
        rf"|(?<![a-z]){denied}\s+(?:very |so |that )?{cue}{_END}"
    )
    yes = (
        rf"(?:已经?|都|[很挺好]|非常|特别|十分|比较)\s?{cue}(?:通?过|[完好])?了?{_END}"
        rf"|{cue}(?:通过|过|[完好])了{_END}|{cue}通过{_END}"
        rf"|(?:(?<![a-z])(?:{be}|already|very|quite|really|has|have)|'s)\s+"
        rf"(?:(?:already|very|quite|really|so|been|now)\s+){{0,3}}{cue}{_END}"
    )
    return ("no", re.compile(no, re.IGNORECASE)), ("yes", re.compile(yes, re.IGNORECASE))


def bare_answer(text: str) -> str:
    """Yes or no, if the text is nothing but that; "" otherwise."""
    said = text.strip(" .。").lower()
    return "yes" if said in YES else "no" if said in NOT else ""


def answer_alone(text: str, field: Field) -> str:
    """Yes or no of a text that answers this field alone; "" of what is doubtful."""
    said = " ".join(text.replace("’", "'").lower().split()).strip(" .。!！,，")
    plain = said.replace(",", "").replace("，", "")
    if answer := bare_answer(said) or _ANSWERS.get(plain, ""):
        return answer
    if _DOUBTFUL.search(said):
        return ""
    lead = _LEAD.match(said)
    rest = said[lead.end() :].strip(" ,，。.!") if lead else said
    begun = ("yes" if lead["yes"] else "no") if lead else ""
    if not rest:
        return begun
    if (whole := _ANSWERS.get(rest, "")) and begun:
        return begun if whole == begun else ""
    told = "no" if _DENIAL.search(rest) else "yes"
    if not _is_of_field(rest, field) or (begun and told != begun):
        return ""
    return told


def _is_of_field(text: str, field: Field) -> bool:
    """Whether the text has words of the field, and small ones beside these alone."""
    plain = _SMALL.sub(" ", text)
    left, said = (unexplained_text(plain, make_vocabulary(own)) for own in ((field,), ()))
    names = " ".join(field_names(field)).lower()
    stems = {word[:_STEM] for word in re.findall(r"[a-z]{5,}", names)}
    rest = [w for w in _SMALL_ZH.sub("", left).split() if w[:_STEM] not in stems]
    return bool(said) and not rest
