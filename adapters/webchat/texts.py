"""What people read in the web chat alone, and what they call it, by language."""

from typing import Final

from cards.model import Lang

_ZH: Final[dict[str, str]] = {
    "web.own_place": "网页聊天中的一个私人对话",
    "place.web": "网页聊天室 {name}",
}
_EN: Final[dict[str, str]] = {
    "web.own_place": "a private conversation in the web chat",
    "place.web": "the web chat's room {name}",
}

TEXTS: Final[dict[Lang, dict[str, str]]] = {"zh": _ZH, "en": _EN}
