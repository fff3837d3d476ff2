"""The graph of a playbook: its phases, skills and SOP nodes, and what follows what."""

import json
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import assert_never

from cards.model import Lang
from cards.texts import say
from engine.playbooks.conditions import AllOf, AnyCondition, AnyOf, Condition, LogicCondition
from engine.playbooks.drawing.model import DetailKey, Edge, Graph, Node, Value, node_id, one_line
from engine.playbooks.model import Phase, Playbook, PlaybookFile, PriorityRule
from engine.playbooks.review import ReviewPolicy
from engine.playbooks.skill import ERROR_END, Skill, Sop, SopNode
from engine.text.language import LocalizedText

INSTRUCTION_CHARS = 120
WAY_CHARS = 60


def build_graph(playbook: Playbook, lang: Lang) -> Graph:
    """The graph of a playbook that the loader has passed, named in that language."""
    return _GraphBuilder(playbook, lang).run()


class _GraphBuilder:
    def __init__(self, playbook: Playbook, lang: Lang) -> None:
        self._playbook = playbook
        self._lang = lang
        self._root = node_id("playbook", playbook.id)
        self._nodes: list[Node] = []
        self._edges: list[Edge] = []

    def run(self) -> Graph:
        definition = self._playbook.definition
        self._nodes.append(self._whole())
        self._allowed(self._root, definition.allowed_skills)
        for phase in definition.phases:
            at = node_id("phase", phase.id)
            self._nodes.append(self._phase(phase, at))
            self._allowed(at, phase.allowed_skills)
        self._ways(definition)
        for skill in self._playbook.skills:
            self._skill(skill, inside="")
        self._rules(self._root, definition.priority_rules)
        for phase in definition.phases:
            self._rules(node_id("phase", phase.id), phase.priority_rules)
        return Graph(lang=self._lang, nodes=tuple(self._nodes), edges=tuple(self._edges))

    def _ways(self, definition: PlaybookFile) -> None:
        """From each phase to the next one of a request; what several requests share, once."""
        ways = [definition.phases_of(r.id) for r in definition.requests if not r.not_yet]
        steps: dict[tuple[str, str], None] = {}
        for phases in ways:
            stops = [self._root, *(node_id("phase", phase.id) for phase in phases)]
            steps |= dict.fromkeys(pairwise(stops))
        self._edges += [Edge(source=a, target=b, kind="next") for a, b in steps]

    def _rules(self, at: str, rules: Iterable[PriorityRule]) -> None:
        for rule in rules:
            to, when = node_id("skill", rule.skill), one_line(condition_text(rule.when))
            self._edges.append(Edge(source=at, target=to, kind="priority", label=when))

    def _whole(self) -> Node:
        definition = self._playbook.definition
        return Node(
            id=self._root,
            kind="playbook",
            key=one_line(definition.id),
            name=self._line(definition.name),
            details=_details(
                {
                    "project": [definition.project],
                    "requests": [self._line(r.name) for r in definition.requests if not r.not_yet],
                    "not_yet": [self._line(r.name) for r in definition.requests if r.not_yet],
                }
            ),
        )

    def _phase(self, phase: Phase, at: str) -> Node:
        requests = self._playbook.definition.requests
        taken = [r for r in requests if phase.id in r.phases]
        wide = not phase.allowed_skills and self._playbook.definition.allowed_skills
        return Node(
            id=at,
            kind="phase",
            key=one_line(phase.id),
            name=self._line(phase.name),
            details=_details(
                {
                    "goal": [self._line(phase.goal)],
                    "gate": [_gate(phase)],
                    "checkpoints": phase.checkpoints,
                    "skills": [say("graph.playbook_wide", self._lang)] if wide else [],
                    "for_requests": [self._line(r.name) for r in taken],
                    "done_card": [self._line(phase.done_card.title)] if phase.done_card else [],
                }
            ),
        )

    def _allowed(self, at: str, names: Iterable[str]) -> None:
        for name in dict.fromkeys(names):
            self._edges.append(Edge(source=at, target=node_id("skill", name), kind="allows"))
            self._skill(name, inside=at)

    def _skill(self, name: str, *, inside: str) -> None:
        at = node_id("skill", name)
        if any(node.id == at for node in self._nodes):
            return
        skill = self._playbook.skills[name]
        node = Node(
            id=at,
            kind="skill",
            key=one_line(name),
            name=self._line(skill.name),
            type=skill.kind,
            inside=inside,
            details=self._skill_details(skill),
        )
        self._nodes.append(node)
        if skill.sop:
            self._sop(name, skill.sop)

    def _skill_details(self, skill: Skill) -> dict[DetailKey, tuple[Value, ...]]:
        plan, planner = skill.plan, skill.planner
        # Those of an SOP stand at its nodes.
        decided_in = skill.reviews.values() if skill.sop is None else ()
        return _details(
            {
                "category": [skill.category],
                "requires": map(condition_text, skill.requires),
                "card": [self._line(skill.ask.title)] if skill.ask else [],
                "calls": dict.fromkeys(call.tool for call in plan.calls) if plan else [],
                "rehearses": [self._skill_name(plan.rehearses)] if plan and plan.rehearses else [],
                "experts": [expert.name for expert in skill.jobs.experts] if skill.jobs else [],
                "guard": [f"decisions.{plan.guard.decision}"] if plan and plan.guard else [],
                "tools": planner.tools if planner else [],
                "max_steps": [planner.max_steps] if planner else [],
                **_review_details(next(iter(decided_in), None)),
            }
        )

    def _sop(self, skill: str, sop: Sop) -> None:
        ends: list[str] = []
        start = node_id("sop", skill, sop.start_node)
        self._edges.append(Edge(source=node_id("skill", skill), target=start, kind="start"))
        for key, node in sop.nodes.items():
            self._sop_node(skill, key, node)
            at = node_id("sop", skill, key)
            for on, target in {**node.targets, "on_error": node.on_error}.items():
                # The common end of what goes wrong is told where it is more than a failed run.
                if target and (target != ERROR_END or ERROR_END in sop.outcomes):
                    ends += [target] if target.startswith("end") else []
                    to = node_id("sop", skill, target)
                    label = _way_label(node, on)
                    self._edges.append(Edge(source=at, target=to, kind="on", label=label))
            if node.shows:
                shown = node_id("skill", node.shows)
                self._edges.append(Edge(source=at, target=shown, kind="shows"))
        self._nodes += [self._end(skill, sop, end) for end in dict.fromkeys(ends)]

    def _sop_node(self, skill: str, key: str, node: SopNode) -> None:
        details = _details(
            {
                "checks": dict.fromkeys(self._field(rule.field) for rule in node.rules),
                "instruction": [_shorten(node.instruction)],
                "tools": (node.reads.tool,) if node.reads else node.tools,
                "shows": [self._skill_name(node.shows)] if node.shows else [],
                **_review_details(node.review),
            }
        )
        made = Node(
            id=node_id("sop", skill, key),
            kind="sop_node",
            key=one_line(key),
            name=self._line(node.title) if node.title else one_line(key),
            type=node.type,
            inside=node_id("skill", skill),
            details=details,
        )
        self._nodes.append(made)

    def _end(self, skill: str, sop: Sop, key: str) -> Node:
        sets = sop.sets(key)
        return Node(
            id=node_id("sop", skill, key),
            kind="sop_end",
            key=one_line(key),
            name=one_line(key),
            inside=node_id("skill", skill),
            details=_details(
                {"sets": [f"{path} = {_as_text(value)}" for path, value in sets.items()]}
            ),
        )

    def _line(self, text: LocalizedText) -> str:
        return one_line(text(self._lang))

    def _skill_name(self, name: str) -> str:
        return self._line(self._playbook.skills[name].name)

    def _field(self, name: str) -> str:
        field = self._playbook.definition.data_fields.get(name)
        return self._line(field.label) if field else name


