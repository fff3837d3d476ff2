"""What a REDCap server refused, or left open."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    "study.redcap.token": (
        "REDCap 不接受本服务的令牌，请管理员检查令牌和 API 权限。",
        "REDCap does not accept this service's token; an administrator has to check the token "
        "and its right to use the API.",
    ),
    "study.redcap.rights": (
        "REDCap 用户没有这项操作所需的权限，请管理员检查用户权限。",
        "The REDCap user lacks the rights for this; an administrator has to check the user rights.",
    ),
    "study.redcap.refused": (
        "REDCap 拒绝了这次查询，项目的字段可能与配置不符。",
        "REDCap refused the query; the project's fields may differ from the mapping.",
    ),
    "study.redcap.not_taken": (
        "REDCap 没有接受这条访视，没有写入。",
        "REDCap did not accept the visit; nothing was written.",
    ),
    "study.redcap.fault": (
        "REDCap 服务器出错，请稍后再试。",
        "The REDCap server has a fault; please try again later.",
    ),
    "study.redcap.timeout": (
        "REDCap 没有及时答复，请稍后再试。",
        "REDCap did not answer in time; please try again later.",
    ),
    "study.redcap.away": (
        "暂时无法连接 REDCap。",
        "REDCap cannot be reached at the moment.",
    ),
    "study.redcap.cut": (
        "与 REDCap 的连接中断，请稍后再试。",
        "The connection to REDCap broke; please try again later.",
    ),
    "study.redcap.redirect": (
        "REDCap 的地址已转向别处，请管理员检查配置。",
        "The address of REDCap points elsewhere; an administrator has to check the settings.",
    ),
    "study.redcap.address": (
        "所配置的地址没有给出 REDCap 的答复，请管理员检查配置。",
        "What answers at the address is not REDCap's API; an administrator has to check the "
        "settings.",
    ),
    "study.redcap.project": (
        "REDCap 项目的结构与配置不符，请管理员检查字段配置和导出权限。",
        "The REDCap project is not as the mapping says; an administrator has to check the mapping "
        "and the export rights.",
    ),
    "study.redcap.value": (
        "REDCap 字段 {field} 的值无法对应，请核对项目中的数据和字段配置。",
        "A value of the REDCap field {field} does not fit; please check the project's data and "
        "the mapping.",
    ),
    "study.redcap.unsure": (
        "无法确认 {who} 在 {day} 的访视是否已写入 REDCap，请在 REDCap 中核对。",
        "The visit of {who} on {day} may or may not have been written; please check in REDCap.",
    ),
    "study.redcap.differs": (
        "{who} 在 {day} 的访视已写入 REDCap，但读回的内容不同，请在 REDCap 中核对。",
        "The visit of {who} on {day} was written but reads back otherwise; please check in REDCap.",
    ),
    "study.redcap.twin": (
        "{who} 在 {day} 的访视已写入 REDCap，但同一天的另一条记录先一步写入，"
        "请在 REDCap 中删除多余的一条。",
        "The visit of {who} on {day} was written, but another one of that day was written at the "
        "same moment and came first; please remove the one too many in REDCap.",
    ),
}
