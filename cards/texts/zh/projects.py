"""Projects: whose a conversation is, who may see it, and new ones."""

TEXTS = {
    "project.hidden": (
        "本会话属于您无权查看的项目，所以没有查询或发起任何事项。谁可以查看由管理员决定。"
    ),
    "project.hidden_card": "这属于您无权查看的项目；没有记录任何内容。",
    "project.hidden_work": "「{name}」属于您无权查看的项目，所以没有发起任何事项。",
    "project.no_work": "「{name}」不能在本会话的项目里办理，所以没有发起任何事项。",
    "project.other_work": (
        "本会话属于项目 {project}，这个项目不办理「{name}」，所以没有发起任何事项。"
        "可以办理的项目：{projects}。管理员可以用 /project 把会话改到其他项目。"
    ),
    "project.here": "本会话属于项目 {name}。",
    "project.place": "在 `signoff projects` 命令里它是 `{place}`。",
    "project.by_default": "本会话属于项目 {name}；没有另行指定的会话都属于它。",
    "project.none_here": "本会话不属于任何项目。",
    "project.nothing_to_choose": (
        "没有其他这里所有人都可查看的项目。别的项目请用 /project 加项目名称选定。"
    ),
    "project.unknown": "没有您可以查看的项目 {name}。",
    "project.title": "本会话属于哪个项目？",
    "project.choose": (
        "从下一条消息起，文件、记忆、发现的问题和流程都归所选的项目。"
        "其他项目用 /project 加名称来选。"
    ),
    "project.unbind": "不单独指定",
    "project.leave": "不改",
    "project.bound": "本会话现在属于项目 {name}。之前开始的流程仍归原来的项目。",
    "project.unbound": "本会话不再单独指定项目。",
    "project.not_bound": "本会话没有单独指定项目。",
    "tool.project.done": "已新增项目 {name}（{id}）。",
    "tool.project.bound": "已新增项目 {name}（{id}），本会话从现在起属于它。",
    "tool.project.unapproved": "只有经过批准的流程才能新增项目。",
    "tool.project.nowhere": "这里没有保存项目的地方。",
    "tool.project.taken": "已经有或曾经有项目 {id}；请换一个编号。",
    "tool.project.no_id": (
        "{id} 不能作为项目编号：请用不超过 64 个字母、数字、- 和 _，以字母或数字开头。"
    ),
    "tool.project.no_place": "这里没有可以归入项目的会话。",
    "project.gone": "项目 {name} 已经不在了；没有作任何改动。",
}
