"""Violations counted by rule, and the chart of them (spec 001 §2, §6)."""

from collections.abc import Iterable, Mapping

from cards.clipping import clip
from cards.markdown import literal
from cards.model import Lang
from cards.showing.view import BarView, ChartView, MessageView, PartView
from cards.texts import say
from engine.frames.leaves import label_of
from engine.frames.outcome import StepContext
from engine.frames.state import ENDED, Run
from engine.ports.storage.store import Post
from engine.rules.hard import HardRule, describe_message

Counts = Mapping[str, int]
"""How often each rule was violated, by the rule's name in the run's language."""

BARS = 10
LABEL_CHARS = 60
TITLE_CHARS = 80
COUNTED = 200
"""At most so many rules are counted apart; the others are counted together."""
_OTHERS = ""
# Due just after everything else that its step shows.
_BELOW_S = 0.001


def count_violations(
    before: Counts, violated: Iterable[HardRule], context: StepContext
) -> dict[str, int]:
    """The counts with one more violation of each of these rules."""
    return add_counts(before, ((name_rule(rule, context), 1) for rule in violated))


def add_counts(before: Counts, more: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Both counts together."""
    after = dict(before)
    for name, count in more:
        known = name if name in after or len(after) < COUNTED else _OTHERS
        after[known] = after.get(known, 0) + count
    return after


def chart_of(counts: Counts, records: int, context: StepContext) -> ChartView | None:
    """The most violated rules over so many records; None for a single record or no violation."""
    if records < 2 or not counts:
        return None
    lang = context.run.lang
    named = sorted((c, name) for name, c in counts.items() if name != _OTHERS)
    most = sorted(named[-BARS:], key=lambda bar: (-bar[0], bar[1]))
    bars = [BarView(label=name, value=count) for count, name in most]
    rest = sum(counts.values()) - sum(bar.value for bar in bars)
    if rest:
        bars.append(BarView(label=say("chart.others", lang), value=rest))
    title = say("chart.violations", lang, name=context.run.name)
    return ChartView(title=clip(" ".join(title.split()), TITLE_CHARS), bars=tuple(bars))


def post_chart(before: Run, after: Run, *, below: bool) -> tuple[Run, tuple[Post, ...]]:
    """The run without its chart, and the post that shows it below the run's summary.

    No post before there is a summary: a card of the step (`below`), or the end of the run.
    """
    chart = after.state.chart
    if chart is None or after.parent or not (below or after.status in ENDED):
        return after, ()
    state = after.state.model_copy(update={"chart": None})
    row = f"{before.id}/chart/{after.steps}"
    body = _message(chart, after.lang).model_dump_json()
    post = Post(row=row, conversation=after.place, kind="note", ref=row, due_s=_BELOW_S, body=body)
    return after.model_copy(update={"state": state}), (post,)


def _message(chart: ChartView, lang: Lang) -> MessageView:
    head = [say("chart.rule", lang), say("chart.count", lang)]
    rows = [head, ["---", "---"], *([literal(bar.label), str(bar.value)] for bar in chart.bars)]
    table = "\n".join(f"| {name} | {count} |" for name, count in rows)
    text = f"**{literal(chart.title)}**\n\n{table}"
    part = PartView(number=0, state="answered", text=text)
    return MessageView(lang=lang, parts=(part,), chart=chart)


def name_rule(rule: HardRule, context: StepContext) -> str:
    """What people read for the rule where violations are counted."""
    lang, label = context.run.lang, label_of(rule.field, context)
    text = (
        f"{label}{say('list.colon', lang)}{describe_message(rule.message, label=label, lang=lang)}"
    )
    return clip(" ".join(text.split()), LABEL_CHARS)
