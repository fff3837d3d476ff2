"""In replies: the parts of a message, how runs end, commands, lists."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # what models are told to write in
    "language.name": "Chinese (Simplified)",
    "part.working": "正在处理…",
    "part.waiting": "等第 {n} 项完成后继续",
    "part.starting": "开始「{name}」…",
    "part.needs_you": "「{name}」：还需要你补充信息",
    "part.model_away": "「{name}」：语言模型暂时不可用，{s} 秒后再试",
    "part.in_review": "「{name}」：已提交，等待{roles}审核",
    "part.progress": "「{name}」：第 {n}/{of} 步 {phase} · {skill}…",
    "part.records": "「{name}」：已核查 {n}/{of}…",
    "records.checked": "已核查 {n} 项，发现 {findings} 个问题。",
    "records.cut": "问题只列出前 {n} 个。",
    "records.cut_summary": "汇总只列出问题最多的 {n} 项。",
    "records.at_least": "至少 {least} 条",
    "records.none": "没有找到",
    "records.too_few": "只找到 {n} 条，至少需要 {least} 条",
    "chart.violations": "{name}：各规则发现的问题",
    "chart.others": "其他规则",
    "chart.rule": "规则",
    "chart.count": "次数",
    "records.cut_records": "汇总只列出先完成的 {n} 项。",
    "records.refused": "{tool} 不接受这些内容：{given}。",
    "records.no_list": "{tool} 没有给出记录列表。",
    "records.no_name": "{tool} 列出的内容缺少 {column}，无法确定是哪一项。",
    "records.too_many": "{tool} 一次列出超过 {limit} 项，没有进行核查。",
    "tool.list_writes": "{name} 会写入，列表只能来自只读取的工具。",
    "part.phase_done": "「{name}」：{title}",
    "part.syncing": "「{name}」：已完成，正在写入业务系统…",
    "part.done": "「{name}」：已完成",
    "part.rejected": "「{name}」：已被驳回",
    "part.refused": "「{name}」：未通过检查",
    "part.stopped": "「{name}」：已放弃，没有写入任何内容",
    "part.stopped_after": "「{name}」：已放弃；此前各步的内容已交给业务系统",
    "part.cancelled_synced": "「{name}」：已取消；此前各步的内容已交给业务系统",
    "part.cancelled": "「{name}」：已取消，没有写入任何内容",
    "part.cancelled_after": "「{name}」：已取消；取消前批准的内容已经写入",
    "part.cancelled_in_flight": "「{name}」：已取消；取消时写入可能已经发生，请核对记录",
    "part.failed": "「{name}」：没有完成。{reason}",
    "part.blocked": "「{name}」：已停下，需要管理员处理（{reason}）",
    "part.resumed": "「{name}」：继续处理",
    "part.error": "处理时出错了，没有改动任何内容。已交给管理员，不用再发。",
    "part.skipped": "第 {n} 项没有完成，所以这一项没有进行",
    "answer.none": "这个我现在回答不了。{why}可以这样问：",
    "answer.no_model": "（没有配置语言模型，只能回答固定的查询。）",
    "answer.unclear": "这句话我没有把握。{why}你可以这样说：",
    "answer.smalltalk": "你好！需要查数据或办理流程时，直接告诉我。例如：",
    "answer.thanks": "不客气！",
    "answer.how": (
        "要办理「{name}」，直接说要做什么，例如：{example}。缺少的内容我会问，写入之前有人审核。"
    ),
    "answer.unused": "未采用：「{left}」。",
    # cards of a talk turn
    "choose.title": "你是想…？",
    "choose.said": "你写道：「{said}」",
    "choose.part": "请在下面选一项，我就照办。",
    "choose.question": "只是提问，帮我查一下",
    "choose.none": "都不是",
    "choose.condition_title": "条件成立吗？",
    "choose.condition": (
        "你写道：「{said}」。请看上面的结果：如果「{condition}」成立，就点「开始」。"
    ),
    "choose.condition_part": "是否开始，请根据上面的结果决定。",
    "choose.start": "条件成立，开始",
    "choose.not_now": "不成立，不办",
    "choose.left": "好的，没有进行任何操作。",
    "choose.expired": "没有人选择，所以没有进行任何操作。",
    "request.not_yet": "「{name}」属于「{playbook}」，但现在的版本还不能办理；没有进行任何操作。",
    "request.gone": "「{text}」要用的流程已经撤下了；没有进行任何操作。",
    "request.barred": (
        "「{name}」只有以下角色可以发起：{roles}；您没有这个角色，所以没有进行任何操作。"
    ),
    "request.able": "现在能办理的：{able}。",
    "clarify.open": (
        "没有看懂。「{form}」还在等你填写，还缺：{missing}。"
        "可以写成「名称 数值」，也可以用卡片上的按钮。"
    ),
    "clarify.open_full": "没有看懂。「{form}」还在等你提交，请用卡片上的按钮。",
    "clarify.other": (
        "没有记录任何内容：打开的是「{form}」的表单。{who} 需要另外发起一次请求；"
        "不需要原来的表单时，请在卡片上点「放弃」。"
    ),
    "clarify.which": (
        "没有记录任何内容：有几个表单打开着：{forms}。请写明是哪一个，或使用它卡片上的按钮。"
    ),
    "clarify.changed": "已改为：{changed}。",
    "clarify.stands": "还没有提交；如果这样就可以，请用卡片上的表单提交。",
    "clarify.withdraw": "要放弃，请点「{form}」卡片上的「放弃」按钮；文字不算数。",
    "review.button": "只有卡片上的按钮算数，文字不作为审核决定。",
    "review.waiting": (
        "「{form}」正在等待{who}审核，内容不能再改。要修改，请用 /cancel 取消，或请审核人驳回。"
    ),
    "clarify.noted": "已记下：{noted}。",
    "clarify.missing": "还缺：{missing}。",
    "clarify.taken": "收到，继续处理。",
    "clarify.faulty": "有些值不对：{errors}。",
    # runs
    "run.only_requester": "除申请人本人外，没有人有权审核（{roles}）",
    "run.no_approver": "没有人有权审核（{roles}）",
    "run.expired": "没有人在期限内决定",
    "run.missing": "还缺：{missing}",
    "run.stalled": "「{skill}」多次执行后没有任何进展",
    "run.sync_refused": "业务系统拒绝了数据：{reason}",
    "run.bad_state": "数据不符合流程定义：{faults}",
    # an SOP, and the review card of a soft instruction
    "sop.error": "检查没有完成",
    "sop.too_often": "「{title}」重复超过 {n} 次",
    "soft.told": "{title}：{reason}",
    "soft.unsure.no_model": "没有配置语言模型。",
    "soft.unsure.model_away": "语言模型暂时不可用。",
    "soft.unsure.model_refused": "语言模型拒绝判断。",
    "soft.unsure.rounds": "语言模型回答了 {n} 次，仍没有可用的结论。",
    "soft.unsure.confidence": "语言模型的把握低于 {limit}。",
    "soft.decide": "请您决定：批准即通过，驳回即不通过。",
    "soft.instruction": "检查要求",
    "soft.verdict": "模型结论",
    "soft.passed": "通过",
    "soft.failed": "不通过",
    "soft.reason": "理由",
    "soft.evidence": "依据",
    "soft.confidence": "把握",
    "soft.last_answer": "模型最后的回答",
    "skill.by_hand": "请填写以下内容。",
    "skill.no_model": "没有配置语言模型，请手工填写。",
    "skill.model_away": "语言模型暂时不可用，可以手工填写，或稍后再试。",
    "skill.faulty": "语言模型连续 {n} 次没有给出可用的结果，请手工填写：\n{faults}",
    "skill.lacking": "还缺下面的内容，请补充。",
    "skill.nothing_to_choose": "没有可以选择的内容，请手工填写。",
    "run.no_skill": "没有可以执行的步骤",
    "run.too_many_steps": "已自动执行 {n} 步而没有任何人参与；管理员让它继续后重新计数",
    "run.budget_used": (
        "语言模型的预算（{calls} 次调用或 {tokens} 个 token）已用完；管理员让它继续后重新计算"
    ),
    "run.not_approved": "批准的内容与将要写入的不一致",
    "run.playbook_missing": "找不到启动时的流程版本",
    "run.newer_state": "状态由更新的版本写入",
    "run.attempts": "多次重试后仍然失败",
    "run.rejected": "{name} 驳回：{reason}",
    "run.rejected_plainly": "{name} 驳回",
    "run.no_progress": "「{skill}」已经结束，但这一阶段的目标没有达到，再做一次也不会改变",
    # a question about a run, in query mode
    "query.phase": "{name}：现在是「{phase}」（{goal}）。",
    "query.missing": "还缺：{missing}。",
    "query.waits": "正在等：{waits}。",
    "query.card": "{who} 处理「{title}」",
    "query.blocked": "它停着：{told}。",
    # commands
    "help": (
        "我可以回答问题，也可以办理需要审核的流程。\n\n可以这样说：\n{examples}\n\n"
        "命令：`/pending` 待处理的卡片和检查问题，`/runs` 进行中的流程，"
        "`/cancel` 取消我的流程，`/stop` 和 `/recover` 停止和继续任务，"
        "`/handover 姓名` 转交我的一票，`/help` 帮助"
    ),
    "runs.none": "没有进行中的流程。",
    "runs.stuck": (
        "这里有流程停下了，在等管理员处理，您刚才写的内容没有用上：\n{runs}\n\n"
        "管理员处理后会继续；`/cancel` 可以取消您的流程，`/runs` 查看进行中的流程。"
    ),
    "runs.line": "- {name}（申请人 {who}）：{state}",
    "opened.nothing": "这个链接没有可以给您看的内容。输入 /pending 查看等您处理的事项。",
    "opened.card": "这张卡片在等您：",
    "pending.none": "没有等您处理的事项。",
    "pending.mine": "**等您处理：**",
    "pending.asked_by": "（申请人 {who}）",
    "pending.until": "，截止 {when}",
    "pending.beside": "另有 {n} 项等您处理，已发到您与我的单独对话中。",
    "pending.inbox_only": "另有 {n} 项等您处理，在页面上方的「待办」里。",
    "pending.more": "已列出 {shown} 项，最多共 {total} 项。输入 `/pending {next}` 查看后面的。",
    "pending.others": "**本对话中等其他人处理：**",
    "pending.findings": "**未关闭的检查问题：{n} 个**",
    "pending.finding": "- {record}：{field}，{message}（{when}）",
    "pending.more_findings": "- ……另有 {n} 个",
    "pending.dropped_findings": "- 太多了，最早的 {n} 个已不再列出，请重新检查",
    "pending.line": "- {title}（{who}）",
    "cancel.none": "没有可以由你取消的流程。",
    "cancel.done": "已取消「{name}」。",
    "command.unknown": "没有这个命令：/{name}。输入 /help 查看可用的命令。",
    "end.done": "已完成",
    "end.rejected": "已被驳回",
    "end.refused": "未通过检查",
    "end.failed": "失败",
    "end.withdrawn": "已放弃",
    "end.cancelled": "已取消",
    "end.expired": "已过期",
    "state.running": "进行中",
    "state.suspended": "等待答复",
    "state.blocked": "需要管理员",
    # what stands between the items of a list, and between a label and its value
    "admin.model_left_alone": (
        "语言模型「{model}」连续没有回答，暂时不再使用它，稍后会自动再试。"
        "问题会转给备用模型（如果有）；查询、规则检查、卡片和流程不受影响。"
    ),
    "intake.too_fast": "一分钟最多收 {n} 次点击和命令。这一次没有收下；{s} 秒后请再试。",
    "intake.too_many": (
        "一分钟最多收 {n} 条消息。这一条没有收下；{s} 秒后请再发一次。按钮和命令不受影响。"
    ),
    "list.and": "，",
    "list.items": "、",
    "list.clauses": "；",
    "list.colon": "：",
    "case.passed": "此前已完成：{phases}。",
    "case.conflict": "「{label}」期间已被修改",
    "case.conflict_text": "在本请求进行期间，另有人修改了这一项。以哪一个为准？",
    "case.mine": "本请求中的值",
    "case.theirs": "{name} 的修改",
    "case.theirs_stands": "「{label}」以 {name} 的修改为准：没有人及时选择。",
    "choice.mine": "以本请求为准",
    "choice.theirs": "以 {name} 的为准",
    "case.settled": "此前已完成：{phase}",
    "case.settled_text": "目前的结果如下。保持不变，还是重新办理？",
    "case.reopens": "重新办理会使以下步骤重新打开：{phases}。",
    "choice.keep": "保持不变",
    "choice.again": "重新办理",
}
