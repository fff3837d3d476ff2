"""The Slack room: signed requests or Socket Mode in, Block Kit out."""

from adapters.slack.texts import TEXTS
from cards.texts import take_in

take_in("slack", TEXTS)
