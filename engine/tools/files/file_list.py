"""List a project's files."""

from typing import Any

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.tools.arguments import Arguments
from engine.tools.files.project_file import project_files, tell_size
from engine.tools.model import Tool, ToolContext

LISTED = 50


class FileList(Arguments):
    """Nothing: all files of the project are listed."""


async def _run(args: FileList, ctx: ToolContext) -> dict[str, Any]:
    infos = await project_files(ctx).infos(ctx.file_scope)
    return {
        "files": [{"name": i.name, "size_bytes": i.size_bytes} for i in infos[:LISTED]],
        "total": len(infos),
    }


def _tell(result: dict[str, Any], lang: Lang) -> str:
    files, total = result["files"], result["total"]
    if not files:
        return say("tool.file.none", lang)
    lines = [f"- {literal(f['name'])} ({tell_size(f['size_bytes'])})" for f in files]
    key = "tool.file.list" if len(files) == total else "tool.file.list_cut"
    return "\n".join((say(key, lang, total=total, n=len(files)), "", *lines))


FILE_LIST = Tool(
    name="file__list",
    description=(
        "Lists the files of the conversation's project by name, with sizes in bytes; the first 50, "
        "and how many there are in `total`. Takes no arguments and reads no content."
    ),
    arguments=FileList,
    readonly=True,
    run=_run,
    tell=_tell,
    examples=(
        "有哪些文件",
        "项目里有哪些文件",
        "列出所有文件",
        "文件列表",
        "看一下文件清单",
        "一共有几个文件",
        "我们上交了哪些材料文件",
        "当前有什么文件可以看",
        "显示项目文件",
        "文件夹里有什么",
        "Which files are there?",
        "List the files",
        "Show me all files of the project",
        "What files do we have?",
        "How many files are there?",
        "List the project files",
        "What is in the folder?",
        "Show the file list",
        "Are there any files?",
        "Which documents were handed in as files?",
    ),
    cues={
        "哪些文件": {},
        "什么文件": {},
        "文件列表": {},
        "文件清单": {},
        "which files": {},
        "what files": {},
        "file list": {},
        "list the files": {},
    },
)
