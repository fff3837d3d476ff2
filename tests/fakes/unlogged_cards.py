"""What effects write of cards, and their log keeps nothing of."""

import json

from engine.ports.storage.store import CardWrite, Effects


def unlogged_cards(effects: Effects) -> tuple[str, ...]:
    """The cards of runs that the effects write without an entry in the log."""
    logged = {
        (log, card["token"], card["version"])
        for log, body in effects.log
        for card in json.loads(body).get("changed_cards", ())
    }
    return tuple(
        write.card.token
        for write in effects.cards
        if write.card.run and _card_key(write) not in logged
    )


def _card_key(write: CardWrite) -> tuple[str, str, int]:
    return (write.card.run, write.card.token, write.card.version)
