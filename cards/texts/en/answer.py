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
    # the ReAct engine, when it has no answer
    "react.truncated": "(This answer was cut off by a length limit and is incomplete.)",
    "react.allowance": (
        "The language model was not asked: {limit}. You can go on asking tomorrow."
    ),
    "model.limit": "today's limit for the language model, of {whose}, is used up",
    "model.limit.person": "the person who asked",
    "model.limit.project": "this project",
    "model.limit.all": "the whole service",
    "model.limit.reached": "{limit}",
    "react.asked_again": "(The answer broke off here; the model is being asked once more.)",
    "react.broken": "(This answer broke off twice and is incomplete.)",
    "react.no_room": (
        "The language model used up its length limit, raised once, before it wrote an answer. "
        "Please ask for less, or have an admin raise max_tokens."
    ),
    "react.iterations": (
        "Sorry, I found no answer in the steps that I have. Please ask more specifically."
    ),
    "react.tokens": "Sorry, this question is too large to answer at once. Please ask for less.",
    "react.last.tools_failed": (
        "The look-ups failed repeatedly. This is only what is known without them:"
    ),
    "react.last.tokens": (
        "This question takes more look-ups than one answer may have. This is only what they gave "
        "so far:"
    ),
    "react.last.iterations": (
        "This question takes more steps than one answer may have. This is only what they gave so "
        "far:"
    ),
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
    "rule.labelled": "{label}: {message}",
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
    "rule.why.unread": "it asks what a file contains. {reason}",
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
