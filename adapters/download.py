"""Downloads over HTTP, only from hosts that the caller allows."""

from collections.abc import AsyncGenerator, Callable, Mapping

import aiohttp
from yarl import URL

from engine.errors import Forbidden, Gone, PlatformError, RateLimited, Unavailable

_PIECE_BYTES = 64 * 1024
_REDIRECTS = 3
_CONNECT_S = 5.0
_READ_S = 10.0
_RETRY_AFTER_S = 5.0


async def download(
    url: URL,
    *,
    allowed: Callable[[URL], bool],
    headers: Mapping[str, str] | None = None,
    refused: Callable[[aiohttp.ClientResponse], bool] = lambda answer: False,
    proxied: bool = True,
) -> AsyncGenerator[bytes, None]:
    """Yield the content at the address in pieces. Raises PlatformError, never with the address.

    Only `allowed` addresses are requested, also by redirects. `refused` tells answers with status
    200 that are not the file.
    """
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S, sock_read=_READ_S)
    # Compressed content could unpack to any size.
    plain = {"Accept-Encoding": "identity", **(headers or {})}
    try:
        async with aiohttp.ClientSession(
            timeout=timeout, auto_decompress=False, trust_env=proxied
        ) as session:
            for _ in range(_REDIRECTS + 1):
                if not allowed(url):
                    raise Forbidden("the file lies on a host that is not the platform's")
                async with session.get(url, headers=plain, allow_redirects=False) as answer:
                    if answer.status in (301, 302, 303, 307, 308):
                        url = url.join(URL(answer.headers.get("Location", "")))
                        continue
                    _raise_for(answer)
                    if refused(answer):
                        raise Forbidden("the answer is a page, not the file")
                    async for piece in answer.content.iter_chunked(_PIECE_BYTES):
                        yield piece
                    return
    except TimeoutError as error:
        raise Unavailable("no answer in time") from error
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise Unavailable(type(error).__name__) from error
    raise Forbidden("the file is led to too often")


def _raise_for(answer: aiohttp.ClientResponse) -> None:
    status = answer.status
    reason = f"HTTP {status}"
    if status == 200:
        return
    if status == 429:
        raise RateLimited(reason, retry_after_s=_RETRY_AFTER_S)
    if status >= 500:
        raise Unavailable(reason)
    if status in (404, 410):
        raise Gone(reason)
    raise Forbidden(reason) if status in (401, 403) else PlatformError(reason)
