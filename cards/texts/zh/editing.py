"""On changing what a card asks to approve."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "choice.edit": "修改内容",
    "edit.intro": "只有改动的项会被修改；修改不是批准，之前的批准全部作废。",
    "edit.too_long": "太长而不能在这里修改：{labels}。",
    "edit.card": "✎ {name} 修改（{when}）：{changes}",
    "edit.change": "{label}：{before} → {after}",
    "edit.earlier": "✎ 此前另有 {n} 次修改",
    "edit.done": "已修改：{changes}。",
    "edit.needs_other": "须由他人批准您的修改。",
    "edit.reset": "此前的批准已作废（{names}）。",
    "edit.nothing": "没有任何改动。",
    "edit.vote_lost": "「{title}」的内容已被 {name} 修改，您的批准已作废，请重新查看。{changes}",
    "refused.own_edit": "您修改过其中的内容，须由他人批准。",
    "refused.nobody_else": "没有其他人可以批准您的修改；请改用驳回并说明理由。",
}
