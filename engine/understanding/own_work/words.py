"""The few words of any domain by which people ask after their work; zh and en, folded.

All other words of a question come from playbooks: names, examples, labels, cues, values.
"""

import re
from typing import Final, Literal

Aspect = Literal["status", "verdict", "rejected", "cancelled", "reason", "who", "when", "missing"]
"""What is asked of a request: how it stands, what was decided, why, by whom, when, what lacks."""

_EN: Final[tuple[tuple[Aspect, str], ...]] = (
    (
        "status",
        "status|state of|what about|how about|anything on|any word|progress"
        "|stage|phase|updates?|news|outcome|result|how far|where (?:is|are"
        "|does|do|did|has|have)|stands?|standing|happen(?:s|ed|ing)?"
        "|bec(?:ame|omes?|ome)|turn(?:ed)? out|done|finished|completed?"
        "|over|closed|ended|processed|processing|handled|under ?way|pending"
        "|in progress|running|active|stuck|held up|on hold|waiting|waits?"
        "|went through|gone through|go through|com(?:e|ing) along|got to"
        "|get to|sitting|going on|through yet|still open|dealt with"
        "|looked at|next|settled",
    ),
    (
        "verdict",
        "approv(?:ed?|als?|es|ing|ers?)|accept(?:ed|ance|s)?|sign(?:ed|s"
        "|ing)?[ -]?off|signed|grant(?:ed|s)?|decid(?:ed?|es|ing)"
        "|decisions?|verdicts?|vot(?:ed?|es|ing)|review(?:ed|ers?|ing|s)?"
        "|confirm(?:ed|s)?|ok'?(?:ed|d|ayed)|green[- ]?lit|green[- ]?light"
        "|passed|cleared|sanctioned|endorsed|authori[sz]ed|succeeded"
        "|(?:says?|said|saying) (?:yes|ok|okay)|yes to|(?:be|is|was|were|are) fine with"
        "|happy with|on board with|go[- ]?ahead|the nod|nodded|nod|blessing|thumbs[- ]up"
        "|agreed? to|consent(?:ed|s)?|green signal|waved through|rubber[- ]stamped",
    ),
    (
        "rejected",
        "reject(?:ed|ions?|s)?|declin(?:ed?|es|ing)|refus(?:ed?|als?|es)"
        "|den(?:ied|ies|y|ials?)|turned down|knocked back|sent back"
        "|returned|failed?|failure|fails|thrown out|blocked|objected"
        "|objections?|against|not approved|n't approved|go wrong|went wrong"
        "|gone wrong|(?:says?|said|saying) no|no to|veto(?:ed|es)?"
        "|thumbs[- ]down|object(?:s|ing)? to|oppos(?:ed?|es)|disagreed?|shot down"
        "|push(?:ed)? back|block(?:s|ing)?",
    ),
    (
        "cancelled",
        r"cancell?(?:ed|ation)|withdrawn|withdrew|expired?|called off|dropped|lapsed|timed out",
    ),
    (
        "reason",
        "why|reasons?|reasoning|what for|how come|grounds|explanation"
        "|justification|rationale|comments?|feedback",
    ),
    ("who", r"who|whom|whose|by whom|which person|whoever|approvers?|reviewers?"),
    (
        "when",
        r"when|what time|how long|since when|how old|what day|which day|what date|on what date",
    ),
    (
        "missing",
        "missing|still needs?|still need(?:ed)?|needed|lack(?:s|ing)?"
        "|outstanding|incomplete|left to do|left|remain(?:s|ing)|required"
        "|waiting for|waiting on|waits for|wait for|hold-?up|need from me"
        "|next steps?|(?:whose|who's|my|his|her) (?:turn|desk)|sitting on"
        "|open (?:points?|items?|issues?)",
    ),
)
_ZH: Final[tuple[tuple[Aspect, str], ...]] = (
    (
        "status",
        "状态|状况|进度|进展|到哪|哪一?步|哪个环节|哪个阶段|什么阶段"
        "|什么环节|怎么样|咋样|如何了|结果|完成|结束|办[好完妥成]|处理|搞定"
        "|弄[好完]|走完|走到|卡在|卡住|停在|消息|动静|回复|回音|情况|下文"
        "|还在|正在|排队|有没有(?:人|下|走)|后来|成功|成了|下来了?|办了"
        "|走到",
    ),
    (
        "verdict",
        "审批|审核|审查|评审|复核|批准|批复|核准|批下|批过|批了|在审|审"
        "|批[没不]批|给批|没批|批|通过|同意|许可|放行|签字|签核|签了|点头"
        "|表态|拍板|确认|定下|决定|裁定|意见|投票|过了|过审|[能]?过没过"
        "|首肯|答应|准了|认可|绿灯|松口|说行",
    ),
    (
        "rejected",
        "驳回|驳|拒绝|拒了|被拒|拒|否决|否了|否掉|被否|退回|打回|退了|没通过|未通过"
        "|不通过|没过|不过关|不同意|没同意|不批|失败|不[让许肯准]|反对|毙了|毙|挡|卡下来"
        "|说不|不答应",
    ),
    ("cancelled", r"取消|撤回|撤销|撤了|作废|过期|失效|超时"),
    (
        "reason",
        "为什么|为何|为啥|为嘛|干嘛|原因|理由|怎么回事|怎么会|凭什么|缘由"
        "|依据|怎么没|怎么被|怎么不",
    ),
    ("who", r"谁|哪位|哪个人|什么人|何人|哪个领导|哪些人"),
    ("when", r"什么时候|何时|几时|哪天|哪一天|几号|多久|多长时间|几点|啥时候|什么日子"),
    (
        "missing",
        "还[缺差少]|缺[什少哪了]|差[什哪]|少[什哪了]|还要(?:什么|补|交|填"
        "|我)|还需要?|补充|补什么|没填|剩下|在等|等谁|等什么|等着|轮到|谁手[上里]|谁那",
    ),
)
_APART: Final[tuple[tuple[Aspect, str], ...]] = (
    (
        "status",
        r"how (?:did|is|are|was|were|does)\b.{1,60}\b(?:go|goes|end|going|coming|doing|stand)\b",
    ),
    ("status", r"how'?s\b.{1,60}\b(?:going|coming|doing)\b"),
    ("rejected", r"\bturn(?:ed)?\b.{1,40}\bdown\b"),
    ("missing", r"\bholding\b.{1,40}\bup\b"),
)
APART: Final[tuple[tuple[Aspect, re.Pattern[str]], ...]] = tuple(
    (aspect, re.compile(pattern)) for aspect, pattern in _APART
)
"""Ways to ask that have other words in between."""

