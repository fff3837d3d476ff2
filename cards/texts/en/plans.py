"""On plans: what a model planned, what is asked before a write, and what may have happened."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "plan.unavailable": "(No plan could be made for this.)",
    "plan.carried_out": "The plan has been carried out.",
    "plan.no_model": (
        "this needs a plan of its own, which cannot be made here yet; please ask for each step by "
        "itself, or ask an administrator to have plans made"
    ),
    "plan.model_away": "the language model gave no plan; please ask again later",
    "plan.day_limit": "{limit}; please ask again tomorrow",
    "plan.progress": "“{name}”: step {n} of {of} of the plan, {tool}…",
    "plan.replanning": "“{name}”: a step did not work, planning anew…",
    "plan.failed_twice": "it did not work after planning anew either: {reason}",
    "plan.done_before": "Done before that:",
    "plan.unresolved": "a result that is referred to is not there: {reference}",
    "plan.happened": "{tool}: it has happened, says {name}",
    "plan.left_out": "Steps of the plan that were left out:",
    "plan.more_left_out": "… and {n} more",
    "plan.did_nothing": "(Nothing was looked up or changed for this.)",
    "plan.dropped": "step {n}: {why}",
    "plan.dropped_tool": "step {n}, {tool}: {why}",
    "plan.why.object": "is no step",
    "plan.why.twice": "has a key twice",
    "plan.why.type": "is neither a call nor a reply",
    "plan.why.text": "is a reply without text",
    "plan.why.name": "names no tool",
    "plan.why.unknown": "there is no such tool",
    "plan.why.arguments": "has no arguments",
    "plan.why.missing": "lacks required arguments ({detail})",
    "plan.why.schema": "has wrong arguments ({detail})",
    "plan.why.reference": "refers to a result that is not there ({detail})",
    "plan.why.storable": "holds characters that cannot be kept",
    "plan.why.beyond": "is beyond the longest plan",
    "plan.why.rule": "breaks a rule of this work ({detail})",
    "plan.fault.type": "{where}: {value} is not {wanted}",
    "plan.fault.options": "{where}: {value} is none of {wanted}",
    "plan.fault.least": "{where}: {value} is less than {wanted}",
    "plan.fault.most": "{where}: {value} is more than {wanted}",
    "plan.fault.shorter": "{where}: {value} is too long, at most {wanted}",
    "plan.fault.longer": "{where}: {value} is too short, at least {wanted}",
    "plan.fault.other": "{where}: {value} is not what this tool takes",
    "plan.type.integer": "a whole number",
    "plan.type.number": "a number",
    "plan.type.string": "a text",
    "plan.type.boolean": "yes or no",
    "plan.type.array": "a list",
    "plan.type.object": "a set of fields",
    "plan.type.null": "nothing",
    "plan.rule.order": "none of these after a later one: {tools}",
    "plan.rule.exclusive": "only one of these: {tools}",
    "plan.rule.at_most": "at most {n} calls of: {tools}",
    "plan.rule.only_with": "{tool} only with: {tools}",
    "plan.why.done": "was written before",
    # what a person is asked for
    "plan.clarify": "{skill}: please fill in what is missing",
    "plan.clarify_text": "The plan needs the following, which the request does not say.",
    "plan.argument_fault": "{label}: this cannot be used",
    # before a write
    "plan.confirm": "Please review: {n} to be written",
    "plan.confirm_text": (
        "A language model made this plan for the request below. Once approved, exactly the "
        "following is written."
    ),
    "plan.request": "Request",
    "plan.anew": "The plan before did not work ({reason}); this is a new one.",
    "plan.written_before": "Written by this run before: {tools}",
    "plan.not_approved": "what was approved is not what would be run, so it was not run",
    # a write of which nobody knows whether it has happened
    "lost.crashed": "it was interrupted, and no result was kept",
    "lost.title": "It may have happened: {tool}",
    "lost.text": (
        "Nobody knows whether this write has happened ({why}). It is never repeated by itself. "
        "Please look first, and then decide:"
    ),
    "lost.keyed": "Running it again is safe: the same approval writes once.",
    "lost.again": "It has not; run it again",
    "lost.happened": "It has happened; go on",
    "lost.fail": "Stop here",
    "lost.part": "“{name}”: a write may have happened, waiting for {roles} to look",
    "lost.failed": (
        "nobody knows whether {tool} has written; {name} stopped it, please check the record"
    ),
    # a write whose system was away
    "away.title": "Not done yet: {tool}",
    "away.text": (
        "{why} Nothing was written. What was approved stays approved: as soon as you say so, "
        "exactly this is tried again."
    ),
    "away.again": "Try again",
    "away.give_up": "Give up",
    "away.waits": "“{name}”: approved, but not done yet. {why} It is tried again in {s} s.",
    "away.part": "“{name}”: approved, but not done yet. {why} {who} is asked when to try again.",
    "approved.failed": "“{name}”, which you approved for {who}, was not carried through. {told}",
    "away.given_up": "{why} Nothing was written; {name} has given it up.",
}
