"""On plans: what a model planned, what is asked before a write, and what may have happened."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "plan.unavailable": ("（计划不可用）", "(No plan could be made for this.)"),
    "plan.carried_out": ("已按计划执行。", "The plan has been carried out."),
    "plan.no_model": (
        "没有配置语言模型，无法为这个请求制定计划；请管理员设置 OPENAI_API_KEY 和 LLM_MODEL",
        "no language model is configured, so no plan can be made for this; an administrator can "
        "set OPENAI_API_KEY and LLM_MODEL",
    ),
    "plan.model_away": (
        "语言模型没有给出计划；请稍后再说一次",
        "the language model gave no plan; please ask again later",
    ),
    "plan.progress": (
        "「{name}」：计划第 {n}/{of} 步 {tool}…",
        "“{name}”: step {n} of {of} of the plan, {tool}…",
    ),
    "plan.replanning": (
        "「{name}」：有一步没有成功，正在重新计划…",
        "“{name}”: a step did not work, planning anew…",
    ),
    "plan.failed_twice": (
        "重新计划后仍然没有成功：{reason}",
        "it did not work after planning anew either: {reason}",
    ),
    "plan.done_before": ("在此之前已完成：", "Done before that:"),
    "plan.unresolved": (
        "引用的结果不存在：{reference}",
        "a result that is referred to is not there: {reference}",
    ),
    "plan.happened": (
        "{tool}：{name} 确认已经发生",
        "{tool}: it has happened, says {name}",
    ),
    "plan.left_out": ("计划中未采用的步骤：", "Steps of the plan that were left out:"),
    "plan.more_left_out": ("……另有 {n} 步", "… and {n} more"),
    "plan.dropped": ("第 {n} 步：{why}", "step {n}: {why}"),
    "plan.dropped_tool": ("第 {n} 步 {tool}：{why}", "step {n}, {tool}: {why}"),
    "plan.why.object": ("不是一个步骤", "is no step"),
    "plan.why.twice": ("同一个键出现两次", "has a key twice"),
    "plan.why.type": ("既不是工具调用也不是回复", "is neither a call nor a reply"),
    "plan.why.text": ("回复没有内容", "is a reply without text"),
    "plan.why.name": ("没有写明工具", "names no tool"),
    "plan.why.unknown": ("没有这个工具", "there is no such tool"),
    "plan.why.arguments": ("没有参数", "has no arguments"),
    "plan.why.missing": ("缺少必填参数（{detail}）", "lacks required arguments ({detail})"),
    "plan.why.schema": ("参数类型不符（{detail}）", "has wrong arguments ({detail})"),
    "plan.why.reference": (
        "引用了不存在的结果（{detail}）",
        "refers to a result that is not there ({detail})",
    ),
    "plan.why.storable": ("含有无法保存的字符", "holds characters that cannot be kept"),
    "plan.why.beyond": ("超过了步数上限", "is beyond the longest plan"),
    "plan.why.done": ("同样的内容已经写入", "was written before"),
    # what a person is asked for
    "plan.clarify": ("{skill}：请补充", "{skill}: please fill in what is missing"),
    "plan.clarify_text": (
        "计划要用到下面的内容，而请求里没有说。",
        "The plan needs the following, which the request does not say.",
    ),
    "plan.argument_fault": ("{label}：填写的内容不能用", "{label}: this cannot be used"),
    # before a write
    "plan.confirm": ("请审核：将执行 {n} 项写入", "Please review: {n} to be written"),
    "plan.confirm_text": (
        "这是语言模型为下面的请求制定的计划。批准后，将原样执行以下写入，一字不改。",
        "A language model made this plan for the request below. Once approved, exactly the "
        "following is written.",
    ),
    "plan.request": ("请求", "Request"),
    "plan.anew": (
        "之前的计划没有成功（{reason}），这是重新制定的计划。",
        "The plan before did not work ({reason}); this is a new one.",
    ),
    "plan.written_before": ("本次流程已写入：{tools}", "Written by this run before: {tools}"),
    "plan.not_approved": (
        "批准的内容与将要执行的不一致，没有执行",
        "what was approved is not what would be run, so it was not run",
    ),
    # a write of which nobody knows whether it has happened
    "lost.crashed": (
        "执行过程中断，没有留下结果",
        "it was interrupted, and no result was kept",
    ),
    "lost.title": ("可能已执行：{tool}", "It may have happened: {tool}"),
    "lost.text": (
        "不能确定这次写入有没有发生（{why}）。它不会自动重复。请先核对，再决定：",
        "Nobody knows whether this write has happened ({why}). It is never repeated by itself. "
        "Please look first, and then decide:",
    ),
    "lost.keyed": (
        "再执行一次是安全的：同一次批准只会写入一次。",
        "Running it again is safe: the same approval writes once.",
    ),
    "lost.again": ("没有发生，再执行一次", "It has not; run it again"),
    "lost.happened": ("已经发生，继续", "It has happened; go on"),
    "lost.fail": ("停止", "Stop here"),
    "lost.part": (
        "「{name}」：一次写入可能已经发生，等待{roles}核对",
        "“{name}”: a write may have happened, waiting for {roles} to look",
    ),
    "lost.failed": (
        "不能确定 {tool} 有没有写入，{name} 决定停止；请核对记录",
        "nobody knows whether {tool} has written; {name} stopped it, please check the record",
    ),
}
