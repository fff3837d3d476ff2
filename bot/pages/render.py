"""Renders views as pages: templates, translations, and texts that cannot break out of them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode
from zoneinfo import ZoneInfo

from aiohttp import web
from markupsafe import Markup

from bot.pages.session import Visitor
from bot.pages.views.labels import TABLES
from bot.wiring.web import to_html
from cards.model import Lang
from cards.texts import lang_of_tag, languages, say
from engine.playbooks.drawing.svg import STYLE

if TYPE_CHECKING:
    from jinja2 import Environment

LANG_COOKIE = "signoff_lang"
LIVE = "X-Signoff-Live"
_YEAR_S = 365 * 24 * 3600
_HERE = Path(__file__).parent
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
# Invisible and bidirectional characters, which make a text look like another one.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for a page, with its language and visitor."""

    request: web.Request
    lang: Lang
    visitor: Visitor | None = None


class Renderer:
    """Renders templates; every text in them is escaped, and hidden characters are shown."""

    def __init__(self, zone: str) -> None:
        self._zone = ZoneInfo(zone)

    @cached_property
    def _pages(self) -> "Environment":
        return _open_templates()

    def page(
        self, page_request: PageRequest, template: str, *, status: int = 200, **view: Any
    ) -> web.Response:
        """The page; 304 when the browser has it. A newly chosen language is kept in a cookie."""
        request = page_request.request
        text = self._pages.get_template(template).render(
            lang=page_request.lang,
            t=_translator(page_request.lang),
            t_in=_translator,
            word=_labels(page_request.lang),
            visitor=page_request.visitor,
            path=request.path,
            languages=_languages(request),
            when=self._when,
            markdown=_markdown,
            url=_url,
            **view,
        )
        tag = f'"{sha256(text.encode()).hexdigest()[:24]}"'
        if status == 200 and request.headers.get("If-None-Match") == tag:
            return web.Response(status=304, headers={"ETag": tag})
        response = web.Response(text=text, content_type="text/html", status=status)
        response.headers["ETag"] = tag
        if request.query.get("lang") in languages():
            response.set_cookie(
                LANG_COOKIE,
                page_request.lang,
                max_age=_YEAR_S,
                path="/",
                samesite="Strict",
                httponly=True,
            )
        return response

    def _when(self, moment: datetime) -> str:
        """A moment in the service's time zone, to the second."""
        return moment.astimezone(self._zone).strftime("%Y-%m-%d %H:%M:%S")


def choose_language(request: web.Request) -> Lang:
    """The language chosen in the address, else in the cookie, else that of the browser."""
    chosen = (request.query.get("lang"), request.cookies.get(LANG_COOKIE))
    known = next((lang for lang in chosen if lang in languages()), None)
    return known or lang_of_tag(request.headers.get("Accept-Language", ""))


def static_file(name: str) -> web.Response:
    """A file of the pages; 404 for any other name."""
    found = _FILES.get(name)
    if found is None:
        return web.Response(status=404, text="not here")
    body, kind = found
    return web.Response(body=body, content_type=kind, charset="utf-8")


def _mark_unseen(value: Any) -> Any:
    """The value with hidden and bidirectional characters replaced by a visible sign."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _UNSEEN.sub("\ufffd", value)
    return value


def _markdown(text: str) -> Markup:
    """Markdown as safe HTML, as the web chat shows it."""
    return Markup(to_html(_UNSEEN.sub("\ufffd", text)))  # noqa: S704 - raw HTML is off in it


def _translator(lang: Lang) -> Callable[..., str]:
    def translate(key: str, **values: object) -> str:
        return say(key, lang, **values)

    return translate


def _labels(lang: Lang) -> Callable[[str, str], str]:
    def label(table: str, value: str) -> str:
        key = TABLES[table].get(value)
        return say(key, lang) if key else value

    return label


def _languages(request: web.Request) -> dict[str, str]:
    """The address of this page in each language."""
    query = {name: value for name, value in request.query.items() if name != "said"}
    return {lang: f"?{urlencode({**query, 'lang': lang})}" for lang in languages()}


def _url(*parts: str) -> str:
    """A path of these parts; slashes in the id of a trace stay."""
    return "/" + "/".join(quote(part, safe="/" if parts[0] == "traces" else "") for part in parts)


def _files() -> dict[str, tuple[bytes, str]]:
    found = {
        path.name: (path.read_bytes(), _TYPES[path.suffix])
        for path in (_HERE / "static").iterdir()
        if path.suffix in _TYPES
    }
    return {**found, "graph.css": (STYLE.encode(), "text/css")}


_FILES = _files()


@cache
def _open_templates() -> "Environment":
    """A process compiles each template once."""
    # Loaded for the first page: many services show none.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    pages = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_mark_unseen,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.globals["static"] = _versions()
    return pages


def _versions() -> dict[str, str]:
    """The address of each file, with a digest of its contents."""
    return {
        name: f"/admin/static/{name}?{sha256(body).hexdigest()[:10]}"
        for name, (body, _) in _FILES.items()
    }
