"""Text of tools, files and people in a prompt: marked as data, and unable to end its mark."""

import re

_UNSEEN = r"[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\\+[nrt]"
_LESS = r"[<＜﹤]|&lt;?|&#0*60;?|&#x0*3c;?|(?<!\\)\\+u003c"
_SLASH = r"[/／]|&sol;|&#0*47;?|&#x0*2f;?|\\+u002f"
_ENDS = re.compile(rf"(?:{_LESS})(?:{_UNSEEN})*(?:{_SLASH})", re.IGNORECASE)


def fence_data(text: str) -> str:
    """The text as data; it cannot close its own fence, nor seem to, however it spells that."""
    # `<\/` is what JSON allows for `</`, so that a quoted result stays JSON.
    return "<data>" + _ENDS.sub(r"<\\/", text) + "</data>"
