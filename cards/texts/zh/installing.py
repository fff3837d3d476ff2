"""What somebody reads who installs the Slack app in their workspace."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
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
}
