"""The files that cards show, for who has a link to one."""

import asyncio
from dataclasses import replace
from typing import Final

from aiohttp import web

from bot.wiring.service import Parts
from bot.wiring.web import for_our_hosts
from cards.model import Card
from cards.texts import COMPLETE, say
from engine.errors import StoreError, ToolFailed
from engine.ports.inbox_files import kind_of_name
from engine.ports.library import FileScope
from engine.talk.active_runs import read_runs

_PIECE_BYTES: Final = 64 * 1024
_SHOWN: Final = {
    "pdf": "application/pdf",
    "png": "image/png",
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "txt": "text/plain; charset=utf-8",
    "md": "text/plain; charset=utf-8",
}
"""What a browser shows by itself; all else is saved."""
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
    "X-Robots-Tag": "noindex",
}


def files_route(parts: Parts) -> web.AbstractRouteDef:
    """`GET /files/{card}/{last}/{mark}/{name}`: one file of one card, by a link that we signed."""

    async def serve(request: web.Request) -> web.StreamResponse:
        card, mark, name = (request.match_info[each] for each in ("card", "mark", "name"))
        last = int(request.match_info["last"])
        if not parts.resources.file_links.is_good(card, last, mark, name):
            return _told(404, "file.link_old")
        try:
            found = await parts.services.decisions.card(card)
        except StoreError:
            return _told(503, "file.link_away")
        if found is None or name not in {row.file for row in found.card.rows}:
            return _told(404, "file.link_gone")
        try:
            scope = await _scope(parts, found.card)
        except StoreError:
            return _told(503, "file.link_away")
        return await _send(request, parts, scope, name)

    path = r"/files/{card}/{last:\d{1,8}}/{mark:[0-9a-f]{32}}/{name}"
    return web.get(path, for_our_hosts(serve, parts.settings.public_url or ""))


async def _scope(parts: Parts, card: Card) -> FileScope:
    """Whose files the card shows: of its conversation, and those that its run knows elsewhere.

    Raises StoreError.
    """
    own = parts.handler.file_scope_of(card)
    stored = await parts.services.decisions.run(card.run) if card.run else None
    runs = read_runs([(card.run, stored[0])]) if stored else []
    return replace(own, elsewhere=runs[0].state.files_elsewhere) if runs else own


async def _send(
    request: web.Request, parts: Parts, scope: FileScope, name: str
) -> web.StreamResponse:
    try:
        file = await parts.resources.files.open(scope, name)
    except ToolFailed as failed:
        if failed.key == "files.altered":
            return _told(409, "file.link_altered")
        return _told(503, "file.link_away")
    if file is None:
        return _told(404, "file.link_gone")
    with file:
        kind = kind_of_name(name)
        shown = _SHOWN.get(kind)
        response = web.StreamResponse(headers=_HEADERS)
        response.headers["Content-Type"] = shown or "application/octet-stream"
        if kind == "pdf":
            # Browsers show it in a page of their own, which a stricter policy would empty.
            response.headers["Content-Security-Policy"] = "frame-ancestors 'none'"
        # The name stands in the address.
        response.headers["Content-Disposition"] = "inline" if shown else "attachment"
        await response.prepare(request)
        while request.method != "HEAD":
            piece = await asyncio.to_thread(file.read, _PIECE_BYTES)
            if not piece:
                break
            await response.write(piece)
        await response.write_eof()
    return response


def _told(status: int, key: str) -> web.Response:
    """A sentence in each language: nobody says who reads it."""
    text = "\n".join(say(key, lang) for lang in COMPLETE)
    return web.Response(status=status, text=text + "\n", headers=_HEADERS)
