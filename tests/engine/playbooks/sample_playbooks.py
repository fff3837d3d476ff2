"""Playbooks for tests of graphs: the shipped ones, one with everything in it, a hostile one."""

from pathlib import Path
from random import Random

from engine.playbooks.conditions import Condition
from engine.playbooks.load import load
from engine.playbooks.model import Phase, Playbook, PlaybookFile, PriorityRule, Request
from engine.playbooks.review import ReviewPolicy
from engine.playbooks.skill import Ask, Skill, SkillKind, Sop, SopNode
from engine.text.language import LocalizedText
from tests.fakes.study import study_toolbox

PLAYBOOKS = Path(__file__).parents[3] / "playbooks"
SHIPPED = tuple(sorted(main.parent.name for main in PLAYBOOKS.glob("*/playbook.yaml")))
HOSTILE = (
    'a"b',
    "end",
    "[x](y)|{z}",
    "--> n1 %% ;",
    "</text><script>alert(1)</script>",
    "</title>&lt;&amp;]]>",
    "style x: a#b;",
    "1. one\n\tsubgraph two\r\n",
    "`**bold** _it_` ![i](j)",
    "www.example.com http://x.y",
    "🧪👩🏽‍🔬 é́ 访视（数据）‮abc",
    "\x00\x08\ufffe",
    "#quot; #35; ﬂ°°35¶ß",
    "x" * 400,
    "访" * 200,
)


def shipped(name: str) -> Playbook:
    folder = PLAYBOOKS / name
    paths = [folder / "playbook.yaml", *sorted((folder / "skills").glob("*.yaml"))]
    files = {str(path): path.read_text("utf-8") for path in paths}
    return load(files, roles=None, held=None, tools=study_toolbox().facts)


def both(text: str) -> LocalizedText:
    return LocalizedText(zh=text, en=text)


def skill(
    name: str, kind: SkillKind = "prompt", *, sop: Sop | None = None, said: str = ""
) -> Skill:
    ask = Ask(fields=(), title=both(said or f"ask {name}"), text=both("text"))
    return Skill(
        id=name,
        name=both(said or f"skill {name}"),
        description=both("description"),
        category="sort",
        kind=kind,
        ask=ask if kind == "prompt" else None,
        sop=sop,
    )


def review(title: str, *, approve: str, reject: str, expire: str = "") -> SopNode:
    return SopNode(
        type="human_review",
        title=both(title),
        review=ReviewPolicy(roles=("lead", "judge"), quorum=2, four_eyes=False),
        decision="agreed",
        on_approve=approve,
        on_reject=reject,
        on_expire=expire,
    )


def rule(*, passed: str, failed: str) -> SopNode:
    return SopNode(type="hard_rule", on_pass=passed, on_fail=failed)


def tangled() -> Playbook:
    """Every arrow there is: on, over, back, to itself, and several to one end."""
    sop = Sop(
        start_node="first",
        nodes={
            "last": review("Last", approve="end_ok", reject="first", expire="last"),
            "first": rule(passed="second", failed="third"),
            "second": review("Second", approve="third", reject="end_no", expire="end_late"),
            "third": rule(passed="last", failed="end_no"),
        },
        outcomes={"end_ok": {"profile.ok": True}, "end_no": {"profile.ok": None}},
    )
    wanted = PriorityRule(when=Condition(field="profile.ok", check="equals:false"), skill="wide")
    late = PriorityRule(when=Condition(field="decisions.agreed", check="empty"), skill="alone")
    phases = tuple(
        Phase(
            id=name,
            name=both(name.title()),
            goal=both(f"goal of {name}"),
            allowed_skills=allowed,
            priority_rules=(late, wanted, late),
            checkpoints=("profile.ok",),
        )
        for name, allowed in (("one", ("deep", "ask", "ask2", "ask3")), ("two", ("ask", "deep")))
    )
    definition = PlaybookFile(
        id="tangle",
        name=both("Tangle"),
        project="P-1",
        cues=(),
        requests=(Request(id="r", name=both("Request"), examples=("do it",)),),
        allowed_skills=("wide",),
        priority_rules=(wanted,),
        phases=(*phases, Phase(id="three", name=both("Three"), goal=both("wide ones"))),
    )
    prompts = ("ask", "ask2", "ask3", "wide", "alone", "unused")
    skills = {name: skill(name) for name in prompts}
    return Playbook(definition=definition, skills={**skills, "deep": skill("deep", "sop", sop=sop)})


def scattered(seed: int) -> Playbook:
    """One skill whose SOP goes anywhere from anywhere; the same for the same seed."""
    dice = Random(seed)
    names = [f"n{number}" for number in range(dice.randint(1, 6))]
    places = [*names, *(f"end_{number}" for number in range(4))]
    ways = [[dice.choice(places) for _ in range(3)] for _ in names]
    nodes = {
        name: review(name, approve=a, reject=r, expire=e)
        if dice.random() < 0.5
        else rule(passed=a, failed=r)
        for name, (a, r, e) in zip(names, ways, strict=True)
    }
    only = skill("deep", "sop", sop=Sop(start_node="n0", nodes=nodes))
    phase = Phase(id="one", name=both("One"), goal=both("goal"), allowed_skills=("deep",))
    definition = idle().definition.model_copy(update={"phases": (phase,)})
    return Playbook(definition=definition, skills={"deep": only})


def idle() -> Playbook:
    """One that understands requests and can do none so far."""
    later = Request(id="later", name=both("Later"), examples=("x",), not_yet=True)
    definition = PlaybookFile(
        id="idle", name=both("Idle"), project="P-1", cues=(), requests=(later,), phases=()
    )
    return Playbook(definition=definition, skills={})


def hostile() -> Playbook:
    """Texts and ids that would mean something to Mermaid, Markdown or XML."""
    skills = {}
    for text in HOSTILE:
        nodes = {text: review(text, approve=f"end{text}", reject=f"end{text}2")}
        sop = Sop(start_node=text, nodes=nodes, outcomes={f"end{text}": {text: text}})
        skills[text] = skill(text, "sop", sop=sop, said=text)
        skills[f"{text}/"] = skill(f"{text}/", said=text)
    phases = tuple(
        Phase(
            id=text,
            name=both(text),
            goal=both(text),
            allowed_skills=(text, f"{text}/"),
            priority_rules=(
                PriorityRule.model_construct(
                    when=Condition.model_construct(field=text, check=text), skill=text
                ),
            ),
            checkpoints=(text,),
            gate_field=text,
            gate_value=text,
        )
        for text in HOSTILE
    )
    definition = PlaybookFile(
        id=HOSTILE[4],
        name=both(HOSTILE[4]),
        project=HOSTILE[0],
        cues=(),
        requests=tuple(Request(id=t, name=both(t), examples=("x",)) for t in HOSTILE),
        phases=phases,
    )
    return Playbook(definition=definition, skills=skills)
