"""What the service's own pages have of the web chat."""

from urllib.parse import urlsplit

from adapters.webchat.markdown import to_html as to_html
from adapters.webchat.middleware import Handler as Handler
from adapters.webchat.middleware import RequestGuard
from adapters.webchat.middleware import forwarding_mark as forwarding_mark


def for_our_hosts(handler: Handler, public_url: str) -> Handler:
    """The handler, for browsers of this machine and for those that reach the public address."""
    host = urlsplit(public_url).netloc
    return RequestGuard([host] if host else [])(handler)


def for_this_machine(handler: Handler) -> Handler:
    """The handler, only for browsers of this machine."""
    return RequestGuard(refuses_proxies=True)(handler)