ASPECTS: Final[tuple[tuple[Aspect, re.Pattern[str]], ...]] = tuple(
    (aspect, re.compile(rf"(?<![a-z])(?:{pattern})(?![a-z])")) for aspect, pattern in _EN
) + tuple((aspect, re.compile(pattern)) for aspect, pattern in _ZH)

DECIDED: Final[frozenset[Aspect]] = frozenset(("verdict", "rejected", "cancelled"))
"""What is asked of a decision; nobody else answers that."""

STRONG: Final[frozenset[Aspect]] = frozenset(
    ("status", "verdict", "rejected", "cancelled", "reason", "missing")
)
"""What by itself makes a question one about work; who and when may be asked of anything."""

GENERIC: Final[frozenset[str]] = frozenset(
    re.findall(
        r"[a-z]+",
        "request requests application applications submission submissions "
        "submit submitted file filed filing ask asks asked asking put send "
        "sent sending raise raised open opened make made making create "
        "created start started begin began apply applied enter entered "
        "give gave given say said tell told note noted record recorded "
        "write wrote written state stated choose chose chosen choosing "
        "pick picked select selected settle settled set decide decided "
        "determine determined agree agreed use used using name named call "
        "called take took taken go went going come came thing things one "
        "ones matter case cases ticket form paperwork item stuff work job "
        "task process first second third last latest newest recent "
        "recently previous earlier current other another same yesterday "
        "today tonight week weeks month months day days monday tuesday "
        "wednesday thursday friday saturday sunday morning afternoon "
        "evening ago before after already yet still just now ever finally "
        "so far back down up out off over what which who whom whose when "
        "where why how is are was were be been being am do does did has "
        "have had can could will would shall should may might must i me my "
        "mine myself we us our ours you your yours it its they them their "
        "he she him her his hers this that these those there here a an the "
        "of for at on in by to from with about as into and or but if then "
        "than not no nor any anybody anyone anything all both each every "
        "some somebody someone please pls kindly thanks thank hi hello hey "
        "ok okay well exactly actually right really know see show find out "
        "look check get got getting need needs want wanted like let much "
        "many long old far often s t re ve ll d m isn wasn hasn haven hadn "
        "didn doesn don won wouldn couldn aren weren person people who's "
        "that's what's one's currently moment time times answer answered "
        "reply replied respond responded response hear heard anyone's "
        "everybody everyone mean meant actual final details detail info "
        "information there's currently listed down regarding concerning "
        "concerned january february march april may june july august "
        "september october november december jan feb mar apr jun jul aug "
        "sept sep oct nov dec boss bosses manager managers supervisor "
        "superior superiors higher ups "
        "chief head lead leader team department finance hr office guy guys "
        "folks respect attach attached include included upload uploaded "
        "provide provided enclose enclosed pay paid spend spent cost costs "
        "buy bought entered behind against between during until till since "
        "everything something nothing somewhere whether maybe perhaps kind sort type "
        "originally initially exactly remember forgot forget wonder wondering",
    )
)
"""Words of any question about work, which point nowhere by themselves."""

