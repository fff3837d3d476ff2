"""The page's files, read once; no other names are served."""

from fnmatch import fnmatch
from pathlib import Path

from aiohttp import web

_FOLDER = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


class StaticFiles:
    """The files of a page, in memory; `languages.js` exports each `texts.<language>.js`."""

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._files = {
            path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in _TYPES
        }
        listed = [
            f'export {{ default as {name.split(".")[1]} }} from "/static/{name}";\n'
            for name in sorted(self._files)
            if fnmatch(name, "texts.*.js")
        ]
        if listed:
            self._files["languages.js"] = "".join(listed).encode()

    def serve(self, name: str) -> web.Response:
        """The file of that name, or 404."""
        body = self._files.get(name)
        if body is None:
            return web.json_response({"error": "file: not here"}, status=404)
        kind = _TYPES[Path(name).suffix]
        charset = None if kind == "image/svg+xml" else "utf-8"
        return web.Response(body=body, content_type=kind, charset=charset)
