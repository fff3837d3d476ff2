"""What `signoff audit` says of a run's log."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "audit.started": ("发起流程：{why}", "started the run: {why}"),
    "audit.child": (
        "由流程 {parent} 派生，针对 {name}",
        "the run began as a part of {parent}, for {name}",
    ),
    "audit.step": (
        "{frame} 因 {input} 前进一步：{why}；现为 {status}，位于 {to}",
        "{frame} took a step on {input}: {why}; now {status}, at {to}",
    ),
    "audit.tap": ("在卡片 {card} 上点选 {choice}：{result}", "tapped {choice} on {card}: {result}"),
    "audit.form": (
        "为卡片 {card} 的 {choice} 提交表单：{result}",
        "sent the form of {choice} on {card}: {result}",
    ),
    "audit.text": ("以文字回答卡片 {card}：{result}", "answered {card} in text: {result}"),
    "audit.expired": ("卡片 {card} 已过期", "{card} expired"),
    "audit.cancelled": ("取消了流程", "cancelled the run"),
    "audit.cancelled_in_flight": (
        "取消了流程；当时有一次写入正在进行，可能已经发生",
        "cancelled the run; a write was under way then and may have happened",
    ),
    "audit.cancelled_with_parent": (
        "随流程 {parent} 的结束而取消",
        "the run was cancelled, since {parent} had ended",
    ),
    "audit.cancel_refused": (
        "要取消流程，但无此权限",
        "wanted to cancel the run, and may not",
    ),
    "audit.reassigned": (
        "把卡片 {card} 上 {whose} 的一票转交给 {to}",
        "gave the vote of {whose} on {card} to {to}",
    ),
    "audit.migration_refused": (
        "要迁移到 {wanted}，未能进行：{why}",
        "wanted to migrate the run to {wanted}, which could not be done: {why}",
    ),
    "audit.result.decided": ("已决定", "it was decided"),
    "audit.result.vote": ("已计一票", "one vote was counted"),
    "audit.result.form": ("打开表单", "the form was opened"),
    "audit.result.invalid": ("表单有误，未记录", "refused, the form has faults"),
    "audit.result.kept": ("已记下，尚不完整", "noted, and not yet complete"),
    "audit.result.about_another": ("所说的是另一对象，未记录", "refused, it is about another"),
    "audit.result.unknown_choice": ("拒绝，没有这个选项", "refused, there is no such choice"),
    "audit.result.not_open": ("拒绝，卡片已关闭", "refused, the card was closed"),
    "audit.result.expired": ("拒绝，已过期限", "refused, it was too late"),
    "audit.result.stale": ("拒绝，内容已更新", "refused, the content had changed"),
    "audit.result.own_request": ("拒绝，是本人的请求", "refused, it is their own request"),
    "audit.result.not_approver": ("拒绝，不是审批人", "refused, they are not an approver"),
    "audit.result.own_edit": ("拒绝，内容由本人修改", "refused, what stands is their own change"),
    "audit.result.nobody_else": (
        "拒绝，没有其他人可批准",
        "refused, nobody else could approve the change",
    ),
    "audit.result.seat_taken": ("拒绝，这一席已投票", "refused, that seat had voted"),
    "audit.result.repeated": ("重复，已记录过", "the same again, recorded before"),
    "audit.result.handed_over": ("已转交", "the vote was handed over"),
    "audit.result.no_seat": ("拒绝，没有可转交的一票", "refused, they have no vote to hand over"),
    "audit.result.not_delegable": (
        "拒绝，这张卡片不可转交",
        "refused, no vote on it can be handed over",
    ),
    "audit.result.edited": ("已修改内容", "the content was changed"),
    "audit.result.unchanged": ("没有改动", "nothing was changed"),
    "audit.result.already_voted": ("拒绝，已投过票", "refused, they had voted before"),
    "audit.card": (
        "卡片 {card}：{kind}，{status}，已有 {votes} 票",
        "card {card}: {kind}, {status}, votes so far {votes}",
    ),
    "audit.lapsed.no_role": (
        "{person} 的一票（{choice}）不再计入：已失去角色",
        "the vote of {person} ({choice}) counts no more: the role is gone",
    ),
    "audit.lapsed.gone": (
        "{person} 的一票（{choice}）不再计入：已不在名单中",
        "the vote of {person} ({choice}) counts no more: the person is gone",
    ),
    "audit.lapsed.same_person": (
        "{person} 的一票（{choice}）不再计入：两个账号是同一个人",
        "the vote of {person} ({choice}) counts no more: both accounts are one person's",
    ),
    "audit.changes": ("改动：{paths}", "changes: {paths}"),
    "audit.standing": (
        "仅由日志得出：{status}，位于 {at}；开放的卡片：{cards}",
        "By the log alone: {status}, at {at}; open cards: {cards}",
    ),
    "audit.differs": (
        "但库中所存为：{status}，位于 {at}",
        "But what is stored says: {status}, at {at}",
    ),
    "audit.none": ("无", "none"),
}
