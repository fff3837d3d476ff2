"""What somebody reads who installs the Slack app in their workspace."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "slack.install_here": (
        "把 Signoff 装进您的 Slack 工作区。请在十分钟内用这个浏览器完成。",
        "Install Signoff in your Slack workspace, in this browser and within ten minutes.",
    ),
    "slack.install_here_link": ("添加到 Slack", "Add to Slack"),
    "slack.install_done": (
        "Signoff 已装进工作区「{name}」。",
        "Signoff is installed in the workspace {name}.",
    ),
    "slack.install_done_link": ("在 Slack 中打开", "Open it in Slack"),
    "slack.install_again": ("重新开始", "Begin again"),
    "slack.install_browser": (
        "没有安装：这次安装不是在这个浏览器里开始的。",
        "Not installed: this installation was not begun in this browser.",
    ),
    "slack.install_stale": (
        "没有安装：这个链接已经用过或过期了。",
        "Not installed: this link was used already, or is too old.",
    ),
    "slack.install_denied": (
        "没有安装：在 Slack 里没有得到允许。",
        "Not installed: it was not allowed in Slack.",
    ),
    "slack.install_later": (
        "没有安装：Slack 或我们的存储没有给出所需的回答。请稍后再试。",
        "Not installed: Slack or our store did not answer as needed. Please try again later.",
    ),
    "slack.install_whole_org": (
        "没有安装：不能装到整个组织，请选择一个工作区。",
        "Not installed: it cannot be installed for a whole organisation; choose one workspace.",
    ),
    "slack.install_not_for_you": (
        "没有安装：这个服务不接受该工作区，请联系它的管理员。",
        "Not installed: this service is not for that workspace. Please ask who runs it.",
    ),
    "slack.install_rotates": (
        "没有安装：应用开启了令牌轮换，请管理员按清单关闭它。",
        "Not installed: the app has token rotation on. Who runs it has to switch that off.",
    ),
    "slack.install_scopes": (
        "没有安装：授予的权限不全，请重新安装并全部允许。",
        "Not installed: not all permissions were granted. Begin again and allow all of them.",
    ),
}
