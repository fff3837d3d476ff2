"""Slack's two clouds, slack.com and slack-gov.com (GovSlack), which know nothing of each other.

Which one an app is in is said by the address of its Web API (`SLACK_API_URL`).
"""

from typing import Final
from urllib.parse import SplitResult, urlsplit

COMMERCIAL: Final = "slack.com"
GOV: Final = "slack-gov.com"


def cloud_of(api_url: str) -> str:
    """The domain of the cloud that serves the API at this address ("" is Slack's own).

    "" for an address that is not Slack's: a test's, or that of a gateway.
    """
    return next((d for d in (COMMERCIAL, GOV) if not api_url or is_in(api_url, d)), "")


def is_in(url: str, domain: str) -> bool:
    """Whether a host of that domain answers at this address, by https."""
    at = _split(url)
    if at is None or at.scheme != "https" or _port(at) not in (None, 443):
        return False
    host = (at.hostname or "").lower()
    return host == domain or host.endswith(f".{domain}")


def is_response_url(url: str, api_url: str) -> bool:
    """Whether a response_url leads to the cloud of that API, or to the address given by hand."""
    at, ours, cloud = _split(url), urlsplit(api_url), cloud_of(api_url)
    if at is None:
        return False
    if (at.scheme, at.netloc) == ("https", f"hooks.{cloud or COMMERCIAL}"):
        return True
    return not cloud and (at.scheme, at.netloc) == (ours.scheme, ours.netloc)


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _port(at: SplitResult) -> int | None:
    try:
        return at.port
    except ValueError:
        return 0
