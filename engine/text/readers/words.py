"""The words that values are written with, Chinese and English, folded."""


def words_of(words: str) -> frozenset[str]:
    """The words of a line."""
    return frozenset(words.split())


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul",
            "august aug", "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
WEEKDAYS = {
    name: number
    for number, name in enumerate(
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    )
}
SHORT_WEEKDAYS = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5,
    "sun": 6,
}  # fmt: skip
HAN_WEEKDAYS = {
    week + day: min(number, 6)
    for week in ("周", "星期", "礼拜")
    for number, day in enumerate("一二三四五六日天")
}
DAYS = {
    "today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1,
    "今天": 0, "今日": 0, "今晚": 0, "今早": 0, "今晨": 0, "明天": 1, "明日": 1, "明晚": 1,
    "明早": 1, "后天": 2, "大后天": 3, "昨天": -1, "昨日": -1, "昨晚": -1, "前天": -2, "大前天": -3,
}  # fmt: skip
WEEKS = {
    "上上": -2, "上上个": -2, "上": -1, "上个": -1, "这": 0, "这个": 0, "本": 0, "下": 1, "下个": 1,
    "下下": 2, "下下个": 2,
}  # fmt: skip
YEARS = {"今年": 0, "明年": 1, "后年": 2, "去年": -1, "前年": -2}
AFTER = frozenset({"后", "之后", "以后"})
BEFORE = frozenset({"前", "之前", "以前"})

# The first and the last hour that is meant by an hour of 1 to 12.
PARTS = {
    "凌晨": (0, 6), "清晨": (4, 9), "早晨": (4, 11), "早上": (4, 11), "今早": (4, 11),
    "明早": (4, 11), "今晨": (0, 11), "上午": (6, 12), "中午": (11, 14), "下午": (12, 18),
    "傍晚": (16, 20), "晚上": (17, 24), "夜里": (19, 30), "半夜": (23, 30),
    "今晚": (17, 24), "明晚": (17, 24),
    "昨晚": (17, 24), "morning": (0, 12), "afternoon": (12, 18), "evening": (16, 24),
    "night": (18, 28), "tonight": (17, 24), "am": (0, 11), "a.m": (0, 11), "pm": (12, 23),
    "p.m": (12, 23),
}  # fmt: skip
HALVES_OF_DAY = frozenset({"am", "a.m", "pm", "p.m"})

# Unit of time: the letter of ISO 8601, and how many of it.
TIME_UNITS = {
    "秒": ("S", 1), "秒钟": ("S", 1), "分钟": ("M", 1), "小时": ("H", 1), "个小时": ("H", 1),
    "钟头": ("H", 1), "个钟头": ("H", 1), "天": ("d", 1), "个工作日": ("d", 1), "周": ("w", 1),
    "星期": ("w", 1), "个星期": ("w", 1), "礼拜": ("w", 1), "个礼拜": ("w", 1), "个月": ("m", 1),
    "年": ("y", 1), "季度": ("m", 3), "个季度": ("m", 3),
    "second": ("S", 1), "seconds": ("S", 1), "sec": ("S", 1), "secs": ("S", 1),
    "minute": ("M", 1), "minutes": ("M", 1), "min": ("M", 1), "mins": ("M", 1),
    "hour": ("H", 1), "hours": ("H", 1), "hr": ("H", 1), "hrs": ("H", 1), "h": ("H", 1),
    "day": ("d", 1), "days": ("d", 1), "d": ("d", 1), "week": ("w", 1), "weeks": ("w", 1),
    "wk": ("w", 1), "wks": ("w", 1), "month": ("m", 1), "months": ("m", 1), "year": ("y", 1),
    "years": ("y", 1), "yr": ("y", 1), "yrs": ("y", 1), "fortnight": ("w", 2),
    "fortnights": ("w", 2),
}  # fmt: skip
LONG_UNITS = frozenset("dwmy")
"""Units of days and more: these count days from today."""

SIGNS = {
    "$": ("USD",), "us$": ("USD",), "a$": ("AUD",), "au$": ("AUD",), "c$": ("CAD",),
    "ca$": ("CAD",), "hk$": ("HKD",), "nt$": ("TWD",), "s$": ("SGD",), "nz$": ("NZD",),
    "€": ("EUR",), "£": ("GBP",), "¥": ("CNY", "JPY"), "₩": ("KRW",), "₹": ("INR",),
    "₽": ("RUB",), "฿": ("THB",), "cn¥": ("CNY",), "jp¥": ("JPY",),
}  # fmt: skip
CODES = words_of(
    "usd eur gbp cny jpy krw inr chf cad aud nzd hkd twd sgd sek nok dkk pln czk huf rub thb "
    "brl mxn zar ils aed"
)
"""Codes of currencies that are understood in small letters; others, being words, in capitals."""

