"""What a model answers to each skill of the litigation playbook, as a script for ModelServer."""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from tests.fakes.model_server import Reply, call_tool, say_json

Output = dict[str, Any]

CLAIMANT = {"zh": "恒远贸易公司", "en": "Hengyuan Trading"}
DEFENDANT = {"zh": "宏图建材公司", "en": "Hongtu Materials"}
CAUSES = {"zh": ("买卖合同纠纷", "不当得利纠纷"), "en": ("Sale contract", "Unjust enrichment")}
STRATEGIES = {"zh": ("直接起诉", "限期协商"), "en": ("Sue at once", "Negotiate first")}
DOCUMENT = {"zh": "民事起诉状", "en": "Complaint"}
JUDGE = "intake-check"
"""The skill that has the model judge."""
_OF: Mapping[frozenset[str], str] = {
    frozenset(("plaintiff", "defendant", "claims", "claim_amount", "event_date", "facts")): (
        "litigation-intake"
    ),
    frozenset(("served_date", "defences")): "defense-intake",
    frozenset(("arbitration_clause", "arbitral_body")): "arbitration-intake",
    frozenset(("charge", "custody")): "criminal-intake",
    frozenset(("files",)): "file-classify",
    frozenset(("causes",)): "cause-recommendation",
    frozenset(("evidence_list", "evidence_gaps")): "evidence-analysis",
    frozenset(("issues",)): "issue-analysis",
    frozenset(("strategy_options",)): "strategy-planning",
    frozenset(("strategy_steps",)): "dispute-strategy-planning",
    frozenset(("document_list",)): "documents",
    frozenset(("work_plan", "to_remember")): "work-plan",
}


def intake(lang: str, **changed: Any) -> Output:
    """The basics of the sample matter; None leaves a field out."""
    zh = lang == "zh"
    data = {
        "plaintiff": CLAIMANT[lang],
        "defendant": DEFENDANT[lang],
        "claims": "支付货款 300000 元" if zh else "Pay the price of CNY 300000",
        "claim_amount": 300000,
        "event_date": "2026-03-01",
        "facts": "2026-02-01 交货\n2026-03-01 未付款" if zh else "Delivered, never paid",
        **changed,
    }
    profile = {
        "procedure": "原告 / claimant",
        "summary": "货已交付，货款未付。" if zh else "Goods were delivered and not paid for.",
    }
    return {"profile": profile, "data": {k: v for k, v in data.items() if v is not None}}


def outputs(lang: str) -> dict[str, Output]:
    """A good output of every skill, by its id."""
    causes = [{"cause": c, "why": "w", "weak_point": "p"} for c in CAUSES[lang]]
    options = [{"option": o, "gain": "g", "risk": "r"} for o in STRATEGIES[lang]]
    evidence = [{"name": "合同", "type": "书证", "proves": "约定", "status": "已有"}]
    document = DOCUMENT[lang]
    plan = [{"task": "立案", "owner": "律师", "due": "2026-12-01"}]
    return {
        "litigation-intake": intake(lang),
        "defense-intake": {"data": {"served_date": "2026-05-06", "defences": "已付款"}},
        "arbitration-intake": {"data": {"arbitration_clause": "提交仲裁", "arbitral_body": "甲"}},
        "criminal-intake": {"data": {"charge": "合同诈骗", "custody": "取保候审"}},
        "file-classify": {"data": {"files": [{"name": "loan.txt", "kind": "合同", "about": "借"}]}},
        "cause-recommendation": {"data": {"causes": causes}},
        "evidence-analysis": {"data": {"evidence_list": evidence}},
        "issue-analysis": {"data": {"issues": [{"issue": "是否付款", "ours": "未付"}]}},
        "strategy-planning": {"data": {"strategy_options": options}},
        "dispute-strategy-planning": {
            "profile": {"strategy_summary": "先固定证据。"},
            "data": {"strategy_steps": [{"step": "固定证据", "when": "2026-12-01"}]},
        },
        "documents": {"data": {"document_list": [{"document": document, "purpose": "立案"}]}},
        "work-plan": {"data": {"work_plan": plan}},
    }


def answer(output: Output, response: str = "", **control: Any) -> Reply:
    """An output as the model sends it."""
    told = {"response": response, **output, "control": {"action": "continue", **control}}
    return say_json(told)


def verdict(reason: str = "事实支持请求", *, passed: bool = True, confidence: float = 0.9) -> Reply:
    """Whether the facts carry the claims, as the model sends it."""
    told = {"passed": passed, "reason": reason, "confidence": confidence, "evidence": []}
    return say_json(told)


class MatterModel:
    """A script: each skill gets its good output, after what `first` has for it in order.

    A document has one section, with these `drafts` first. `asked` are the skills in the order in
    which they asked, `heard` the messages of each request.
    """

    def __init__(
        self,
        lang: str = "zh",
        first: Mapping[str, Sequence[Reply]] | None = None,
        drafts: Sequence[str] = (),
    ) -> None:
        self._title = DOCUMENT[lang]
        self._drafts = deque(drafts)
        self._draft = f"{CLAIMANT[lang]} v. {DEFENDANT[lang]}\n1. 300000"
        self.asked: list[str] = []
        self.heard: list[list[dict[str, Any]]] = []
        self._outputs = outputs(lang)
        self._first = {skill: deque(replies) for skill, replies in (first or {}).items()}

    def __call__(self, request: dict[str, Any]) -> Reply:
        wanted = request["response_format"]["json_schema"]["schema"]["properties"]
        if "sections" in wanted:
            section = {"heading": "", "about": "the claims"}
            return say_json({"title": self._title, "sections": [section]})
        if set(wanted) == {"text"}:
            self.asked.append("document-draft")
            self.heard.append(request["messages"])
            return say_json({"text": self._drafts.popleft() if self._drafts else self._draft})
        is_verdict = "passed" in wanted
        skill = JUDGE if is_verdict else _OF[frozenset(wanted["data"]["properties"])]
        self.asked.append(skill)
        self.heard.append(request["messages"])
        waiting = self._first.get(skill)
        if waiting:
            return waiting.popleft()
        return verdict() if is_verdict else answer(self._outputs[skill], f"（{skill}）")

    def said_to(self, skill: str) -> str:
        """The last dialogue with the skill, as one text."""
        last = max(n for n, name in enumerate(self.asked) if name == skill)
        return json.dumps(self.heard[last], ensure_ascii=False)


def reads(name: str) -> Reply:
    """The model wants to read a file."""
    return call_tool("file__parse", {"name": name})
