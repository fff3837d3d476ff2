"""An echo as slack-bolt's documentation begins with: AsyncApp, its defaults, its own server."""

import os
import sys
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient


def main() -> None:
    """Serve on the port in argv until ended; the Web API is at SLACK_API_URL."""
    client = AsyncWebClient(token=os.environ["SLACK_BOT_TOKEN"], base_url=os.environ["API"])
    app = AsyncApp(client=client, signing_secret=os.environ["SLACK_SIGNING_SECRET"])

    @app.event("message")
    async def echo(event: dict[str, Any], say: Any) -> None:
        await say(event["text"])

    app.start(port=int(sys.argv[1]), host="127.0.0.1")


if __name__ == "__main__":
    main()
