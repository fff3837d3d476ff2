"""What people read of the files that they shared, and which file a request means."""

import re
from collections.abc import Sequence

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.ports.inbox_files import FileReceipt
from engine.text.entities import file_names
from engine.tools.files.project_file import tell_size

_THIS_FILE = re.compile(
    r"(?:这|该|此|上面|上传|发送|附)(?:个|份|张)?(?:的)?(?:文件|附件|文档|表格|材料|图片|合同)"
    r"|(?<![\w])附件|(?<!\w)文件(?=里|中)"
    r"|\b(?:this|the|that|my)\s+(?:attached\s+|uploaded\s+|shared\s+)?"
    r"(?:file|attachment|document|spreadsheet|table|picture|pdf)\b",
    re.IGNORECASE,
)


def files_text(
    files: Sequence[FileReceipt],
    lang: Lang,
    *,
    joined: Sequence[str] = (),
    cases: Sequence[str] = (),
) -> str:
    """What became of each file (Markdown), on a line of its own when there are several.

    `joined` names what goes on and was given them, `cases` the cases whose they are now.
    """
    lines = [_file_text(file, lang) for file in files]
    text = lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)
    comma = say("list.items", lang)
    more = [
        say(key, lang, names=comma.join(map(literal, names)))
        for key, names in (("inbox.joined", joined), ("inbox.in_case", cases))
        if names
    ]
    return "\n\n".join((text, *more))


def _file_text(file: FileReceipt, lang: Lang) -> str:
    shown = literal(file.shown)
    if file.problem:
        return say(f"inbox.{file.problem}", lang, name=shown, limit=file.limit_mb)
    size = tell_size(file.size_bytes)
    kind, name = file.kind.upper(), literal(file.name)
    sentences = [say("inbox.taken", lang, name=shown, kind=kind, size=size)]
    if file.name != file.shown:
        sentences.append(say("inbox.renamed", lang, name=name))
    if file.parts_read < file.parts:
        key = "inbox.sheets" if file.kind == "xlsx" else "inbox.pages"
        sentences.append(say(key, lang, parts=file.parts, read=file.parts_read))
    elif file.cut:
        sentences.append(say("inbox.cut", lang))
    return ("" if lang == "zh" else " ").join(sentences)


def kept_names(files: Sequence[FileReceipt]) -> tuple[str, ...]:
    """The names of the files that were taken in."""
    return tuple(dict.fromkeys(file.name for file in files if file.name))


def offer_text(files: Sequence[FileReceipt], lang: Lang) -> str:
    """What can be done with files that came without a text."""
    names = kept_names(files)
    if not names:
        return say("inbox.nothing", lang)
    return say("inbox.offer", lang, name=literal(names[0]))


def name_the_file(text: str, files: Sequence[FileReceipt]) -> str:
    """The text, with the name of the only file that came with it in place of "this file"."""
    names = kept_names(files)
    if len(names) != 1 or file_names(text):
        return text
    return _THIS_FILE.sub(lambda _: f" {names[0]} ", text).strip()


def text_with_names(text: str, files: Sequence[FileReceipt]) -> str:
    """The text as it is remembered: with the names of the files that came with it."""
    names = ", ".join(kept_names(files))
    return f"{text} [{names}]".strip() if names else text
