"""In replies: the parts of a message, how runs end, commands, lists."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # what models are told to write in
    "language.name": "English",
    "part.working": "Working on it…",
    "part.waiting": "Waiting for part {n}",
    "part.starting": "Starting “{name}”…",
    "part.check_form": "“{name}”: please check the form and send it",
    "part.needs_you": "“{name}”: I need a little more from you",
    "part.model_away": "“{name}”: the language model is away; it is asked again in {s} s",
    "part.day_limit": "“{name}”: {limit}; it is asked again tomorrow",
    "part.confirm": "“{name}”: please check it and confirm",
    "part.in_review": "“{name}”: submitted, waiting for review by {roles}",
    "part.progress": "“{name}”: step {n} of {of}, {phase} · {skill}…",
    "part.records": "“{name}”: checked {n} of {of}…",
    "records.checked": "Checked: {n}. Findings: {findings}.",
    "records.cut": " Only the first {n} findings are listed.",
    "records.cut_summary": " The summary lists only the {n} with most findings.",
    "records.at_least": "at least {least} found",
    "records.none": "nothing was found",
    "records.too_few": "only {n} found, at least {least} needed",
    "chart.violations": "{name}: findings by rule",
    "chart.others": "Other rules",
    "chart.rule": "Rule",
    "chart.count": "Findings",
    "records.cut_records": "The summary lists only the {n} that were finished first.",
    "records.refused": "{tool} does not take this: {given}.",
    "records.no_list": "{tool} gave no list of records.",
    "records.no_name": "{tool} lists something without {column}, which tells what it is.",
    "records.too_many": "{tool} lists more than {limit} at once; nothing was checked.",
    "look_up.no_row": "{tool} gave something else than one thing with its columns.",
    "look_up.unfit": "{label}: what the system has, {value}, does not fit here: {fault}.",
    "tool.list_writes": "{name} writes, and a list comes only from a tool that reads.",
    "part.phase_done": "“{name}”: {title}",
    "part.syncing": "“{name}”: finished, and being written to the system of record…",
    "part.done": "“{name}”: done",
    "part.rejected": "“{name}”: rejected",
    "part.refused": "“{name}”: refused by the checks",
    "part.stopped": "“{name}”: withdrawn; nothing was written",
    "part.stopped_after": (
        "“{name}”: withdrawn, so nothing more happens; what was given before that has gone to the "
        "system of record"
    ),
    "part.cancelled_synced": (
        "“{name}”: cancelled, so nothing more happens; what was given before that has gone to the "
        "system of record"
    ),
    "part.cancelled": "“{name}”: cancelled; nothing was written",
    "part.cancelled_after": "“{name}”: cancelled; what was approved had been written before",
    "part.cancelled_in_flight": (
        "“{name}”: cancelled; a write was under way and may have happened, please check the record"
    ),
    "part.failed": "“{name}”: not finished. {reason}",
    "part.blocked": "“{name}”: stopped, an operator is needed ({reason})",
    "part.resumed": "“{name}”: goes on",
    "part.error": (
        "Something went wrong here, and nothing was changed. An operator has it now; there is no"
        " need to send it again."
    ),
    "part.with": "Answered with part {n}",
    "part.skipped": "Part {n} was not finished, so this was not done",
    "answer.none": "I cannot answer that. {why}You could ask:",
    "route.by_rules": (
        "(The language model is not available just now: only fixed rules read this message.)"
    ),
    "route.by_rules.limit": (
        "(Only fixed rules read this message: {limit}. Tomorrow the model reads along again.)"
    ),
    "answer.near": "I cannot answer that as it is put. {why}",
    "answer.not_here": "Nothing that I can look up here answers that. This comes nearest:",
    "answer.nothing_near": "Nothing that I can look up here tells of that. What I can look up:",
    "answer.no_model": ("Please ask for one thing at a time, and name whom or what it is about. "),
    "answer.unclear": "I am not sure what you mean. {why}You could say:",
    "answer.not_possible": "I cannot do that here. What I can do, for example:",
    "answer.beside": "What you mean by “{text}” I did not understand.",
    "answer.partly": "Without “{left}”, which I cannot look up, this is what is known:",
    "answer.unmentioned": "What I found does not mention “{left}”:",
    "answer.smalltalk": "Hello! Ask me about the data, or tell me what to get done. For example:",
    "answer.thanks": "You are welcome!",
    "answer.how": (
        "For “{name}”, just say what to do, for example: {example}. I ask for what is missing, and "
        "somebody reviews it before anything is written."
    ),
    "answer.undo": (
        "I have changed nothing. What waits for a review cannot be changed here: type /cancel and "
        "ask anew, or have it rejected. /mine lists what you asked for; what is over already needs "
        "somebody who can undo it."
    ),
    "answer.unused": "Not used: “{left}”. ",
    # cards of a talk turn
    "choose.title": "Did you mean …?",
    "choose.file_title": "Which case is this for?",
    "choose.file": (
        "You shared {names}. What is given to a case is found by its requests and questions."
    ),
    "choose.said": "You wrote: “{said}”",
    "choose.note.quoted": "It stands in quotation marks, so I have not started it.",
    "choose.note.left_out": "Words beside it may change what you mean, so I have not started it.",
    "choose.note.in_doubt": "I do not understand the whole sentence, so I have not started it.",
    "choose.note.beside": "It is like nothing that I can do or answer.",
    "choose.note.hangs": "It may hang on a condition, so I have not started it.",
    "choose.tap": "You mean “{choice}”: please tap it on the card “{title}”. "
    "Only the button counts.",
    "choose.part": "Please choose below, and I go on with it.",
    "choose.question": "Just a question: look it up",
    "choose.more": "Something else …",
    "choose.none": "None of these",
    "choose.condition_title": "Does the condition hold?",
    "choose.condition": (
        "You wrote: “{said}”. Please look at the result above: if “{condition}” holds, start it."
    ),
    "choose.condition_alone": "You wrote: “{said}”. If “{condition}” holds, please start it.",
    "choose.condition_check": "Does this hold: “{condition}”?",
    "choose.condition_part": "Please decide by the result above whether to start.",
    "choose.start": "It holds: {name}",
    "choose.go_on": "It holds: go on",
    "choose.not_now": "It does not: leave it",
    "choose.left": "All right; nothing was done.",
    "choose.expired": "Nobody chose, so nothing was done.",
    "choose.again": "You wrote it again: it goes on there.",
    "request.not_yet": (
        "“{name}” belongs to “{playbook}”, but this version cannot do it yet; nothing was done."
    ),
    "request.gone": "The procedure for “{text}” has been withdrawn meanwhile; nothing was done.",
    "request.barred": (
        "Only these may ask for “{name}”: {roles}. You do not have that role, so nothing was done."
    ),
    "request.able": " What can be done now: {able}.",
    "clarify.open": (
        "I did not understand that. “{form}” is still open and needs: {missing}. Write it as "
        "“name value”, or use the buttons on the card."
    ),
    "clarify.open_full": (
        "I did not understand that. “{form}” is still open; please use the buttons on the card."
    ),
    "clarify.other": (
        "Nothing was noted: the open form is “{form}”. {who} needs a request of its own; use "
        "“Withdraw” on the card if you do not want the open one."
    ),
    "clarify.which": (
        "Nothing was noted: several forms are open: {forms}. Please name the one you mean, or use "
        "the button on its card."
    ),
    "clarify.changed": "Changed to: {changed}. ",
    "clarify.read": "Read from what you wrote, please check: {values}. ",
    "clarify.from": "{label} {value} (“{words}”)",
    "clarify.stands": (
        "Nothing was submitted yet; if it is right as it stands, send the card's form."
    ),
    "clarify.submit": (
        "To send it, use the “Submit” button on the card “{form}”; a text does not do it."
    ),
    "clarify.withdraw": (
        "To give it up, use the “Withdraw” button on the card “{form}”; a text does not do it."
    ),
    "review.button": "Only the button on the card counts; a text is never a decision.",
    "review.elsewhere": (
        "Only the button on a card counts; a text is never a decision. /pending lists what waits "
        "for you, and where it stands."
    ),
    "review.own": (
        "“{form}” only waits for you to confirm it, and a text does not change it. If something in "
        "it is not right, press “{cancel}” on its card and ask for it anew as it should be."
    ),
    "review.asked": (
        "“{form}” is in review by {who}. /mine lists what you asked for, /cancel takes it back."
    ),
    "review.waiting": (
        "“{form}” is in review by {who} and cannot be changed now. To change it, use /cancel or "
        "have it rejected."
    ),
    "clarify.noted": "Noted: {noted}. ",
    "clarify.missing": "Still missing: {missing}.",
    "clarify.taken": "Thanks, going on.",
    "clarify.faulty": "Some values do not fit: {errors}. ",
    # runs
    "run.only_requester": "nobody but the requester holds the role {roles}",
    "run.no_approver": "nobody holds the role {roles}",
    "run.expired": "nobody decided in time",
    "run.missing": "still missing: {missing}",
    "run.stalled": "“{skill}” has run again and again without any progress",
    "run.sync_refused": "the system of record refused the data: {reason}",
    "run.bad_state": "the data does not fit the playbook: {faults}",
    # an SOP, and the review card of a soft instruction
    "sop.error": "the check could not be finished",
    "sop.too_often": "“{title}” came up more than {n} times",
    "soft.told": "{title}: {reason}",
    "soft.unsure.no_model": "Nothing has judged this beforehand.",
    "soft.unsure.model_away": "The language model is away.",
    "soft.unsure.day_limit": "The language model was not asked: {limit}.",
    "soft.unsure.model_refused": "The language model declined to judge.",
    "soft.unsure.rounds": "The language model gave no usable verdict in {n} answers.",
    "soft.unsure.confidence": "The language model is less than {limit} sure.",
    "soft.decide": "Please decide: approving lets it pass, rejecting does not.",
    "soft.instruction": "To be checked",
    "soft.verdict": "The model's verdict",
    "soft.passed": "passed",
    "soft.failed": "failed",
    "soft.reason": "Reason",
    "soft.evidence": "Evidence",
    "soft.confidence": "Confidence",
    "soft.last_answer": "The model's last answer",
    "skill.by_hand": "Please fill this in.",
    "skill.no_model": "Please fill this in by hand.",
    "skill.model_away": (
        "The language model is away: fill this in by hand, or let it try again later."
    ),
    "skill.day_limit": (
        "The language model was not asked: {limit}. Fill this in by hand, or let it try again "
        "tomorrow."
    ),
    "document.blank": "[{label}]",
    "document.progress": "{name}: writing “{title}”, {n} of {of} sections are done.",
    "document.made": "“{name}” is written: version {n}, digest {digest}, as {file}.",
    "document.unwritten": (
        "“{name}” is filled in from what is known, without a text of its own: version {n}, "
        "digest {digest}, as {file}."
    ),
    "skill.unread": "Not read, or not to the end: {files}.",
    "skill.faulty": "{n} times the model gave no usable answer; please fill this in by hand.",
    "skill.understood": (
        "{n} times the model gave no usable answer. What it understood stands in the form: please "
        "check it, and fill in the rest."
    ),
    "skill.lacking": "This is still missing; please fill it in.",
    "skill.nothing_to_choose": "There is nothing to choose from; please fill this in by hand.",
    "run.no_skill": "no step can be taken",
    "run.too_many_steps": (
        "it took {n} steps without anybody's word; they are counted anew when an operator lets it "
        "go on"
    ),
    "run.budget_used": (
        "its budget of the language model ({calls} calls or {tokens} tokens) is used up; it has as "
        "much again when an operator lets it go on"
    ),
    "run.not_approved": "what was approved is not what would be written",
    "run.playbook_missing": "the playbook version it began with is missing",
    "run.newer_state": "its state was written by a newer version",
    "run.attempts": "it failed again and again",
    "run.rejected": "{name} rejected it: {reason}",
    "run.rejected_plainly": "{name} rejected it",
    "run.no_progress": (
        "“{skill}” has ended, but the goal of its phase is not reached, and doing it again would "
        "change nothing"
    ),
    # a question about a run, in query mode
    "query.phase": "{name}: now at “{phase}” ({goal}).",
    "query.missing": " Still missing: {missing}.",
    "query.waits": " Waiting for: {waits}.",
    "query.role": "{role} ({names})",
    "query.card": "{who} to answer “{title}”",
    "query.blocked": " It stands still: {told}.",
    # commands
    "help": (
        "I answer questions, and get work done that somebody has to sign off.\n\n"
        "Try:\n{examples}\n\n"
        "Commands: `/pending` open cards and findings, `/mine` my requests and how they ended, "
        "`/case` all that is known of the case here, "
        "`/runs` mine under way, `/why` how my last message was read, `/cancel` my run, "
        "`/stop` and `/recover` jobs, `/handover NAME` my vote to somebody else, `/help`"
    ),
    "runs.none": "Nothing is under way.",
    "runs.stuck": (
        "A run here stands still until an operator acts; what you wrote was not used:\n{runs}\n\n"
        "It goes on once they have; `/cancel` ends runs of yours, `/runs` lists those under way."
    ),
    "runs.line": "- {name} (by {who}): {state}",
    "opened.nothing": (
        "This link leads to nothing that is yours to see. /pending shows what waits for you."
    ),
    "opened.card": "This card waits for you:",
    "mine.none": "You have asked for nothing in the last {days} days.",
    "mine.living": "**Under way:**",
    "mine.over": "**Ended in the last {days} days:**",
    "mine.case": "**{title}**: {stands}",
    "mine.settled": "Settled: {phases}.",
    "mine.not_settled": "Not settled yet: {phases}.",
    "mine.of_case": "a case with {n} of these requests",
    "mine.go_on": "[go on with it](<{url}>)",
    "mine.line": "{n}. {title} ({when}): {state}",
    "mine.waits": "waiting for {waits}",
    "mine.ended_by": "{end} by {who}",
    "mine.ended_at": "{end} ({when})",
    "mine.more": "Type `/{command} {next}` for more.",
    "mine.no_page": "There is nothing on page {page}; `/{command}` begins with the first.",
    "mine.beside": "{n} from elsewhere: I tell you of these in our direct chat.",
    "mine.page_only": "{n} from elsewhere: see “My requests” at the top of the page.",
    "mine.asked": "asked for at {when}",
    "mine.open": "[open it](<{url}>)",
    "mine.menu": "Cancel what is under way?",
    "mine.cancel": "Cancel {name}",
    "cancel.which": "Which one do you mean?",
    "cancel.over": "“{name}” has ended already: {state}",
    "cancel.not_yours": "There is no such run that you can cancel.",
    "work.none": (
        "You have no such request under way, or ended in the last {days} days. /mine lists yours."
    ),
    "work.gone": "That is not kept any more.",
    "work.more": "{n} more of yours fit as well: /mine lists them.",
    "work.value": "**{label}**: {value}",
    "work.unknown": "**{label}**: not known so far",
    "work.of_case": "(from the case of “{name}”)",
    "work.stands": "{title} (asked for by {who}, {when}): {state}.",
    "work.changed": "changed by {name}: {changes}",
    "work.choice": "- {title}: {told}",
    "work.perhaps": "I am not sure that this is what you mean:",
    "case.nothing": "Nothing is known of {names} so far.",
    "case.no_answer": "I am not sure what you mean. Nearest:",
    "fit.of": "{value} ({name}: {end})",
    "fit.with": "{text} ({values})",
    "fit.request": "**{title}**: {state}",
    "fit.decided": "{end} by {who}",
    "fit.because": "{told}: {reason}",
    "fit.chosen": "{end} · {who}: {choice}",
    "fit.says": "“{name}”: {text}",
    "fit.says_at": "“{name}”, from character {at}: {text}",
    "case.whole": "For the rest, say “all of it”.",
    "case.whole_button": "All of it",
    "case.menu": "All that is known?",
    "case.none": "There is no case here.",
    "case.older": "{n} older requests of it are not shown here: /mine lists yours.",
    "case.more_files": "and {n} more files.",
    "case.file": "“{name}” says: {text}",
    "case.begins": "“{name}” begins: {text}",
    "case.known": "**Known of “{name}”:**",
    "case.besides": "Besides: {values}.",
    "case.stands": "{title}: {state}.",
    "case.more": "Known too: {names}.",
    "case.unknown": "Not known so far: {names}.",
    "case.files": "Files: {names}.",
    "case.others": "There is more here: {names}.",
    "pending.none": "Nothing waits for you.",
    "pending.unreadable": (
        "{n} more that this version of the service cannot read: whoever operates it has to look."
    ),
    "pending.mine": "**Waiting for you:**",
    "pending.asked_by": " (asked for by {who})",
    "pending.until": ", until {when}",
    "pending.beside": "{n} more for you from elsewhere: I have put them into our direct chat.",
    "pending.inbox_only": (
        "{n} more for you from elsewhere: see “Waiting for you” at the top of the page."
    ),
    "pending.more": "{shown} of at most {total} so far. Type `/pending {next}` for the next ones.",
    "pending.others": "**Open here, waiting for others:**",
    "pending.findings": (
        "**Open findings of checks: {n}** (what was found wrong with something stands until the "
        "same check finds it right)"
    ),
    "pending.finding": "- {record}: {field}, {message} ({when})",
    "pending.finding_of": "- {field}: {message} ({when})",
    "pending.finding_whose": "“{title}” of {who}, {when}",
    "pending.more_findings": "- … and {n} more",
    "pending.dropped_findings": (
        "- too many: the oldest {n} are no longer kept, please check those again"
    ),
    "pending.line": "- {title} ({who})",
    "cancel.none": "There is no run that you can cancel.",
    "cancel.done": "Cancelled “{name}”.",
    "command.unknown": "There is no command /{name}. Type /help for what there is.",
    "end.done": "done",
    "end.rejected": "rejected",
    "end.refused": "refused",
    "end.failed": "failed",
    "end.withdrawn": "withdrawn",
    "end.cancelled": "cancelled",
    "end.expired": "expired",
    "state.running": "running",
    "state.suspended": "waiting for an answer",
    "state.blocked": "needs an operator",
    # what stands between the items of a list, and between a label and its value
    "admin.model_left_alone": (
        "The language model “{model}” keeps failing. It is left alone for now and tried again"
        " later. Questions go to the fallback models, if there are any; look-ups, rule checks,"
        " cards and runs go on as always."
    ),
    "intake.too_fast": (
        "At most {n} taps and commands a minute are taken. This one was not; try again in"
        " {s} seconds."
    ),
    "intake.too_many": (
        "At most {n} messages a minute are taken. This one was not; send it again in {s} seconds."
        " Buttons and commands work as always."
    ),
    "list.and": ", ",
    "list.items": ", ",
    "list.clauses": "; ",
    "list.colon": ": ",
    "case.said": "Taken from your message, and not from before: {fields}.",
    "case.passed": "Already settled: {phases}.",
    "case.conflict": "“{label}” was changed meanwhile",
    "case.conflict_text": (
        "Somebody else changed this while your request was under way. Which one stands?"
    ),
    "case.mine": "In this request",
    "case.theirs": "As {name} left it",
    "case.theirs_stands": "“{label}” stands as {name} left it: nobody chose in time.",
    "choice.mine": "Keep this request's",
    "choice.theirs": "Keep {name}'s",
    "case.settled": "Already settled: {phase}",
    "case.settled_text": "It stands as shown here. Keep it, or do it again?",
    "case.reopens": "Doing it again opens these again: {phases}.",
    "choice.keep": "Keep it",
    "choice.again": "Do it again",
}
