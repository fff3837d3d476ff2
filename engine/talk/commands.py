"""Commands of a conversation; their lane is never behind a long answer (design §3)."""

from collections.abc import Sequence
from dataclasses import replace

from cards.model import Lang
from cards.showing.document import plain_document
from cards.showing.view import ButtonView, MessageView, PartView
from cards.texts import say
from engine.frames import audit
from engine.frames.intents import Intent
from engine.frames.outcome import GraphOrder
from engine.frames.replies import Part, ReplyHead
from engine.frames.run_names import run_title
from engine.frames.state import Run
from engine.jobs.graph import can_take
from engine.mail import GIVEN_UP, CommandArrived, GraphOrdered, ServiceNotice
from engine.ports.storage.store import AsideWrite, Effects, Post, ReplyWrite
from engine.services import Services
from engine.talk.active_runs import all_active_runs, unfinished_runs
from engine.talk.cancellation import cancel_effects, may_cancel
from engine.talk.case_answers.whole_case import whole_case_text
from engine.talk.last_message import why_text
from engine.talk.mine.listing import OwnWorkText, choice_text, mine_text, runs_text
from engine.talk.mine.own_work import page_of, read_own_work
from engine.talk.pending import TextWithCards, pending_text
from engine.talk.projects import answer_project
from engine.talk.start_links import open_link
from engine.talk.turn.offered_examples import (
    example_list,
    listed_examples,
    suggest_examples,
)
from engine.talk.turn.session import Session
from engine.text.language import detect_language


async def handle_command(
    mail: CommandArrived, services: Services, lang: Lang, session: Session
) -> Effects:
    """The effects of a command, its reply among them; `session` is what was said before it."""
    conversation = mail.update.conversation
    match mail.update.name:
        case "start" if mail.update.text:
            return _with_cards(mail, lang, services, await open_link(mail, lang, services))
        case "help" | "start":
            return _reply(mail, lang, services, await _help(mail, lang, services))
        case "pending":
            return _with_cards(mail, lang, services, await pending_text(mail, lang, services))
        case "mine":
            return _with_buttons(mail, lang, services, await mine_text(mail, lang, services))
        case "project":
            return await _project(mail, lang, services)
        case "runs":
            return _with_buttons(mail, lang, services, await runs_text(mail, lang, services))
        case "why":
            last = session.last_reply(mail.principal)
            return _reply(mail, lang, services, await why_text(mail, last, lang, services))
        case "case":
            last = session.last_reply(mail.principal)
            told = await whole_case_text(mail, services, lang=lang, last=last, runs=session.runs)
            return _reply(mail, lang, services, told)
        case "stop" | "recover":
            runs = await unfinished_runs(conversation, services)
            return _order_graph(
                mail, lang, services, [r for r in runs if may_cancel(r, mail.principal)]
            )
        case "cancel":
            return await _cancel(mail, lang, services)
        case name:
            return _reply(mail, lang, services, say("command.unknown", lang, name=name))


async def _project(mail: CommandArrived, lang: Lang, services: Services) -> Effects:
    reply = _reply_id(mail, services)
    text, effects = await answer_project(mail, lang, services, reply)
    return _reply(mail, lang, services, text).plus(effects)


def plain_help(lang: Lang, services: Services) -> str:
    """What can be asked and started with these services, and the commands, as plain text."""
    examples = listed_examples(suggest_examples("", lang, services))
    text = say("help", lang, examples=examples).replace("`", "")
    part = PartView(number=0, state="answered", text=text)
    return plain_document(MessageView(lang=lang, parts=(part,)))


async def _help(mail: CommandArrived, lang: Lang, services: Services) -> str:
    examples = await example_list("", lang, mail.update.conversation, services)
    return say("help", lang, examples=examples)


def _with_cards(
    mail: CommandArrived, lang: Lang, services: Services, shown: TextWithCards
) -> Effects:
    """The reply with this text, and the cards below it."""
    effects = _reply(mail, lang, services, shown.text)
    (reply,) = effects.posts
    return effects.plus(Effects(posts=shown.posts(reply.row)))


def _with_buttons(
    mail: CommandArrived, lang: Lang, services: Services, shown: OwnWorkText
) -> Effects:
    """The reply with this text and these buttons, and what only the person reads elsewhere."""
    effects = _reply(mail, lang, services, shown.text, buttons=shown.buttons)
    return effects.plus(Effects(posts=shown.aside))


def notice_effects(mail: ServiceNotice, conversation: str) -> Effects:
    """The effects of what the service itself says: a message of its own."""
    part = PartView(number=0, state="answered", text=mail.text)
    body = MessageView(lang=mail.lang, parts=(part,)).model_dump_json()
    place = mail.thread or conversation
    return Effects(posts=(Post(mail.id, place, "note", mail.id, body=body),))


