"""Answers to forms that rules do not take whole: a model reads them, and the person checks."""

from engine.frames.replies import Part
from engine.ports.storage.store import Effects
from engine.talk.mine.cases import cases_here
from engine.talk.turn.briefings import make_briefing
from engine.talk.turn.parts import Turn, answer_card, text_answers
from engine.talk.turn.traces import form_trace
from engine.understanding.form_model import read_form_with_model


async def answer_form(part: Part, turn: Turn) -> Part:
    """The part, with the values that the model took standing in the form; by rules without it."""
    head, services = turn.head, turn.services
    card = await text_answers(head, services).open_form(part.intent, head)
    if services.model is None or card is None:
        return await answer_card(part, turn)
    here = await cases_here(head, services)
    briefing = await make_briefing(head, turn.session, services, here=here, cards=())
    text, today = part.intent.text, services.today
    read = await read_form_with_model(text, card, services.model, briefing.lines(), today)
    turn.add(Effects(traces=form_trace(head, part, read, services.tracing)))
    return await answer_card(part, turn, read.reading)
