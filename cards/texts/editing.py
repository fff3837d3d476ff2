"""On changing what a card asks to approve."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "choice.edit": ("修改内容", "Edit"),
    "edit.intro": (
        "只有改动的项会被修改；修改不是批准，之前的批准全部作废。",
        "Only what you change is changed. It is no approval, and approvals so far no longer count.",
    ),
    "edit.too_long": (
        "太长而不能在这里修改：{labels}。",
        "Too long to be changed here: {labels}.",
    ),
    "edit.card": ("✎ {name} 修改（{when}）：{changes}", "✎ Changed by {name} ({when}): {changes}"),
    "edit.change": ("{label}：{before} → {after}", "{label} {before} → {after}"),
    "edit.earlier": ("✎ 此前另有 {n} 次修改", "✎ {n} earlier changes"),
    "edit.done": ("已修改：{changes}。", "Changed: {changes}."),
    "edit.needs_other": (
        "须由他人批准您的修改。",
        "Somebody else has to approve your change.",
    ),
    "edit.reset": ("此前的批准已作废（{names}）。", "Earlier approvals no longer count ({names})."),
    "edit.nothing": ("没有任何改动。", "Nothing was changed."),
    "edit.vote_lost": (
        "「{title}」的内容已被 {name} 修改，您的批准已作废，请重新查看。{changes}",
        "{name} changed “{title}”, so your approval no longer counts; please look again. {changes}",
    ),
    "refused.own_edit": (
        "您修改过其中的内容，须由他人批准。",
        "You changed what is to be approved; somebody else has to approve it.",
    ),
    "refused.nobody_else": (
        "没有其他人可以批准您的修改；请改用驳回并说明理由。",
        "Nobody else could approve your change; please reject it and give the reason instead.",
    ),
}
