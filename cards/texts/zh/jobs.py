"""On job graphs: their progress, their jobs' questions, and what is said when one stands still."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "jobs.progress": "「{name}」：已完成 {n}/{of} 项任务…",
    "jobs.stopped": "「{name}」：已停止（{error}）",
    "jobs.failed": "「{name}」：未能完成（{error}）",
    "jobs.line": "- {state} {goal}（{expert}）",
    "jobs.more": "- ……另有 {n} 项",
    "jobs.state.created": "○ 待办：",
    "jobs.state.planning": "◌ 规划中：",
    "jobs.state.again": "↻ 稍后重试：",
    "jobs.state.running": "▶ 进行中：",
    "jobs.state.waiting": "❓ 等你回答：",
    "jobs.state.blocked": "⚠ 需要管理员：",
    "jobs.state.finished": "✔ 完成：",
    "jobs.state.failed": "✘ 失败：",
    "jobs.state.stopped": "■ 已停止：",
    # a job's question
    "jobs.asks": "{name}：{expert} 有一个问题",
    "jobs.about": "任务：{goal}",
    "jobs.writes": "专家 {expert} 为任务「{goal}」提出以下写入。",
    "jobs.same_experts": "计划的两个部分新设了同名的专家",
    "jobs.answer": "回答",
    # the card of a graph that stands still
    "jobs.card.stopped": "{name}：已停止",
    "jobs.card.failed": "{name}：未能完成",
    "jobs.card.text": "原因：{error}\n\n继续时，已完成的任务保留结果，其余任务重新执行。",
    "jobs.choice.recover": "继续",
    "jobs.choice.change": "提出修改并继续",
    "jobs.choice.end": "结束",
    # why it stands still
    "jobs.by": "{name} 停止",
    "jobs.by_text": "{name} 停止：{text}",
    "jobs.no_model": "没有配置语言模型；配置 OPENAI_API_KEY 和 LLM_MODEL 后可以继续",
    "jobs.budget_used": (
        "语言模型的预算（{calls} 次调用或 {tokens} 个 token）已用完；继续执行则再给同样多"
    ),
    "jobs.model_away": "语言模型暂时不可用",
    "jobs.faulty_plan": "语言模型连续 {n} 次没有给出可用的任务分解：{faults}",
    "jobs.faulty_answer": "语言模型连续 {n} 次没有给出可用的回答：{faults}",
    "jobs.sent_back": "重做 {n} 次后输入仍不可用：{why}",
    "jobs.too_complicated": "任务过于复杂，且不能再分解：{why}",
    "jobs.too_many": "任务超过 {n} 项",
    # commands
    "stop.none": "没有可以由你停止的任务图。",
    "stop.done": "正在停止「{name}」；已经开始的任务会做完，但结果不再使用。",
    "recover.none": "没有可以由你恢复的任务图。",
    "recover.done": "「{name}」继续执行。",
    # in the drawing
    "graph.kind.job": "任务",
    "graph.detail.state": "状态",
    "graph.detail.expert": "专家",
    "graph.detail.attempts": "次数",
    "graph.detail.part_of": "属于",
    "graph.detail.error": "错误",
    "graph.detail.experts": "专家",
}
