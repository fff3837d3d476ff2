"""Answers to questions: what tools tell, why there is no answer, what a rule found."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # every tool
    "tool.unknown": "There is no tool '{name}'; there are {names}.",
    "tool.retry": "What was given could not be understood; please put it another way.",
    # tools of outside servers
    "tool.remote.fault": "The tool `{tool}` of server {server} reports a fault.",
    "tool.remote.away": (
        "The tool `{tool}` is not there now: its server does not answer or offers it no more."
    ),
    "tool.remote.slow": (
        "The tool `{tool}` of server {server} gave no answer within {seconds} seconds."
    ),
    "tool.remote.garbled": (
        "The tool `{tool}` of server {server} gave an answer that cannot be read."
    ),
    "tool.remote.asks": (
        "The tool `{tool}` of server {server} asks for more input, which is not given here."
    ),
    "tool.field.ecog": "ECOG",
    "tool.field.weight_kg": "Weight",
    "tool.field.blood_pressure": "Blood pressure",
    "tool.field.adverse_event": "Adverse event",
    "tool.none_recorded": "none recorded",
    "tool.not_recorded": "not recorded",
    "tool.no_subject": "The study has no subject {who}.",
    "tool.no_subject_near": "The study has no subject {who}. The closest ids are {ids}.",
    # read_clinical_data
    "tool.read.no_visits": "{who} has no visits yet.",
    "tool.read.field": "{name} of {who}: {value} (visit of {day})",
    "tool.read.field_earlier": "{name} of {who}: {value} (visit of {day}). Earlier: {earlier}",
    "tool.read.visit": "{who}, visit of {day}:",
    "tool.read.visited": "{who} has a visit recorded on {day}.",
    "tool.read.dates": "{who} has {n} visits: {days}. Latest: **{latest}**",
    "tool.read.one_date": "{who} has 1 visit: {days}. Latest: **{latest}**",
    "tool.read.no_visit": "{who} has no visit recorded on {day}. Recorded visits: {days}.",
    # search_protocol
    "tool.protocol.section": "Protocol section {section}, {title}:",
    "tool.protocol.empty": "The protocol is empty.",
    "tool.protocol.sections": "The protocol has these sections: {sections}.",
    "tool.protocol.nothing": "Nothing in the protocol matches “{query}”.",
    "tool.protocol.nothing_but": (
        "Nothing in the protocol matches “{query}”. The protocol has these sections: {sections}."
    ),
    # get_project_stats
    "tool.stats.subjects": "Subjects: **{n}** ({sex}; {arm})",
    "tool.stats.sex_f": "{n} female",
    "tool.stats.sex_m": "{n} male",
    "tool.stats.arm": "{n} in arm {arm}",
    "tool.stats.visits": "Visits: **{n}**, date of the last: {day}",
    "tool.stats.ecog": "ECOG at the latest visit, subjects by score: {scores}",
    "tool.stats.ecog_missing": (
        "ECOG at the latest visit, subjects by score: {scores}, not recorded: {missing}"
    ),
    "tool.stats.score": "{score}: {n}",
    "tool.stats.events": "Adverse events: recorded at {visits} visits of {subjects} subjects",
    "tool.stats.none": "none",
    # check_visit_window
    "tool.window.none": "The protocol schedules no visits.",
    "tool.window.inside": (
        "A visit of {who} on {day} ({since}) is **inside the {window} window** ({span})."
    ),
    "tool.window.outside": (
        "A visit of {who} on {day} ({since}) is **in no window**; "
        "the nearest is {window} ({span}), **{off}**."
    ),
    "tool.window.span": "{first} to {last}, planned {planned}",
    "tool.window.after": "day {n}",
    "tool.window.before": "{days} before enrolment",
    "tool.window.early": "{days} early",
    "tool.window.late": "{days} late",
    "tool.window.day": "1 day",
    "tool.window.days": "{n} days",
    # record_visit
    "tool.record.unapproved": "A visit is written only by a run that was approved.",
    "tool.record.done": "Recorded the visit of {who} on {day}: {values}.",
    "tool.record.again": (
        "Recorded before, not written again: the visit of {who} on {day}: {values}."
    ),
    # the study's database
    "study.conflict": "{subject_id} already has a visit of {visit_date}; nothing was written.",
    "study.other_visit": "This write's key already stands for another visit; nothing was written.",
    "study.unknown": "The study has no subject {subject_id}; nothing was written.",
    "study.busy": "The study database is busy; please try again shortly.",
    "study.away": "The study database cannot be reached at the moment.",
    "study.damaged": "The study database holds a record that cannot be read.",
    "study.closed": "The study database is closed.",
    "study.schema": (
        "Another version of this program made the study database (schema {found}, not {wanted})."
    ),
    # the ReAct engine, when it has no answer
    "react.truncated": "(This answer was cut off by a length limit and is incomplete.)",
    "react.iterations": (
        "Sorry, I found no answer in the steps that I have. Please ask more specifically."
    ),
    "react.tokens": "Sorry, this question is too large to answer at once. Please ask for less.",
    "react.tools_failed": (
        "Sorry, the look-ups failed repeatedly, so I have nothing reliable to say. "
        "Please try again later."
    ),
    "react.model_unavailable": (
        "The language model is not available, so this question cannot be answered right now."
    ),
    "react.model_refused": "The language model did not answer this question.",
    "react.empty": "Sorry, I came to no answer. Please ask in another way.",
    # rules
    "rule.told": "{label} = {value}: {message}",
    "rule.failed": "rule failed: {why}",
    "rule.why.different": "cannot compare {one} with {other}",
    "rule.why.number": "needs a number, not {one}",
    "rule.why.text": "needs text, not {one}",
    "rule.why.list": "needs a list or text, not {one}",
    "rule.why.entries": "needs a list, not {one}",
    "rule.why.work": "there is more in the data than one rule may go over",
    "rule.why.date": "needs a date like 2026-01-31",
    "rule.why.finite": "a number is out of range",
    "rule.why.zero": "division by zero",
    "rule.why.shape": "the data does not have the shape it expects",
    "rule.kind.missing": "nothing",
    "rule.kind.bool": "yes/no",
    "rule.kind.number": "a number",
    "rule.kind.text": "text",
    "rule.kind.date": "a date",
    "rule.kind.list": "a list",
    "rule.kind.mapping": "a mapping",
    "rule.kind.other": "something else",
}