def command_language(mail: CommandArrived, recent: Sequence[str]) -> Lang:
    """The person's language, else that of the command's text, else of the latest message."""
    if mail.principal.lang:
        return mail.principal.lang
    update = mail.update
    # A command's name is English in every language, and what a link carries is in none.
    typed = update.text or update.said.removeprefix("/").removeprefix(update.name)
    if update.name == "start":
        typed = ""
    for text in (typed, *reversed(recent)):
        if text.strip():
            return detect_language(text)
    return "en"


async def _cancel(mail: CommandArrived, lang: Lang, services: Services) -> Effects:
    """Cancel the one run here that this person may cancel, with its child runs.

    Of several, and of those elsewhere, they choose.
    """
    everything = await all_active_runs(mail.update.conversation, services)
    runs = [run for run in everything if run.part.state != "done" and not run.parent]
    able = [run for run in runs if may_cancel(run, mail.principal)]
    page = page_of(mail.update.text)
    if len(able) == 1 and page == 1:
        (run,) = able
        reply = _reply(mail, lang, services, say("cancel.done", lang, name=run_title(run)))
        return reply.plus(cancel_effects(run, everything, origin=_origin(mail), now=services.now))
    work = await read_own_work(
        mail.principal,
        services.own_runs,
        services.people,
        page=page,
        ended=False,
        before=[run.id for run in reversed(able)],
    )
    if work.living or page > 1:
        chosen = await choice_text(mail, lang, services, work)
        return _with_buttons(mail, lang, services, chosen)
    reply = _reply(mail, lang, services, say("cancel.none", lang))
    return replace(reply, log=tuple(_refusal_entry(mail, run, services) for run in runs))


def _refusal_entry(mail: CommandArrived, run: Run, services: Services) -> audit.Entry:
    """The log entry that somebody wanted to cancel the run who may not."""
    return audit.log_entry(run.id, services.now, "cancel_refused", _origin(mail))


def _origin(mail: CommandArrived) -> dict[str, str]:
    update = mail.update
    return {"by": mail.principal.id, **audit.origin_facts(update.conversation), "update": update.id}


def _order_graph(
    mail: CommandArrived, lang: Lang, services: Services, runs: Sequence[Run]
) -> Effects:
    """Stop the newest active job graph of these runs, or let the newest stopped one go on."""
    what: GraphOrder = "stop" if mail.update.name == "stop" else "recover"
    run = next((r for r in reversed(runs) if can_take(what, r)), None)
    if run is None:
        none = say("stop.none" if what == "stop" else "recover.none", lang)
        return _reply(mail, lang, services, none)
    person = mail.principal
    text = mail.update.text.strip()
    via = audit.origin_facts(mail.update.conversation)["via"]
    order = GraphOrdered(what=what, by=person.id, name=person.name, text=text, via=via)
    key = "stop.done" if what == "stop" else "recover.done"
    done = say(key, lang, name=run_title(run))
    reply = _reply(mail, lang, services, done)
    return replace(reply, mails=((f"run:{run.id}", order.stored()),))


def fail_command(mail: CommandArrived, services: Services) -> Effects:
    """What is said when a command could not be carried out after several attempts.

    It is set aside under an update of its own, for an operator to have it carried out.
    """
    update = mail.update.model_copy(update={"id": f"{mail.update.id}/again"})
    again = mail.model_copy(update={"update": update}).stored()
    aside = AsideWrite(f"control:{update.conversation}", again, GIVEN_UP)
    lang = mail.principal.lang or detect_language(mail.update.text)
    return replace(_reply(mail, lang, services, say("part.error", lang)), aside=(aside,))


def _reply(
    mail: CommandArrived,
    lang: Lang,
    services: Services,
    text: str,
    *,
    buttons: tuple[ButtonView, ...] = (),
) -> Effects:
    update, reply_id = mail.update, _reply_id(mail, services)
    head = ReplyHead(
        id=reply_id,
        conversation=update.conversation,
        lang=lang,
        principal=mail.principal,
        text=f"/{update.name} {update.text}".strip(),
        at=services.now,
        thread=update.thread,
    )
    intent = Intent(kind="command", text=head.text, why="a command")
    part = Part(index=0, intent=intent, state="answered", text=text, buttons=buttons)
    return Effects(
        reply=ReplyWrite(id=reply_id, head=head.model_dump_json(), parts=(part.stored(),)),
        posts=(Post(row=reply_id, conversation=head.place, kind="reply", ref=reply_id),),
    )


def _reply_id(mail: CommandArrived, services: Services) -> str:
    return services.derived_id(mail.update.conversation, "reply", mail.update.id)
