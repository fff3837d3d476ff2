"""Greetings, thanks, and who the bot is, as an almost exact list."""

import re

from engine.text.entities import fold

_PHRASES = (
    *(
        "你好",
        "您好",
        "大家好",
        "嗨",
        "哈喽",
        "早上好",
        "早",
        "上午好",
        "中午好",
        "下午好",
        "晚上好",
        "在吗",
    ),
    *("谢谢", "谢谢你", "谢谢您", "多谢", "感谢", "非常感谢", "太感谢了", "辛苦了", "辛苦", "谢了"),
    *(
        "好的",
        "好",
        "收到",
        "明白",
        "明白了",
        "知道了",
        "不客气",
        "再见",
        "拜拜",
        "晚安",
        "太好了",
        "厉害",
    ),
    *(
        "就看你",
        "看你的",
        "交给你",
        "靠你",
        "拜托",
        "拜托你",
        "感恩",
        "不用回复",
        "无需回复",
    ),
    *("no need to reply", "no need to answer", "no reply needed", "ta", "ta very much"),
    *("morning", "evening", "gm", "hiya", "yo", "mornin"),
    *("hi", "hello", "hey", "hello there", "hi there", "good morning", "good afternoon"),
    *("good evening", "thanks", "thank you", "thank you very much", "thank you so much", "many"),
    *("thanks a lot", "thanks so much", "thx", "ty", "cheers", "much appreciated", "ok", "okay"),
    *("great", "perfect", "nice", "cool", "got it", "bye", "goodbye", "see you", "good night"),
    *("well done", "good job", "for your help"),
)
_PHRASE = "|".join(re.escape(p) for p in sorted(_PHRASES, key=len, reverse=True))
_NEXT = re.compile(rf"(?:{_PHRASE})(?![a-z])[\s,.!。、~?…啊呀啦哦呢了啰喽咯]*")
_PICTURES = re.compile(r"[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\u200d]")


_THANKS = re.compile(r"谢|感激|感恩|辛苦|\b(?:thank|thanks|thx|ty|ta|cheers|appreciated)\b")
_WHO = re.compile(
    r"(?:请问|嗨|hi|hello|hey|so)?[\s,!]*(?:what (?:can|do) you do|who are you|what are you"
    r"|what can i (?:ask|do)|how can you help|how do you work|what is this"
    r"|who am i (?:talking|speaking) (?:to|with)|are you (?:a )?(?:bot|robot|human|real|an ai)"
    r"|你是(?:什么|哪个|个)?(?:机器人|人工智能|ai|bot|助手|真人|人)吗?|你叫什么(?:名字)?|你是哪位|你是谁|你是什么|你能做什么|你会(?:做)?什么|你可以做什么|你能干什么|你有什么(?:用|功能)|有什么功能"
    r"|怎么用|如何使用|能做什么)[\s?!.。呀啊呢]*(?:for me[?!. ]*)?"
)


def is_smalltalk(text: str) -> bool:
    """The text is a greeting, thanks, or asks who the bot is, and nothing else."""
    plain = _PICTURES.sub("", fold(text)).strip()
    return _is_only_phrases(plain) or asks_who(text)


def _is_only_phrases(plain: str) -> bool:
    """It is made of the phrases; at each place the longest counts, so that none is tried twice."""
    at = 0
    while phrase := _NEXT.match(plain, at):
        at = phrase.end()
    return 0 < at == len(plain)


def is_thanks(text: str) -> bool:
    """A text of small talk says thanks."""
    return bool(_THANKS.search(fold(text)))


def asks_who(text: str) -> bool:
    """The text asks who the bot is or what it can do."""
    return bool(_WHO.fullmatch(fold(text).strip()))
