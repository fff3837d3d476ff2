"""What people read of systems outside."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "connection.away": "目前连不上 {name}。",
    "connection.slow": "{name} 在 {seconds} 秒内没有答复。",
    "connection.busy": "{name} 目前太忙，请过一分钟再试。",
    "connection.fault": "{name} 自身出错（{status}）。",
    "connection.denied": "{name} 不让 Signoff 进入（{status}），请运维人员检查密钥。",
    "connection.no_token": "该系统的登录服务没有给出令牌（{status}），请运维人员检查密钥。",
    "connection.no_writes": "{name} 目前不能写入；什么都没有改。",
    "connection.clash": (
        "{name} 没有接受：同样的内容可能已经有了，或者某个值、它所属的内容在那里不允许。"
    ),
    "connection.driver": "{name} 做不了这件事；原因在这次办理的记录里，请找运维人员查看。",
    "connection.refused": "{name} 拒绝了（{status}）：{words}",
    "connection.refused_only": "{name} 拒绝了（{status}）。",
    "connection.absent": "{name} 没有这样的内容（{status}）。",
    "connection.garbled": "{name} 的答复无法读取。",
    "connection.large": "{name} 的答复超过 {kb} kB，请缩小范围。",
    "connection.many_pages": "{name} 关于此事超过 {most} 页，请缩小范围。",
    "connection.many_rows": "{name} 关于此事超过 {most} 行，请缩小范围。",
    "connection.several_rows": "{name} 关于此事有多行，而应该只有一行。",
    "connection.other_rows": (
        "{name} 的内容与此不符：会更改 {changed} 行，而不是 {wanted} 行，因此没有作任何更改。"
        "可能已有人改过。"
    ),
    "connection.redirect": "{name} 转到了别处，没有跟随。",
    "connection.closed": "不再访问 {name}：服务即将结束。",
    "connection.unsure": (
        "{name} 的答复丢失了：可能已经执行，这里无从得知。再次执行前请先到那里查看。"
    ),
    "connection.no_tool": "{name} 目前没有工具 {tool}。",
    "connection.not_vouched": (
        "{name} 没有声明 {tool} 只读；运营 Signoff 的人可以在 connections.yaml 的 "
        "`readonly` 中担保。"
    ),
    "tool.nothing_found": "没有找到。",
    "tool.period": "{since} 至 {until}：",
    "tool.day": "{since}：",
    "tool.since": "{since} 起：",
    "tool.until": "截至 {until}：",
    "tool.more_rows": "……另有 {number} 条。",
    "tool.unapproved": "`{name}` 只能由经过审批的流程写入。",
    "tool.refused": "{why}",
    "tool.undeclared": "`{name}` 的结果与 tools.yaml 的说明不符：{why}",
    "tool.changed": "批准之后，`{name}` 需要的内容或所属项目已经改变，没有写入。",
    "tool.package_failed": "`{name}` 自身出错；运营 Signoff 的人可以在日志中查到。",
    "tool.package_unsure": (
        "`{name}` 自身出错：可能已经执行，这里无人知道。再次执行之前请先查看。"
    ),
    "tool.package_refused": "`{name}` 没有执行：{words}",
    "tool.package_busy": "目前运行的慢工具太多，请一分钟后再试。",
    "tool.broken": "工具 `{name}` 无法使用：{why}",
    "tool.gone": "工具 `{name}` 已经不在了，请再问一次。",
}
