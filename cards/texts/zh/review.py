"""On reviews by several people: votes, seats, reminders, escalation."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "review.call": "第 {n} 步",
    "review.project": "所属项目",
    "named.requester": "申请人",
    "named.approver": "批准人",
    "named.approvers": "批准人",
    "named.project": "项目",
    "named.case": "所属事项",
    "named.today": "日期",
    "vote.for": "{name}（代 {seat}）",
    "vote.of": "{name}：{choice}",
    "vote.tally": "表决（{of} 席，过半数决定）：{votes}",
    "vote.needed": "已记录：{choice}；还需 {needed} 人",
    "vote.lapsed.no_role": "{vote} 不再计入（已不是审核人）",
    "vote.lapsed.gone": "{vote} 不再计入（代为表决的人已不在名单中）",
    "vote.lapsed.same_person": "{vote} 不再计入（两个账号是同一个人）",
    "admit.title": "有人想使用本服务",
    "admit.text": (
        "此账号不在 people.yaml 中，什么也没有告诉对方，也没有开始任何流程。"
        "允许后可以查询，并发起不限角色的流程；要担任角色，请把账号写进 people.yaml。"
    ),
    "admit.account": "账号",
    "admit.name": "自称",
    "admit.guest": "外来访客",
    "admit.where": "消息来自",
    "admit.admit": "允许此账号",
    "admit.leave": "不允许",
    "vote.too_few": (
        "但现在只剩 {n} 人还可以表决，票数已不可能达到；请申请人用 /cancel 取消后重新发起。"
    ),
    "vote.all": "全部表决：{votes}",
    "repeat.vote": "已经记录过了：您于 {when} 选择了{label}，还需 {needed} 人。",
    "repeat.closed": "已经记录过了：您于 {when} 选择了{label}。",
    "repeat.outcome": "{told} 结果：{outcome}",
    "refused.other_values": (
        "您已于 {when} 选择了{label}，当时提交的内容与这次不同，以当时的为准；这次的没有收下。"
    ),
    "refused.already_voted": "您已于 {when} 选择了{label}，以此为准；还需 {needed} 人。",
    "refused.not_needed": "您可以投的那一票已经有人投了；还缺的票须由别人来投。",
    "refused.seat_taken": "{seat} 这一席已由 {name} 于 {when} 投票：{label}。一席只有一票。",
    "card.handed": "{by} 已转交给 {to}",
    "card.reassigned": "管理员已把 {by} 的一票转交给 {to}",
    "card.reminded": "已提醒 {n} 次",
    "card.reminded_once": "已提醒 1 次",
    "card.escalated": "已升级：{role} 也可以决定",
    "choice.hand_over": "转交",
    "handover.title": "把您的一票转交给谁？",
    "handover.person": "姓名",
    "handover.hint": "对方的姓名",
    "handover.done": "已转交给 {to}。在其投票之前，您自己仍可以决定。",
    "handover.unknown": "没有找到「{name}」。",
    "handover.stranger": "对方不在名单中，不能接手。",
    "handover.ambiguous": "有多人符合：{names}。",
    "handover.not_open": "这张卡片已关闭。",
    "handover.not_delegable": "这张卡片不能转交。",
    "handover.no_seat": "您在这张卡片上没有可转交的一票。",
    "handover.seat_taken": "您的一票已经投出，不能再转交。",
    "handover.to_self": "不能转交给自己。",
    "handover.to_requester": "对方是申请人，不能审批自己的请求。",
    "handover.to_reviewer": "对方本来就是审批人，有自己的一票。",
    "handover.handed_before": "已经转交给对方了。",
    "handover.usage": "请写明交给谁，例如：/handover {example}",
    "handover.nothing": "没有您可以转交的卡片；用 /pending 可以看到等您处理的事项。",
    "handover.several": (
        "您可以转交的卡片有 {n} 张；请用其中一张上的「转交」按钮（/pending 会列出它们）。"
    ),
    "review.leaver": (
        "{name} 已不在 people.yaml 中，「{title}」现在没有人可以代为决定。"
        "管理员可以在流程页面上改派他人。"
    ),
    "review.nobody": (
        "「{title}」现在没有人可以决定：原来能决定的人已不在 people.yaml 中，或不再担任该角色。"
        "请取消后重新申请，届时由担任该角色的人决定。"
    ),
    "ping.due": "提醒（{n}/{of}）：「{title}」还在等待决定（申请人：{requester}）。{votes}",
    "ping.closed": "「{title}」不再需要处理。{outcome}",
    "run.too_few": "除申请人外，只有 {n} 人可以审核（{roles}），而需要 {quorum} 人",
    # whom a playbook's data names as the one who approves
    "approver.foreseen": "**照目前的情况，没有人能审批此事：** {reasons}。最好先解决这一点。",
    "approver.empty": "「{source}」没有说明由谁审批",
    "approver.several": "「{source}」给出了 {n} 个人，而审批人只能是其中一位",
    "phase_done.untold": "「{source}」没有给出可以在此办事的人，所以没有通知到人",
    "approver.nobody": (
        "「{source}」说由 {value} 审批，但 people.yaml 中没有哪位可以在此办事的人使用这个编号或账号"
    ),
    "approver.no_manager": "{name} 在 people.yaml 中没有上级（manager），而此事须由上级审批",
    "approver.tool": "没能从 {tool} 得知由谁审批：{reason}",
    "approver.involved": "此事应由 {name} 审批，但申请是此人提出或改动过的，所以不能由此人批准",
    "run.approval_too_old": "{name} 的批准已经超过有效期，没有写入；请重新决定",
    "part.asked_again": "{name}：批准已过有效期，需要重新审核",
}
