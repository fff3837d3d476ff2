"""What the service's own pages have of the web chat."""

from adapters.webchat.markdown import to_html as to_html
from adapters.webchat.middleware import Handler as Handler
from adapters.webchat.middleware import RequestGuard


def for_this_machine(handler: Handler) -> Handler:
    """The handler, only for browsers of this machine."""
    return RequestGuard()(handler)
