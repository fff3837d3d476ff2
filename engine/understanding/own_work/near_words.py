"""Everyday words that people use for each other, by what they mean; zh and en, of any domain."""

import re
from functools import lru_cache
from typing import Final

from engine.text.entities import fold
from engine.text.search_words import stem

_MEANINGS: Final[tuple[tuple[str, str], ...]] = (
    (
        "pay paid cost fee price charge bill sum amount money spend spent worth expense"
        " invoice rate",
        "费 付 价 款 金额 花 钱 账单",
    ),
    (
        "begin begins began begun start first open opening launch commence kick onwards",
        "开始 开工 起 首日 第一天 启动",
    ),
    (
        "end ends finish finished last until till close over conclude completion expire",
        "结束 完工 止 截止 到期 最后",
    ),
    (
        "carry transport ship shipping shipper shipment haul haulier move mover deliver delivery"
        " drive driver driving truck lorry van freight carrier courier bring drop cart",
        "运 物流 送 承运 拉 搬 货车 卡车 快递 司机 车队",
    ),
    ("collect collection pick pickup fetch take retrieve", "取 提货 接走 拉走 来拿"),
    ("buy purchase order procure acquire bought", "买 购 订 采购"),
    ("rent hire lease lend loan borrow borrower rental lender", "租 借 出借"),
    (
        "repair fix mend replace restore renew overhaul maintain maintenance swap change",
        "修 换 翻新 保养",
    ),
    (
        "break broke broken fail failed damage damaged defect fault crash bust stop"
        " malfunction wrong problem",
        "坏 损 故障 停机 缺陷 瑕疵 毛病 问题",
    ),
    (
        "tell told inform informed notify notified notice warn hear heard learn know",
        "通知 告知 告诉 得知 知会",
    ),
    (
        "food cook cooking meal kitchen eat catering cater caterer serve serving feed"
        " lunch dinner snack",
        "吃 饭 餐 厨 伙食 菜",
    ),
    ("light bright brightness lit lamp illuminate dim", "亮 光 照 灯"),
    (
        "insure insured insurance cover covered value valued worth appraise",
        "保险 投保 保额 估值 价值 保价 保",
    ),
    (
        "opponent opposing counterparty against versus rival other",
        "对方 对手 另一方",
    ),
    ("expert specialist assessor examiner appraiser", "专家 鉴定 行家"),
    ("jury juror judge judging panel rater referee score mark", "评委 评审 裁判 评判 打分 评分"),
    ("accompany escort travel along chaperone courier companion", "随 陪 押 护送 同行 跟车"),
    ("paint painted colour color coat", "漆 涂"),
    ("author artist creator maker writer made", "作者 作家 创作"),
    (
        "place where location venue site address spot",
        "地点 哪里 哪儿 地址 场地 地方 在哪 放哪 存放",
    ),
    ("keep kept store stored storage stay", "存 放 保管 停放"),
    (
        "terms conditions offer proposal propose deal agreement compromise",
        "条件 方案 条款 协议",
    ),
    ("reason cause ground because basis", "原因 理由 缘由 由"),
    ("account funds source pocket fund", "账户 账 户头"),
    ("people guest visitor attend crowd capacity allowed", "人 人数 容纳"),
    ("allow allowed permit permitted permission may leave clearance", "许 准 让 可以"),
    ("supplier vendor firm company provider contractor business", "公司 供应商 厂 商家 单位 家"),
    ("owner owns own belong landlord", "业主 主人 所有"),
    ("name called title", "名 叫 称"),
    ("topic subject about theme", "主题 关于 题目"),
    ("size big large dimension area", "大小 面积 尺寸"),
    ("long length duration", "长 时长 期限 多久"),
    ("deadline due limit", "截止 期限 最晚"),
    ("max maximum most limit cap upper", "最多 上限 最高 不超过"),
    ("min minimum least lower", "最少 下限 最低 至少"),
    ("date day when", "日期 日子 哪天 几号"),
    ("time hour oclock clock", "时间 几点 时刻"),
    ("number count quantity many", "数量 几 多少 数"),
    ("choose chosen choice choosing pick picked select option prefer candidate", "选 挑 候选 备选"),
    ("phone telephone call mobile contact reach email mail", "电话 手机 联系 邮箱 邮件"),
    ("old age dates year since", "年 年份 旧"),
    ("back reverse rear behind", "背 反面 后"),
    ("pack packed packing wrap wrapped wrapping box crate", "包装 打包 装箱"),
    ("show shown display exhibit exhibited exhibition hang", "展 陈列 展览 展出"),
    ("meet meeting gathering assembly event", "会 会议 活动 聚"),
    ("hot warm heat heated temperature cold cool degree", "温 热 冷 度"),
    ("heavy weight weigh load kilo", "重 载"),
    ("loss lose lost spoil spoiled ruin ruined waste wasted", "损失 丢 报废"),
    ("door gate entrance exit", "门 出口 入口"),
)
"""Words of one meaning, English by their stems and Chinese as they stand in a text."""


def _stems(english: str) -> frozenset[str]:
    return frozenset(stem(word) for word in english.split())


_ENGLISH: Final = tuple(_stems(english) for english, _ in _MEANINGS)
_CHINESE: Final = tuple(tuple(chinese.split()) for _, chinese in _MEANINGS)
_LATIN: Final = re.compile(r"[a-z]+")


@lru_cache(maxsize=2048)
def meanings(text: str) -> frozenset[int]:
    """The numbers of the meanings that a text has words of."""
    said = fold(text)
    stems = {stem(word) for word in _LATIN.findall(said)}
    found = {n for n, words in enumerate(_ENGLISH) if words & stems}
    found |= {n for n, parts in enumerate(_CHINESE) if any(part in said for part in parts)}
    return frozenset(found)


def words_of_meanings(numbers: frozenset[int]) -> frozenset[str]:
    """The stems of English words of these meanings."""
    return frozenset(word for n in numbers for word in _ENGLISH[n])
