"""The small situation of which every prompt and every transcript is made."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from cards.model import Card, Choice, Field, Lang, Principal, Review
from engine.frames.intents import Intent
from engine.frames.outcome import StepContext
from engine.frames.replies import Part, ReplyHead
from engine.frames.state import (
    AgentState,
    Attachment,
    PlannerFrame,
    Run,
)
from engine.playbooks.load import load
from engine.playbooks.model import Playbook
from engine.talk.turn.together import question_text
from engine.text.excerpts.known import known_lines
from engine.understanding.briefing import Briefing
from engine.understanding.context import RouteContext
from engine.understanding.learned.table import RouteTable
from engine.understanding.learned.talk import Talk
from tests.fakes.services import services_of
from tests.fakes.study import Study

LANGUAGES: tuple[Lang, ...] = ("zh", "en")
NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
TODAY = date(2026, 11, 23)
PERSON = Principal(id="lin", name="Lin", accounts=("web:local:lin",))
SAID = {
    "zh": (
        "P003 的体能评分是多少？",
        "**1**（11-20 的访视）",
        "录入今天的，其他没有变化。P001 有这样的情况吗？",
    ),
    "en": (
        "What is the score of P003?",
        "**1** (visit of 11-20)",
        "Record today's visit, nothing has changed. Has P001 the same?",
    ),
}
PARTS = {
    "zh": ("录入今天的，其他没有变化", "P001 有这样的情况吗？"),
    "en": ("Record today's visit, nothing has changed", "Has P001 the same?"),
}
MAIN = """\
id: desk
name: {zh: 服务台, en: Desk}
project: SIGNOFF-101
cues: [录入, record]
requests:
  - id: visit
    name: {zh: 录入访视, en: Record a visit}
    examples: [录入 P003 今天的访视, 登记一次访视, record today's visit of P003, enter a visit]
  - id: report
    name: {zh: 写报告, en: Write a report}
    examples: [写一份报告, write a report]
    not_yet: true
profile_fields:
  status: {label: {zh: 状态, en: Status}}
data_fields:
  score: {label: {zh: 体能评分, en: Score}, type: integer, minimum: 0, maximum: 5, required: false}
  summary: {label: {zh: 摘要, en: Summary}, required: false}
  file: {label: {zh: 文件, en: File}, type: file, required: false}
  text: {label: {zh: 正文, en: Text}, type: file, required: false}
  title: {label: {zh: 标题, en: Title}, required: false}
phases:
  - id: visit
    name: {zh: 录入, en: Record}
    goal: {zh: 访视已录入, en: The visit is recorded}
    allowed_skills: [read, look-up, team, letter]
    gate_field: profile.status
    gate_check: not_empty
"""
HEAD = """\
category: answer
provides: [profile.status]
sets: {profile.status: done}
"""
SKILLS = {
    "read": f"""\
id: read
name: {{zh: 读取, en: Read}}
description: {{zh: 读出评分, en: Reads the score}}
kind: prompt
{HEAD}system_prompt: Read the score from what is known.
output_schema: {{data: [score, summary]}}
tools: [read_clinical_data]
""",
    "look-up": f"""\
id: look-up
name: {{zh: 查询, en: Look up}}
description: {{zh: 查询并记住, en: Looks things up and remembers}}
kind: tool_plan
{HEAD}planner:
  profile: You look things up in the records.
  tools: [read_clinical_data]
  review: {{roles: [reviewer]}}
""",
    "team": f"""\
id: team
name: {{zh: 团队, en: Team}}
description: {{zh: 团队处理, en: A team does it}}
kind: job_graph
{HEAD}jobs:
  goal: {{zh: 核对, en: Check it}}
  experts:
    - {{name: records, profile: You read records., tools: [read_clinical_data]}}
    - {{name: words, profile: You write.}}
  summary: summary
""",
    "letter": f"""\
id: letter
name: {{zh: 函件, en: Letter}}
description: {{zh: 起草函件, en: Drafts a letter}}
kind: document
{HEAD}document:
  file: file
  markdown: text
  name: title
  writer: {{prompt: Write a letter., sections: 4, section_chars: 2000, tools: [file__list]}}
""",
}


def playbook() -> Playbook:
    """The playbook of the situation."""
    files = {f"desk/skills/{name}.yaml": text for name, text in SKILLS.items()}
    return load({"desk/playbook.yaml": MAIN, **files}, roles=("reviewer",), held=("reviewer",))


def form_card() -> Card:
    """An open form of three fields."""
    fields = (
        Field(name="score", label="Score", type="integer", required=True, minimum=0, maximum=5),
        Field(name="weight", label="Weight", type="number", unit="kg"),
        Field(name="day", label="Visit date", type="date", value="2026-11-23"),
    )
    sent = Choice(id="submit", label="Send", form=fields)
    shown = {"title": "Visit of P003", "text": "How was the visit?", "choices": (sent,)}
    return card().model_copy(update={"kind": "clarify", **shown})


def card() -> Card:
    """An open card of the conversation."""
    return Card(
        kind="select",
        token="00-card",
        run="",
        conversation="web:local:main",
        lang="en",
        title="Which visit?",
        choices=(Choice(id="1", label="11-20"), Choice(id="2", label="11-23")),
        review=Review(persons=("lin",)),
        requester="lin",
    )


def briefing(lang: Lang) -> Briefing:
    """What a turn knows: the conversation, a card, a decision, a file."""
    asked, answered, _ = SAID[lang]
    known = {"Record P003": {"Score": 1, "requests": [{"name": "Visit", "end": "rejected"}]}}
    return Briefing(
        today=TODAY,
        zone="Asia/Shanghai",
        person="Lin",
        known=known_lines(known, 2000, has_reader=False),
        decisions=("[11-20 10:00] Chen chose reject on visit: the date is missing",),
        files=("visit.pdf (came with this message)",),
        conversation=(f"[11-23 17:01] Lin: {asked}", f"[11-23 17:01] bot: {answered}"),
        cards=(card(),),
    )


def context(lang: Lang) -> StepContext:
    """A run of the request, as a step sees it."""
    book, said = playbook(), SAID[lang]
    intent = Intent(kind="workflow", text=PARTS[lang][0], playbook="desk", request="visit")
    run = Run(
        id="00-run",
        playbook="desk",
        digest=book.digest,
        request="visit",
        name="Visit",
        conversation="web:local:main",
        lang=lang,
        requester=PERSON,
        text=PARTS[lang][0],
        message=said[2],
        reply="00-reply",
        part=Part(index=0, intent=intent, state="working", text=""),
        slot=False,
        frames=(PlannerFrame(phase="visit"),),
        state=AgentState(
            data={"score": 1},
            recent=(f"[11-23 17:01] Lin: {said[0]}", f"[11-23 17:01] bot: {said[1]}"),
            decided=("[11-20 10:00] Chen chose Reject on Record a visit, P003: too light",),
            attachments=(Attachment(name="visit.pdf"),),
            problems=("Chen rejected: the date is missing",),
        ),
        started_at=NOW,
    )
    services = services_of(now=NOW, today=TODAY, records=Study(), people=_People())
    return StepContext(run, book, services)


class _People:
    def refresh(self, person: Principal) -> Principal:
        """As they are."""
        return person


def question(lang: Lang) -> str:
    """What is asked of the message's second part, beside its first."""
    parts = [
        Part(index=n, intent=Intent(kind=kind, text=text), state=state, text=shown)
        for n, (kind, text, state, shown) in enumerate(
            (
                ("workflow", PARTS[lang][0], "needs_you", "…"),
                ("qa_query", PARTS[lang][1], "working", ""),
            )
        )
    ]
    head = ReplyHead(
        id="00-reply",
        conversation="web:local:main",
        lang=lang,
        principal=PERSON,
        text=SAID[lang][2],
        at=NOW,
    )
    return question_text(parts[1:], parts, head)


def route_context(lang: Lang) -> RouteContext:
    """What the message is sorted against."""
    book = playbook()
    talk = Talk(smalltalk=("hi",), questions=("who?",), statements=("done",), elsewhere=("sing",))
    tools = tuple(tool for tool in Study().tools if tool.name == "read_clinical_data")

    async def brief() -> Sequence[str]:
        return briefing(lang).lines()

    return RouteContext(
        table=RouteTable({"desk": book.definition}, tools, talk),
        tools=tools,
        open_cards=(card(),),
        principal=PERSON,
        today=TODAY,
        recent=(),
        lang=lang,
        brief=brief,
    )
