"""Examples of what is said beside requests: small talk, questions, and what asks for nothing."""

from pydantic import Field as Key

from cards.frozen import Frozen


class Talk(Frozen):
    """`questions` want to know something; `statements` tell, plan, quote or forbid.

    `elsewhere` asks for work that no playbook does.
    """

    smalltalk: tuple[str, ...] = Key(min_length=1)
    questions: tuple[str, ...] = Key(min_length=1)
    statements: tuple[str, ...] = Key(min_length=1)
    elsewhere: tuple[str, ...] = Key(min_length=1)
