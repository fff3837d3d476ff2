"""Tell what kind of file a file is, how large and how old."""

from typing import Any

from pydantic import Field

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.tools.arguments import Arguments
from engine.tools.files.project_file import (
    READABLE,
    FileName,
    project_files,
    tell_size,
    tell_unknown_file,
    unknown_file,
)
from engine.tools.model import Tool, ToolContext


class FileGetInfo(Arguments):
    """Which file."""

    name: FileName = Field(description="The file's name as file__list gives it, such as a.csv.")


async def _run(args: FileGetInfo, ctx: ToolContext) -> dict[str, Any]:
    infos = await project_files(ctx).infos(ctx.file_scope)
    info = next((info for info in infos if info.name == args.name), None)
    if info is None:
        return unknown_file(args.name, infos)
    readable = info.name.lower().endswith(READABLE)
    return {"found": True, **info.model_dump(mode="json"), "readable": readable}


def _tell(result: dict[str, Any], lang: Lang) -> str:
    if not result["found"]:
        return tell_unknown_file(result, lang)
    return say(
        "tool.file.info" if result["readable"] else "tool.file.info_unreadable",
        lang,
        name=literal(result["name"]),
        kind=literal(result["media_type"]),
        size=tell_size(result["size_bytes"]),
        day=result["changed_at"][:10],
    )


FILE_GET_INFO = Tool(
    name="file__get_info",
    description=(
        "Tells the kind, the size in bytes and the time of the last change of one file of the "
        "conversation's project, and whether file__parse can read it (`readable`). For an unknown "
        "name `found` is false and `nearest` lists names that exist."
    ),
    arguments=FileGetInfo,
    readonly=True,
    run=_run,
    tell=_tell,
    examples=(
        "orders.csv 有多大",
        "ledger.csv 的大小是多少",
        "contract.pdf 是什么类型的文件",
        "notes.txt 是什么时候修改的",
        "export.json 的文件信息",
        "查看 summary.md 的文件信息",
        "photo.png 能读取吗",
        "有没有 stock.csv 这个文件",
        "letter.docx 是什么格式",
        "invoice.pdf 的文件属性",
        "How large is orders.csv?",
        "What is the size of ledger.csv?",
        "What kind of file is contract.pdf?",
        "When was notes.txt changed?",
        "Show the file info of export.json",
        "File information on summary.md",
        "Can photo.png be read?",
        "Is there a file stock.csv?",
        "What format is letter.docx?",
        "How old is invoice.pdf?",
    ),
    cues={
        "文件信息": {},
        "文件属性": {},
        "file info": {},
    },
    needs=("name",),
)
