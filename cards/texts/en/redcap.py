"""What a REDCap server refused, or left open."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "study.redcap.token": (
        "REDCap does not accept this service's token; an administrator has to check the token "
        "and its right to use the API."
    ),
    "study.redcap.rights": (
        "The REDCap user lacks the rights for this; an administrator has to check the user rights."
    ),
    "study.redcap.refused": (
        "REDCap refused the query; the project's fields may differ from the mapping."
    ),
    "study.redcap.not_taken": "REDCap did not accept the visit; nothing was written.",
    "study.redcap.fault": "The REDCap server has a fault; please try again later.",
    "study.redcap.timeout": "REDCap did not answer in time; please try again later.",
    "study.redcap.away": "REDCap cannot be reached at the moment.",
    "study.redcap.cut": "The connection to REDCap broke; please try again later.",
    "study.redcap.redirect": (
        "The address of REDCap points elsewhere; an administrator has to check the settings."
    ),
    "study.redcap.address": (
        "What answers at the address is not REDCap's API; an administrator has to check the "
        "settings."
    ),
    "study.redcap.project": (
        "The REDCap project is not as the mapping says; an administrator has to check the mapping "
        "and the export rights."
    ),
    "study.redcap.value": (
        "A value of the REDCap field {field} does not fit; please check the project's data and "
        "the mapping."
    ),
    "study.redcap.unsure": (
        "The visit of {who} on {day} may or may not have been written; please check in REDCap."
    ),
    "study.redcap.differs": (
        "The visit of {who} on {day} was written but reads back otherwise; please check in REDCap."
    ),
    "study.redcap.twin": (
        "The visit of {who} on {day} was written, but another one of that day was written at the "
        "same moment and came first; please remove the one too many in REDCap."
    ),
}
