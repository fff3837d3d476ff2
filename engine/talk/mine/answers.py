"""Answers to questions about a person's requests and cases, from what is kept of them."""

from collections.abc import Sequence

from cards.clipping import without_stop
from cards.deciding.names import decider_names
from cards.markdown import literal
from cards.model import Lang
from cards.moments import local_time
from cards.showing.show import describe_decision, describe_votes
from cards.texts import say
from engine.frames.intents import WorkQuestion
from engine.frames.leaves import LabelledValue, value_of, value_rows, value_tables
from engine.frames.replies import ReplyHead
from engine.frames.state import PlannerFrame
from engine.planner.phases import PhaseManager
from engine.services import Services
from engine.talk.active_runs import blocked_runs_text
from engine.talk.mine.facts import KnownWork, find_work, own_paths
from engine.talk.mine.standing import standing
from engine.talk.mine.summary import RunSummary, is_own, run_address, title_of

MOST_CHOICES = 3


async def answer_work(question: WorkQuestion, head: ReplyHead, services: Services) -> str:
    """What is known of what was asked, as of now (Markdown)."""
    lang = head.lang
    if not question.keys:
        return say("work.none", lang, days=f"{services.limits.run_days:g}")
    works = await find_work(question.keys, head, services)
    if not works:
        return say("work.gone", lang)
    texts = [await _work_text(work, question, head, services) for work in works]
    if any(work.summary and work.summary.run.status == "blocked" for work in works):
        texts.append(await blocked_runs_text(head, services))
    if question.more:
        texts.append(say("work.more", lang, n=question.more))
    return "\n\n".join(filter(None, texts))


async def _work_text(
    work: KnownWork, question: WorkQuestion, head: ReplyHead, services: Services
) -> str:
    values = _values_text(work, question.paths, head.lang)
    if work.summary is None:
        name = literal(work.playbook.definition.name(head.lang))
        return "\n\n".join((*values, say("work.of_case", head.lang, name=name)))
    own = own_paths(work)
    if question.paths and own and own.isdisjoint(question.paths):
        # It is the case's, and none of this request.
        return "\n\n".join(values)
    # Who asks knows what they asked for themselves, but perhaps not when.
    is_known = is_own(work.summary, head.principal, services.people)
    is_known = is_known and "when" not in question.aspects
    stands = await _stands_text(work, work.summary, head, services, is_known=is_known)
    asks_whom = {"who", "when", "reason", "verdict"} & {*question.aspects}
    choices = _choices_text(work.summary, head, services) if asks_whom else []
    return "\n\n".join((*values, stands, *choices))


def _values_text(work: KnownWork, paths: Sequence[str], lang: Lang) -> list[str]:
    """The values at these paths, and which of them nobody knows so far."""
    labelled = [
        LabelledValue(
            label=leaf.label(lang), value=value_of(path, work.state), leaf=leaf, path=path
        )
        for path in paths
        if (leaf := work.playbook.definition.leaf(path)) is not None
    ]
    known = [each for each in labelled if each.value not in (None, "", ())]
    lines = [
        say("work.value", lang, label=literal(row.label), value=literal(row.value))
        for row in value_rows(known, lang)
    ]
    lines += [
        say("work.unknown", lang, label=literal(each.label))
        for each in labelled
        if each not in known
    ]
    return [*filter(None, ("\n".join(lines),)), *value_tables(known, lang)]


async def _stands_text(
    work: KnownWork,
    summary: RunSummary,
    head: ReplyHead,
    services: Services,
    *,
    is_known: bool = False,
) -> str:
    """How the request stands or ended, and where; by whom it was asked for, unless `is_known`."""
    lang, run = head.lang, summary.run
    zone = head.principal.zone or services.zone
    reader = head.conversation.partition(":")[0]
    url = await run_address(summary, services.run_link, reader)
    text = say(
        "case.stands" if is_known else "work.stands",
        lang,
        title=title_of(summary, url),
        who=literal(run.requester.name),
        when=local_time(run.started_at, zone),
        state=without_stop(standing(summary, lang, zone, services.people, with_times=True)),
    )
    votes = [describe_votes(card) for card in summary.open_cards]
    text += "".join(f" {literal(each)}" for each in votes if each)
    missing = _missing(work, summary, lang)
    if missing:
        text += say("query.missing", lang, missing=say("list.items", lang).join(missing))
    return text


def _choices_text(summary: RunSummary, head: ReplyHead, services: Services) -> list[str]:
    """What people chose on cards of the run that are no reviews and no forms, the newest last."""
    zone = head.principal.zone or services.zone
    chosen = sorted(
        (card.decision.at, number, card)
        for number, card in enumerate(summary.cards)
        if card.decision and not card.review.by_policy and card.kind in ("confirm", "select")
    )
    lines = [
        say(
            "work.choice",
            head.lang,
            title=literal(card.title),
            told=literal(describe_decision(card, card.decision, zone, head.lang)),
        )
        for _, _, card in chosen[-MOST_CHOICES:]
        if card.decision
    ]
    return ["\n".join(lines)] if lines else []


def _missing(work: KnownWork, summary: RunSummary, lang: Lang) -> list[str]:
    """What the phase of a request that goes on still misses of its requester."""
    if summary.end is not None:
        return []
    planner = next((f for f in summary.run.frames if isinstance(f, PlannerFrame)), None)
    if planner is None:
        return []
    manager = PhaseManager(work.playbook, summary.run.request)
    phase = work.playbook.phase(planner.phase)
    paths = [p for p in manager.missing(phase, work.state) if p in phase.checkpoints]
    leaves = [work.playbook.definition.leaf(path) for path in paths]
    return [literal(leaf.label(lang)) for leaf in leaves if leaf]


async def describe_work(work: KnownWork, head: ReplyHead, services: Services) -> dict[str, object]:
    """The same as data, for a model."""
    lang = head.lang
    paths = [
        *work.playbook.definition.data_fields,
        *(f"profile.{name}" for name in work.playbook.definition.profile_fields),
    ]
    known = [path for path in paths if value_of(path, work.state) not in (None, "", ())]
    told: dict[str, object] = {
        "name": work.playbook.definition.name(lang),
        "values": {
            leaf.label(lang): value_of(path, work.state)
            for path in known
            if (leaf := work.playbook.definition.leaf(path)) is not None
        },
    }
    if work.summary is None:
        return {"case": work.key, **told}
    text = await _stands_text(work, work.summary, head, services)
    run = work.summary.run
    decisions = [
        {
            "title": card.title,
            "choice": card.decision.choice,
            "by": decider_names(card, lang),
            "at": card.decision.at.isoformat(),
            "reason": card.decision.values.get("reason", ""),
        }
        for card in work.summary.reviews
        if card.decision
    ]
    return {
        "request": run.name,
        "asked_by": run.requester.name,
        "started_at": run.started_at.isoformat(),
        "end": work.summary.end or "",
        "ended_at": work.summary.ended_at.isoformat() if work.summary.ended_at else "",
        "stands": text,
        "decisions": decisions,
        **told,
    }