GENERIC_ZH: Final[re.Pattern[str]] = re.compile(
    "请问|打扰了|一直|开始|大家|挂着|挂|麻烦|帮忙|帮我|一下|现在|目前|当前|最近|最新|今天|昨天|前天"
    "|上周|本周|这周|上个月|刚才|刚刚|早上|上午|下午|之前|以前|以后"
    "|之后|那个|这个|那份|这份|那笔|这笔|那张|这张|那条|这条|那件|这件"
    "|那次|这次|上次|上一[个份笔次条件]|前一[个份笔次]"
    "|第[一二三][个份笔次]|申请单|申请|请求|单子|单据|流程|事情|事项"
    "|案子|案件|项目|提交|提出|提的|提|发起|发出|发的|交上去|递交|上去"
    "|交的|填的|填写|填|报上去|写的|写|记录|登记|录入|记的|选择|选定"
    "|选的|选|确定|定的|定|采用|用的|叫什么|名字|名称|名|是什么|是啥"
    "|什么|哪个|哪些|哪种|哪一[个种项份]|是不是|有没有|有无|是否|能不能"
    "|可不可以|到底|究竟|具体|详细|具体|已经|已|还没|还有|没有|还|没|不"
    "|未|都|也|就|才|又|再|吗|呢|么|嘛|吧|啊|呀|哦|嗯|我们|咱们|你们"
    "|他们|我|咱|您|你|他|她|它|是|有|在|了|的|地|得|着|过|被|把|将|给"
    "|对|跟|和|与|及|从|到|由|于|为|以|向|让|叫|会|能|可以|可|要|想"
    "|知道|了解|看看|看|查查|查|问问|问|说|讲|告诉|关于|有关|里面|里|上"
    "|下|中|个|份|笔|张|条|件|次|项|些|点|单|一|这|那|其|该|本|此"
    "|多少钱|多少|几个|几天|几|钱|时间|日期|人|事|案|请|办|做|出|来|去"
    "|用到|用|拿|弄|搞|搁|一共|总共|里头|里边|那边|这边|哪边|哪儿|够|最"
    "|好|完|成|啥|哪|怎么|怎样|吧|嘞|呗|现|谢谢|您好|你好|领导|老板"
    "|经理|主管|上级|上司|头儿|组长|上头|部门|同事|[0-9]{1,2}月"
    "|[一二三四五六七八九十]月|大概|大约|当时|后来|最后|最终|起来"
)

