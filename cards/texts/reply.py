"""In replies: the parts of a message, how runs end, commands, lists."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "part.working": ("正在处理…", "Working on it…"),
    "part.waiting": ("等第 {n} 项完成后继续", "Waiting for part {n}"),
    "part.starting": ("开始「{name}」…", "Starting “{name}”…"),
    "part.needs_you": ("「{name}」：还需要你补充信息", "“{name}”: I need a little more from you"),
    "part.model_away": (
        "「{name}」：语言模型暂时不可用，{s} 秒后再试",
        "“{name}”: the language model is away; it is asked again in {s} s",
    ),
    "part.in_review": (
        "「{name}」：已提交，等待{roles}审核",
        "“{name}”: submitted, waiting for review by {roles}",
    ),
    "part.progress": (
        "「{name}」：第 {n}/{of} 步 {phase} · {skill}…",
        "“{name}”: step {n} of {of}, {phase} · {skill}…",
    ),
    "part.records": (
        "「{name}」：已核查 {n}/{of} 名受试者…",
        "“{name}”: checked {n} of {of} subjects…",
    ),
    "records.checked": (
        "已核查 {n} 名受试者，发现 {findings} 个问题。",
        "Subjects checked: {n}. Findings: {findings}.",
    ),
    "records.cut": ("问题只列出前 {n} 个。", " Only the first {n} findings are listed."),
    "records.cut_subjects": (
        "汇总只列出问题最多的 {n} 名受试者。",
        " The summary lists only the {n} subjects with most findings.",
    ),
    "chart.violations": ("{name}：各规则发现的问题", "{name}: findings by rule"),
    "chart.others": ("其他规则", "Other rules"),
    "chart.rule": ("规则", "Rule"),
    "chart.count": ("次数", "Findings"),
    "records.cut_records": (
        "汇总只列出先完成的 {n} 名受试者。",
        "The summary lists only the {n} subjects that were finished first.",
    ),
    "part.phase_done": ("「{name}」：{title}", "“{name}”: {title}"),
    "part.syncing": (
        "「{name}」：已完成，正在写入业务系统…",
        "“{name}”: finished, and being written to the system of record…",
    ),
    "part.done": ("「{name}」：已完成", "“{name}”: done"),
    "part.rejected": ("「{name}」：已被驳回", "“{name}”: rejected"),
    "part.refused": ("「{name}」：未通过检查", "“{name}”: refused by the checks"),
    "part.stopped": (
        "「{name}」：已放弃，没有写入任何内容",
        "“{name}”: withdrawn; nothing was written",
    ),
    "part.stopped_after": (
        "「{name}」：已放弃；此前各步的内容已交给业务系统",
        "“{name}”: withdrawn; what earlier steps gave has gone to the system of record",
    ),
    "part.cancelled_synced": (
        "「{name}」：已取消；此前各步的内容已交给业务系统",
        "“{name}”: cancelled; what earlier steps gave has gone to the system of record",
    ),
    "part.cancelled": (
        "「{name}」：已取消，没有写入任何内容",
        "“{name}”: cancelled; nothing was written",
    ),
    "part.cancelled_after": (
        "「{name}」：已取消；取消前批准的内容已经写入",
        "“{name}”: cancelled; what was approved had been written before",
    ),
    "part.cancelled_in_flight": (
        "「{name}」：已取消；取消时写入可能已经发生，请核对记录",
        "“{name}”: cancelled; a write was under way and may have happened, please check the record",
    ),
    "part.failed": ("「{name}」：没有完成。{reason}", "“{name}”: not finished. {reason}"),
    "part.blocked": (
        "「{name}」：已停下，需要管理员处理（{reason}）",
        "“{name}”: stopped, an operator is needed ({reason})",
    ),
    "part.resumed": ("「{name}」：继续处理", "“{name}”: goes on"),
    "part.error": (
        "处理时出错了，没有改动任何内容。已交给管理员，不用再发。",
        "Something went wrong here, and nothing was changed. An operator has it now; there is no"
        " need to send it again.",
    ),
    "part.skipped": (
        "第 {n} 项没有完成，所以这一项没有进行",
        "Part {n} was not finished, so this was not done",
    ),
    "answer.none": (
        "这个我现在回答不了。{why}可以这样问：",
        "I cannot answer that. {why}You could ask:",
    ),
    "answer.no_model": (
        "（没有配置语言模型，只能回答固定的查询。）",
        "(No language model is configured, so only look-ups work.) ",
    ),
    "answer.unclear": (
        "这句话我没有把握。{why}你可以这样说：",
        "I am not sure what you mean. {why}You could say:",
    ),
    "answer.smalltalk": (
        "你好！需要查数据或办理流程时，直接告诉我。例如：",
        "Hello! Ask me about the data, or tell me what to get done. For example:",
    ),
    "answer.thanks": ("不客气！", "You are welcome!"),
    "answer.how": (
        "要办理「{name}」，直接说要做什么，例如：{example}。缺少的内容我会问，写入之前有人审核。",
        "For “{name}”, just say what to do, for example: {example}. I ask for what is missing, and "
        "somebody reviews it before anything is written.",
    ),
    "answer.left": ("这些内容没有看懂：「{left}」。", "I did not understand: “{left}”. "),
    # cards of a talk turn
    "choose.title": ("你是想…？", "Did you mean …?"),
    "choose.said": ("你写道：「{said}」", "You wrote: “{said}”"),
    "choose.part": ("请在下面选一项，我就照办。", "Please choose below, and I go on with it."),
    "choose.question": ("只是提问，帮我查一下", "Just a question: look it up"),
    "choose.none": ("都不是", "None of these"),
    "choose.condition_title": ("条件成立吗？", "Does the condition hold?"),
    "choose.condition": (
        "你写道：「{said}」。请看上面的结果：如果「{condition}」成立，就点「开始」。",
        "You wrote: “{said}”. Please look at the result above: if “{condition}” holds, start it.",
    ),
    "choose.condition_part": (
        "是否开始，请根据上面的结果决定。",
        "Please decide by the result above whether to start.",
    ),
    "choose.start": ("条件成立，开始", "It holds: start"),
    "choose.not_now": ("不成立，不办", "It does not: leave it"),
    "choose.left": ("好的，没有进行任何操作。", "All right; nothing was done."),
    "choose.expired": (
        "没有人选择，所以没有进行任何操作。",
        "Nobody chose, so nothing was done.",
    ),
    "request.not_yet": (
        "「{name}」属于「{playbook}」，但现在的版本还不能办理；没有进行任何操作。",
        "“{name}” belongs to “{playbook}”, but this version cannot do it yet; nothing was done.",
    ),
    "request.gone": (
        "「{text}」要用的流程已经撤下了；没有进行任何操作。",
        "The procedure for “{text}” has been withdrawn meanwhile; nothing was done.",
    ),
    "request.barred": (
        "「{name}」只有以下角色可以发起：{roles}；您没有这个角色，所以没有进行任何操作。",
        "Only these may ask for “{name}”: {roles}. You do not have that role, so nothing was done.",
    ),
    "request.able": ("现在能办理的：{able}。", " What can be done now: {able}."),
    "clarify.open": (
        "没有看懂。「{form}」还在等你填写，还缺：{missing}。"
        "可以写成「名称 数值」，也可以用卡片上的按钮。",
        "I did not understand that. “{form}” is still open and needs: {missing}. Write it as "
        "“name value”, or use the buttons on the card.",
    ),
    "clarify.open_full": (
        "没有看懂。「{form}」还在等你提交，请用卡片上的按钮。",
        "I did not understand that. “{form}” is still open; please use the buttons on the card.",
    ),
    "clarify.other": (
        "没有记录任何内容：打开的是「{form}」的表单。{who} 需要另外发起一次请求；"
        "不需要原来的表单时，请在卡片上点「放弃」。",
        "Nothing was noted: the open form is “{form}”. {who} needs a request of its own; use "
        "“Withdraw” on the card if you do not want the open one.",
    ),
    "clarify.which": (
        "没有记录任何内容：有几个表单打开着：{forms}。请写明是哪一个，或使用它卡片上的按钮。",
        "Nothing was noted: several forms are open: {forms}. Please name the one you mean, or use "
        "the button on its card.",
    ),
    "clarify.changed": ("已改为：{changed}。", "Changed to: {changed}. "),
    "clarify.stands": (
        "还没有提交；如果这样就可以，请用卡片上的表单提交。",
        "Nothing was submitted yet; if it is right as it stands, send the card's form.",
    ),
    "clarify.withdraw": (
        "要放弃，请点「{form}」卡片上的「放弃」按钮；文字不算数。",
        "To give it up, use the “Withdraw” button on the card “{form}”; a text does not do it.",
    ),
    "review.button": (
        "只有卡片上的按钮算数，文字不作为审核决定。",
        "Only the button on the card counts; a text is never a decision.",
    ),
    "review.waiting": (
        "「{form}」正在等待{who}审核，内容不能再改。要修改，请用 /cancel 取消，或请审核人驳回。",
        "“{form}” is in review by {who} and cannot be changed now. To change it, use /cancel or "
        "have it rejected.",
    ),
    "clarify.noted": ("已记下：{noted}。", "Noted: {noted}. "),
    "clarify.missing": ("还缺：{missing}。", "Still missing: {missing}."),
    "clarify.taken": ("收到，继续处理。", "Thanks, going on."),
    "clarify.faulty": ("有些值不对：{errors}。", "Some values do not fit: {errors}. "),
    # runs
    "run.only_requester": (
        "除申请人本人外，没有人有权审核（{roles}）",
        "nobody but the requester holds the role {roles}",
    ),
    "run.no_approver": ("没有人有权审核（{roles}）", "nobody holds the role {roles}"),
    "run.expired": ("没有人在期限内决定", "nobody decided in time"),
    "run.missing": ("还缺：{missing}", "still missing: {missing}"),
    "run.stalled": (
        "「{skill}」多次执行后没有任何进展",
        "“{skill}” has run again and again without any progress",
    ),
    "run.sync_refused": (
        "业务系统拒绝了数据：{reason}",
        "the system of record refused the data: {reason}",
    ),
    "run.bad_state": (
        "数据不符合流程定义：{faults}",
        "the data does not fit the playbook: {faults}",
    ),
    # an SOP, and the review card of a soft instruction
    "sop.error": ("检查没有完成", "the check could not be finished"),
    "sop.too_often": (
        "「{title}」重复超过 {n} 次",
        "“{title}” came up more than {n} times",
    ),
    "soft.told": ("{title}：{reason}", "{title}: {reason}"),
    "soft.unsure.no_model": ("没有配置语言模型。", "No language model is configured."),
    "soft.unsure.model_away": ("语言模型暂时不可用。", "The language model is away."),
    "soft.unsure.model_refused": ("语言模型拒绝判断。", "The language model declined to judge."),
    "soft.unsure.rounds": (
        "语言模型回答了 {n} 次，仍没有可用的结论。",
        "The language model gave no usable verdict in {n} answers.",
    ),
    "soft.unsure.confidence": (
        "语言模型的把握低于 {limit}。",
        "The language model is less than {limit} sure.",
    ),
    "soft.decide": (
        "请您决定：批准即通过，驳回即不通过。",
        "Please decide: approving lets it pass, rejecting does not.",
    ),
    "soft.instruction": ("检查要求", "To be checked"),
    "soft.verdict": ("模型结论", "The model's verdict"),
    "soft.passed": ("通过", "passed"),
    "soft.failed": ("不通过", "failed"),
    "soft.reason": ("理由", "Reason"),
    "soft.evidence": ("依据", "Evidence"),
    "soft.confidence": ("把握", "Confidence"),
    "soft.last_answer": ("模型最后的回答", "The model's last answer"),
    "skill.by_hand": ("请填写以下内容。", "Please fill this in."),
    "skill.no_model": (
        "没有配置语言模型，请手工填写。",
        "No language model is configured; please fill this in by hand.",
    ),
    "skill.model_away": (
        "语言模型暂时不可用，可以手工填写，或稍后再试。",
        "The language model is away: fill this in by hand, or let it try again later.",
    ),
    "skill.faulty": (
        "语言模型连续 {n} 次没有给出可用的结果，请手工填写：\n{faults}",
        "{n} times the model gave no usable answer; please fill this in by hand:\n{faults}",
    ),
    "skill.lacking": (
        "还缺下面的内容，请补充。",
        "This is still missing; please fill it in.",
    ),
    "skill.nothing_to_choose": (
        "没有可以选择的内容，请手工填写。",
        "There is nothing to choose from; please fill this in by hand.",
    ),
    "run.no_skill": ("没有可以执行的步骤", "no step can be taken"),
    "run.too_many_steps": (
        "已自动执行 {n} 步而没有任何人参与；管理员让它继续后重新计数",
        "it took {n} steps without anybody's word; they are counted anew when an operator lets it "
        "go on",
    ),
    "run.budget_used": (
        "语言模型的预算（{calls} 次调用或 {tokens} 个 token）已用完；管理员让它继续后重新计算",
        "its budget of the language model ({calls} calls or {tokens} tokens) is used up; it has as "
        "much again when an operator lets it go on",
    ),
    "run.not_approved": (
        "批准的内容与将要写入的不一致",
        "what was approved is not what would be written",
    ),
    "run.playbook_missing": (
        "找不到启动时的流程版本",
        "the playbook version it began with is missing",
    ),
    "run.newer_state": ("状态由更新的版本写入", "its state was written by a newer version"),
    "run.attempts": ("多次重试后仍然失败", "it failed again and again"),
    "run.rejected": ("{name} 驳回：{reason}", "{name} rejected it: {reason}"),
    "run.rejected_plainly": ("{name} 驳回", "{name} rejected it"),
    "run.no_progress": (
        "「{skill}」已经结束，但这一阶段的目标没有达到，再做一次也不会改变",
        "“{skill}” has ended, but the goal of its phase is not reached, and doing it again would "
        "change nothing",
    ),
    # a question about a run, in query mode
    "query.phase": (
        "{name}：现在是「{phase}」（{goal}）。",
        "{name}: now at “{phase}” ({goal}).",
    ),
    "query.missing": ("还缺：{missing}。", " Still missing: {missing}."),
    "query.waits": ("正在等：{waits}。", " Waiting for: {waits}."),
    "query.card": ("{who} 处理「{title}」", "{who} to answer “{title}”"),
    "query.blocked": ("它停着：{told}。", " It stands still: {told}."),
    # commands
    "help": (
        "我可以回答问题，也可以办理需要审核的流程。\n\n可以这样说：\n{examples}\n\n"
        "命令：`/pending` 待处理的卡片和检查问题，`/runs` 进行中的流程，"
        "`/cancel` 取消我的流程，`/stop` 和 `/recover` 停止和继续任务，"
        "`/handover 姓名` 转交我的一票，`/help` 帮助",
        "I answer questions, and get work done that somebody has to sign off.\n\n"
        "Try:\n{examples}\n\n"
        "Commands: `/pending` open cards and findings, `/runs` what is under way, "
        "`/cancel` my run, `/stop` and `/recover` jobs, "
        "`/handover NAME` my vote to somebody else, `/help`",
    ),
    "runs.none": ("没有进行中的流程。", "Nothing is under way."),
    "runs.stuck": (
        "这里有流程停下了，在等管理员处理，您刚才写的内容没有用上：\n{runs}\n\n"
        "管理员处理后会继续；`/cancel` 可以取消您的流程，`/runs` 查看进行中的流程。",
        "A run here stands still until an operator acts; what you wrote was not used:\n{runs}\n\n"
        "It goes on once they have; `/cancel` ends runs of yours, `/runs` lists what is under way.",
    ),
    "runs.line": ("- {name}（申请人 {who}）：{state}", "- {name} (by {who}): {state}"),
    "opened.nothing": (
        "这个链接没有可以给您看的内容。输入 /pending 查看等您处理的事项。",
        "This link leads to nothing that is yours to see. /pending shows what waits for you.",
    ),
    "opened.card": ("这张卡片在等您：", "This card waits for you:"),
    "pending.none": ("没有等您处理的事项。", "Nothing waits for you."),
    "pending.mine": ("**等您处理：**", "**Waiting for you:**"),
    "pending.asked_by": ("（申请人 {who}）", " (asked for by {who})"),
    "pending.until": ("，截止 {when}", ", until {when}"),
    "pending.beside": (
        "另有 {n} 项等您处理，已发到您与我的单独对话中。",
        "{n} more for you from elsewhere: I have put them into our direct chat.",
    ),
    "pending.inbox_only": (
        "另有 {n} 项等您处理，在页面上方的「待办」里。",
        "{n} more for you from elsewhere: see “Waiting for you” at the top of the page.",
    ),
    "pending.more": (
        "已列出 {shown} 项，最多共 {total} 项。输入 `/pending {next}` 查看后面的。",
        "{shown} of at most {total} so far. Type `/pending {next}` for the next ones.",
    ),
    "pending.others": ("**本对话中等其他人处理：**", "**Open here, waiting for others:**"),
    "pending.findings": ("**未关闭的检查问题：{n} 个**", "**Open findings of checks: {n}**"),
    "pending.finding": (
        "- {record}：{field}，{message}（{when}）",
        "- {record}: {field}, {message} ({when})",
    ),
    "pending.more_findings": ("- ……另有 {n} 个", "- … and {n} more"),
    "pending.dropped_findings": (
        "- 太多了，最早的 {n} 个已不再列出，请重新检查",
        "- too many: the oldest {n} are no longer kept, please check those again",
    ),
    "pending.line": ("- {title}（{who}）", "- {title} ({who})"),
    "cancel.none": ("没有可以由你取消的流程。", "There is no run that you can cancel."),
    "cancel.done": ("已取消「{name}」。", "Cancelled “{name}”."),
    "command.unknown": (
        "没有这个命令：/{name}。输入 /help 查看可用的命令。",
        "There is no command /{name}. Type /help for what there is.",
    ),
    "end.done": ("已完成", "done"),
    "end.rejected": ("已被驳回", "rejected"),
    "end.refused": ("未通过检查", "refused"),
    "end.failed": ("失败", "failed"),
    "end.withdrawn": ("已放弃", "withdrawn"),
    "end.cancelled": ("已取消", "cancelled"),
    "end.expired": ("已过期", "expired"),
    "state.running": ("进行中", "running"),
    "state.suspended": ("等待答复", "waiting for an answer"),
    "state.blocked": ("需要管理员", "needs an operator"),
    # what stands between the items of a list, and between a label and its value
    "admin.model_left_alone": (
        "语言模型「{model}」连续没有回答，暂时不再使用它，稍后会自动再试。"
        "问题会转给备用模型（如果有）；查询、规则检查、卡片和流程不受影响。",
        "The language model “{model}” keeps failing. It is left alone for now and tried again"
        " later. Questions go to the fallback models, if there are any; look-ups, rule checks,"
        " cards and runs go on as always.",
    ),
    "intake.too_fast": (
        "一分钟最多收 {n} 次点击和命令。这一次没有收下；{s} 秒后请再试。",
        "At most {n} taps and commands a minute are taken. This one was not; try again in"
        " {s} seconds.",
    ),
    "intake.too_many": (
        "一分钟最多收 {n} 条消息。这一条没有收下；{s} 秒后请再发一次。按钮和命令不受影响。",
        "At most {n} messages a minute are taken. This one was not; send it again in {s} seconds."
        " Buttons and commands work as always.",
    ),
    "list.and": ("，", ", "),
    "list.items": ("、", ", "),
    "list.clauses": ("；", "; "),
    "list.colon": ("：", ": "),
}
