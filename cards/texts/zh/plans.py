"""On plans: what a model planned, what is asked before a write, and what may have happened."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "plan.unavailable": "（计划不可用）",
    "plan.carried_out": "已按计划执行。",
    "plan.no_model": (
        "没有配置语言模型，无法为这个请求制定计划；请管理员设置 OPENAI_API_KEY 和 LLM_MODEL"
    ),
    "plan.model_away": "语言模型没有给出计划；请稍后再说一次",
    "plan.day_limit": "{limit}；请明天再说一次",
    "plan.progress": "「{name}」：计划第 {n}/{of} 步 {tool}…",
    "plan.replanning": "「{name}」：有一步没有成功，正在重新计划…",
    "plan.failed_twice": "重新计划后仍然没有成功：{reason}",
    "plan.done_before": "在此之前已完成：",
    "plan.unresolved": "引用的结果不存在：{reference}",
    "plan.happened": "{tool}：{name} 确认已经发生",
    "plan.left_out": "计划中未采用的步骤：",
    "plan.more_left_out": "……另有 {n} 步",
    "plan.did_nothing": "（为此没有查询或更改任何内容。）",
    "plan.dropped": "第 {n} 步：{why}",
    "plan.dropped_tool": "第 {n} 步 {tool}：{why}",
    "plan.why.object": "不是一个步骤",
    "plan.why.twice": "同一个键出现两次",
    "plan.why.type": "既不是工具调用也不是回复",
    "plan.why.text": "回复没有内容",
    "plan.why.name": "没有写明工具",
    "plan.why.unknown": "没有这个工具",
    "plan.why.arguments": "没有参数",
    "plan.why.missing": "缺少必填参数（{detail}）",
    "plan.why.schema": "参数类型不符（{detail}）",
    "plan.why.reference": "引用了不存在的结果（{detail}）",
    "plan.why.storable": "含有无法保存的字符",
    "plan.why.beyond": "超过了步数上限",
    "plan.why.rule": "违反了这项工作的规则（{detail}）",
    "plan.rule.order": "必须按此顺序调用：{tools}",
    "plan.rule.exclusive": "只能调用其中一个：{tools}",
    "plan.rule.at_most": "最多调用 {n} 次：{tools}",
    "plan.rule.only_with": "{tool} 必须与以下工具同时调用：{tools}",
    "plan.why.done": "同样的内容已经写入",
    # what a person is asked for
    "plan.clarify": "{skill}：请补充",
    "plan.clarify_text": "计划要用到下面的内容，而请求里没有说。",
    "plan.argument_fault": "{label}：填写的内容不能用",
    # before a write
    "plan.confirm": "请审核：将执行 {n} 项写入",
    "plan.confirm_text": (
        "这是语言模型为下面的请求制定的计划。批准后，将原样执行以下写入，一字不改。"
    ),
    "plan.request": "请求",
    "plan.anew": "之前的计划没有成功（{reason}），这是重新制定的计划。",
    "plan.written_before": "本次流程已写入：{tools}",
    "plan.not_approved": "批准的内容与将要执行的不一致，没有执行",
    # a write of which nobody knows whether it has happened
    "lost.crashed": "执行过程中断，没有留下结果",
    "lost.title": "可能已执行：{tool}",
    "lost.text": "不能确定这次写入有没有发生（{why}）。它不会自动重复。请先核对，再决定：",
    "lost.keyed": "再执行一次是安全的：同一次批准只会写入一次。",
    "lost.again": "没有发生，再执行一次",
    "lost.happened": "已经发生，继续",
    "lost.fail": "停止",
    "lost.part": "「{name}」：一次写入可能已经发生，等待{roles}核对",
    "lost.failed": "不能确定 {tool} 有没有写入，{name} 决定停止；请核对记录",
    # a write whose system was away
    "away.title": "尚未执行：{tool}",
    "away.text": "{why}没有写入任何内容。批准仍然有效：您点一下，就按原样再试一次。",
    "away.again": "再试一次",
    "away.give_up": "放弃",
    "away.part": "「{name}」：已批准，尚未执行。{why}何时再试，正在问 {who}。",
    "away.given_up": "{why}没有写入任何内容；{name} 已放弃。",
}
