"""How a thing is said: asked, denied, made a condition, told of, or bidden; zh and en, folded."""

import re

from engine.text.values import cue_pattern


def _any(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(forms))


def _between(begin: str, end: str) -> str:
    # A mark that nothing closes must not be looked behind for every other such mark.
    inside = f"[^{begin}{end}]*"
    return f"{begin}{inside}(?:{begin}{inside}{end}{inside})*{end}"


_COMES_ABOUT = r"should (?!i\b|we\b|you\b)[^?,]{3,80},(?=[^?]*$)"
_SHOULD = rf"^\W*{_COMES_ABOUT}"
"""What comes about, should it come about: no question, as nothing marks it as one."""
_OF_A_THING = r" (?:an?|the|this|my|our|another)\b"
"""What stands behind a "do" that bids, where no mark makes it a question."""
ONCE = r"once(?! (?:daily|weekly|monthly|again|more|(?:an?|per|every|each) [a-z]{3,6})\b)"
"""What hangs on something, and does not tell how often."""
_QUESTION = _any(
    r"[?吗]|[呢么]\s*(?:[。!]\s*)?$",
    # "没什么变化" and "什么都没变" tell; "有没有什么变化" asks.
    r"(?<![没无])(?<!^没有)(?<![^有]没有)(?:什么|啥)(?![都也])|(?<![没不])怎么|怎样|咋|(?<!无论)如何|为何|哪(?!怕)|谁(?![都也])",
    r"想知道|想问|问一下|请教|请问|想了解|了解一下|(?<!没)多少|(?<!没)多大|多久|是否|有无|何时",
    r"(?<![没十百千好])几(?=[个次天岁分名人例位种点度级号])",
    r"(.)[不没]\1|[了过好完批到]没有?\s*[。!]?$|[了过好完]没(?=[,。])|有[^,。没]{1,8}没有?(?=[,。]|\s*$)",
    r"[\u3400-\u9fff](?<![还也都就要从绝好对不没这])不\s*[。!]?$",
    r"^\W*(?:what|which|when|where|who|whom|whose|why|how|is|are|was|were|am"
    rf"|do(?! not| n|{_OF_A_THING})|does|did|(?:has|have|had)(?! had| been| a look\b)|can|could"
    rf"|may|might|shall|(?!{_COMES_ABOUT})should|will|would|any)\b(?!')",
    r"^\W*(?:until|till|by|from|since|for|in|on|to|with|at|of) (?:when|what|which|whom|who|how)\b",
    r"(?:^|[^a-z])(?:what|who|where|when|how|which)(?:'s|s|'re) ",
    r"\b(?:what about|how (?:to|many|much|do|does|is))\b",
    r"\b(?:remind me|ascertain|find out) (?:wh|how)",
)
_PLAYS_DOWN = _any(
    r"[没无](?:什么|啥)|没有(?:什么|啥)|[没不]怎么(?!办)|没多[少大]|没几|(?:什么|啥|谁)[都也]"
)
_HOW = _any(
    r"(?<![没不])怎么(?!样)|咋(?!样)|如何|为什么|为何|怎样|步骤|流程是|教程",
    r"\bhow (?:to|do|does|did|can|could|should|would|come)\b|\bwhy\b|\bsteps (?:to|for)\b",
)
_NOT = _any(
    r"不要(?!忘)|不用|不必|不需|不想|(?<!能)不能|(?<!可)不可|不许|不准|不该|不应|先不|暂不|暂时不|还不|不是(?!.{1,14}是)|不了|不上|勿|甭|暂缓",
    r"(?<![性分个特级类识区鉴差告])别(?![的人名忘]|处(?!理))|没有?(?=说|让|要|叫|想|打算|必要|录|登|填|记|提)",
    r"[未误漏免禁停拒非缓莫](?=录|登|填|记|提)",
    r"n't(?! forget)\b|\bnot\b(?! forget)|\bdont\b(?! forget)",
    r"\b(?:doesnt|didnt|cannot|cant|wont)\b",
    r"\bnever\b|\b(?:refrain|avoid|skip|forget)\b|\binstead of\b|\bwithout \w+ing\b",
)
_CHANGES = re.compile(
    r"\W*(?:请|把|将|麻烦|帮我|please )*[^,。]{0,8}?(?:改[成为]?|修改|更正|订正|换成)"
    r"|\W*(?:please |pls )?(?:change|correct|update|set|make it)\b"
)
_FORBIDS = re.compile(
    r"\W*(?:请|先|暂时|都|千万)*(?:不要(?!忘)|别(?![的人名忘]|处(?!理))|勿|不用|不必|先不|暂不|暂时不|甭)"
    r"|\W*(?:please |pls |请|先)*(?:don'?t|do not|never)\b(?! forget)"
)
_RETRACTS = _any(
    r"取消|撤回|撤销|撤掉|算了|停止|停下|作废|等一下|等等(?![的,、])|(?<!在)等我|稍等|不用了|不必了|不需要了|不要了",
    r"\b(?:no need|never ?mind|cancel|abort|undo|discard|hold o(?:n|ff)"
    r")\b|(?:^|[,.;!] ?)wait\b(?! (?:for|until|till))|\bwait (?:a (?:sec|moment|minute|bit)|up)\b"
    r"|\bstop(?! date)\b",
    r"\bno,|^no\b(?=\W*$|\s?[,.!;:-]|\s(?:wait|thanks?|longer|way)\b)",
)
_OF_PAST = re.compile(
    r"[了过]吗|[了过]没有?[\s?。!]*$"
    r"|(?:^|[,.;!] ?)(?:and )?(?:has|have|did|was|were|is|are)\b[^,.;!]*\?"
)
_IF = _any(
    r"如果|假如|假设|要是|倘若|若|除非|的话|一旦|万一|前提|只有.{1,20}才|等.{1,20}(?:再|后|之后)",
    r"[之以]前(?!的)|以后|之后再|(?<![最然])后(?=再)|直到",
    rf"\b(?:if|unless|until|till|{ONCE}|before|provided|assuming|in case)\b",
    r"\b(?:as soon as|whenever|depending)\b",
    _SHOULD,
    r"\bwhen\b(?! (?:was|is|did|were|does|will|can|should)\b)",
)
_HINGE = re.compile(
    r"\W*(?:那|那么|and |but |so )?(?:如果|假如|假设|要是|倘若|若[是有没]?|一旦|万一"
    r"|有的话|没有的话|[^,。]{1,8}的话|没[^,。]{0,4}就|(?:有|缺|到了|回来了?|超|不(?![要用必想能]))[^,。]{0,9}就|[^,。]{0,6}(?:超过|大于|小于|高于|低于)[^,。]{1,10}就|等.{1,20}(?:再|后|之后)"
    rf"|(?:if|unless|{ONCE}|as soon as|in case|provided|assuming)\b)|{_SHOULD}"
)
_HANGS = re.compile(
    r"如果|假如|假设|要是|倘若|除非|一旦|万一|的话|只有.{1,20}才|等.{1,20}(?:再|后|之后)"
    rf"|\b(?:if|unless|until|till|{ONCE}|as soon as|in case|provided|assuming|whenever)\b"
)
_TOLD = _any(
    r"已经?(?!知|阅)|刚刚?才?(?=录|登|记|填|提|做)|[录登填记交做写]过|完了|好了|了\s*(?:[,。!;]|$)|了吗",
    r"(?:录入?|登记|填报?|补录|记录|写入|提交|导入)(?:过|完|好)?了",
    r"说(?!明)|提醒|打算|准备|计划|明天|后天|稍后|待会|一会|回头|以后|下次|改天|忘了?(?=录|登|记|填)",
    r"(?:他|她|他们|有人|同事|主任|老师|经理)(?=.{0,6}[录登填记])",
    r"\b(?:said|says|say|told|tells|asked|asks|wants|wanted|thinks|already|yet|remind|reminder"
    r"|later|tomorrow|going to|will|plan|plans|planned|planning|used to|forgot|wish|hope|hoped)\b",
)
_TELLS = _any(
    r"(?<!忘)已经?(?![知阅])|(?:昨天|上周|前天|今早|早上)(?!的)|刚刚|刚才",
    r"[录登填写交做审核改传发提跑催关出打][过完好]了?(?!再)|(?:录入?|登记|填报?|补录|记录|写入|提交|导入|关闭?|交|递)了",
    r"了\s*(?:[,。!]|$)|递到|批下来",
    r"[太真好很挺][^,。]{0,2}(?:复杂|麻烦|慢|难|累|乱|多了|久|简单|快)",
    r"(?:完成|一致|通过|排队中?)\s*[。!]?$|(?<![^的人方])想(?:申请|要(?!你))|(?:正在|还在|在)(?:录|跑|写|做|改|核)",
    r"下个?(?:月|周|星期|礼拜|次|季度|批)[一二三四五六日天]?(?:再|做|写|录|跑|去|提|发)|过完|(?:周末|节|年|假)[前后]再",
    r"打算|计划(?=[明后下周]|在)|准备(?=[明后下]天?|去)|以后(?:再|要)|回头|下次|改天|过两天|要是",
    r"^\W*(?:i|we|he|she|they|it|you)(?:'ve|'ll|'re|'s)? (?!need|want|would|'d)",
    r"^[a-z]+(?: [a-z']+)? (?:is|are|was|were) ",
    r"^\W*(?:the|our|my|his|her) .{0,30}\b(?:was|were|is|are|has|have|had|will)\b",
    r"\b(?:already|yesterday|last (?:week|night|month)|this morning)\b",
    r"\b(?:going to|will be|planning to|won't)\b",
    r"\b(?:was|were|has been|have been|had) (?:\w+ )?"
    r"(?:filed|sent|done|entered|closed|recorded|raised|logged)\b",
)
_REPORTS = _any(
    r"(?:他|她|们|人|同事|主任|老师|经理|客户|对方|组长|小[^,。]|总)[^,。]{0,4}"
    r"(?:说(?!明)|让|问(?!题)|要求|写的是|原话|交代|叫|提到|回复说)",
    r"\b(?:he|she|they|boss|client|team) "
    r"(?:asks|thinks|(?:wants?|wanted) (?:us|you|me|it|that|the))\b",
    r"\b(?:said|says|told|asked|wrote)\b",
)
_PLEADS = re.compile(
    r"帮我|帮忙|请你|麻烦|劳烦|能否|可否|你(?:先|再)?[给把]"
    r"|\b(?:please|pls|could you|can you|would you)\b"
)
_BA = re.compile(
    r"\W*(?:先|再|也|顺手|顺便|帮我|帮忙|请|麻烦|然后|最后)*把[^,。]+(?:了吧?|吧|下|掉|好|上)\s*[。!]?$"
)
_QUOTED = re.compile(
    "|".join(_between(*pair) for pair in ("“”", "‘’", "「」", "『』", "《》"))
    + r"|\"[^\"]*\"|`[^`]*`|(?<![a-z0-9])'[^']+'(?![a-z0-9])"
)
_READ_VERBS = (
    *("show", "list", "look up", "lookup", "look at", "find", "display", "tell me", "give me"),
    *("get me", "get the", "see", "view", "search", "read", "what is"),
)
_READS = re.compile(
    rf"{cue_pattern(_READ_VERBS)}|(?<![检核审抽])查(?!验)|(?<!查)看|显示|列出|告诉我|给我看|读取|搜索|找一下"
)
_SHOWS = _any(
    r"^(?:查(?:一下|下|询)?|看(?:一下|下|看)?|列(?:出|一下)|显示|告诉我)|给我(?:看|列)|(?:看|查|列)(?:一下|下|看)\s*[。!]?$|拉(?:一下|个)?.{0,8}(?:清单|列表)$"
    r"|发(?:给)?我看|给我一下\s*[。!]?$",
    r"^(?:show|list|look up|lookup|tell me|display|find|pull up|get me)\b",
    r"^see (?:what|which|how|if|whether)\b",
)
_WRITES = _any(
    r"录(?!音|像|取)|登记|填写|填报|写入|导入|提交|保存|修改|更正|改成|改为|更新|删除|删掉|新增|添加|上传",
    r"\b(?:record(?!s?\b ?(?:of|for|show|say))|enter|input|log|save|submit|import|update|change"
    r"|correct|delete|remove|add|edit|set|modify|overwrite|fix|register|upload|write|erase)\b",
)
_BEYOND = _any(
    r"为什么|原因|平均|趋势|变化|对比|比较|相比|预测|评估|判断|分析|建议|适合|合格|符合|正常|异常|超标"
    r"|范围|允许|高于|低于|大于|小于|超过|[更最][高低大小重轻]|升高|降低|计算|总结|同时|影响",
    r"\bwhy\b|\b(?:average|mean|median|trend|change[ds]?|compare[ds]?|comparison|versus|vs|predict"
    r"|assess|evaluate|suitable|eligible|normal|abnormal|higher|lower|highest|lowest|above|below"
    r"|greater|less|than|calculate|summari[sz]e|should|within|range|limits?|because|affect|cause[ds]?|explain)\b",
)
_WHEN = _any(
    r"[上下这本]个?(?:周|星期|礼拜|月|季度|年)|(?:天|周|个?月|年)(?:之?前|之?后|以前|以后)|(?:周|星期|礼拜)[一二三四五六日天]",
    r"去年|明年|前年|大前天|大后天|第[一二三四五六七八九十◆ ]+次",
    r"\b(?:last|next|this|previous) (?:week|month|year|quarter|mon|tue|wed|thu|fri|sat|sun)"
    r"|\bago\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\bin ◆",
    r"第一次|首次|倒数|下一?次",
)
_REFERENCE = _any(
    r"(?<![其吉])[他她它]的?|[该此][\u4e00-\u9fff]|这[个位条张份]|同[一样]|一样",
    r"\b(?:his|her|their|its|he|she|him|they|it)\b|\b(?:this|that|the same) [a-z]+\b",
)
_FOLLOW_UP = _any(
    r"^(?:那|那么|还有|换)|呢\s*(?:[?。]\s*)?$|^(?:and|also|what about|how about|same|the same)\b",
    _REFERENCE.pattern,
)
_CHECKS = re.compile(
    r"\W*(?:先|请|帮我|麻烦|你)*(?:查|看(?!情况)|核(?:对|实|一下)|确认|check)"
    r"|\W*(?:please |pls |can (?:you|u) |could you )*(?:check|see|look|find out|verify|confirm)\b"
)
_AFTER_RUN = _any(
    r"还[缺差](?:什么|哪些|啥|多少)|还(?:要|需要)(?:填|补|提供|做)?(?:什么|哪些|啥)",
    r"到哪(?:一)?[步里了]|卡在(?:哪|什么)|在等(?:谁|什么)",
    r"(?:进度|进展|进行|流程|录入|审核)(?:得)?(?:怎么样|如何|到哪)",
    r"(?:现在|目前)(?:是|在)?(?:什么|哪个)(?:阶段|步骤|状态)",
    r"\bwhat(?:'s| is| else is)? (?:still |else )?(?:missing|left|needed|outstanding)\b",
    r"\bhow far\b",
    r"\bwhat (?:else )?do you (?:still )?need\b|\bwhich (?:phase|step)\b",
    r"\b(?:what|who)(?:'s| is) (?:it|the run|the workflow) waiting for\b",
    r"\bwhat are we waiting (?:for|on)\b|\bwhere (?:is|are) (?:it|we)\b",
    r"\b(?:status|progress) of (?:my|the|this) (?:run|request|entry|workflow|record)",
    r"^\W*(?:(?:what(?:'s| is) the|any) )?(?:current )?(?:status|progress|news|updates?)\W*$",
    r"^\W*(?:is|are) (?:it|this|that|we) (?:already )?(?:done|ready|finished|through|approved)"
    r"(?: yet)?\W*$",
    r"^\W*(?:这个|那个|它|这[件]?事儿?)?(?:现在|目前)?(?:怎么样了|办?好了[吗没]|批了[吗没]|有进展[吗没])\W*$",
    r"^\W*(?:现在|目前)?(?:的)?状态(?:是什么|如何|怎么样)?\W*$",
)


