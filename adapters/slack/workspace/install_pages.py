"""The pages that somebody sees who installs the app: a sentence, and where to go on."""

from dataclasses import dataclass
from html import escape

from aiohttp import hdrs, web

from cards.model import Lang
from cards.texts import lang_of_tag, say

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    # The address has the code and the state in it.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_PAGE = """<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8"><title>Signoff</title>
<meta name="viewport" content="width=device-width">
<style>body {{ font: 1.1rem/1.5 sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem }}
</style></head><body><h1>Signoff</h1><p>{text}</p>{link}</body></html>
"""


@dataclass(frozen=True, slots=True)
class Link:
    """Where a page leads on to, and the key of what that is called."""

    to: str
    label: str = "slack.install_again"


def page(
    request: web.Request, key: str, link: Link | None = None, *, name: str = "", status: int = 200
) -> web.Response:
    """The sentence of that key, in the browser's language, and a link."""
    lang = _lang(request)
    shown = ""
    if link:
        shown = f'<p><a href="{escape(link.to)}">{escape(say(link.label, lang))}</a></p>'
    text = escape(say(key, lang, name=name))
    body = _PAGE.format(lang=lang, text=text, link=shown)
    return web.Response(text=body, content_type="text/html", status=status, headers=_HEADERS)


def _lang(request: web.Request) -> Lang:
    return lang_of_tag(request.headers.get(hdrs.ACCEPT_LANGUAGE, ""))
