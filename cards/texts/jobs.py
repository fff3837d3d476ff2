"""On job graphs: their progress, their jobs' questions, and what is said when one stands still."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "jobs.progress": (
        "「{name}」：已完成 {n}/{of} 项任务…",
        "“{name}”: {n} of {of} jobs done…",
    ),
    "jobs.stopped": ("「{name}」：已停止（{error}）", "“{name}”: stopped ({error})"),
    "jobs.failed": ("「{name}」：未能完成（{error}）", "“{name}”: failed ({error})"),
    "jobs.line": ("- {state} {goal}（{expert}）", "- {state} {goal} ({expert})"),
    "jobs.more": ("- ……另有 {n} 项", "- … and {n} more"),
    "jobs.state.created": ("○ 待办：", "○ to do:"),
    "jobs.state.planning": ("◌ 规划中：", "◌ being planned:"),
    "jobs.state.again": ("↻ 稍后重试：", "↻ tried again soon:"),
    "jobs.state.running": ("▶ 进行中：", "▶ under way:"),
    "jobs.state.waiting": ("❓ 等你回答：", "❓ waits for your answer:"),
    "jobs.state.blocked": ("⚠ 需要管理员：", "⚠ needs an operator:"),
    "jobs.state.finished": ("✔ 完成：", "✔ done:"),
    "jobs.state.failed": ("✘ 失败：", "✘ failed:"),
    "jobs.state.stopped": ("■ 已停止：", "■ stopped:"),
    # a job's question
    "jobs.asks": ("{name}：{expert} 有一个问题", "{name}: {expert} has a question"),
    "jobs.about": ("任务：{goal}", "Job: {goal}"),
    "jobs.answer": ("回答", "Answer"),
    # the card of a graph that stands still
    "jobs.card.stopped": ("{name}：已停止", "{name}: stopped"),
    "jobs.card.failed": ("{name}：未能完成", "{name}: failed"),
    "jobs.card.text": (
        "原因：{error}\n\n继续时，已完成的任务保留结果，其余任务重新执行。",
        "Why: {error}\n\nIf it goes on, finished jobs keep their results and the others run again.",
    ),
    "jobs.choice.recover": ("继续", "Go on"),
    "jobs.choice.change": ("提出修改并继续", "Go on, but differently"),
    "jobs.choice.end": ("结束", "End it"),
    # why it stands still
    "jobs.by": ("{name} 停止", "{name} stopped it"),
    "jobs.by_text": ("{name} 停止：{text}", "{name} stopped it: {text}"),
    "jobs.no_model": (
        "没有配置语言模型；配置 OPENAI_API_KEY 和 LLM_MODEL 后可以继续",
        "no language model is configured; set OPENAI_API_KEY and LLM_MODEL, then let it go on",
    ),
    "jobs.budget_used": (
        "语言模型的预算（{calls} 次调用或 {tokens} 个 token）已用完；继续执行则再给同样多",
        "its budget of the language model ({calls} calls or {tokens} tokens) is used up; it has as "
        "much again when it goes on",
    ),
    "jobs.model_away": ("语言模型暂时不可用", "the language model is away"),
    "jobs.faulty_plan": (
        "语言模型连续 {n} 次没有给出可用的任务分解：{faults}",
        "{n} times the model gave no usable jobs: {faults}",
    ),
    "jobs.faulty_answer": (
        "语言模型连续 {n} 次没有给出可用的回答：{faults}",
        "{n} times the model gave no usable answer: {faults}",
    ),
    "jobs.sent_back": (
        "重做 {n} 次后输入仍不可用：{why}",
        "its input was made anew {n} times and still is no good: {why}",
    ),
    "jobs.too_complicated": (
        "任务过于复杂，且不能再分解：{why}",
        "a job is too complicated, and must not be decomposed any further: {why}",
    ),
    "jobs.too_many": ("任务超过 {n} 项", "more than {n} jobs would be needed"),
    # commands
    "stop.none": (
        "没有可以由你停止的任务图。",
        "There is no job graph under way that you can stop.",
    ),
    "stop.done": (
        "正在停止「{name}」；已经开始的任务会做完，但结果不再使用。",
        "Stopping “{name}”; what has begun ends, but is not used any more.",
    ),
    "recover.none": (
        "没有可以由你恢复的任务图。",
        "There is no job graph standing still that you can let go on.",
    ),
    "recover.done": ("「{name}」继续执行。", "“{name}” goes on."),
    # in the drawing
    "graph.kind.job": ("任务", "job"),
    "graph.detail.state": ("状态", "state"),
    "graph.detail.expert": ("专家", "expert"),
    "graph.detail.attempts": ("次数", "attempts"),
    "graph.detail.part_of": ("属于", "part of"),
    "graph.detail.error": ("错误", "error"),
    "graph.detail.experts": ("专家", "experts"),
}