_COUNT_OF = re.compile(
    r"(?:what(?:'s|s| is| was) )?(?:the )?(?:(?:exact|current|total|overall) )?(?:number|count) of "
    r"(?:all )?"
)
_COUNT_ZH = re.compile(r"(?<=.)的?(?:总?人数|总数|数量|个数)(?:[是有为]?(?:多少|几个?))?[呢啊]?$")


def quotations(text: str) -> list[tuple[int, int]]:
    """Where something is quoted."""
    return [match.span() for match in _QUOTED.finditer(text)]


def unquoted(text: str) -> str:
    """The text without what stands in quotation marks."""
    return _QUOTED.sub(" ", text)


def asks(text: str) -> bool:
    """It is a question, by its mark, its particle or its first word."""
    return bool(_QUESTION.search(text))


def asks_how(text: str) -> bool:
    """It asks how or why, not for the thing itself."""
    return bool(_HOW.search(text))


def why(text: str) -> bool:
    """It asks for a reason, not for a way."""
    return bool(re.search(r"为什么|为何|\bwhy\b|\bhow come\b", text))


def reads(text: str) -> bool:
    """It bids to show something."""
    return bool(_READS.search(text))


def shows(text: str) -> bool:
    """It bids to show something, and nothing beside it."""
    return bool(_SHOWS.search(text))


