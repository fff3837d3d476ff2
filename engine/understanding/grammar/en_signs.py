"""The signs of English sentences: what they say as a whole, whatever they are about."""

from engine.understanding.grammar.rule import Rule, rule

SIGNS: tuple[Rule, ...] = (
    # Somebody is asked for something, or something is wished for, however indirectly.
    rule("wish", r"\b(?:please|pls|could you|would you|can you)\b", "please {x}", "would you {x}?"),
    rule(
        "wish",
        r"\b(?:hop(?:e|ing) (?:that )?you|you(?:'re| are) (?:the one|up)|appreciate"
        r"|obliged|grateful)\b",
        "I hope you {x}",
    ),
    rule(
        "wish",
        r"\b(?:would|it'd|i'd|that'd) (?:love|like|help"
        r"|be (?:great|lovely|nice|good|glad|happy|most))\b",
        "it would help to {x}",
    ),
    # Somebody would like to know something.
    rule(
        "seek",
        r"\b(?:good|like|love|glad|happy|want|interested) to"
        r" (?:know|learn|find out|hear (?:wh|how))",
        "I want to learn to {x}",
    ),
    rule(
        "seek",
        r"\b(?:let me know|(?:you )?(?:happen to )?know (?:wh|how|if)|remind me|enlighten me"
        r"|could i find out)",
        "do you know how to {x}",
    ),
    rule(
        "seek",
        r"\b(?:unsure (?:wh|how)|not sure (?:wh|how)|wondering (?:wh(?!ether you)|how))",
        "not sure how to {x}",
    ),
    # What is booked, or only asked for, is to be undone.
    rule(
        "cancel",
        r"\b(?:cancel|withdraw|revoke|undo) (?:my|our|the|[0-9◆●])",
        "{x} and cancel my other one",
    ),
    # It is said for its own sake.
    rule(
        "chat",
        r"\b(?:lol|haha\w*|just back|so (?:happy|tired)|congrat\w*|what a)\b",
        "what a day to {x}",
    ),
    rule(
        "chat",
        r"\b(?:is|was|were|are|am) (?:so|such|in a|too|really|back)\b",
        "it is such a bore to {x}",
    ),
    rule("chat", r"[\U0001f600-\U0001f64f\u2639\u263a]", "{x} \U0001f600"),
)
