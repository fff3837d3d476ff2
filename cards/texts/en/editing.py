"""On changing what a card asks to approve."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "choice.edit": "Edit",
    "edit.intro": (
        "Only what you change is changed. It is no approval, and approvals so far no longer count."
    ),
    "edit.too_long": "Too long to be changed here: {labels}.",
    "edit.card": "✎ Changed by {name} ({when}): {changes}",
    "edit.change": "{label} {before} → {after}",
    "edit.earlier": "✎ {n} earlier changes",
    "edit.done": "Changed: {changes}.",
    "edit.needs_other": "Somebody else has to approve your change.",
    "edit.reset": "Earlier approvals no longer count ({names}).",
    "edit.nothing": "Nothing was changed.",
    "edit.vote_lost": (
        "{name} changed “{title}”, so your approval no longer counts; please look again. {changes}"
    ),
    "refused.own_edit": "You changed what is to be approved; somebody else has to approve it.",
    "refused.nobody_else": (
        "Nobody else could approve your change; please reject it and give the reason instead."
    ),
}