def writes(text: str) -> bool:
    """It speaks of writing, changing or removing."""
    return bool(_WRITES.search(text))


def denies(text: str) -> bool:
    """It forbids, takes back or holds off; a finding such as "no adverse events" does not."""
    return bool(_NOT.search(text) or _RETRACTS.search(text))


def changes(text: str) -> bool:
    """It opens with that something is to be another: "change the date to …", "把日期改为…"."""
    return bool(_CHANGES.match(text))


def forbids(clause: str) -> bool:
    """It opens with that something is not to be done."""
    return bool(_FORBIDS.match(clause))


def retracts(text: str) -> bool:
    """It takes back what was asked before, whatever else is said."""
    return bool(_RETRACTS.search(text))


def asks_of_past(text: str) -> bool:
    """It asks whether something was, or is, and not for it to be done."""
    return bool(_OF_PAST.search(text))


def conditional(text: str) -> bool:
    """It holds only under a condition, or at another time than its order says."""
    return bool(_IF.search(text))


def hinged(text: str) -> bool:
    """It opens with a condition on which the rest hangs."""
    return bool(_HINGE.match(text))


def hangs(text: str) -> bool:
    """Somewhere in it is a condition that has yet to come true."""
    return bool(_HANGS.search(text))


def told(text: str) -> bool:
    """It tells of something done, planned or said by others."""
    return bool(_TOLD.search(text))


