"""The grammar of English sentences."""

from engine.understanding.grammar.en.around import AROUND
from engine.understanding.grammar.en.inquiries import INQUIRIES
from engine.understanding.grammar.en.signs import SIGNS
from engine.understanding.grammar.rule import Rule

RULES: tuple[Rule, ...] = (*AROUND, *INQUIRIES, *SIGNS)
