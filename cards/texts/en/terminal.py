"""What the terminal client says of its own: `signoff ask` and `signoff chat`."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "terminal.no_service": (
        "no service answers at {url}; start one with `signoff run`, or name it with --url"
    ),
    "terminal.refused": "the service refused this: {why}",
    "terminal.sign_in": (
        "this service wants people to sign in: `signoff people link PERSON`, then --link LINK"
    ),
    "terminal.older": (
        "the service is of an older version and does not say which reply is yours; update it"
    ),
    "terminal.not_settled": "not finished within {seconds} s; look later with: {command}",
    "terminal.go_on": "to choose: {command}",
    "terminal.more_wait": "More that waits for you ({count}): {command}, then /pending",
    "terminal.here": (
        "You are {name}, in room {room}. Type a message, or the number of a choice; "
        "/help lists commands, Ctrl-D ends."
    ),
    "terminal.earlier": "({count} earlier messages not shown)",
    "terminal.said": "{name}: {text}",
    "terminal.gone": "The card of number {number} is closed.",
    "terminal.received": "Received.",
    "terminal.not_sent": "That did not get through; please try again.",
    "terminal.form": (
        "One by one. Enter keeps what stands in brackets, - empties it, /back goes one back, "
        "/cancel leaves the form."
    ),
    "terminal.form_left": "Nothing was sent.",
    "terminal.optional": "optional",
    "terminal.file": "a path such as ./a.pdf, or the name of a file sent before",
    "terminal.no_file": "There is no file {path} here that can be read.",
    "terminal.needed": "This one is needed.",
    "terminal.fix": "This needs to be put right first:",
    "terminal.options": "one of: {options}",
    "terminal.problems": "Problems found:",
    "terminal.kind.clarify": "Details",
    "terminal.kind.confirm": "Sign-off",
    "terminal.kind.select": "Choose",
    "terminal.kind.phase_done": "Phase complete",
    "terminal.kind.run": "Requests",
    "terminal.state.working": "working",
    "terminal.state.waiting": "waiting",
    "terminal.state.answered": "answered",
    "terminal.state.needs_you": "needs you",
    "terminal.state.in_review": "in review",
    "terminal.state.done": "done",
    "terminal.state.rejected": "rejected",
    "terminal.state.refused": "refused",
    "terminal.state.failed": "failed",
    "terminal.state.withdrawn": "withdrawn",
    "terminal.state.cancelled": "cancelled",
    "terminal.state.expired": "expired",
}