MONEY: Final[re.Pattern[str]] = re.compile(r"how much|多少钱|金额|花了多少|多少")
DAYS: Final[re.Pattern[str]] = re.compile(
    "(?<![a-z])(?:when|what days?|which days?|what dates?|which dates?"
    "|from when|until when)(?![a-z])|哪天|哪几天|几号|什么时候|日期"
    "|哪一天"
)
NUMBERS: Final[re.Pattern[str]] = re.compile(r"how many|几[个天份人次件名]|多少")
BOTH: Final[re.Pattern[str]] = re.compile(
    r"(?<![a-z])(?:approv|agree|accept|grant|yes|ok)[a-z]*.{1,30}(?<![a-z])(?:and|or|but|what)(?![a-z])"
    r".{0,30}(?:reject|refus|declin|turn|no(?![a-z])|den[iy]|not(?![a-z]))"
    r"|(?:同意|批准|通过|答应|点头).{1,8}(?:又|还是|以及|和|,|、|哪).{0,8}(?:没|不|拒|驳|否)"
)
"""Both what was approved and what was not is asked for."""
WHAT: Final[re.Pattern[str]] = re.compile(
    "(?<![a-z])(?:what|which|how (?:much|many|long)|where|details?)(?![a-z])|什么|啥|哪|多少|几"
)
"""Not how it stands alone is asked for."""
ALL: Final[re.Pattern[str]] = re.compile(
    "(?<![a-z])(?:details?|what did (?:i|we) (?:ask|submit|request"
    "|enter|write|file|put|apply)|what (?:is|was) in"
    "|contents?)(?![a-z])|内容|详情|明细|填了什么|提了什么|写了什么"
    "|申请了什么"
)
WHEN_ZH: Final[frozenset[str]] = frozenset(
    ("今天", "昨天", "前天", "明天", "后天", "现在", "目前", "当前", "最近", "最新")
)
"""Names that are one of these say nothing of what is asked for."""
PAST: Final[re.Pattern[str]] = re.compile(
    r"(?<![a-z])(?:did|have|had) (?:i|we)(?![a-z])|(?<![a-z])(?:i|we) (?:had|have)(?![a-z])"
    r"|[我咱].{0,12}(?:了|过|的是|填的|报的|提的|写的|选的)"
)
"""What the person themselves did, which no document tells."""
SLURRED: Final[re.Pattern[str]] = re.compile(r"(?<![a-z])(who|what|where|when|how|why)s(?![a-z])")
"""A short form that is written without its apostrophe."""
ASKED: Final[re.Pattern[str]] = re.compile(
    "(?<![a-z])(?:what|which|where|who|whom|whose|how)(?![a-z])"
)
ASKING: Final[frozenset[str]] = frozenset(
    ("what", "which", "where", "who", "whom", "whose", "how", "when", "why")
)
THE: Final[re.Pattern[str]] = re.compile(
    r"(?<![a-z])(?:the|he|she|they|him|her|his|their|its|there|here|again|yet|now|so far)(?![a-z])"
    r"|(?<![a-z])(?:did|was|were|had|has|have|been)(?![a-z])"
    r"|[他她]|[了过]\W*$|现在|目前|当时|还没|已经"
)
"""What speaks of something certain, or of what was; a question of what anybody knows does not."""
GENERAL: Final[re.Pattern[str]] = re.compile(
    "^\\W*(?:what|who|where) (?:is|are|was|were|does|do)"
    "(?: an?(?![a-z])| \\w+\\W*$|.*(?<![a-z])mean)"
    "|^\\W*how (?:do|does|to|can|could|should)(?![a-z])"
    "|^\\W*(?:why|is|are|can|could|should|may|do|does)(?![a-z])"
    "|什么是|什么意思|的定义|怎么(?:做|写|算|用|煮)|如何"
)
"""How people ask for what anybody knows."""
OF_ANY: Final[re.Pattern[str]] = re.compile(
    "(?<![a-z])(?:difference between|in general|generally|usually|normally|typically|as a rule"
    "|across all)(?![a-z])"
    "|(?<![a-z])(?:what|how) (?:does|do) .{1,40}(?<![a-z])mean(?![a-z])"
    "|(?<![a-z])how (?:do|does|can|could|should|would) (?:i|you|we|one|people) "
    "(?!know|stand|get)[a-z]"
    "|(?<![a-z])(?:above|over|more than|below|under|at least|up to) (?=[0-9])"
    "|(?<![a-z])how many .{1,60}(?<![a-z])(?:(?:this|last) (?:year|quarter|month)|altogether"
    "|in all|in total)(?![a-z])"
    "|(?<![a-z])(?:does|do|must|should) (?:every|each|all)(?![a-z])"
    "|(?<![a-z])(?:may|can) (?:we|one|i) ever(?![a-z])"
    "|(?<![a-z])(?:can|do|are|could|will) you (?!tell|remind|say|show|give|know|remember|look|see"
    "|check|sum|list|find|repeat|have|please)"
    "|区别|什么意思|[英法中德日]文.{0,2}怎么"
    "|(?:怎么|如何|怎样)(?:写|做|用|操作|上传|下载|分辨|区分|撤回|取消|申请|修改|填|交)"
    "|(?<!不)一般(?!的)|通常|原则上|按规定|模板|[上下]限"
    "|[0-9一二两三四五六七八九十百千万](?:欧元?|元|块|美元)?以上"
    "|超过[0-9一二两三四五六七八九十百千万]"
    "|(?:[今去]年|季度|本月|上个?月|这个月).{0,6}共"
    "|^\\W*你(?:[能会是]|可以(?!告诉|说|提醒|帮))"
)
"""How people ask for a rule, a way, a meaning, a number over all, or what the bot can do."""
MAY_BE_DONE: Final[re.Pattern[str]] = re.compile(
    r"(?<![a-z])(?:can|could|may|is it possible|would it be possible)(?![a-z])|能|可以|可否|行不行"
)
"""Asks whether something may be done."""
ANYBODY_MAY: Final[re.Pattern[str]] = re.compile(
    r"^\W*(?:may|can|could|must|should)"
    r" (?:an?|any|people|[a-z]+s|children|everybody|anybody|one)(?![a-z'’])"
    r"(?<! this)(?<! its)(?<! his)(?! of the)"
    r"|^\W*(?:is|are)"
    r" (?!(?:the|it|this|that|these|those|there|he|she|they|my|our|his|her|its|their) )"
    r"[a-z][a-z '-]{0,60}(?:allowed|permitted|forbidden|prohibited|banned)(?![a-z])"
    r"|^(?!.*(?:[我咱你您他她它这那哪谁0-9a-z,，批审了]|通过))"
    r".{0,30}(?:能|可以|可否|允许|准许?).{0,30}$"
)
"""What anybody may do is asked for, of nobody and nothing in particular."""
TO_CALL: Final[re.Pattern[str]] = re.compile(
    r"(?<![a-z])(?:(?:what|which)(?:'s| is)?(?: the)?(?: [a-z]+){0,2} (?:phone )?number"
    r"|whom? (?:do|does|should|can|must|shall|to) (?:(?:i|we|one|you) )?(?:call|ring|phone|dial))"
    r"(?![a-z])|[打拨][什哪多]?[么个少]?.{0,4}(?:电话|号码?)|电话(?:号码?)?是?(?:多少|什么)"
)
"""The number to call is asked for."""
WE_DO: Final[re.Pattern[str]] = re.compile(
    r"^\W*how (?:long|often|many|much) (?:do|does|may|can|must|should) (?:we|people|one|staff|an?)"
    r" (?:[a-z]+ ){1,3}[a-z]+s\W*$"
)
"""What is done with things of a kind is asked for."""
ASKS: Final[re.Pattern[str]] = re.compile(
    r"(?<![a-z])(?:who|whom|whose|what|which|when|where|why|how|whether|any(?:body|one|thing)?"
    r"|remind (?:me|us)|(?:tell|give) (?:me|us)|status|(?:i|we)(?:'d)? need(?! to)"
    r"|sum (?:it )?up|summari[sz]e)(?![a-z])"
    r"|(?<![a-z])(?:forgot|forgotten|can'?t remember|do(?:n'?t| not) remember|compare"
    r"|need to know|wonder(?:ing)?|(?:right|correct|true|ok|okay|yes or no|then|yet)\W*$)(?![a-z])"
    r"|多[亮高长宽重远快深厚粗大小早晚久贵少]|[啥哪谁几咋]|怎|[么吗呢嘛]\W*$|有没有|是不是|[没不]\W*$"
    r"|(?:对吧|是吧|好吧|来着|来了|行不行|信儿|说法|结果|进展|进度)\W*$"
    r"|提醒我|告诉我|概括|总结|汇总|[报说列讲理捋盘数]一[下遍捋理盘]|给我[报说列讲理]|梳理|要用|忘了|想不起|记不[清起得]"
)
"""Words that ask, wherever they stand: a question need not begin with one, nor end with a mark."""
WIDE: Final[re.Pattern[str]] = re.compile(
    "(?<![a-z])(?:summary|overview|sum (?:it )?up|summari[sz]e|big picture|in a nutshell|recap"
    "|(?:still|all) open|all (?:of )?(?:this|that|it|them)|everything"
    "|overall|altogether|anything else|what else)(?![a-z])"
    "|整体|总体|还有(?:什么|啥|哪些)|概括|总结|汇总|概况|一览|简单(?:说|讲|介绍)|分别|各(?:是|自)|哪些事|没落实|都有(?:什么|哪些|啥)"
)
"""Asks for all of it, or for several things."""
ASKING_WORD: Final[re.Pattern[str]] = re.compile(
    "(?<![a-z])(?:what|which|where|who|whom|whose|how|when|why)(?![a-z])|[谁哪啥]|什么|多少"
)
"""One thing that is asked for."""
PROPER: Final[re.Pattern[str]] = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+(?:[ -][A-Z][a-z]+)*")
"""Names as English writes them, of a text that is not folded."""
DID: Final[re.Pattern[str]] = re.compile(r"(?<![a-z])what (?:exactly )?did (?:i|we)(?![a-z])")
"""All that the person entered is asked for."""
QUALIFIES: Final[re.Pattern[str]] = re.compile(
    "(?<![a-z])(?:than|first|second|third|last|latest|newest|previous|earlier|before|after|until"
    "|till|since|during|between|against|other|others|another|same|both|each|every|all|any|none"
    "|more|most|less|least|fewer|only|except|without|ever|never|if|or|but|how many|how often"
    "|longer|longest|faster|fastest|yesterday|tonight|week|weeks|months?|years?|days?|ago"
    "|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|[a-z]+day|[a-z]+ber|january|february|march"
    "|april|june|july|august)(?![a-z])"
    "|比|第[一二三]|[上前]一?[次个份笔]|[上本这]周|上个?月|昨天|前天|之[前后]|以[前后]|[每各另]"
    "|都|几[个次份笔件]|[最更][早晚近快慢多少长短先后]|先|只|除了|如果|要是|还是|或|不是.{1,12}而是"
)
"""Words that narrow, compare, count or choose, which a question may have and no rule weighs."""
OWN: Final[re.Pattern[str]] = re.compile(
    r"(?<![a-z])(?:my|mine|our|ours|i|we|me|us)(?![a-z])|我|咱"
)
FILE_WORDS: Final = ("files", "文件")
"""What the files of a case are called."""
PRONOUNS: Final[re.Pattern[str]] = re.compile(
    r"(?<![a-z])(?:it|this|that|them|these|those)(?![a-z])|它|这|那|其"
)
POINTS: Final[re.Pattern[str]] = re.compile(r"(?<![a-z])(?:this|that|these|those)(?![a-z])|[这那]")
"""Points at something that was spoken of before."""
