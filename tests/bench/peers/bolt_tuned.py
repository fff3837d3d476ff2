"""The fastest echo that is still slack-bolt: uvloop, one HTTP session, no lookup of the token.

The signature is verified; every middleware that an echo can do without is off.
"""

import os
import sys
from typing import Any

import aiohttp
import uvloop
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

TOKEN = os.environ["SLACK_BOT_TOKEN"]


async def _authorize() -> AuthorizeResult:
    return AuthorizeResult(
        enterprise_id=None, team_id="T0BENCH", bot_token=TOKEN, bot_user_id="U0BOT", bot_id="B1"
    )


def _app(client: AsyncWebClient) -> AsyncApp:
    app = AsyncApp(
        client=client,
        signing_secret=os.environ["SLACK_SIGNING_SECRET"],
        authorize=_authorize,
        ssl_check_enabled=False,
        ignoring_self_events_enabled=False,
        url_verification_enabled=False,
        attaching_function_token_enabled=False,
    )

    @app.event("message")
    async def echo(event: dict[str, Any]) -> None:
        await client.chat_postMessage(channel=event["channel"], text=event["text"])

    return app


async def _served() -> web.Application:
    session = aiohttp.ClientSession()
    client = AsyncWebClient(
        token=TOKEN, base_url=os.environ["API"], session=session, retry_handlers=[]
    )
    client.proxy = None
    app = _app(client)

    async def events(request: web.Request) -> web.Response:
        answer = await app.async_dispatch(await to_bolt_request(request))
        return await to_aiohttp_response(answer)

    async def close(_: web.Application) -> None:
        await session.close()

    application = web.Application()
    application.router.add_post("/slack/events", events)
    application.on_cleanup.append(close)
    return application


def main() -> None:
    """Serve on the port in argv until ended; the Web API is at API."""
    loop = uvloop.new_event_loop()
    web.run_app(
        _served(), host="127.0.0.1", port=int(sys.argv[1]), access_log=None, loop=loop, print=None
    )


if __name__ == "__main__":
    main()