CURRENCIES = {
    "dollar": "USD", "dollars": "USD", "bucks": "USD", "us dollar": "USD", "us dollars": "USD",
    "canadian dollars": "CAD", "australian dollars": "AUD", "hong kong dollars": "HKD",
    "singapore dollars": "SGD", "euro": "EUR", "euros": "EUR", "pound": "GBP", "pounds": "GBP",
    "quid": "GBP", "pounds sterling": "GBP", "british pounds": "GBP", "yuan": "CNY", "rmb": "CNY",
    "renminbi": "CNY", "kuai": "CNY", "yen": "JPY", "japanese yen": "JPY", "won": "KRW",
    "rupee": "INR", "rupees": "INR", "swiss francs": "CHF", "francs": "CHF", "roubles": "RUB",
    "rubles": "RUB", "baht": "THB", "zloty": "PLN", "pesos": "MXN",
    "元": "CNY", "圆": "CNY", "块": "CNY", "块钱": "CNY", "元人民币": "CNY", "元整": "CNY",
    "圆整": "CNY", "元钱": "CNY", "人民币": "CNY", "美元": "USD", "美金": "USD", "美刀": "USD",
    "欧元": "EUR", "英镑": "GBP", "镑": "GBP", "日元": "JPY", "日圆": "JPY", "港币": "HKD",
    "港元": "HKD", "台币": "TWD", "新台币": "TWD", "韩元": "KRW", "韩币": "KRW", "澳元": "AUD",
    "澳币": "AUD", "加元": "CAD", "加币": "CAD", "新加坡元": "SGD", "新币": "SGD",
    "瑞士法郎": "CHF", "瑞郎": "CHF", "卢布": "RUB", "泰铢": "THB", "卢比": "INR",
}  # fmt: skip
MULTIPLES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "k": 1000, "mn": 10**6,
    "bn": 10**9,
}  # fmt: skip
HAN_DIGITS = "零〇一二两三四五六七八九壹贰叁肆伍陆柒捌玖"
HAN_MULTIPLES = "十百千万亿拾佰仟"
ROUGHLY = frozenset("多几来余数")

NUMBER_WORDS = words_of(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "hundred thousand million billion"
)
# Words with numerals in them that are no numbers.
FALSE_FRIENDS = words_of(
    "一下 一下子 一起 一般 一定 一样 一直 一些 一旦 一会 一会儿 一切 一边 一旁 一面 一方 "
    "一律 一致 一路 一共 一向 一再 一时 一心 一概 一经 一手 一举 一带 一流 一一 一同 一并 "
    "一贯 一度 一番 一线 一块儿 一天到晚 一年到头 一年四季 一点儿 一点点 有一点 一等 第一 "
    "一年级 万一 万分 万万 万能 万事 万科 千万别 千万不 千万要 千万记 千瓦 百般 百姓 百货 "
    "统一 唯一 单一 同一 专一 均一 之一 其一 逐一 三思 四处 四周 四面 四季 五官 七夕 八成 "
    "九成 十足 十全 十一假期 十一长假 二手 二维 三维 三角 三明治 多半 大半 过半 零售 零食 "
    "零件 零钱 零散"
)
MONTHS_AWAY = {"上个月": -1, "上月": -1, "这个月": 0, "本月": 0, "下个月": 1, "下月": 1}
MONTH_ENDS = {"月底": 0, "月末": 0} | {
    month + end: away for month, away in MONTHS_AWAY.items() for end in ("底", "末")
}
YEAR_ENDS = {"年底": 0, "年末": 0} | {year + "底": away for year, away in YEARS.items()}
HAN_WORDS = (
    frozenset().union(HAN_WEEKDAYS, DAYS, WEEKS, YEARS, AFTER, BEFORE, PARTS, TIME_UNITS)
    | frozenset().union(MONTHS_AWAY, MONTH_ENDS, YEAR_ENDS)
    | frozenset(CURRENCIES)
    | FALSE_FRIENDS
    | words_of("百分之 零下 分之 十分 一点 一半 一块 一刻钟 刻钟 点钟 点整 个半 正午 午夜")
    | words_of("点 半 打 月 日 号 到 至 从 分 刻 钟 整 毛 角 差 第 个 负")
)
LONGEST_HAN_WORD = max(map(len, HAN_WORDS))

OPENERS = (
    frozenset().union(HAN_WEEKDAYS, DAYS, WEEKS, YEARS, PARTS, WEEKDAYS, SHORT_WEEKDAYS, MONTHS)
    | frozenset(SIGNS)
    | CODES
    | frozenset().union(MONTHS_AWAY, MONTH_ENDS, YEAR_ENDS)
    | words_of("rmb next last this coming the day end in a an at from between half quarter minus")
    | words_of("noon midday midnight 人民币 从 半 差 百分之 零下 负 一半 正午 午夜")
)
"""Words with which a value may begin; others begin none, unless they are codes of currencies."""
