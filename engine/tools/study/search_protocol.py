"""Find the sections of the study protocol that answer a question."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from cards.clipping import shorten
from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.ports.systems.records import Passage
from engine.text.language import detect_language
from engine.tools.arguments import Arguments, Query
from engine.tools.knowledge.ranking import rank, tokens
from engine.tools.model import Tool, ToolContext

TITLE_WEIGHT = 4
"""A word of the title counts this often, so that "dosing" finds the section of that name."""

MATCHES = 3
CLOSE_SECOND = 0.7
"""A second section is quoted when it scores at least this share of the best."""

ECHO_CHARS = 80


class SearchProtocol(Arguments):
    """What to look for."""

    query: Query = Field(
        default="",
        description="The question or key words, zh or en; empty for the list of sections.",
    )


async def _run(args: SearchProtocol, ctx: ToolContext) -> dict[str, Any]:
    passages, _ = await ctx.records.protocol()
    sections = _by_section(passages)
    found = rank(args.query, {name: _words(texts) for name, texts in sections.items()})
    return {
        "query": args.query.strip(),
        "matches": [
            {"section": name, "score": round(score, 3), "text": _wordings(sections[name])}
            for name, score in found[:MATCHES]
        ],
        "sections": [
            {"section": name, "title": {lang: w["title"] for lang, w in _wordings(texts).items()}}
            for name, texts in sections.items()
            if not found
        ],
    }


def _by_section(passages: Sequence[Passage]) -> dict[str, list[Passage]]:
    sections: dict[str, list[Passage]] = {}
    for passage in passages:
        sections.setdefault(passage.section, []).append(passage)
    return sections


def _words(texts: Sequence[Passage]) -> Counter[str]:
    words: Counter[str] = Counter()
    for passage in texts:
        words.update(tokens(passage.text))
        words.update(dict.fromkeys(tokens(passage.title), TITLE_WEIGHT))
    return words


def _wordings(texts: Sequence[Passage]) -> dict[Lang, dict[str, str]]:
    """A section's passages by language; one with Chinese characters is the zh one."""
    return {detect_language(p.title + p.text): {"title": p.title, "text": p.text} for p in texts}


def _tell(result: dict[str, Any], lang: Lang) -> str:
    matches = result["matches"]
    if not matches:
        return _tell_sections(result, lang)
    best = matches[0]["score"]
    quoted = [m for m in matches[:2] if m["score"] >= best * CLOSE_SECOND]
    return "\n\n".join(_tell_match(match, lang) for match in quoted)


def _tell_match(match: Mapping[str, Any], lang: Lang) -> str:
    wording = _in(lang, match["text"])
    section, title = literal(match["section"]), literal(wording["title"])
    head = say("tool.protocol.section", lang, section=section, title=title)
    return f"**{head}**\n\n> {literal(wording['text'])}"


def _tell_sections(result: dict[str, Any], lang: Lang) -> str:
    query = literal(shorten(result["query"], ECHO_CHARS))
    titles = [
        f"{literal(s['section'])} {literal(_in(lang, s['title']))}" for s in result["sections"]
    ]
    sections = say("list.clauses", lang).join(titles)
    match bool(query), bool(sections):
        case True, True:
            return say("tool.protocol.nothing_but", lang, query=query, sections=sections)
        case True, False:
            return say("tool.protocol.nothing", lang, query=query)
        case False, True:
            return say("tool.protocol.sections", lang, sections=sections)
    return say("tool.protocol.empty", lang)


def _in(lang: Lang, texts: Mapping[Lang, Any]) -> Any:
    return texts[lang] if lang in texts else next(iter(texts.values()))


SEARCH_PROTOCOL = Tool(
    name="search_protocol",
    description=(
        "Searches the text of the study protocol (inclusion and exclusion criteria, visit "
        "schedule, dosing, definitions and limits of the measurements, adverse events and SAE, "
        "withdrawal, data review and queries). `matches` holds the best sections first, quoted in "
        "full with their numbers; when nothing matches it is empty and `sections` lists what there "
        "is."
    ),
    arguments=SearchProtocol,
    readonly=True,
    clinical=True,
    run=_run,
    tell=_tell,
    examples=(
        "入组标准是什么",
        "方案里的排除标准有哪些",
        "年龄要求是多少岁",
        "访视计划是怎样的",
        "研究药物的剂量是多少",
        "出现不良事件后怎么调整剂量",
        "ECOG 评分怎么定义",
        "血压的允许范围是多少",
        "体重变化超过多少需要复核",
        "SAE 要在多久内报告",
        "受试者怎么退出研究",
        "数据质疑要几天内答复",
        "合并用药有什么规定",
        "漏访怎么处理",
        "What are the inclusion criteria?",
        "Which exclusion criteria does the protocol have?",
        "What is the visit schedule?",
        "What dose does arm A take?",
        "How is ECOG defined?",
        "What are the blood pressure limits?",
        "How soon must an SAE be reported?",
        "Can a subject withdraw at any time?",
        "Who may review entered data?",
        "What does the protocol say about concomitant medication?",
    ),
    cues={
        "方案": {},
        "protocol": {},
        "入组标准": {"query": "入组标准"},
        "纳入标准": {"query": "入组标准"},
        "排除标准": {"query": "排除标准"},
        "inclusion criteria": {"query": "inclusion criteria"},
        "exclusion criteria": {"query": "exclusion criteria"},
        "eligib": {"query": "inclusion criteria eligible"},
        "知情同意": {"query": "知情同意"},
        "informed consent": {"query": "informed consent"},
        "访视计划": {"query": "访视计划"},
        "visit schedule": {"query": "visit schedule"},
        "剂量": {"query": "给药剂量"},
        "dosing": {"query": "dosing"},
        "dose": {"query": "dosing dose"},
        "合并用药": {"query": "合并用药"},
        "concomitant": {"query": "concomitant medication"},
        "评分定义": {"query": "ECOG 评分定义"},
        "血压限值": {"query": "血压限值"},
        "blood pressure limit": {"query": "blood pressure limits"},
        "严重不良事件": {"query": "严重不良事件报告"},
        "sae": {"query": "SAE"},
        "serious adverse event": {"query": "serious adverse events"},
        "退出研究": {"query": "退出研究"},
        "withdraw": {"query": "withdrawal withdraw"},
        "数据质疑": {"query": "数据质疑"},
        "data quer": {"query": "data queries"},
        "漏访": {"query": "漏访"},
        "missed visit": {"query": "missed visits"},
    },
)
