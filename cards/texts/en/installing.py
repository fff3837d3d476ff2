"""What somebody reads who installs the Slack app in their workspace."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "slack.install_here": (
        "Install Signoff in your Slack workspace, in this browser and within ten minutes."
    ),
    "slack.install_here_link": "Add to Slack",
    "slack.install_done": "Signoff is installed in the workspace {name}.",
    "slack.install_done_link": "Open it in Slack",
    "slack.install_again": "Begin again",
    "slack.install_browser": "Not installed: this installation was not begun in this browser.",
    "slack.install_stale": "Not installed: this link was used already, or is too old.",
    "slack.install_denied": "Not installed: it was not allowed in Slack.",
    "slack.install_later": (
        "Not installed: Slack or our store did not answer as needed. Please try again later."
    ),
    "slack.install_whole_org": (
        "Not installed: it cannot be installed for a whole organisation; choose one workspace."
    ),
    "slack.install_not_for_you": (
        "Not installed: this service is not for that workspace. Please ask who runs it."
    ),
    "slack.install_rotates": (
        "Not installed: the app has token rotation on. Who runs it has to switch that off."
    ),
    "slack.install_scopes": (
        "Not installed: not all permissions were granted. Begin again and allow all of them."
    ),
}