def tells(clause: str) -> bool:
    """It tells what was done or is planned; nothing is bidden in it."""
    return bool(_TELLS.search(clause)) and not (_BA.match(clause) or _PLEADS.search(clause))


def pleads(text: str) -> bool:
    """Somebody is asked for something in it, whatever else it tells."""
    return bool(_PLEADS.search(text))


def plays_down(text: str) -> bool:
    """It tells that there is hardly anything, in a word that elsewhere asks: 没什么变化."""
    return not asks(text) and bool(_PLAYS_DOWN.search(text))


def reports(text: str) -> bool:
    """It gives what somebody else said or wants."""
    return bool(_REPORTS.search(text))


def beyond_lookup(text: str) -> bool:
    """It wants a judgement, a comparison or a reason, which no single look-up gives."""
    return bool(_BEYOND.search(text))


def vague_time(text: str) -> bool:
    """It names a time that is no certain day, such as "last week" or the first time."""
    return bool(_WHEN.search(text))


def checks(text: str) -> bool:
    """It bids to find something out."""
    return bool(_CHECKS.match(text))


def after_run(text: str) -> bool:
    """It asks how far the work is that goes on, or what it still needs."""
    return bool(_AFTER_RUN.search(text))


def without_run_words(text: str) -> str:
    """The text without the words that ask how far the work is that goes on."""
    return _AFTER_RUN.sub(" ", text)


def follows_up(text: str) -> bool:
    """It leans on what was said before: "and P004?", "那他的体重呢"."""
    return bool(_FOLLOW_UP.search(text))


def refers_back(text: str) -> bool:
    """It has a word for something that was named before: "order one for it", 给它换一个."""
    return bool(_REFERENCE.search(text))


def as_count(text: str) -> str:
    """A folded question for a number of things, put as "how many"; "" where it is none."""
    said = text.strip(" \t?.!？。！")
    if found := _COUNT_OF.match(said):
        return f"how many {said[found.end() :]}?"
    if found := _COUNT_ZH.search(said):
        return f"多少{said[: found.start()]}?"
    return ""
