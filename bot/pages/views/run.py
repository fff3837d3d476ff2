"""The view of a run's page, from its stored history, its cards and its playbook."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from bot.pages.views.card import CardFormatter, CardLine
from bot.pages.views.pictures import JobsView, add_reviewers, find_path, jobs_view, name_path
from bot.pages.views.run_list import read_run
from bot.pages.views.timeline import TimelineEntry, Totals, build_timeline, shorten_value, sum_calls
from cards.model import CARD_KINDS, Card
from engine.frames.ends import end_of, with_stored_status
from engine.frames.state import Run, position_of
from engine.playbooks.drawing.graph import build_graph
from engine.playbooks.drawing.svg import draw
from engine.playbooks.model import Playbook
from engine.ports.storage.archive import History
from engine.talk.turn.traces import mask_texts

CARDS = 100
CHILDREN = 200


@dataclass(frozen=True, slots=True)
class ChildView:
    """A child run: its key among its siblings, and its status once it has ended."""

    id: str
    key: str
    status: str


@dataclass(frozen=True, slots=True)
class RunView:
    """A run's page. `run` is None for the state of another version, which is shown raw.

    `picture` is safe markup, None without the playbook; `way` is the same in words. `jobs` is None
    for a run without a job graph.
    """

    id: str
    status: str
    end: str
    ended: bool
    run: Run | None
    at: str
    text: str
    person: str
    reply_text: str
    state: tuple[tuple[str, str], ...]
    timeline: Sequence[TimelineEntry]
    totals: Totals
    cards: Sequence[CardLine]
    children: Sequence[ChildView]
    picture: Markup | None
    way: Sequence[tuple[str, bool]]
    jobs: JobsView | None
    raw: str
    entries: int

    @property
    def open_cards(self) -> Sequence[CardLine]:
        """The cards that the run waits for."""
        return [card for card in self.cards if card.open and not CARD_KINDS[card.kind].informs]

    @property
    def may_cancel(self) -> bool:
        """Whether it can be ended: a child run ends with its parent."""
        return self.run is not None and not self.ended and not self.run.parent

    @property
    def may_retry(self) -> bool:
        """Whether it waits for an operator."""
        return self.status == "blocked"


def find_card_tokens(history: History) -> Sequence[str]:
    """The tokens of the run's newest cards, in the order they were asked."""
    found = [token for entry in read_entries(history) for token in entry.get("cards") or ()]
    return list(dict.fromkeys(map(str, found)))[-CARDS:]


def read_entries(history: History) -> Sequence[Mapping[str, Any]]:
    """The audit, oldest first; an entry that is no JSON object is shown as it is."""
    found: list[Mapping[str, Any]] = []
    for text in history.entries:
        entry: Any = None
        with suppress(ValueError):
            entry = json.loads(text)
        found.append(entry if isinstance(entry, dict) else {"event": "?", "entry": text})
    return found


def build_run_view(
    run_id: str,
    history: History,
    cards: Sequence[Card],
    playbook: Playbook | None,
    formatter: CardFormatter,
) -> RunView:
    """The page of a run with its cards, in the playbook that it began with."""
    run, entries = read_run(history.body), read_entries(history)
    run = with_stored_status(run, history.ended) if run is not None else None
    timeline = build_timeline(mask_texts(entries, formatter.mask))
    status = run.status if run else history.ended or "unreadable"
    lines = [formatter.line(card) for card in cards]
    picture, way = _draw(run, entries, playbook, formatter, lines)
    return RunView(
        id=run_id,
        status=status,
        end=(end_of(run) if run else None) or "",
        ended=bool(history.ended),
        run=run,
        at=position_of(run.frames[-1]) if run else "",
        text=formatter.mask(run.text) if run else "",
        person=formatter.mask(run.requester.name) if run else "",
        reply_text=formatter.mask(run.part.full_text()) if run else "",
        state=_list_state(run, formatter) if run else (),
        timeline=timeline,
        totals=sum_calls(timeline),
        cards=lines,
        children=_list_children(run, entries) if run else (),
        picture=picture,
        way=way,
        jobs=jobs_view(run, playbook, formatter.lang, formatter.mask) if run else None,
        raw=shorten_value(formatter.mask(history.body)) if run is None else "",
        entries=len(entries),
    )


def _draw(
    run: Run | None,
    entries: Sequence[Mapping[str, Any]],
    playbook: Playbook | None,
    formatter: CardFormatter,
    cards: Sequence[CardLine],
) -> tuple[Markup | None, Sequence[tuple[str, bool]]]:
    if run is None or playbook is None:
        return None, ()
    graph, path = build_graph(playbook, formatter.lang), find_path(run, entries)
    deciders = [name for card in cards if card.open and card.signs_off for name in card.people]
    graph = add_reviewers(graph, formatter, waiting=path.waiting, deciders=deciders)
    svg = draw(graph, visited=path.visited, waiting=path.waiting, styled=False)
    return Markup(svg), name_path(path, graph)  # noqa: S704 - the drawing escapes its texts


def _list_state(run: Run, formatter: CardFormatter) -> tuple[tuple[str, str], ...]:
    """The state of the run, by path."""
    state = run.state
    groups = (("", state.data), ("profile.", state.profile), ("decisions.", state.decisions))
    return tuple(
        (prefix + name, formatter.mask(shorten_value(value)))
        for prefix, values in groups
        for name, value in values.items()
    )


def _list_children(run: Run, entries: Sequence[Mapping[str, Any]]) -> Sequence[ChildView]:
    """The living child runs, then those that have ended by the audit."""
    found = {child: ChildView(child, key, "") for key, child in run.children.items()}
    for entry in entries:
        mail = entry.get("mail")
        if entry.get("input") == "child_ran" and isinstance(mail, dict):
            child = str(mail.get("run", ""))
            found[child] = ChildView(child, str(mail.get("key", "")), str(mail.get("status", "")))
    return list(found.values())[:CHILDREN]
