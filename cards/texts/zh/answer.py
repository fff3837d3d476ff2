"""Answers to questions: what tools tell, why there is no answer, what a rule found."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # every tool
    "tool.unknown": "没有「{name}」这个工具。可用的有：{names}。",
    "tool.retry": "没能理解给出的条件或数值，请换一种写法。",
    # tools of outside servers
    "tool.remote.fault": "服务器 {server} 的工具 `{tool}` 报告了错误。",
    "tool.remote.away": "工具 `{tool}` 目前不可用：它的服务器没有应答，或不再提供它。",
    "tool.remote.slow": "服务器 {server} 的工具 `{tool}` 在 {seconds} 秒内没有应答。",
    "tool.remote.garbled": "服务器 {server} 的工具 `{tool}` 的应答无法读取。",
    "tool.remote.asks": "服务器 {server} 的工具 `{tool}` 要求更多输入，这里不提供。",
    # the ReAct engine, when it has no answer
    "react.truncated": "（以上回答因长度限制被截断，并不完整。）",
    "react.allowance": "没有询问语言模型：{limit}。明天可以继续提问。",
    "model.limit": "{whose}今天的语言模型用量上限已用完",
    "model.limit.person": "提问人",
    "model.limit.project": "本项目",
    "model.limit.all": "整个服务",
    "model.limit.reached": "{limit}",
    "react.asked_again": "（回答在这里中断了，正在重新询问模型。）",
    "react.broken": "（回答在这里两次中断，并不完整。）",
    "react.no_room": (
        "语言模型在写出答案之前就用完了长度上限（已放宽过一次）。"
        "请把问题拆小，或请管理员调高 max_tokens。"
    ),
    "react.iterations": "抱歉，我查了几步仍然没有得到答案。请把问题问得更具体一些。",
    "react.tokens": "抱歉，这个问题太大，我无法一次答完。请拆成更小的问题。",
    "react.last.tools_failed": "查询接连失败。以下只是不靠这些查询就已知道的内容：",
    "react.last.tokens": "这个问题需要的查询超出了一次回答的上限。以下只是目前已查到的内容：",
    "react.last.iterations": "这个问题需要的步骤超出了一次回答的上限。以下只是目前已查到的内容：",
    "react.tools_failed": "抱歉，查询接连失败，我没有可靠的依据来回答。请稍后再试。",
    "react.model_unavailable": "语言模型暂时不可用，这个问题现在无法回答。",
    "react.model_refused": "语言模型没有回答这个问题。",
    "react.empty": "抱歉，我没有得到答案。请换一种问法。",
    # rules
    "rule.labelled": "{label}：{message}",
    "rule.told": "{label} = {value}：{message}",
    "rule.failed": "规则无法执行：{why}",
    "rule.why.different": "{one}与{other}不能比较",
    "rule.why.number": "需要数字，实际是{one}",
    "rule.why.text": "需要文本，实际是{one}",
    "rule.why.list": "需要列表或文本，实际是{one}",
    "rule.why.entries": "需要列表，实际是{one}",
    "rule.why.work": "数据太多，超出一条规则可以查看的范围",
    "rule.why.date": "需要 2026-01-31 这样的日期",
    "rule.why.finite": "数字超出范围",
    "rule.why.zero": "除数为零",
    "rule.why.unread": "它要看文件的内容。{reason}",
    "rule.why.shape": "数据的结构与规则不符",
    "rule.kind.missing": "空值",
    "rule.kind.bool": "是/否",
    "rule.kind.number": "数字",
    "rule.kind.text": "文本",
    "rule.kind.date": "日期",
    "rule.kind.list": "列表",
    "rule.kind.mapping": "一组字段",
    "rule.kind.other": "其他类型",
}