def _review_details(review: ReviewPolicy | None) -> dict[DetailKey, Iterable[Value]]:
    if review is None:
        return {}
    votes: dict[DetailKey, Iterable[Value]]
    votes = {"quorum": [review.quorum], "four_eyes": [review.four_eyes]}
    named = [part.named_by for part in (review, *review.also)]
    return {"roles": review.all_roles, "reviewers": named, **votes}


def _details(found: Mapping[DetailKey, Iterable[Value]]) -> dict[DetailKey, tuple[Value, ...]]:
    """What is there, by key; texts as single lines."""
    details: dict[DetailKey, tuple[Value, ...]] = {}
    for key, values in found.items():
        told = tuple(one_line(v) if isinstance(v, str) else v for v in values)
        if told := tuple(v for v in told if v != ""):
            details[key] = told
    return details


def _way_label(node: SopNode, key: str) -> str:
    """The condition of a branch's way; of all other targets, their key."""
    if not key.startswith("ways."):
        return key
    when = node.ways[int(key.split(".")[1])].when
    return one_line(_shorten(condition_text(when), WAY_CHARS))


def _shorten(text: str, limit: int = INSTRUCTION_CHARS) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"


def _gate(phase: Phase) -> str:
    if not phase.gate_field:
        return ""
    return f"{phase.gate_field} {phase.gate_check or f'equals:{_as_text(phase.gate_value)}'}"


def _as_text(value: str | int | bool | None) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def condition_text(condition: AnyCondition) -> str:
    """`field check`, `all of (...; ...)`, `any of (...; ...)` or `logic {...}`, on one line."""
    match condition:
        case Condition():
            return f"{condition.field} {condition.check.strip()}"
        case AllOf():
            return f"all of ({'; '.join(map(condition_text, condition.all))})"
        case AnyOf():
            return f"any of ({'; '.join(map(condition_text, condition.any))})"
        case LogicCondition():
            return f"logic {json.dumps(condition.logic, ensure_ascii=False)}"
    assert_never(condition)
