"""Tell into which scheduled window a visit falls."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from pydantic import Field

from cards.markdown import literal
from cards.model import Lang
from cards.texts import say
from engine.ports.systems.records import Subject, VisitWindow
from engine.tools.arguments import Arguments, Day, SubjectId
from engine.tools.model import Tool, ToolContext
from engine.tools.study.subject import find_subject
from engine.tools.study.visit_text import tell_unknown


class CheckVisitWindow(Arguments):
    """Whose visit, and on which day."""

    subject_id: SubjectId = Field(description="The subject's id, such as P003.")
    visit_date: Day | None = Field(
        default=None, description="The day of the visit, YYYY-MM-DD; left out for today."
    )


async def _run(args: CheckVisitWindow, ctx: ToolContext) -> dict[str, Any]:
    subject = await find_subject(args.subject_id, ctx.records)
    if isinstance(subject, dict):
        return subject
    _, windows = await ctx.records.protocol()
    day = args.visit_date or ctx.today
    return {
        "found": True,
        "subject_id": subject.subject_id,
        "enrolled_on": subject.enrolled_on.isoformat(),
        "visit_date": day.isoformat(),
        "study_day": (day - subject.enrolled_on).days,
        "window": _nearest(subject, windows, day),
    }


def _nearest(subject: Subject, windows: Sequence[VisitWindow], day: date) -> dict[str, Any] | None:
    """The window that `day` falls into, else the nearest; `days_off` counts from its edge."""

    def distance(window: VisitWindow) -> tuple[int, int]:
        planned = subject.enrolled_on + timedelta(days=window.day)
        return abs(_days_off(subject, window, day)), abs((day - planned).days)

    if not windows:
        return None
    window = min(windows, key=distance)
    first, last = _edges(subject, window)
    off = _days_off(subject, window, day)
    return {
        "name": window.name,
        "planned_on": (subject.enrolled_on + timedelta(days=window.day)).isoformat(),
        "first_day": first.isoformat(),
        "last_day": last.isoformat(),
        "inside": off == 0,
        "days_off": off,
    }


def _edges(subject: Subject, window: VisitWindow) -> tuple[date, date]:
    planned = subject.enrolled_on + timedelta(days=window.day)
    return planned - timedelta(days=window.before), planned + timedelta(days=window.after)


def _days_off(subject: Subject, window: VisitWindow, day: date) -> int:
    """0 inside; below 0 days before the first day, above 0 days after the last."""
    first, last = _edges(subject, window)
    return min((day - first).days, 0) or max((day - last).days, 0)


def _tell(result: dict[str, Any], lang: Lang) -> str:
    if not result["found"]:
        return tell_unknown(result, lang)
    window = result["window"]
    if window is None:
        return say("tool.window.none", lang)
    return say(
        "tool.window.inside" if window["inside"] else "tool.window.outside",
        lang,
        who=literal(result["subject_id"]),
        day=result["visit_date"],
        since=_since(result["study_day"], lang),
        window=literal(window["name"]),
        span=_span(window, lang),
        off=_off(window["days_off"], lang),
    )


def _since(study_day: int, lang: Lang) -> str:
    if study_day < 0:
        return say("tool.window.before", lang, days=_days(-study_day, lang))
    return say("tool.window.after", lang, n=study_day)


def _span(window: dict[str, Any], lang: Lang) -> str:
    first, last, planned = window["first_day"], window["last_day"], window["planned_on"]
    return say("tool.window.span", lang, first=first, last=last, planned=planned)


def _off(days: int, lang: Lang) -> str:
    key = "tool.window.early" if days < 0 else "tool.window.late"
    return say(key, lang, days=_days(abs(days), lang))


def _days(number: int, lang: Lang) -> str:
    return say("tool.window.day" if number == 1 else "tool.window.days", lang, n=number)


CHECK_VISIT_WINDOW = Tool(
    name="check_visit_window",
    description=(
        "Tells for one subject and day (today unless a date is named) into which scheduled visit "
        "window of the protocol it falls; when into none, `window` is the nearest one with "
        "`inside` false and `days_off` below 0 for days too early, above 0 for days too late. It "
        "does not tell whether a visit took place. For an unknown subject `found` is false and "
        "`nearest` lists ids that exist."
    ),
    arguments=CheckVisitWindow,
    readonly=True,
    clinical=True,
    run=_run,
    tell=_tell,
    examples=(
        "P003 今天在访视窗口内吗",
        "P003 的访视窗口",
        "P005 今天来访视会不会超窗",
        "P001 在 2026-11-20 访视算超窗吗",
        "P008 现在是第几次访视的窗口",
        "检查一下 P010 的访视时间窗",
        "P012 2026-12-01 来可以吗，在窗口期里吗",
        "P002 离哪个访视窗口最近",
        "P007 是否已经超窗",
        "P004 今天入组第几天了",
        "Is P003 in the visit window today?",
        "Which visit window is P005 in?",
        "Would a visit of P001 on 2026-11-20 be out of window?",
        "Check the visit window of P010",
        "Is P012 too late for the visit?",
        "How many days is P007 out of window?",
        "Can P008 come on 2026-11-25 and still be in the window?",
        "What is the nearest visit window for P002?",
        "What study day is P004 on?",
        "Is today inside the window for P011?",
    ),
    cues={
        "窗口": {},
        "时间窗": {},
        "超窗": {},
        "入组第几天": {},
        "visit window": {},
        "in the window": {},
        "in window": {},
        "out of window": {},
        "window for": {},
        "study day": {},
    },
    needs=("subject_id",),
)
