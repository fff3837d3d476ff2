"""What a REDCap server refused, or left open."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "study.redcap.token": "REDCap 不接受本服务的令牌，请管理员检查令牌和 API 权限。",
    "study.redcap.rights": "REDCap 用户没有这项操作所需的权限，请管理员检查用户权限。",
    "study.redcap.refused": "REDCap 拒绝了这次查询，项目的字段可能与配置不符。",
    "study.redcap.not_taken": "REDCap 没有接受这条访视，没有写入。",
    "study.redcap.fault": "REDCap 服务器出错，请稍后再试。",
    "study.redcap.timeout": "REDCap 没有及时答复，请稍后再试。",
    "study.redcap.away": "暂时无法连接 REDCap。",
    "study.redcap.cut": "与 REDCap 的连接中断，请稍后再试。",
    "study.redcap.redirect": "REDCap 的地址已转向别处，请管理员检查配置。",
    "study.redcap.address": "所配置的地址没有给出 REDCap 的答复，请管理员检查配置。",
    "study.redcap.project": "REDCap 项目的结构与配置不符，请管理员检查字段配置和导出权限。",
    "study.redcap.value": "REDCap 字段 {field} 的值无法对应，请核对项目中的数据和字段配置。",
    "study.redcap.unsure": "无法确认 {who} 在 {day} 的访视是否已写入 REDCap，请在 REDCap 中核对。",
    "study.redcap.differs": (
        "{who} 在 {day} 的访视已写入 REDCap，但读回的内容不同，请在 REDCap 中核对。"
    ),
    "study.redcap.twin": (
        "{who} 在 {day} 的访视已写入 REDCap，但同一天的另一条记录先一步写入，"
        "请在 REDCap 中删除多余的一条。"
    ),
}
