"""Commands of a control lane: never behind a long answer (design §3)."""

import json
from collections.abc import Sequence
from dataclasses import replace

from cards.markdown import literal
from cards.model import Card, Lang, Principal
from cards.show import local
from cards.texts import say
from cards.view import MessageView, PartView
from engine import syncing
from engine.children import ANYHOW
from engine.frames.llm_plan import LlmPlanFrame
from engine.frames.state import Run, ToolPlanFrame
from engine.intents import Intent
from engine.language import detect
from engine.lookup import suggestions
from engine.mail import GIVEN_UP, Announced, Commanded
from engine.ports.findings import Standing
from engine.ports.store import Aside, Effects, PartWrite, Post, ReplyWrite, Touch
from engine.replies import Part, ReplyHead
from engine.run_effects import wakes
from engine.turn.active import active, all_active, below, titled
from engine.turn.services import TurnServices

ADMIN = "admin"
FINDINGS = 10
"""So many findings are listed."""


async def commanded(mail: Commanded, services: TurnServices, lang: Lang) -> Effects:
    """The effects of a command, its reply among them."""
    conversation = mail.update.conversation
    match mail.update.name:
        case "help" | "start":
            return _reply(
                mail, lang, services, say("help", lang, examples=_examples(lang, services))
            )
        case "pending":
            cards = await services.decisions.open_cards(conversation)
            found = await services.findings.of(services.project(conversation), FINDINGS)
            return _reply(mail, lang, services, _pending(cards, found, services.zone, lang))
        case "runs":
            return _reply(mail, lang, services, _listed(await active(conversation, services), lang))
        case "cancel":
            runs = await active(conversation, services)
            return _cancel(mail, lang, services, runs, await all_active(conversation, services))
        case name:
            return _reply(mail, lang, services, say("command.unknown", lang, name=name))


def announced(mail: Announced, conversation: str) -> Effects:
    """The effects of something that the service itself says: a message of its own."""
    shown = PartView(number=0, state="answered", text=mail.text)
    body = MessageView(lang=mail.lang, parts=(shown,)).model_dump_json()
    return Effects(posts=(Post(mail.id, conversation, "note", mail.id, body=body),))


def language(mail: Commanded, recent: Sequence[str]) -> Lang:
    """The language of what was typed, else of what the conversation last said."""
    update = mail.update
    # A command's name is English in every language.
    typed = update.text or update.said.removeprefix("/").removeprefix(update.name)
    for text in (typed, *reversed(recent)):
        if text.strip():
            return detect(text)
    return "en"


def _examples(lang: Lang, services: TurnServices) -> str:
    workflows = [
        example
        for playbook in services.playbooks.values()
        for example in [e for e in playbook.definition.examples if detect(e) == lang][:1]
    ]
    questions = suggestions("", services.tools, lang)
    return "\n".join(f"- {text}" for text in (*questions, *workflows))


def _pending(cards: Sequence[Card], found: Standing, zone: str, lang: Lang) -> str:
    # A phase_done card only tells; nothing waits for it.
    waiting = [card for card in cards if card.kind != "phase_done"]
    told = ["\n".join(_pending_line(card, lang) for card in waiting)] if waiting else []
    if found.findings or found.dropped:
        told.append(_findings(found, zone, lang))
    return "\n\n".join(told) or say("pending.none", lang)


def _pending_line(card: Card, lang: Lang) -> str:
    rows = " ".join(literal(row.value) for row in card.rows[:2])
    who = literal(card.waiting_for)
    return say("pending.line", lang, title=f"{literal(card.title)} {rows}".strip(), who=who)


