"""What stands in English sentences around what is asked for, or holds it back."""

from engine.text.wording import ONCE
from engine.understanding.grammar.rule import Rule, rule

_YOU = r"(?:you|u|yuo|we)"
_COULD = r"(?:can|could|coudl|would|woudl|will|might|may)"
_NICE = r"(?:great|nice|lovely|good|helpful|perfect|awesome|a (?:great|big) help)"

AROUND: tuple[Rule, ...] = (
    # Asked as a question, or as a wish.
    rule("favour", rf"{_COULD} {_YOU}(?: (?:all|guys))?", "could you {x}?", "can we {x}?"),
    rule("favour", r"(?:can|could|would) some(?:one|body)", "could somebody {x}?"),
    rule("favour", r"(?:are you|would you be|will you be) able to", "are you able to {x}?"),
    rule(
        "favour",
        r"(?:(?:i was |i'm |just )?wonder(?:ing)? (?:if|whether) it(?:'d| would) be (?:too much"
        r" (?:trouble|bother)|possible|ok|okay|alright) to)"
        r"|(?:would|is) it (?:be )?(?:possible|ok|okay|fine|alright)(?: for you)? to",
        "would it be possible to {x}?",
    ),
    rule(
        "favour",
        r"(?:is there )?any (?:chance|way) (?:that )?(?:you|we|u) (?:can|could)",
        "any chance you could {x}?",
    ),
    rule(
        "favour",
        rf"(?:it(?: would|'d)|would) be {_NICE} (?:if (?:you|we)(?: (?:can|could|would))?"
        rf"|to have you)",
        "it would be great if you could {x}",
    ),
    rule(
        "favour",
        r"i(?:'d| would) (?:really )?(?:appreciate it|be (?:very )?(?:grateful|glad|happy"
        r"|obliged)) if you (?:could|would)",
        "I'd appreciate it if you could {x}",
    ),
    rule(
        "favour",
        r"i(?:'m| was| am)? (?:just )?wonder(?:ing)? (?:if|whether) (?:you|we) (?:could|can|might)",
        "I was wondering if you could {x}",
    ),
    rule("favour", r"do you think (?:you|we) (?:could|can)", "do you think you could {x}?"),
    rule(
        "favour",
        r"(?:would you |do you )?mind(?: if i asked you to)?",
        "would you mind if I asked you to {x}?",
    ),
    rule("favour", r"be so (?:kind|good) as to", "would you be so kind as to {x}?"),
    rule(
        "favour",
        r"(?:may|can|could|might) i (?:ask|get|trouble|bother) you to",
        "may I ask you to {x}?",
    ),
    rule("favour", r"why (?:(?:don't|do not) you|not)", "why don't you {x}?"),
    rule("favour", r"you (?:can|could)", "you could {x}"),
    # Bidden.
    rule(
        "opening",
        r"ple{1,9}a{0,9}se{0,9}|pleas|pls{1,4}|plz{1,4}|kindly|pretty please",
        "please {x}",
    ),
    rule(
        "opening",
        r"(?:i|we)(?:'d| would| woudl)? (?:want|wnat|need|like|have|love)(?: (?:you|u"
        r"|yuo))? (?:to|ot)",
        "I want to {x}",
        "I'd like you to {x}",
    ),
    rule("opening", r"(?:let's|lets|let us|let me)(?: (?:go|get going|start) and)?", "let's {x}"),
    rule(
        "opening",
        r"help (?:me|us)(?: out)?(?: to| and)?|helping (?:me|us)(?: to)?|give (?:me|us) a hand and",
        "help me {x}",
    ),
    rule("opening", r"go (?:ahead|on) and|feel free to|get on with it and", "go ahead and {x}"),
    rule("opening", r"do (?:me|us) a favou?r(?: and|:)?", "do me a favour and {x}"),
    rule(
        "opening",
        r"(?:please )?(?:don't|do not|dont) forget to|make sure (?:to|that you|you)"
        r"|remember to|be sure to",
        "don't forget to {x}",
    ),
    rule("opening", r"(?:it's|it is) time to|time to", "it's time to {x}"),
    rule("opening", r"i'm here to|i am here to", "I'm here to {x}"),
    rule(
        "opening",
        r"you are (?:hereby |kindly |respectfully )?(?:requested|asked|invited) to"
        r"|it is (?:kindly |respectfully )?requested that you",
        "You are hereby requested to {x}",
    ),
    rule(
        "opening",
        r"(?:and )?while you(?:'re| are) at it|(?:okay |ok )?(?:so )?what (?:i|we)(?:'m"
        r"|'re| am| are)? (?:need|want|after)(?: you to do)? is(?: basically"
        r"| just)?(?: this)?(?: for you)?(?: to)?",
        "what I need is {x}",
    ),
    # Courtesy that looks like a condition.
    rule(
        "opening",
        r"if (?:it's|it is|that's|that is) (?:not too much (?:trouble|bother)|(?:all right"
        r"|alright|ok|okay|fine|possible|convenient)(?: with you)?)",
        "if it's not too much trouble, {x}",
    ),
    rule(
        "opening",
        r"if (?:at all )?(?:possible|convenient)|if (?:it's|it is|that's) not a (?:bother|problem)",
        "if at all possible, {x}",
    ),
    rule(
        "opening",
        r"(?:if|when|whenever|once) you (?:have|get|find|'ve got|got) (?:a|the|some"
        r"|any)? ?(?:free |spare )?(?:minute|moment|chance|time|second|sec)",
        "when you have a moment, {x}",
    ),
    rule(
        "opening",
        r"(?:if|when|whenever|as soon as) (?:you (?:can|could|like|would|don't mind|please)"
        r"|possible)",
        "whenever you can, {x}",
    ),
    rule("opening", r"at your (?:earliest )?convenience", "at your earliest convenience, {x}"),
    # Greetings, thanks, excuses, and what only leads on.
    rule(
        "opening",
        r"(?:hi|hiya|hello|hlelo|hey|heya|yo|greetings|dear|good (?:morning|afternoon"
        r"|evening|day)|morning|evening|gm)(?: there)?(?: (?:all|team|everyone|everybody"
        r"|folks|guys|bot|mate|dude|friend|colleagues|again))?",
        "hey team, {x}",
    ),
    rule(
        "opening",
        r"(?:many )?(?:thanks|thank you|thx|cheers|ta)(?: (?:so much|very much|a lot"
        r"|a million|for (?:earlier|that|this|everything|the help|your help)|again|all"
        r"|mate))?(?:,? (?:that was|it was) (?:perfect|great|quick))?",
        "thanks! {x}",
        "thanks for earlier. now {x}",
    ),
    rule(
        "opening",
        r"(?:i'm |i am )?sorry (?:to (?:bother|trouble|disturb)(?: you)?|for the (?:trouble"
        r"|bother))(?: again)?(?:,? but)?|excuse me|sorry(?:,? but)",
        "sorry to bother you, {x}",
    ),
    rule("opening", r"@[\w-]{1,30}", "@bot {x}"),
    rule(
        "opening",
        r"(?:a )?(?:quick|small|short|little) (?:one|request|favou?r|thing|task|question)"
        r"|(?:and )?(?:one|1) (?:more|other|last) (?:thing|request)|another thing|by the way"
        r"|btw|in addition|after that|urgent(?:ly)?|new (?:message|paragraph|line)",
        "quick one: {x}",
    ),
    rule(
        "opening",
        r"(?:for (?:the love of god|god's sake|heaven's sake))|c'mon(?: buddy)?|come on",
        "for the love of god {x}",
    ),
    # Small words, after the longer forms that begin with them.
    rule(
        "opening",
        r"ok|okay|oki|alright|aight|right|where was i|ah|oh|so|well|now(?! that)|uh|um{1,9}"
        r"|er{1,9}m?|hm{1,9}|yes|yeah"
        r"|yep|sure|great|perfect|fine|good|just|anyway|anyhow|basically|quick(?:ly)?"
        r"|then|and|but|also|too|next(?! (?:week|month|year|time))|first(?:ly| of all)?"
        r"|finally|lastly|again|simply"
        r"|already|instead(?! of)|rather(?! than)|no rush",
        "ok, {x}",
    ),
    # Behind it.
    rule("closing", r"ple{1,9}a{0,9}se{0,9}|pls{1,4}|plz{1,4}", "{x}, please"),
    rule(
        "closing",
        r"(?:many |ok |okay )?(?:thanks?|thank you|thx|thnaks|thanx|ty|ta"
        r"|cheers)(?: (?:so much|very much|a lot|a million|in advance|again|all|everyone"
        r"|mate|for (?:your|the) help))?",
        "{x}, thanks",
    ),
    rule("closing", r"(?:for )?(?:me|us)|for (?:me|us) (?:now|quickly)", "{x} for me"),
    rule(
        "closing",
        r"(?:if|when|whenever|once|as soon as) (?:you (?:have|get|find|'ve got) (?:a|the"
        r"|some|any)? ?(?:free |spare )?(?:minute|moment|chance|time|second|sec)|you (?:can"
        r"|could|like|would|don't mind|please)|possible|convenient)",
        "{x} when you get a chance",
    ),
    rule(
        "closing",
        r"if i may(?: (?:ask|trouble|bother) you(?: (?:for|with|to [a-z]+) (?:it|that|this))?)?"
        r"|if (?:that's|that is|it's|it is) (?:something|anything) you (?:can|could) do"
        r"|if (?:that's|that is|it's|it is) (?:ok|okay|alright|possible|not too much trouble)",
        "{x}, if that's something you can do",
    ),
    rule(
        "closing",
        r"asap|as soon as (?:possible|you can)|at your (?:earliest )?convenience|immediately"
        r"|right (?:now|away)|without delay|straight ?away|now|real quick|quickly|already",
        "{x} asap",
    ),
    rule(
        "tag",
        r"would you|will you|won't you|could you|can you|(?<=, )(?:ok|okay|alright|right)",
        "{x}, would you?",
    ),
    rule("closing", r"too|as well|also|then|next|yet again|again", "{x} too"),
    rule(
        "closing",
        r"(?:and )?while you(?:'re| are) at it|and leave it at that",
        "{x} while you're at it",
    ),
    rule(
        "closing",
        r"no (?:rush|hurry|stress)|take your time|that's (?:all|it)|that is all"
        r"|yeah that's it|and oblige|much appreciated|i'd appreciate it",
        "{x}, no rush",
    ),
    rule(
        "closing",
        r"have a (?:good|nice|great) (?:one|day|weekend|evening)|(?:and )?good night"
        r"|bye(?: bye)?|see you|best(?: regards)?|kind regards|regards|yours|lol|full stop",
        "{x}. have a good one",
    ),
    # Gives a reason, and hangs on nothing; so does what would be nice.
    rule(
        "reason",
        r"\b(?:it would|it'd|i'd|i would|we'd) (?:[a-z]+ ){1,5}(?=(?:if|when) you\b)",
        "I'd breathe easier if you would {x}",
    ),
    rule(
        "reason",
        r"(?:^|[,.;:(] ?)(?:since|because|as (?=\w+ \w+ (?:is|are|was|has|have))|given that"
        r"|now that|seeing that|considering that|bearing in mind|whether or not|no matter"
        r"|even (?:if|though)|although)\b",
        "now that Dr Wu agrees, {x}",
    ),
    # Takes back what was before, and says what is meant.
    rule(
        "undo",
        r"\bcorrection\b(?=:)|\bnever ?mind what i said\b|\b(?:actually )?scratch that\b"
        r"|\bno,? (?:sorry,? )?i (?:mean"
        r"|meant)\b|\bi (?:mean|meant)\b|\bsorry,? i meant?\b|\bthat was (?:nonsense|wrong"
        r"|a mistake)\b|\bthat's the one\b",
        "Correction: {x}",
    ),
    # Hangs on something.
    rule(
        "hang",
        r"\b(?:if|unless|until|till|provided|providing|assuming|suppos(?:e|ing)|whenever|lest)\b",
        "if Dr Wu agrees, {x}",
        "{x}, provided that Dr Wu agrees",
    ),
    rule(
        "hang",
        rf"\b(?:(?<!know )(?<!tell me )(?<!remind me )when|{ONCE}|oncee|onec|after"
        r"|(?<!is )(?<!was )(?<!are )before(?! (?:that|then)\b)|while"
        r"|pending (?:\w+['’]?s? ){0,3}(?:approval|ok|okay|consent|confirmation|sign-off"
        r"|signature|review|decision|answer|go-ahead)|otherwise|by the time)\b",
        "when Dr Wu agrees, {x}",
        "{x} once Dr Wu has signed",
    ),
    rule(
        "hang",
        r"\b(?:as|so) (?:long|soon|son) as\b|\bthe (?:moment|minute|instant)\b(?= \w+)",
        "{x} as long as Dr Wu agrees",
    ),
    rule(
        "hang",
        r"\bsubject to\b|\bdepend\w*|\bon (?:the )?condition\b|\bin case\b|\bin the event\b"
        r"|\bcontingent\b",
        "{x}, subject to Dr Wu's approval",
    ),
    rule(
        "hang",
        r"\bonly (?:with|by|at|then|upon)\b|\bwith(?:out)? (?:the )?[\w' ]{1,30}(?:'s"
        r"|s')? ?(?:approval|ok|okay|consent|permission|blessing|agreement|signature"
        r"|go-ahead|sign-off|yes)\b",
        "with Dr Wu's approval, {x}",
    ),
    rule(
        "hang",
        r"\bwait(?:s|ed|ing)? (?:for|till|until)\b|\b(?:check|confirm|clear (?:it|this)"
        r"|speak|talk) with\b|\bask [\w .]{1,24}(?<!the) first\b"
        r"|\b(?:must|has to|have to|needs? to|should) [\w .]{1,24} first\b"
        r"|\blet me (?:ask|check)\b",
        "wait for Dr Wu's OK and then {x}",
    ),
    rule(
        "hang",
        r"(?:^|[,.;:(] ?)should (?!i\b|we\b|you\b)(?:the |our |his |her |my |this |that )?[a-z]+ ",
        "should Dr Wu agree, {x}",
    ),
    rule(
        "hang",
        r"\beither\b|\bor\b(?= \w+ \w+)"
        r"(?! (?:so|two|three|four|five|six|seven|eight|nine|ten|[0-9]+) )"
        r"|\bwhether\b|\bnot sure\b|\bhaven't decided\b",
        "either {x} or not, I am undecided",
    ),
    # Held off, forbidden, taken back.
    rule(
        "off",
        r"\b(?:not|never|cannot|nor|neither|nobody|no one|none|nothing)\b|n't\b|\b(?:dont"
        r"|doesnt|didnt|cant|wont|shouldnt|mustnt)\b",
        "do not {x}",
    ),
    rule(
        "off",
        r"\bno (?:need|way|longer|more|thanks?|wait|,)|\bno\b(?= ?[,.!;:])|^no\b|\bno ned\b",
        "no need to {x}",
    ),
    rule(
        "off",
        r"\b(?:refrain|refuse|hold (?:on|off)|forget|never ?mind|nvm)\b|\b(?:cancel|abort"
        r"|undo|discard|scratch|stop|drop|skip|avoid|postpone|delay|retract|withdraw|park"
        r"|leave) (?:it|that|this|them|everything)\b|\bstop\b(?=\W*$|!|,)",
        "{x}... actually scratch that",
    ),
    rule(
        "off",
        r"\binstead of\b|\brather than\b|\banything but\b"
        r"|\bwithout \w+ing\b|\bunder no circumstances\b|\btoo early\b",
        "{x}, rather than that",
    ),
    rule(
        "off",
        r"\b(?:later|some ?day|sometime|at some point|sooner or later|eventually"
        r"|let that sit|one day)\b|\b(?:we|i|you) (?:can|could|may"
        r"|might) .{1,80}\b(?:tomorrow|next (?:week|month|time|year))\b|(?:^"
        r"|[,.;] ?)(?:tomorrow|next (?:week|month|time|year))\b",
        "next week we could {x}",
    ),
    rule(
        "off",
        r"\bwait\b|\bremind\b|\bthink(?:ing)? about\b|\bconsider\w*|[\U0001f6ab\u274c\u26d4]",
        "{x}... hmm, wait a sec",
    ),
    # Told, planned, said by others.
    rule(
        "say",
        r"\b(?:said|says|saying|told|tells|telling|ask(?:ed|s)|wrote|writes|written|reads"
        r"|heard|overheard|mentioned|announced|replied|claims (?:that|to|he|she|they|it)"
        r"|according to)\b",
        "Dr Wu said: {x}",
    ),
    rule(
        "say",
        r"\b(?:article|section|clause|paragraph|policy|rule) [0-9][0-9.]{0,8}(?: [a-z]+){0,4}:",
        "section 5.2 of the policy: {x}",
    ),
    rule(
        "say",
        r"\b(?:wants|wanted|thinks|thought|expects?|expected|offer(?:s|ed)|suggest(?:s|ed)"
        r"|demand(?:s|ed)|keeps|hopes?|hoped|wishe?[sd]?|plan(?:s|ned|ning)|promised"
        r"|agreed)\b",
        "Dr Wu wants us to {x}",
    ),
    rule(
        "tell",
        r"\b(?:was|were|been|did|had|has|have|having|used to|managed|tried|took|got|helped"
        r"|forgot|done|finished|completed|already|yesterday|earlier|last (?:week|night|month"
        r"|time|year)|this morning)\b",
        "we used to {x}",
    ),
    rule("tell", r"\b(?:will|'ll|going to|gonna|about to|shall)\b(?! need\b)", "I will {x} myself"),
    rule(
        "say",
        r"\bought\b|\bshould\b(?! (?:be|read|say) [0-9])|\bmust\b"
        r"|\bsomebody\b|\bsomeone\b|\beverybody\b|\beveryone\b"
        r"|\bthey\b|\bhe\b|\bshe\b|\bi guess\b|\bi suppose\b",
        "somebody ought to {x}",
    ),
    rule("tell", r"[\u2611\u2705\u2714]|\[x\]|^ ?>", "[x] {x}"),
    # Asked after.
    rule("ask", r"\b(?:how|why|what|who|whom|whose|where|which|hwo|waht)\b", "how do I {x}?"),
    rule(
        "ask",
        r"(?:^|[,.;:!] ?)(?:do|does|did|is|are|am|was|were|has|have)(?! a look\b"
        r"| had\b| been\b| you (?:a|the)\b)\b(?! not|n't)",
        "do I have to {x}?",
    ),
    rule("maybe", r"\b(?:should|shall|may|must) (?:i|we)\b", "should I {x}"),
    rule("maybe", r"\?", "{x}?"),
    rule("maybe", r"\b(?:perhaps|maybe|probably|possibly|might)\b", "perhaps {x}"),
    rule(
        "ask",
        r"\b(?:explain|curious|translate|difference|steps|mean(?:s|ing)?)\b",
        "explain to {x}",
    ),
)
