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
    rule(
        "wish",
        r"\b(?:i|we)(?:'ll| will|(?:'m| am|'re| are) going to) need\b"
        r"|\b(?:i|we) must have (?:the|their|our|my|this|that|these|all|an?)\b",
        "I'll need to {x}",
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
        r"\b(?:cancel|withdraw|revoke|undo|delete|remove|give back|hand back|take back|return"
        r"|get rid of) (?:my|our|the|[0-9◆●])",
        "{x} and cancel my other one",
    ),
    # What was asked for before is taken back, or put off.
    rule(
        "retract",
        r"\b(?:chang(?:ed|ing) my mind|on second thou?ghts?|(?:take|taking) (?:it|that|this|all of"
        r" (?:it|that)) back|take back what|(?:strike|scrap) (?:it|that|this)|let's not|no longer"
        r"|(?:ignore|disregard|undo|revoke) (?:it|that|this|my|the))\b",
        "{x}. I changed my mind",
    ),
    rule(
        "retract",
        r"\b(?:kidding|joking)\b|\bonly a test\b|\b(?:wrong|different) (?:chat|channel|group|window"
        r"|thread|person|room|one)\b|\bmeant (?:for|to go to) (?:some|an)",
        "{x}. just kidding",
        "{x}. sorry, wrong chat",
    ),
    rule(
        "retract",
        r"\b(?:hold|holding|pause|halt|postpone|defer|shelve)\b|\bon (?:hold|ice)\b"
        r"|(?<!can't )(?<!cannot )\bwait\b|\bleave (?:it|that|this) (?:for|until|till|as)\b"
        r"|\bfor (?:now|the moment|the time being)\b",
        "{x}. hold your horses",
        "{x}. leave it as it is for now",
    ),
    rule(
        "retract",
        r"\bnot (?:yet|now|today|right (?:now|away)|just yet|this time|to)\W*$|\bmaybe not\b"
        r"|\bdon't bother\b|\bno more\b",
        "{x}. not yet",
    ),
    rule(
        "retract",
        r"\b(?:i'll|i will|i'd rather|i would rather|let me) (?:[a-z]+ ){1,4}myself\b"
        r"|\bsay-so\b|\bgo-ahead\b|\bgreen light\b|\b(?:say|tell you) when\b|\bi say so\b",
        "{x}. I'll do it myself",
        "{x}. you need my go-ahead",
    ),
    rule(
        "retract",
        r"\blet me (?:first )?(?:think|check|double-check|confirm|ask|see|look|sleep on)\b"
        r"|\bi (?:have|need|want|must)(?: to)? (?:first )?(?:check|double-check|ask|think"
        r"|confirm)\b"
        r"|\bgive me (?:a|some|one) (?:minute|moment|second|sec|time|day)\b"
        r"|\b(?:not|no longer) (?:[a-z]+ )?sure\b",
        "{x}. let me think about it",
        "{x}. give me a minute",
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
    # Something does not work.
    rule(
        "trouble",
        r"\b(?:is|are|was|were|been|be|has|have|keeps?|went|gone|goes|seems?|looks?|all)"
        r" (?:all |still |completely |totally |so |very |again |now |a bit ){0,2}(?:down|broken"
        r"|dead|out of order|offline|unavailable|unreachable|stuck|jammed|frozen|slow|sluggish"
        r"|faulty|defective|cracked|leaking|flickering|blocked|clogged|unresponsive|crashing|overheating)\b",
        "the lift is down, {x}",
    ),
    rule(
        "trouble",
        r"\b(?:leaks?|leaking|leaked|crash(?:es|ed|ing)?|freezes|freezing|broke(?: down)?|broken"
        r"|fails? to|failing|outage|malfunction\w*|jam(?:s|med)|flickers?|offline|out of order"
        r"|stuck|stopped working|not working|no (?:sound|power|signal|internet|hot water|heating)"
        r"|spark(?:s|ing)|(?:is|keeps|started|starts) smoking|smoke (?:is|comes|coming)|dripping"
        r"|on fire|short[- ]circuit"
        r"|smell(?:s|ing)? (?:of |like )?(?:\w+ )?(?:gas|smoke|burn(?:t|ing)|burned)|burning smell"
        r"|throws? (?:an? )?(?:error|[0-9]+)|error (?:code )?[0-9]+)\b",
        "an outage again, {x}",
    ),
    rule(
        "trouble",
        r"\b(?:does ?n[o']?t|do ?n[o']?t|wo ?n'?t|ca ?n'?t|cannot|could ?n[o']?t|will not)"
        r" (?:even |really )?(?:work|open|start|print|load|respond|log ?(?:in|on)|sign in|connect"
        r"|close|lock|unlock|boot|charge|(?:turn|switch) (?:on|off)|cool|heat"
        r"|flush|drain|ring)\b",
        "the printer doesn't print, {x}",
    ),
)
