"""On reviews by several people: votes, seats, reminders, escalation."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "review.call": ("第 {n} 步", "Step {n}"),
    "vote.for": ("{name}（代 {seat}）", "{name} for {seat}"),
    "vote.of": ("{name}：{choice}", "{name}: {choice}"),
    "vote.tally": (
        "表决（{of} 席，过半数决定）：{votes}",
        "Votes ({of} seats, more than half decide): {votes}",
    ),
    "vote.needed": (
        "已记录：{choice}；还需 {needed} 人",
        "Recorded: {choice}; {needed} more needed",
    ),
    "vote.lapsed.no_role": (
        "{vote} 不再计入（已不是审核人）",
        "{vote} does not count any more (no longer a reviewer)",
    ),
    "vote.lapsed.gone": (
        "{vote} 不再计入（代为表决的人已不在名单中）",
        "{vote} does not count any more (who gave it is not with us any more)",
    ),
    "vote.lapsed.same_person": (
        "{vote} 不再计入（两个账号是同一个人）",
        "{vote} does not count any more (both accounts are one person's)",
    ),
    "admit.title": ("有人想使用本服务", "Somebody wants to use this service"),
    "admit.text": (
        "此账号不在 people.yaml 中，什么也没有告诉对方，也没有开始任何流程。"
        "允许后可以查询，并发起不限角色的流程；要担任角色，请把账号写进 people.yaml。",
        "This account is not in people.yaml: it was told nothing, and nothing was started."
        " Let in, it may ask, and start what needs no role. For a role, put it into people.yaml.",
    ),
    "admit.account": ("账号", "Account"),
    "admit.name": ("自称", "Calls themselves"),
    "admit.guest": ("外来访客", "Guest of the workspace"),
    "admit.where": ("消息来自", "Wrote in"),
    "admit.admit": ("允许此账号", "Admit this account"),
    "admit.leave": ("不允许", "Do not"),
    "vote.too_few": (
        "但现在只剩 {n} 人还可以表决，票数已不可能达到；请申请人用 /cancel 取消后重新发起。",
        "But only {n} others may still vote, so these votes cannot come together any more; the "
        "requester can /cancel it and ask anew.",
    ),
    "vote.all": ("全部表决：{votes}", "All votes: {votes}"),
    "repeat.vote": (
        "已经记录过了：您于 {when} 选择了{label}，还需 {needed} 人。",
        "Already recorded: you chose {label} on {when}; {needed} more needed.",
    ),
    "repeat.closed": (
        "已经记录过了：您于 {when} 选择了{label}。",
        "Already recorded: you chose {label} on {when}.",
    ),
    "repeat.outcome": ("{told} 结果：{outcome}", "{told} The outcome: {outcome}"),
    "refused.already_voted": (
        "您已于 {when} 选择了{label}，以此为准；还需 {needed} 人。",
        "You chose {label} on {when}, and that stands; {needed} more needed.",
    ),
    "refused.seat_taken": (
        "{seat} 这一席已由 {name} 于 {when} 投票：{label}。一席只有一票。",
        "The seat of {seat} has voted: {label}, by {name} on {when}. One seat has one vote.",
    ),
    "card.handed": ("{by} 已转交给 {to}", "{by} handed over to {to}"),
    "card.reassigned": (
        "管理员已把 {by} 的一票转交给 {to}",
        "an administrator gave the vote of {by} to {to}",
    ),
    "card.reminded": ("已提醒 {n} 次", "reminded {n} times"),
    "card.escalated": ("已升级：{role} 也可以决定", "escalated: {role} may decide too"),
    "choice.hand_over": ("转交", "Hand over"),
    "handover.title": ("把您的一票转交给谁？", "Who should decide in your place?"),
    "handover.person": ("姓名", "Name"),
    "handover.hint": (
        "对方的姓名",
        "a name, or a part of it that only they have",
    ),
    "handover.done": (
        "已转交给 {to}。在其投票之前，您自己仍可以决定。",
        "Handed over to {to}. Until they vote, you may still decide yourself.",
    ),
    "handover.unknown": ("没有找到「{name}」。", "There is nobody called “{name}”."),
    "handover.stranger": (
        "对方不在名单中，不能接手。",
        "They are not among the people of this service.",
    ),
    "handover.ambiguous": ("有多人符合：{names}。", "Several people fit: {names}."),
    "handover.not_open": ("这张卡片已关闭。", "This card is closed."),
    "handover.not_delegable": ("这张卡片不能转交。", "This card cannot be handed over."),
    "handover.no_seat": (
        "您在这张卡片上没有可转交的一票。",
        "You have no vote of your own on this card to hand over.",
    ),
    "handover.seat_taken": (
        "您的一票已经投出，不能再转交。",
        "Your vote has been cast; it cannot be handed over any more.",
    ),
    "handover.to_self": ("不能转交给自己。", "You cannot hand over to yourself."),
    "handover.to_requester": (
        "对方是申请人，不能审批自己的请求。",
        "They made this request; somebody else has to decide it.",
    ),
    "handover.to_reviewer": (
        "对方本来就是审批人，有自己的一票。",
        "They are a reviewer of this card already, with a vote of their own.",
    ),
    "handover.handed_before": ("已经转交给对方了。", "You handed it over to them before."),
    "handover.usage": (
        "请写明交给谁，例如：/handover {example}",
        "Say to whom, for example: /handover {example}",
    ),
    "handover.nothing": (
        "没有您可以转交的卡片；用 /pending 可以看到等您处理的事项。",
        "No open card is yours to hand over: /pending shows what waits for you.",
    ),
    "handover.several": (
        "您可以转交的卡片有 {n} 张；请用其中一张上的「转交」按钮（/pending 会列出它们）。",
        "{n} cards are yours to hand over; use the “Hand over” button on the one you mean "
        "(/pending shows them).",
    ),
    "ping.due": (
        "提醒（{n}/{of}）：「{title}」还在等待决定（申请人：{requester}）。{votes}",
        "Reminder ({n} of {of}): “{title}”, requested by {requester}, still waits for a "
        "decision. {votes}",
    ),
    "ping.closed": (
        "「{title}」不再需要处理。{outcome}",
        "“{title}” needs nothing more. {outcome}",
    ),
    "run.too_few": (
        "除申请人外，只有 {n} 人可以审核（{roles}），而需要 {quorum} 人",
        "besides the requester only {n} people may review it ({roles}), and it needs {quorum}",
    ),
    "run.approval_too_old": (
        "{name} 的批准已经超过有效期，没有写入；请重新决定",
        "the approval by {name} was too old to write on, and nothing was written; please decide "
        "again",
    ),
    "part.asked_again": (
        "{name}：批准已过有效期，需要重新审核",
        "{name}: the approval had become too old, so it is asked for again",
    ),
}
