"""The documents of playbooks as pages, for links below quotations."""

from collections.abc import Callable, Sequence
from html import escape

from aiohttp import web

from bot.wiring.web import for_this_machine
from engine.ports.library import Document


def documents_route(current: Callable[[], Sequence[Document]]) -> web.AbstractRouteDef:
    """`GET /documents/{playbook}/{file}`: escaped text, only for browsers of this machine."""

    async def page(request: web.Request) -> web.Response:
        wanted = (request.match_info["playbook"], request.match_info["file"])
        found = next((d for d in current() if (d.playbook, d.file) == wanted), None)
        if found is None:
            raise web.HTTPNotFound
        return web.Response(text=_page(found), content_type="text/html")

    return web.get("/documents/{playbook}/{file}", for_this_machine(page))


def _page(document: Document) -> str:
    sections = (
        f'<h2 id="{escape(section.anchor)}">{escape(section.heading)}</h2>\n'
        + "\n".join(f"<p>{escape(paragraph)}</p>" for paragraph in section.paragraphs)
        for section in document.sections
    )
    head = f'<!doctype html>\n<meta charset="utf-8">\n<title>{escape(document.title)}</title>'
    return "\n".join((head, f"<h1>{escape(document.title)}</h1>", *sections))
