"""What people read in Slack alone, and what they call it, by language."""

from typing import Final

from cards.model import Lang

_ZH: Final[dict[str, str]] = {
    "slack.install_here": "把 Signoff 装进您的 Slack 工作区。请在十分钟内用这个浏览器完成。",
    "slack.install_here_link": "添加到 Slack",
    "slack.install_done": "Signoff 已装进工作区「{name}」。",
    "slack.install_done_link": "在 Slack 中打开",
    "slack.install_again": "重新开始",
    "slack.install_browser": "没有安装：这次安装不是在这个浏览器里开始的。",
    "slack.install_stale": "没有安装：这个链接已经用过或过期了。",
    "slack.install_denied": "没有安装：在 Slack 里没有得到允许。",
    "slack.install_later": "没有安装：Slack 或我们的存储没有给出所需的回答。请稍后再试。",
    "slack.install_whole_org": "没有安装：不能装到整个组织，请选择一个工作区。",
    "slack.install_not_for_you": "没有安装：这个服务不接受该工作区，请联系它的管理员。",
    "slack.install_rotates": "没有安装：应用开启了令牌轮换，请管理员按清单关闭它。",
    "slack.install_scopes": "没有安装：授予的权限不全，请重新安装并全部允许。",
    "slack.no_form": "表单没有打开，请再点一次。",
    "slack.late_form": "表单没有及时打开。如果没有看到，请再点一次。",
    "slack.long_list": "{label}：这个列表太长，Slack 中无法显示，保持不变",
    "slack.stands": "目前是 {name}，不选则不变",
    "slack.none": "{label}：清空",
    "slack.empty": "不要 {name}，留空",
    "slack.more_buttons": "（还有 {count} 个按钮未显示）",
    "slack.shortened": "（已缩短：省略了 {count} 个字符）",
    "slack.working": "正在处理…",
    "slack.choose": "请选择",
    "slack.home_waiting": "等您处理",
    "slack.home_more": "还有更多：发送 /pending 可以逐页查看。",
    "slack.home_runs": "我的请求",
    "slack.home_more_runs": "还有更多：发送 /mine 可以逐页查看。",
    "slack.close": "关闭",
    "slack.result": "结果",
    "slack.answer_there": "收到。回答会发到你与我的私信里。",
    "slack.no_text": "这条消息没有文字可以问。",
    "place.slack": "Slack",
}
_EN: Final[dict[str, str]] = {
    "slack.install_here": (
        "Install Signoff in your Slack workspace, in this browser and within ten minutes."
    ),
    "slack.install_here_link": "Add to Slack",
    "slack.install_done": "Signoff is installed in the workspace {name}.",
    "slack.install_done_link": "Open it in Slack",
    "slack.install_again": "Begin again",
    "slack.install_browser": "Not installed: this installation was not begun in this browser.",
    "slack.install_stale": "Not installed: this link was used already, or is too old.",
    "slack.install_denied": "Not installed: it was not allowed in Slack.",
    "slack.install_later": (
        "Not installed: Slack or our store did not answer as needed. Please try again later."
    ),
    "slack.install_whole_org": (
        "Not installed: it cannot be installed for a whole organisation; choose one workspace."
    ),
    "slack.install_not_for_you": (
        "Not installed: this service is not for that workspace. Please ask who runs it."
    ),
    "slack.install_rotates": (
        "Not installed: the app has token rotation on. Who runs it has to switch that off."
    ),
    "slack.install_scopes": (
        "Not installed: not all permissions were granted. Begin again and allow all of them."
    ),
    "slack.no_form": "The form did not open. Please tap again.",
    "slack.late_form": "The form did not open in time. If you do not see it, please tap again.",
    "slack.long_list": "{label}: this list is too long for Slack, and stays as it is",
    "slack.stands": "now {name}, unless you choose another",
    "slack.none": "{label}: leave empty",
    "slack.empty": "Not {name}, leave it empty",
    "slack.more_buttons": "({count} more buttons not shown)",
    "slack.shortened": "(shortened: {count} characters left out)",
    "slack.working": "is working on it…",
    "slack.choose": "Choose",
    "slack.home_waiting": "Waiting for you",
    "slack.home_more": "There is more: /pending lists it page by page.",
    "slack.home_runs": "My requests",
    "slack.home_more_runs": "There is more: /mine lists it page by page.",
    "slack.close": "Close",
    "slack.result": "Result",
    "slack.answer_there": "Got it. The answer comes in your direct messages with me.",
    "slack.no_text": "That message has no text to ask about.",
    "place.slack": "Slack",
}

TEXTS: Final[dict[Lang, dict[str, str]]] = {"zh": _ZH, "en": _EN}
