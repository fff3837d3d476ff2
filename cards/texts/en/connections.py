"""What people read of systems outside."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "connection.away": "{name} cannot be reached at the moment.",
    "connection.slow": "{name} did not answer within {seconds} seconds.",
    "connection.busy": "{name} has too much to do at the moment; please try again in a minute.",
    "connection.fault": "{name} reports a fault of its own ({status}).",
    "connection.denied": (
        "{name} does not let Signoff in ({status}); whoever operates it has to look at the key."
    ),
    "connection.no_token": (
        "The sign-in for this system gives no token ({status}); whoever operates it has to "
        "look at the key."
    ),
    "connection.no_writes": "{name} takes no changes at the moment; nothing was changed.",
    "connection.clash": (
        "{name} does not take this: something like it is there already, or a value or what it "
        "belongs to is not allowed there."
    ),
    "connection.driver": (
        "{name} cannot do this as it was asked; who operates Signoff finds why in the run's log."
    ),
    "connection.refused": "{name} refuses this ({status}): {words}",
    "connection.refused_only": "{name} refuses this ({status}).",
    "connection.absent": "{name} has nothing of this kind ({status}).",
    "connection.garbled": "{name} answered something that cannot be read.",
    "connection.large": "{name} answered with more than {kb} kB; please ask for less.",
    "connection.many_pages": "{name} has more than {most} pages on this; please ask for less.",
    "connection.many_rows": "{name} has more than {most} rows on this; please ask for less.",
    "connection.several_rows": "{name} has several rows on this, where there should be one.",
    "connection.other_rows": (
        "{name} is not as this needs it: it would change {changed} rows instead of {wanted}, so "
        "nothing was changed. Somebody may have changed it meanwhile."
    ),
    "connection.redirect": "{name} leads to another place, which is not followed.",
    "connection.closed": "{name} is not asked any more: the service is about to end.",
    "connection.unsure": (
        "The answer of {name} is lost: it may have been done, and nobody here knows. Please "
        "look there before it is done again."
    ),
    "connection.no_tool": "{name} has no tool {tool} at the moment.",
    "connection.not_vouched": (
        "{name} does not declare {tool} as one that only reads; who operates Signoff may vouch for "
        "it, under `readonly` in connections.yaml."
    ),
    "tool.nothing_found": "Nothing was found.",
    "tool.period": "From {since} to {until}:",
    "tool.day": "On {since}:",
    "tool.since": "Since {since}:",
    "tool.until": "Until {until}:",
    "tool.more_rows": "… and {number} more.",
    "tool.unapproved": "`{name}` writes only in a run that was approved.",
    "tool.refused": "{why}",
    "tool.undeclared": "The answer to `{name}` is not as its tools.yaml says: {why}",
    "tool.changed": (
        "Since this was approved, what `{name}` takes, or the project that it writes for, has "
        "changed; nothing was written."
    ),
    "tool.package_failed": (
        "`{name}` had a fault of its own; who operates Signoff finds it in the log."
    ),
    "tool.package_unsure": (
        "`{name}` had a fault of its own: it may have been done, and nobody here knows. Please "
        "look there before it is done again."
    ),
    "tool.package_refused": "`{name}` did nothing: {words}",
    "tool.package_busy": "Too many slow tools are at work; please try again in a minute.",
    "tool.broken": "The tool `{name}` cannot be used: {why}",
    "tool.gone": "The tool `{name}` is not there any more; please ask again.",
}
