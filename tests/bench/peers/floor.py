"""The least that a message costs which is kept: nothing of ours is in it but the order of steps.

aiohttp and the signature; one script that puts it, then the acknowledgement; one that claims it;
one that commits state and takes it away; one POST of the answer, over one HTTP session.
"""

import asyncio
import hashlib
import hmac
import json
import os
import sys
import time
from typing import Any

import aiohttp
import uvloop
from aiohttp import web
from redis.asyncio import Redis

PUT = """
if redis.call('SET', KEYS[1] .. 'e:' .. ARGV[1], '1', 'PX', 86400000, 'NX') then
  redis.call('RPUSH', KEYS[1] .. 'l:' .. ARGV[2] .. ':in', ARGV[3])
  redis.call('ZADD', KEYS[1] .. 'q', ARGV[4], ARGV[2])
end
return 1
"""
CLAIM = """
redis.call('ZADD', KEYS[1] .. 'q', ARGV[2], ARGV[1])
local fence = redis.call('INCR', KEYS[1] .. 'fence')
redis.call('HSET', KEYS[1] .. 'l:' .. ARGV[1] .. ':h', 'fence', fence)
return {fence, redis.call('LINDEX', KEYS[1] .. 'l:' .. ARGV[1] .. ':in', 0),
  redis.call('GET', KEYS[1] .. 'c:' .. ARGV[1]) or ''}
"""
COMMIT = """
if redis.call('HGET', KEYS[1] .. 'l:' .. ARGV[1] .. ':h', 'fence') ~= ARGV[2] then return 0 end
redis.call('LPOP', KEYS[1] .. 'l:' .. ARGV[1] .. ':in')
redis.call('SET', KEYS[1] .. 'c:' .. ARGV[1], ARGV[3])
redis.call('ZREM', KEYS[1] .. 'q', ARGV[1])
return 1
"""
KEYS = ["{p0}:"]
SECRET = os.environ.get("SLACK_SIGNING_SECRET", "").encode()
TOKEN = os.environ.get("SLACK_BOT_TOKEN", "")
STATE = json.dumps({"recent": ["x" * 60] * 6})


class Floor:
    """One process that takes, keeps, answers."""

    def __init__(self, session: aiohttp.ClientSession, redis: Redis) -> None:
        self._session = session
        self._put = redis.register_script(PUT)
        self._claim = redis.register_script(CLAIM)
        self._commit = redis.register_script(COMMIT)
        self._url = os.environ["API"] + "chat.postMessage"
        self._working: set[asyncio.Task[None]] = set()

    async def events(self, request: web.Request) -> web.Response:
        """POST /slack/events."""
        body = await request.read()
        stamp = request.headers["X-Slack-Request-Timestamp"]
        digest = hmac.new(SECRET, b"v0:" + stamp.encode() + b":" + body, hashlib.sha256)
        signature = "v0=" + digest.hexdigest()
        if not hmac.compare_digest(signature, request.headers["X-Slack-Signature"]):
            return web.Response(status=401)
        event: dict[str, Any] = json.loads(body)["event"]
        channel = event["channel"]
        now = int(time.time() * 1000)
        mail = json.dumps({"channel": channel, "text": event["text"], "user": event["user"]})
        await self._put(keys=KEYS, args=[channel + event["ts"], channel, mail, now])
        working = asyncio.create_task(self._work(channel, now + 15000))
        self._working.add(working)
        working.add_done_callback(self._working.discard)
        return web.Response()

    async def _work(self, lane: str, until: int) -> None:
        fence, mail, _ = await self._claim(keys=KEYS, args=[lane, until])
        said = json.loads(mail)
        await self._commit(keys=KEYS, args=[lane, fence, STATE])
        answer = {"channel": said["channel"], "text": said["text"]}
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with self._session.post(self._url, json=answer, headers=headers) as response:
            await response.json()


async def _served() -> web.Application:
    session = aiohttp.ClientSession()
    redis = Redis(host="127.0.0.1", port=int(os.environ["REDIS_PORT"]), decode_responses=True)
    application = web.Application()
    application.router.add_post("/slack/events", Floor(session, redis).events)

    async def close(_: web.Application) -> None:
        await session.close()
        await redis.aclose()

    application.on_cleanup.append(close)
    return application


def main() -> None:
    """Serve on the port in argv until ended; the Web API is at API, the store at REDIS_PORT."""
    loop = uvloop.new_event_loop()
    web.run_app(
        _served(), host="127.0.0.1", port=int(sys.argv[1]), access_log=None, loop=loop, print=None
    )


if __name__ == "__main__":
    main()
