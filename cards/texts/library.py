"""What tools tell of documents, memory and files, and why a tool is not for everyone."""

from typing import Final

TEXTS: Final[dict[str, tuple[str, str]]] = {
    # every tool
    "tool.recorded": ("{told}", "{told}"),
    "tool.timeout": (
        "{name} 超过 {seconds} 秒没有结果，已停止。",
        "{name} gave no result within {seconds} seconds and was stopped.",
    ),
    "tool.timeout_write": (
        "{name} 超过 {seconds} 秒没有结果；写入可能已经发生，请先核对再重试。",
        "{name} gave no result within {seconds} seconds; the write may have happened, "
        "so look before you try again.",
    ),
    "tool.role": (
        "{name} 只对以下角色开放：{roles}。",
        "{name} is only for people with one of these roles: {roles}.",
    ),
    "tool.other_project": (
        "本会话属于项目 {project}，不能使用项目 {other} 的研究数据。",
        "This conversation belongs to project {project} and has no access to the study data of "
        "project {other}.",
    ),
    # knowledge__search
    "tool.knowledge.section": ("《{title}》，{section}：", "{title}, {section}:"),
    "tool.knowledge.document": ("《{title}》：", "{title}:"),
    "tool.knowledge.source": ("出处：{link}", "Source: {link}"),
    "tool.knowledge.nothing": (
        "本项目的文档中没有找到与「{query}」相符的内容。",
        "Nothing in this project's documents answers “{query}”.",
    ),
    "knowledge.none": (
        "这里没有配置可以检索的文档。",
        "There are no documents to search here.",
    ),
    "knowledge.away": (
        "暂时无法检索文档。",
        "The documents cannot be searched at the moment.",
    ),
    # memory__search, memory__remember
    "tool.memory.empty": (
        "本项目还没有记住任何内容。",
        "Nothing has been remembered for this project yet.",
    ),
    "tool.memory.found": (
        "项目记忆中相符的内容（显示 {n} 条，共 {total} 条记忆）：",
        "What was remembered about it ({n} shown, {total} in all):",
    ),
    "tool.memory.newest": (
        "项目记忆，最新的在前（显示 {n} 条，共 {total} 条）：",
        "What was remembered for this project, newest first ({n} shown, {total} in all):",
    ),
    "tool.memory.nothing_but": (
        "没有与「{query}」相符的记忆。最新的内容（显示 {n} 条，共 {total} 条）：",
        "Nothing that was remembered matches “{query}”. The newest ({n} shown, {total} in all):",
    ),
    "tool.memory.memo": ("{text}（{by}，{day}）", "{text} ({by}, {day})"),
    "tool.remember.unapproved": (
        "只有经过审批的流程才能写入项目记忆。",
        "Something is remembered only by a run that was approved.",
    ),
    "tool.remember.done": ("已记住：{text}", "Remembered: {text}"),
    "tool.remember.again": (
        "此前已记住，没有重复写入：{text}",
        "Remembered before, not written again: {text}",
    ),
    "memory.none": ("这里没有项目记忆。", "There is no project memory here."),
    "memory.away": (
        "暂时无法读取项目记忆。",
        "The project memory cannot be reached at the moment.",
    ),
    # file__list, file__get_info, file__parse
    "tool.file.none": ("本项目没有文件。", "This project has no files."),
    "tool.file.list": ("本项目共有 {total} 个文件：", "Files of this project: {total}"),
    "tool.file.list_cut": (
        "本项目共有 {total} 个文件，以下是前 {n} 个：",
        "Files of this project: {total}; the first {n} are:",
    ),
    "tool.file.unknown": ("本项目没有名为 {name} 的文件。", "This project has no file {name}."),
    "tool.file.unknown_near": (
        "本项目没有名为 {name} 的文件。名称相近的有：{names}。",
        "This project has no file {name}. Close names: {names}.",
    ),
    "tool.file.info": (
        "{name}：类型 {kind}，大小 **{size}**，最后修改于 {day}。",
        "{name}: {kind}, **{size}**, last changed on {day}.",
    ),
    "tool.file.info_unreadable": (
        "{name}：类型 {kind}，大小 **{size}**，最后修改于 {day}。我不能读取这种文件的内容。",
        "{name}: {kind}, **{size}**, last changed on {day}. I cannot read the content of this "
        "kind of file.",
    ),
    "tool.file.empty": ("{name} 是空文件。", "{name} is empty."),
    "tool.file.text": ("{name}（{n} 个字符）：", "{name} ({n} characters):"),
    "tool.file.malformed": (
        "{name} 的格式有误，只能按文本显示（{n} 个字符）：",
        "{name} is malformed and shown as text ({n} characters):",
    ),
    "tool.file.cut": (
        "（以上是前 {n} 个字符，共 {total} 个。）",
        "(These are the first {n} of {total} characters.)",
    ),
    "tool.file.table": (
        "{name}：**{rows}** 行，{total} 列（{columns}）。",
        "{name}: rows **{rows}**, columns {total} ({columns}).",
    ),
    "tool.file.values": ("{name}：**{rows}** 个值。", "{name}: values **{rows}**."),
    "tool.file.no_words": (
        "{name} 里没有可以读取的文字（可能是扫描件）。",
        "There is no text in {name}; its pages may be scans.",
    ),
    "tool.file.parts": (
        "（共 {parts} 页，只读取了 {parts_read} 页。）",
        "(Of {parts} pages only {parts_read} were read.)",
    ),
    "tool.file.picture": (
        "{name} 是一张图片（{format}，{width} × {height} 像素）。我不能识别图片里的内容。",
        "{name} is a picture ({format}, {width} × {height} pixels). "
        "I cannot make out what it shows.",
    ),
    "tool.file.sample": ("前 {n} 行：", "First rows ({n}):"),
    "files.none": ("这里没有配置项目文件夹。", "There is no folder of project files here."),
    "files.away": ("暂时无法读取项目文件。", "The project's files cannot be read at the moment."),
    "files.too_large": (
        "文件超过 {limit}，无法读取。",
        "The file is larger than {limit} and cannot be read.",
    ),
    "files.unreadable": (
        "无法读取 {name} 的内容；可以读取的类型：{kinds}。",
        "The content of {name} cannot be read; these kinds can: {kinds}.",
    ),
    "files.no_text": (
        "{name} 的内容不是文本，无法读取。",
        "What {name} holds is no text and cannot be read.",
    ),
    "files.picture": (
        "{name} 是图片，里面没有可以读取的文字。",
        "{name} is a picture; there is no text to read in it.",
    ),
    "files.empty": ("{name} 是空文件。", "{name} is empty."),
    "files.kind": (
        "{name} 的内容不是我能读取的类型。",
        "What {name} holds is not of a kind that I can read.",
    ),
    "files.broken": (
        "{name} 已损坏，无法读取。",
        "{name} is damaged and cannot be read.",
    ),
    "files.locked": (
        "{name} 有密码保护，无法读取。",
        "{name} is protected by a password and cannot be read.",
    ),
    "files.unsafe": (
        "{name} 含有办公软件不会写入的声明，可能有害，没有读取。",
        "{name} declares what office programs never do; it may be harmful and was not read.",
    ),
    "files.bomb": (
        "{name} 解开后过大，没有读取。",
        "{name} would unpack to far too much and was not read.",
    ),
    "files.heavy": (
        "读取 {name} 需要太多时间或内存，已停止。",
        "Reading {name} takes too much time or memory and was stopped.",
    ),
    # files that come with a message
    "inbox.taken": ("{name}：已收到（{kind}，{size}）。", "{name}: taken ({kind}, {size})."),
    "inbox.renamed": ("保存为 {name}。", "It is kept as {name}."),
    "inbox.pages": (
        "共 {parts} 页，只能读取其中 {read} 页。",
        "Of its {parts} pages only {read} can be read.",
    ),
    "inbox.sheets": (
        "共 {parts} 个工作表，只能读取其中 {read} 个。",
        "Of its {parts} sheets only {read} can be read.",
    ),
    "inbox.cut": (
        "文件很长，只能读取开头部分。",
        "It is long: only its beginning can be read.",
    ),
    "inbox.too_large": (
        "{name}：超过 {limit} MB，没有接收。",
        "{name}: larger than {limit} MB, not taken.",
    ),
    "inbox.too_many": (
        "{name}：一条消息里的文件太多，这个没有接收，请另发一次。",
        "{name}: too many files in one message; this one was not taken, send it by itself.",
    ),
    "inbox.away": (
        "{name}：没有取到，请再发一次。",
        "{name}: could not be fetched; please send it again.",
    ),
    "inbox.denied": (
        "{name}：平台不允许我取这个文件，请联系管理员。",
        "{name}: the platform does not let me have this file; please tell an operator.",
    ),
    "inbox.empty": ("{name}：是空文件，没有接收。", "{name}: is empty, not taken."),
    "inbox.kind": (
        "{name}：不是我能读取的类型，没有接收。",
        "{name}: not of a kind that I can read, not taken.",
    ),
    "inbox.broken": (
        "{name}：文件已损坏，没有接收。",
        "{name}: is damaged, not taken.",
    ),
    "inbox.locked": (
        "{name}：有密码保护，没有接收。",
        "{name}: is protected by a password, not taken.",
    ),
    "inbox.unsafe": (
        "{name}：含有办公软件不会写入的声明，可能有害，没有接收。",
        "{name}: declares what office programs never do and may be harmful, not taken.",
    ),
    "inbox.bomb": (
        "{name}：解开后过大，没有接收。",
        "{name}: would unpack to far too much, not taken.",
    ),
    "inbox.heavy": (
        "{name}：读取需要太多时间或内存，没有接收。",
        "{name}: reading it takes too much time or memory, not taken.",
    ),
    "inbox.offer": (
        "可以问我里面有什么（「{name} 里有什么」），也可以让我提取日期、金额等要素"
        "（「提取 {name} 里的日期」），或者在办理事项时用到它。",
        "Ask me what is in it (“What is in {name}?”), have me take out dates, amounts and the like "
        "(“Extract the dates from {name}”), or name it in a request.",
    ),
    "inbox.nothing": (
        "可以换一个文件再发，或者直接告诉我要办什么。",
        "Send another file, or tell me what you need.",
    ),
    # element__extract
    "tool.element.none": (
        "没有找到日期、受试者编号、金额、邮箱、电话或身份证号。",
        "There are no dates, subject ids, amounts, e-mail addresses, phone or identity numbers.",
    ),
    "tool.element.dates": ("日期（{n}）：{values}", "Dates ({n}): {values}"),
    "tool.element.subjects": ("受试者（{n}）：{values}", "Subjects ({n}): {values}"),
    "tool.element.amounts": ("金额（{n}）：{values}", "Amounts ({n}): {values}"),
    "tool.element.emails": ("邮箱（{n}）：{values}", "E-mail addresses ({n}): {values}"),
    "tool.element.phones": ("电话（{n}）：{values}", "Phone numbers ({n}): {values}"),
    "tool.element.id_numbers": (
        "身份证号（{n}，已隐去）：{values}",
        "Identity numbers ({n}, masked): {values}",
    ),
    "tool.element.invalid": ("{value}（校验位不符）", "{value} (check digit does not fit)"),
    "tool.element.cut": (
        "（文件较长，只查看了前 {n} 个字符。）",
        "(The file is long: only its first {n} characters were looked at.)",
    ),
    "tool.element.more": ("，另有 {n} 个未列出", ", and {n} more"),
}