def _findings(found: Standing, zone: str, lang: Lang) -> str:
    """How many stand, and the first of the newest checks."""
    each = [(check, finding) for check in found.checks for finding in check.findings][:FINDINGS]
    lines = [
        say(
            "pending.finding",
            lang,
            record=" ".join(map(literal, filter(None, (check.record, finding.entry)))),
            field=literal(finding.label),
            message=literal(finding.message),
            when=local(check.at, zone),
        )
        for check, finding in each
    ]
    if more := found.findings - len(each):
        lines.append(say("pending.more_findings", lang, n=more))
    if found.dropped:
        lines.append(say("pending.dropped_findings", lang, n=found.dropped))
    return "\n".join((say("pending.findings", lang, n=found.findings), "", *lines))


def _listed(runs: Sequence[Run], lang: Lang) -> str:
    if not runs:
        return say("runs.none", lang)
    return "\n".join(
        say(
            "runs.line",
            lang,
            name=titled(run),
            who=literal(run.requester.name),
            state=say(f"state.{run.status}", lang),
        )
        for run in runs
    )


def _may_cancel(run: Run, principal: Principal) -> bool:
    """The requester or an admin may."""
    return principal.id == run.requester.id or ADMIN in principal.roles


def _cancel(
    mail: Commanded,
    lang: Lang,
    services: TurnServices,
    runs: Sequence[Run],
    everything: Sequence[Run],
) -> Effects:
    """End the newest run that this person may cancel, and all below it."""
    run = next((r for r in reversed(runs) if _may_cancel(r, mail.principal)), None)
    if run is None:
        return _reply(mail, lang, services, say("cancel.none", lang))
    part = run.part.model_copy(update={"state": "cancelled", "text": _cancelled(run)})
    entry = {"at": services.now.isoformat(), "by": mail.principal.id, "event": "cancelled"}
    base = _reply(mail, lang, services, say("cancel.done", lang, name=titled(run)))
    return Effects(
        reply=base.reply,
        posts=(*base.posts, *syncing.leftover(run)),
        cancels=((run.id, run.steps), *((child.id, ANYHOW) for child in below(run, everything))),
        parts=(PartWrite(run.reply, part.index, part.stored()),),
        touches=(Touch(run.reply),),
        mails=wakes(run.model_copy(update={"status": "cancelled"})),
        log=((run.id, json.dumps(entry)),),
    )


def _cancelled(run: Run) -> str:
    """What the run's part says; what was written, or may have been, is not passed over."""
    top = run.frames[-1]
    if run.state.written:
        return say("part.cancelled_after", run.lang, name=run.name)
    key = "part.cancelled_synced" if run.changes else "part.cancelled"
    if isinstance(top, ToolPlanFrame | LlmPlanFrame) and top.started:
        key = "part.cancelled_in_flight"
    return say(key, run.lang, name=run.name)


def given_up(mail: Commanded, services: TurnServices) -> Effects:
    """What is said when a command could not be carried out after several attempts.

    It is set aside under an update of its own, for an operator to have it carried out.
    """
    update = mail.update.model_copy(update={"id": f"{mail.update.id}/again"})
    again = mail.model_copy(update={"update": update}).model_dump_json()
    aside = Aside(f"control:{update.conversation}", again, GIVEN_UP)
    lang = detect(mail.update.text)
    return replace(_reply(mail, lang, services, say("part.error", lang)), aside=(aside,))


def _reply(mail: Commanded, lang: Lang, services: TurnServices, text: str) -> Effects:
    update = mail.update
    reply_id = services.derived_id(update.conversation, "reply", update.id)
    head = ReplyHead(
        id=reply_id,
        conversation=update.conversation,
        lang=lang,
        principal=mail.principal,
        text=f"/{update.name} {update.text}".strip(),
        at=services.now,
    )
    intent = Intent(kind="command", text=head.text, why="a command")
    part = Part(index=0, intent=intent, state="answered", text=text)
    return Effects(
        reply=ReplyWrite(id=reply_id, head=head.model_dump_json(), parts=(part.stored(),)),
        posts=(Post(row=reply_id, conversation=update.conversation, kind="reply", ref=reply_id),),
    )
