"""What a REDCap project refused, or left open."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "connection.redcap.rights": (
        "The REDCap user of {name} lacks the rights for this; an administrator has to check them."
    ),
    "connection.redcap.refused": (
        "{name} refused the query; the project may not have these fields or this event."
    ),
    "connection.redcap.not_taken": "{name} did not accept this; nothing was written.",
    "connection.redcap.cut": "The connection to {name} broke; please try again later.",
    "connection.redcap.address": (
        "What answers as {name} is not REDCap's API; an administrator has to check the address."
    ),
    "connection.redcap.field": (
        "The REDCap project {name} has no field {field}; an administrator has to check it."
    ),
    "connection.redcap.value": (
        "A value of the field {field} of {name} does not fit; please check the project's data."
    ),
    "connection.redcap.other": (
        "This write's key already stands for something else in {name}; nothing was written."
    ),
    "connection.redcap.no_record": "{name} has no record {record}; nothing was written.",
    "connection.redcap.taken": "{name} already has this of {record}; nothing was written.",
    "connection.redcap.differs": (
        "It was written to {record} in {name} but reads back otherwise; please check there."
    ),
    "connection.redcap.twin": (
        "It was written to {record} in {name}, but another one was written at "
        "the same moment and came first; please remove the one too many there."
    ),
}
