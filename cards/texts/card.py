"""On cards and forms, and what a tapper is told."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "choice.submit": ("提交", "Submit"),
    "choice.withdraw": ("放弃", "Withdraw"),
    "choice.approve": ("批准", "Approve"),
    "choice.reject": ("驳回", "Reject"),
    "choice.ok": ("知道了", "Got it"),
    "card.waits_for": ("等待 {who} 决定", "Waiting for {who}"),
    "card.waits_for_role": (
        "等待审核（{who}）；申请人：{requester}",
        "Waiting for review ({who}); requested by {requester}",
    ),
    "card.votes": ("已有 {n}/{of}：{names}", "{n} of {of} so far: {names}"),
    "card.blank": ("未填写", "not stated"),
    "card.by_text": ("也可以直接用文字回答，例如：{example}", "Or answer in text, e.g. {example}"),
    "card.outcome": ("{name}：{choice}（{when}）", "{name}: {choice} ({when})"),
    "card.reason": ("理由：{reason}", "Reason: {reason}"),
    "card.expired": ("已过期，没有人在期限内决定", "Expired; nobody decided in time"),
    "card.cancelled": ("已取消", "Cancelled"),
    "card.superseded": ("已被更新的卡片取代", "Replaced by a newer card"),
    "card.recorded": ("已记录：{choice}", "Recorded: {choice}"),
    "card.unknown": ("这里没有这张卡片。", "This card is not known here."),
    "card.not_recorded": (
        "没有记录成功，请稍后再点一次。",
        "Not recorded; please tap again in a moment.",
    ),
    "refused.unknown_choice": ("这张卡片没有这个选项。", "This card has no such choice."),
    "refused.not_open": ("这张卡片已关闭。", "This card is closed."),
    "refused.decided": (
        "已由 {name} 于 {when} {label}。",
        "Already decided by {name} on {when}: {label}.",
    ),
    "refused.decided_by_you": (
        "您已于 {when} {label}。",
        "You already decided this on {when}: {label}.",
    ),
    "refused.cancelled": ("流程已取消，无需再处理。", "This was cancelled; nothing is left to do."),
    "refused.superseded": (
        "这张卡片已被更新的一张取代，请在新卡片上操作。",
        "A newer card has replaced this one; please use that.",
    ),
    "refused.expired": ("这张卡片已于 {when} 过期。", "This card expired on {when}."),
    "refused.stale": (
        "内容已更新，请查看最新内容后再决定。",
        "The content has changed; please look at it again before you decide.",
    ),
    "refused.own_request": (
        "这是您本人发起的请求，须由他人审批。",
        "This is your own request; somebody else has to decide it.",
    ),
    "refused.not_approver": ("您不是这张卡片的审批人。", "You are not an approver of this card."),
    "refused.already_voted": (
        "您已于 {when} {label}，还需 {needed} 人。",
        "You already chose {label} on {when}; {needed} more needed.",
    ),
    # forms
    "form.reason": ("驳回理由", "Reason for rejecting"),
    "form.cancel": ("取消", "Cancel"),
    "form.label": ("{label}（{detail}）", "{label} ({detail})"),
    "form.required": ("请填写", "Please fill this in"),
    "form.integer": ("请填写整数", "Please give a whole number"),
    "form.number": ("请填写数字", "Please give a number"),
    "form.date": ("请填写日期，格式如 2026-01-31", "Please give a date like 2026-01-31"),
    "form.no_day": ("没有这一天", "There is no such day"),
    "form.unit": ("请以 {unit} 为单位填写", "Please give it in {unit}"),
    "form.choice": ("请选择：{options}", "Please choose one of: {options}"),
    "form.long": ("请不要超过 {limit} 个字", "Please write at most {limit} characters"),
    "form.unstorable": ("含有无法保存的字符", "This holds characters that cannot be kept"),
    "form.minimum": ("应不小于 {limit}", "This should be at least {limit}"),
    "form.maximum": ("应不大于 {limit}", "This should be at most {limit}"),
}
