"""Answers to questions: what tools tell, why there is no answer, what a rule found."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    # every tool
    "tool.unknown": (
        "没有「{name}」这个工具。可用的有：{names}。",
        "There is no tool '{name}'; there are {names}.",
    ),
    "tool.retry": (
        "没能理解给出的条件或数值，请换一种写法。",
        "What was given could not be understood; please put it another way.",
    ),
    # tools of outside servers
    "tool.remote.fault": (
        "服务器 {server} 的工具 `{tool}` 报告了错误。",
        "The tool `{tool}` of server {server} reports a fault.",
    ),
    "tool.remote.away": (
        "工具 `{tool}` 目前不可用：它的服务器没有应答，或不再提供它。",
        "The tool `{tool}` is not there now: its server does not answer or offers it no more.",
    ),
    "tool.remote.slow": (
        "服务器 {server} 的工具 `{tool}` 在 {seconds} 秒内没有应答。",
        "The tool `{tool}` of server {server} gave no answer within {seconds} seconds.",
    ),
    "tool.remote.garbled": (
        "服务器 {server} 的工具 `{tool}` 的应答无法读取。",
        "The tool `{tool}` of server {server} gave an answer that cannot be read.",
    ),
    "tool.remote.asks": (
        "服务器 {server} 的工具 `{tool}` 要求更多输入，这里不提供。",
        "The tool `{tool}` of server {server} asks for more input, which is not given here.",
    ),
    "tool.field.ecog": ("ECOG", "ECOG"),
    "tool.field.weight_kg": ("体重", "Weight"),
    "tool.field.blood_pressure": ("血压", "Blood pressure"),
    "tool.field.adverse_event": ("不良事件", "Adverse event"),
    "tool.none_recorded": ("未记录到", "none recorded"),
    "tool.not_recorded": ("未记录", "not recorded"),
    "tool.no_subject": ("研究中没有受试者 {who}。", "The study has no subject {who}."),
    "tool.no_subject_near": (
        "研究中没有受试者 {who}。最接近的编号：{ids}。",
        "The study has no subject {who}. The closest ids are {ids}.",
    ),
    # read_clinical_data
    "tool.read.no_visits": ("{who} 还没有访视记录。", "{who} has no visits yet."),
    "tool.read.field": (
        "{who} 的{name}：{value}（访视日期 {day}）",
        "{name} of {who}: {value} (visit of {day})",
    ),
    "tool.read.field_earlier": (
        "{who} 的{name}：{value}（访视日期 {day}）。此前：{earlier}",
        "{name} of {who}: {value} (visit of {day}). Earlier: {earlier}",
    ),
    "tool.read.visit": ("{who} 在 {day} 的访视：", "{who}, visit of {day}:"),
    "tool.read.visited": ("{who} 在 {day} 有访视记录。", "{who} has a visit recorded on {day}."),
    "tool.read.dates": (
        "{who} 共 {n} 次访视：{days}。最近一次：**{latest}**",
        "{who} has {n} visits: {days}. Latest: **{latest}**",
    ),
    "tool.read.one_date": (
        "{who} 共 1 次访视：{days}。最近一次：**{latest}**",
        "{who} has 1 visit: {days}. Latest: **{latest}**",
    ),
    "tool.read.no_visit": (
        "{who} 在 {day} 没有访视记录。已有的访视日期：{days}。",
        "{who} has no visit recorded on {day}. Recorded visits: {days}.",
    ),
    # search_protocol
    "tool.protocol.section": (
        "方案 {section} 节《{title}》：",
        "Protocol section {section}, {title}:",
    ),
    "tool.protocol.empty": ("方案为空。", "The protocol is empty."),
    "tool.protocol.sections": (
        "方案包含：{sections}。",
        "The protocol has these sections: {sections}.",
    ),
    "tool.protocol.nothing": (
        "方案中没有找到与「{query}」相符的内容。",
        "Nothing in the protocol matches “{query}”.",
    ),
    "tool.protocol.nothing_but": (
        "方案中没有找到与「{query}」相符的内容。方案包含：{sections}。",
        "Nothing in the protocol matches “{query}”. The protocol has these sections: {sections}.",
    ),
    # get_project_stats
    "tool.stats.subjects": (
        "受试者：**{n}** 人（{sex}；{arm}）",
        "Subjects: **{n}** ({sex}; {arm})",
    ),
    "tool.stats.sex_f": ("女 {n}", "{n} female"),
    "tool.stats.sex_m": ("男 {n}", "{n} male"),
    "tool.stats.arm": ("{arm} 组 {n}", "{n} in arm {arm}"),
    "tool.stats.visits": (
        "访视：**{n}** 次，最近一次 {day}",
        "Visits: **{n}**, date of the last: {day}",
    ),
    "tool.stats.ecog": (
        "最近一次访视的 ECOG：{scores}",
        "ECOG at the latest visit, subjects by score: {scores}",
    ),
    "tool.stats.ecog_missing": (
        "最近一次访视的 ECOG：{scores}，未记录 {missing} 人",
        "ECOG at the latest visit, subjects by score: {scores}, not recorded: {missing}",
    ),
    "tool.stats.score": ("{score} 分 {n} 人", "{score}: {n}"),
    "tool.stats.events": (
        "不良事件：{visits} 次访视有记录，涉及 {subjects} 名受试者",
        "Adverse events: recorded at {visits} visits of {subjects} subjects",
    ),
    "tool.stats.none": ("无", "none"),
    # check_visit_window
    "tool.window.none": ("方案没有规定访视时间窗。", "The protocol schedules no visits."),
    "tool.window.inside": (
        "{who} 在 {day} 的访视（{since}）**在 {window} 窗口内**（{span}）。",
        "A visit of {who} on {day} ({since}) is **inside the {window} window** ({span}).",
    ),
    "tool.window.outside": (
        "{who} 在 {day} 的访视（{since}）**不在任何窗口内**；"
        "最接近的是 {window}（{span}），**{off}**。",
        "A visit of {who} on {day} ({since}) is **in no window**; "
        "the nearest is {window} ({span}), **{off}**.",
    ),
    "tool.window.span": (
        "{first} 至 {last}，计划日 {planned}",
        "{first} to {last}, planned {planned}",
    ),
    "tool.window.after": ("入组后第 {n} 天", "day {n}"),
    "tool.window.before": ("入组前 {days}", "{days} before enrolment"),
    "tool.window.early": ("早 {days}", "{days} early"),
    "tool.window.late": ("晚 {days}", "{days} late"),
    "tool.window.day": ("1 天", "1 day"),
    "tool.window.days": ("{n} 天", "{n} days"),
    # record_visit
    "tool.record.unapproved": (
        "访视只能由经过审批的流程写入。",
        "A visit is written only by a run that was approved.",
    ),
    "tool.record.done": (
        "已录入 {who} 在 {day} 的访视：{values}。",
        "Recorded the visit of {who} on {day}: {values}.",
    ),
    "tool.record.again": (
        "此前已录入，没有重复写入：{who} 在 {day} 的访视：{values}。",
        "Recorded before, not written again: the visit of {who} on {day}: {values}.",
    ),
    # the study's database
    "study.conflict": (
        "{subject_id} 在 {visit_date} 已有一条访视记录，没有写入。",
        "{subject_id} already has a visit of {visit_date}; nothing was written.",
    ),
    "study.other_visit": (
        "这次写入的编号已用于另一条访视，没有写入。",
        "This write's key already stands for another visit; nothing was written.",
    ),
    "study.unknown": (
        "研究中没有受试者 {subject_id}，没有写入。",
        "The study has no subject {subject_id}; nothing was written.",
    ),
    "study.busy": (
        "研究数据库正忙，请稍后再试。",
        "The study database is busy; please try again shortly.",
    ),
    "study.away": (
        "暂时无法访问研究数据库。",
        "The study database cannot be reached at the moment.",
    ),
    "study.damaged": (
        "研究数据库中有无法读取的记录。",
        "The study database holds a record that cannot be read.",
    ),
    "study.closed": ("研究数据库已关闭。", "The study database is closed."),
    "study.schema": (
        "研究数据库由另一版本的程序创建（结构 {found}，需要 {wanted}）。",
        "Another version of this program made the study database (schema {found}, not {wanted}).",
    ),
    # the ReAct engine, when it has no answer
    "react.truncated": (
        "（以上回答因长度限制被截断，并不完整。）",
        "(This answer was cut off by a length limit and is incomplete.)",
    ),
    "react.iterations": (
        "抱歉，我查了几步仍然没有得到答案。请把问题问得更具体一些。",
        "Sorry, I found no answer in the steps that I have. Please ask more specifically.",
    ),
    "react.tokens": (
        "抱歉，这个问题太大，我无法一次答完。请拆成更小的问题。",
        "Sorry, this question is too large to answer at once. Please ask for less.",
    ),
    "react.tools_failed": (
        "抱歉，查询接连失败，我没有可靠的依据来回答。请稍后再试。",
        "Sorry, the look-ups failed repeatedly, so I have nothing reliable to say. "
        "Please try again later.",
    ),
    "react.model_unavailable": (
        "语言模型暂时不可用，这个问题现在无法回答。",
        "The language model is not available, so this question cannot be answered right now.",
    ),
    "react.model_refused": (
        "语言模型没有回答这个问题。",
        "The language model did not answer this question.",
    ),
    "react.empty": (
        "抱歉，我没有得到答案。请换一种问法。",
        "Sorry, I came to no answer. Please ask in another way.",
    ),
    # rules
    "rule.told": ("{label} = {value}：{message}", "{label} = {value}: {message}"),
    "rule.failed": ("规则无法执行：{why}", "rule failed: {why}"),
    "rule.why.different": ("{one}与{other}不能比较", "cannot compare {one} with {other}"),
    "rule.why.number": ("需要数字，实际是{one}", "needs a number, not {one}"),
    "rule.why.text": ("需要文本，实际是{one}", "needs text, not {one}"),
    "rule.why.list": ("需要列表或文本，实际是{one}", "needs a list or text, not {one}"),
    "rule.why.date": ("需要 2026-01-31 这样的日期", "needs a date like 2026-01-31"),
    "rule.why.finite": ("数字超出范围", "a number is out of range"),
    "rule.why.zero": ("除数为零", "division by zero"),
    "rule.why.shape": ("数据的结构与规则不符", "the data does not have the shape it expects"),
    "rule.kind.missing": ("空值", "nothing"),
    "rule.kind.bool": ("是/否", "yes/no"),
    "rule.kind.number": ("数字", "a number"),
    "rule.kind.text": ("文本", "text"),
    "rule.kind.date": ("日期", "a date"),
    "rule.kind.list": ("列表", "a list"),
    "rule.kind.mapping": ("一组字段", "a mapping"),
    "rule.kind.other": ("其他类型", "something else"),
}
