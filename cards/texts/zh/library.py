"""What tools tell of documents, memory and files, and why a tool is not for everyone."""

from typing import Final

TEXTS: Final[dict[str, str]] = {
    # every tool
    "tool.recorded": "{told}",
    "tool.timeout": "{name} 超过 {seconds} 秒没有结果，已停止。",
    "tool.timeout_write": "{name} 超过 {seconds} 秒没有结果；写入可能已经发生，请先核对再重试。",
    "tool.role": "{name} 只对以下角色开放：{roles}。",
    "tool.other_project": "本会话属于项目 {project}，不能使用项目 {other} 的数据。",
    # knowledge__search
    "tool.knowledge.section": "《{title}》，{section}：",
    "tool.knowledge.document": "《{title}》：",
    "tool.knowledge.source": "出处：{link}",
    "tool.knowledge.nothing": "本项目的文档中没有找到与「{query}」相符的内容。",
    "knowledge.gone": "这个回答所引用的文档已不存在。",
    "knowledge.none": "这里没有配置可以检索的文档。",
    "knowledge.away": "暂时无法检索文档。",
    # memory__search, memory__remember
    "tool.memory.empty": "本项目还没有记住任何内容。",
    "tool.memory.found": "项目记忆中相符的内容（显示 {n} 条，共 {total} 条记忆）：",
    "tool.memory.newest": "项目记忆，最新的在前（显示 {n} 条，共 {total} 条）：",
    "tool.memory.nothing_but": (
        "没有与「{query}」相符的记忆。最新的内容（显示 {n} 条，共 {total} 条）："
    ),
    "tool.memory.memo": "{text}（{by}，{day}）",
    "tool.remember.unapproved": "只有经过审批的流程才能写入项目记忆。",
    "tool.remember.done": "已记住：{text}",
    "tool.remember.again": "此前已记住，没有重复写入：{text}",
    "memory.none": "这里没有项目记忆。",
    "memory.away": "暂时无法读取项目记忆。",
    # file__list, file__get_info, file__parse
    "tool.file.none": "本项目没有文件。",
    "tool.file.list": "本项目共有 {total} 个文件：",
    "tool.file.list_cut": "本项目共有 {total} 个文件，以下是前 {n} 个：",
    "tool.file.unknown": "本项目没有名为 {name} 的文件。",
    "tool.file.unknown_near": "本项目没有名为 {name} 的文件。名称相近的有：{names}。",
    "tool.file.info": "{name}：类型 {kind}，大小 **{size}**，最后修改于 {day}。",
    "tool.file.info_unreadable": (
        "{name}：类型 {kind}，大小 **{size}**，最后修改于 {day}。我不能读取这种文件的内容。"
    ),
    "tool.file.empty": "{name} 是空文件。",
    "tool.file.text": "{name}（{n} 个字符）：",
    "tool.file.malformed": "{name} 的格式有误，只能按文本显示（{n} 个字符）：",
    "tool.file.cut": "（以上是前 {n} 个字符，共 {total} 个。）",
    "tool.file.table": "{name}：**{rows}** 行，{total} 列（{columns}）。",
    "tool.file.values": "{name}：**{rows}** 个值。",
    "tool.file.no_words": "{name} 里没有可以读取的文字（可能是扫描件）。",
    "tool.file.parts": "（共 {parts} 页，只读取了 {parts_read} 页。）",
    "tool.file.picture": (
        "{name} 是一张图片（{format}，{width} × {height} 像素）。我不能识别图片里的内容。"
    ),
    "tool.file.sample": "前 {n} 行：",
    "files.none": "这里没有配置项目文件夹。",
    "files.away": "暂时无法读取项目文件。",
    "files.too_large": "文件超过 {limit}，无法读取。",
    "files.unreadable": "无法读取 {name} 的内容；可以读取的类型：{kinds}。",
    "files.no_text": "{name} 的内容不是文本，无法读取。",
    "files.picture": "{name} 是图片，里面没有可以读取的文字。",
    "files.empty": "{name} 是空文件。",
    "files.kind": "{name} 的内容不是我能读取的类型。",
    "files.broken": "{name} 已损坏，无法读取。",
    "files.locked": "{name} 有密码保护，无法读取。",
    "files.unsafe": "{name} 含有办公软件不会写入的声明，可能有害，没有读取。",
    "files.bomb": "{name} 解开后过大，没有读取。",
    "files.heavy": "读取 {name} 需要太多时间或内存，已停止。",
    "files.long": "{name} 太长：规则只能判断可以完整读取的文件。",
    "files.gone": "{name} 已经不在了。",
    "files.no_words": "{name} 里没有可以读取的文字，可能是扫描件。",
    "file.link_old": "这个链接已过期或无效，请重新打开卡片。",
    "file.link_gone": "文件已经不在了。",
    "file.link_away": "暂时无法读取文件，请稍后再试。",
    # files that come with a message
    "inbox.taken": "{name}：已收到（{kind}，{size}）。",
    "inbox.renamed": "保存为 {name}。",
    "inbox.pages": "共 {parts} 页，只能读取其中 {read} 页。",
    "inbox.sheets": "共 {parts} 个工作表，只能读取其中 {read} 个。",
    "inbox.cut": "文件很长，只能读取开头部分。",
    "inbox.too_large": "{name}：超过 {limit} MB，没有接收。",
    "inbox.too_many": "{name}：一条消息里的文件太多，这个没有接收，请另发一次。",
    "inbox.away": "{name}：没有取到，请再发一次。",
    "inbox.denied": "{name}：平台不允许我取这个文件，请联系管理员。",
    "inbox.empty": "{name}：是空文件，没有接收。",
    "inbox.kind": "{name}：不是我能读取的类型，没有接收。",
    "inbox.broken": "{name}：文件已损坏，没有接收。",
    "inbox.locked": "{name}：有密码保护，没有接收。",
    "inbox.unsafe": "{name}：含有办公软件不会写入的声明，可能有害，没有接收。",
    "inbox.bomb": "{name}：解开后过大，没有接收。",
    "inbox.heavy": "{name}：读取需要太多时间或内存，没有接收。",
    "inbox.offer": (
        "可以问我里面有什么（「{name} 里有什么」），也可以让我提取日期、金额等要素"
        "（「提取 {name} 里的日期」），或者在办理事项时用到它。"
    ),
    "inbox.nothing": "可以换一个文件再发，或者直接告诉我要办什么。",
    # element__extract
    "tool.element.none": "没有找到日期、项目中的名称、金额、邮箱、电话或身份证号。",
    "tool.element.dates": "日期（{n}）：{values}",
    "tool.element.named": "{label}（{n}）：{values}",
    "tool.element.amounts": "金额（{n}）：{values}",
    "tool.element.emails": "邮箱（{n}）：{values}",
    "tool.element.phones": "电话（{n}）：{values}",
    "tool.element.id_numbers": "身份证号（{n}，已隐去）：{values}",
    "tool.element.invalid": "{value}（校验位不符）",
    "tool.element.cut": "（文件较长，只查看了前 {n} 个字符。）",
    "tool.element.more": "，另有 {n} 个未列出",
}
