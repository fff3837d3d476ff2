"""How English sentences say that a question follows, or was one."""

from engine.understanding.grammar.rule import Rule, rule

INQUIRIES: tuple[Rule, ...] = (
    rule(
        "inquiry",
        r"(?:i(?:'m| am) writing to |(?:i(?:'ve| have)? )?been meaning to "
        r"|(?:i(?:'d| would) )?love to )?"
        r"(?:ask|know|find out|learn|hear|enquire|inquire|be (?:told|sure))(?: you| u)?"
        r"(?: (?:something|a question|this|for))?(?: (?:about|regarding|whether))?",
        "I'd like to ask about {x}",
        "I want to know {x}",
    ),
    rule(
        "inquiry",
        r"(?:do|would|might|does) (?:you|u|anyone|anybody|someone|somebody)(?: all| guys)?"
        r"(?: happen to)? (?:know|remember|recall|have)(?: by any chance)?"
        r"|(?:may|might|can|could) i (?:just )?(?:ask|know|have|get|trouble you for)",
        "do you happen to know {x}?",
        "may I know {x}?",
    ),
    rule(
        "inquiry",
        r"(?:to )?(?:tell|remind|inform|enlighten|give|get|show|send|answer) (?:me|us)"
        r"(?: (?:of|on|about|again))?|let (?:me|us) know(?: about)?|advise(?: me| us)?(?: on)?"
        r"|answer(?: this| the following)?(?: for me)?|look up|pull up|check|explain"
        r"|provide|share|confirm|state|say|(?:tell|give) it to me",
        "tell me {x}",
    ),
    rule(
        "inquiry",
        r"(?:i(?:'ve| have|'m| am| was|'d)? )?(?:just |only |also |still |really |merely )?"
        r"(?:(?:got|have|had) to know|wonder(?:ing)?(?: about| whether)?"
        r"|curious(?: about| to know)?|asking(?: about)?|checking|looking for|after"
        r"|trying to (?:find out|remember|recall)|unsure(?: about)?|blanked on"
        r"|need(?: to know)?|want|(?:be )?grateful for|like|wanna(?: know)?)",
        "just wondering, {x}",
    ),
    rule(
        "inquiry",
        r"(?:i )?(?:believe i |really |should )?(?:can't|cannot|cant|don't|do not|dont|never|keep"
        r"|always|used to|seem to have|have|must have)(?: for the life of me)?(?: really| quite)?"
        r" (?:remember|recall|know|forget(?:ting|s)?|forgot(?:ten)?)|i (?:forgot|forget)"
        r"|before i forget",
        "I can't remember {x}",
    ),
    rule(
        "inquiry",
        r"(?:(?:i(?:'ve| have)?(?: got)?|here(?:'s| is)|and) )?(?:a |an |one |another |my |the )?"
        r"(?:(?:just|very|super|really?|quick|small|short|little|simple|silly|dumb|stupid|basic"
        r"|random|last|final|other|more|possibly) ){0,3}question(?: for (?:you|u))?(?: is this)?"
        r"(?: (?:about|on|regarding|concerning))?|it's (?:about|regarding)|out of curiosity"
        r"|any (?:idea|help)|nothing else|query(?=:)|whenever you're free|wait(?=,)"
        r"|me again|this time|(?:super|real) quick|what would you say",
        "quick question: {x}",
    ),
    rule(
        "inquiry",
        r"(?:can|could|would|will) (?:you|u|someone|anyone) (?:please )?(?:remind|tell|help) me"
        r"(?: out)?|(?:could|can) i trouble you for",
        "{x}, could you tell me?",
    ),
)
