"""What kinds of things a question asks for: people, days, amounts, reasons, how things stand."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from engine.text import wording
from engine.text.entities import fold
from engine.understanding.own_work import words
from engine.understanding.own_work.kinds import wanted_types
from engine.understanding.own_work.reading import aspects_of

Wanted = Literal[
    "person",
    "name",
    "time",
    "amount",
    "count",
    "place",
    "reason",
    "verdict",
    "rejected",
    "open",
    "status",
    "files",
]
"""A kind of thing that is asked for."""

_EDGE: Final = "(?<![a-z])(?:{})(?![a-z])"
_WANTED: Final[tuple[tuple[Wanted, str, str], ...]] = (
    (
        "person",
        "who|whom|whose|who's|by whom|whoever|which (?:company|firm|institution|organi[sz]ation"
        "|person|people|of (?:us|them))|anybody|anyone"
        "|someone|somebody|names?|called",
        "谁|哪位|哪个人|什么人|何人|哪些人|哪家|哪个公司|叫什么|叫啥|名字|哪方|贵姓",
    ),
    (
        "name",
        "called|names?|title|titled|what is the thing|what's the thing",
        "叫什么|叫啥|名字|哪[幅艘台部本辆篇]|题目|标题|名称",
    ),
    (
        "files",
        "(?:which|what|any) (?:[a-z]+ )?(?:documents?|files?|papers?|attachments?|paperwork"
        "|reports?)"
        "|(?:documents?|files?|papers|attachments?) (?:do|did|have|has|are|is)|uploaded?|attached",
        "[哪什么些]{1,2}(?:文件|材料|资料|附件|文档|报告)|文件有哪|传了什么|上传",
    ),
    (
        "time",
        "when|what time|(?:start|end|opening|closing) times?|what days?|which days?|what dates?"
        "|which dates?|dates?|deadline|how soon"
        "|how late|until when|till when|by when|how long|which (?:week|month|year)|how many"
        " (?:days|weeks|months|years|hours)|what year|period",
        "什么时候|何时|几时|哪天|哪几天|哪一天|几号|多久|几点|啥时候|什么日子|日期|期限|几月|哪年"
        "|多长时间"
        "|时间|几个[月星]|几天|几周|多少天|几年|从哪|到哪天|最晚|最迟",
    ),
    (
        "amount",
        "how much|costs?|price[ds]?|fees?|amounts?|sums?|budget|money|pay|paid|charged?"
        "|expensive|bill|total|worth|euros?|dollars?",
        "多少钱|金额|费用|价钱|价格|花[了多费]|收费|报价|要价|多少|几块",
    ),
    (
        "count",
        "how many|how (?:bright|big|large|tall|high|deep|wide|long|heavy|old|far|hot|thick|strong)"
        "|number of|maximum|max|minimum|min|limit|at most|at least",
        "几[个天份人次件名条张根]|多少|多[亮高宽长重远深厚粗大]|上限|下限|最多|最少|数量|多大",
    ),
    (
        "place",
        "where|which (?:place|room|town|city|building|address)|address|location",
        "哪里|哪儿|在哪|到哪|去哪|地址|地点|什么地方|哪边",
    ),
    (
        "open",
        "still (?:open|waiting|outstanding|missing|pending|to do)|open|pending|outstanding"
        "|waiting|waits?|unfinished|unresolved|undecided|chase|chasing|left to do|still (?:have"
        "|need|got) to|sort out|to[- ]?dos?|remain(?:s|ing)?"
        "|n'?t (?:\\w+ )?(?:finished|done|settled|decided|closed|answered)"
        "|not (?:\\w+ )?(?:finished"
        "|done|settled|decided|closed|answered)|news|hear(?:d)? (?:back|anything|from)"
        "|(?:got|gotten) back|repl(?:y|ied)|answered|respond(?:ed)?|response|yet|held up|holding"
        "|stuck|hangs|hanging|on (?:his|her|whose|their) (?:desk|table|plate)|sitting"
        "|waiting (?:on|for)|depends? on|nudge|remind (?:him|her|them)",
        "还[没在差缺剩]|没[落办弄搞解处]|未[办完决定]|等着|在等|等谁|卡在|卡住|悬着|挂着"
        "|没[定完好]|剩下|催"
        "|回复|回音|动静|消息|落实|谁手[上里]|待[办定批审]|没下来|下来没|了没"
        "|没人.{0,3}[点批定同管答]",
    ),
)
_PATTERNS: Final = tuple(
    (wanted, re.compile(_EDGE.format(en)), re.compile(zh)) for wanted, en, zh in _WANTED
)
_YES_NO: Final = re.compile(
    r"^\W*(?:so |and |but |ok(?:ay)?,? |hey,? |hi,? |please,? )*"
    r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|may|might|shall|should|will|would)"
    r"(?![a-z])|(?:,|and|but|or) (?:is|are|was|did|has|have|can|may) (?:we|i|it|they|he|she|the)"
    r"(?![a-z])|(?<![a-z])(?:may|can|could|should) (?:i|we)(?![a-z])|(?:did|do) (?:i|we) get"
    r"|allow|permi(?:t|ssion)|(?:right|correct|true|yes or no)\W*$"
    r"|能不能|可不可以|可以.{0,12}吗|能.{0,12}吗|[吗没]\W*$|了没|了吗|有没有|是不是|是否|行不行"
    r"|让不让|准不准|许不许"
    r"|批没批|成没成|对吧|对不对"
)
_DECIDES: Final = re.compile(
    r"(?<![a-z])(?:decid|chose|choos|pick|settle|permit|allow|permission|(?:got|get|gets"
    r"|had) an? (?:yes|no))"
    r"|谁(?:给|来)?[定批选拍做]|谁.{0,3}定的|定了|定的|选的|点.{0,2}头|松口|开口子|允许|让不让"
)
_QUOTES: Final = re.compile(
    r"(?<![a-z])(?:according to|says?|said|mentions?|mentioned|written|wrote|states?|report"
    r"|document|file|letter|sheet|paper|note|notes|notice|pdf|read|attached|upload(?:ed)?"
    r"|in writing|text|(?:is|are|was|were) there|has anything|anything (?:known|wrong"
    r"|about))(?![a-z])|有没有|有无|写|提到|里说|上说|报告|文件|说明|单子上|附件|记载|材料|资料"
    r"|那份|通知书|里面"
)


_OF_VALUES: Final[frozenset[Wanted]] = frozenset(("person", "time", "amount", "place"))
MOST_KINDS: Final = 3
_FILLERS: Final = re.compile(
    r"(?<![a-z])(?:in the end|at the end of the day|after all|at last|for the first time"
    r"|in (?:a|one|two|few|a few) (?:words?|sentences?))(?![a-z])"
)


@dataclass(frozen=True, slots=True)
class AskedFor:
    """What a question asks for.

    `types` are those of fields that answer it; `is_yes_no` where yes or no would; `quotes` where a
    text is asked for what it says. `decides` where a decision is spoken of; it `chooses` where only
    words of choosing and allowing do.
    """

    wanted: frozenset[Wanted]
    types: frozenset[str]
    is_yes_no: bool
    quotes: bool
    decides: bool
    chooses: bool

    @property
    def lists_values(self) -> bool:
        """Whether several kinds of values are asked for at once: who, how much, and when."""
        return len(self.wanted & _OF_VALUES) >= MOST_KINDS

    @property
    def is_plain(self) -> bool:
        """Whether no kind of answer is asked for."""
        return not (self.wanted or self.is_yes_no or self.quotes)


def without_fillers(text: str) -> str:
    """The text folded, without phrases whose words mean nothing there."""
    return _FILLERS.sub(" ", fold(wording.unquoted(text)))


def read_asked(text: str) -> AskedFor:
    """What the text asks for, by the words that any question has."""
    said = without_fillers(text)
    found: set[Wanted] = {w for w, en, zh in _PATTERNS if en.search(said) or zh.search(said)}
    aspects = aspects_of(text)
    found |= {"reason"} if "reason" in aspects else set()
    found |= {"rejected"} if "rejected" in aspects else set()
    decides = bool(aspects & words.DECIDED) or bool(_DECIDES.search(said))
    found |= {"verdict"} if decides else set()
    is_wide = "status" in aspects or words.WIDE.search(said)
    found |= {"status"} if is_wide else set()
    found |= {"open"} if "missing" in aspects else set()
    return AskedFor(
        wanted=frozenset(found),
        types=wanted_types(said),
        is_yes_no=bool(_YES_NO.search(said)),
        quotes=bool(_QUOTES.search(said)),
        decides=decides,
        chooses=not aspects & words.DECIDED,
    )
