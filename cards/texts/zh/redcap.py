"""What a REDCap project refused, or left open."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    "connection.redcap.rights": "{name} 的 REDCap 用户没有这项操作所需的权限，请管理员检查。",
    "connection.redcap.refused": "{name} 拒绝了这次查询，项目中可能没有这些字段或事件。",
    "connection.redcap.not_taken": "{name} 没有接受，没有写入。",
    "connection.redcap.cut": "与 {name} 的连接中断，请稍后再试。",
    "connection.redcap.address": "{name} 的地址没有给出 REDCap 的答复，请管理员检查。",
    "connection.redcap.field": "REDCap 项目 {name} 没有字段 {field}，请管理员检查。",
    "connection.redcap.value": "{name} 中字段 {field} 的值无法对应，请核对项目中的数据。",
    "connection.redcap.other": "这次写入的编号在 {name} 中已用于别的内容，没有写入。",
    "connection.redcap.no_record": "{name} 没有记录 {record}，没有写入。",
    "connection.redcap.taken": "{name} 中 {record} 已有同样的一条，没有写入。",
    "connection.redcap.differs": "已写入 {name} 的 {record}，但读回的内容不同，请在那里核对。",
    "connection.redcap.twin": (
        "已写入 {name} 的 {record}，但同时写入的另一条先一步，请在那里删除多余的一条。"
    ),
}
