"""What operators do with single runs: explain, take the trace, migrate, stop and recover jobs."""

import json
import sys
from typing import NamedTuple

from pydantic import ValidationError

from bot.definitions.loader import try_load_legacy
from bot.definitions.snapshot import Pointer, load_published_playbook
from bot.operate.aside import VIA, operator
from bot.settings import Settings
from bot.wiring.store import StorePorts, open_store_ports
from engine.frames.ends import end_of, with_stored_status
from engine.frames.outcome import GraphOrder
from engine.frames.state import ENDED, Run, position_of
from engine.jobs.graph import can_take, job_graph_of
from engine.mail import GraphOrdered, MigrationOrdered
from engine.playbooks.model import Playbook
from engine.ports.storage.archive import History
from engine.runs.explain import PastStep, RunExplanation, explain_run
from engine.runs.migration import Migration, plan_migration
from engine.runs.replay import trace_of
from engine.yaml.source import Problems

CURRENT = "current"
NEWEST = 50
OPERATOR = "operator"


class StoredRun(NamedTuple):
    """A run as it is stored; `playbook` is None when it is not published."""

    run: Run
    playbook: Playbook | None
    history: History


async def list_runs(settings: Settings, *, as_json: bool, limit: int = NEWEST) -> int:
    """Print the newest runs, a line each: id, when, status, end, name, playbook, place, who.

    Where there are more than `limit`, a line of the error output says so.
    """
    async with open_store_ports(settings) as store:
        found = await store.archive.runs(limit + 1)
    told = [_summary(name, history) for name, history in found[:limit]]
    if len(found) > limit:
        print(f"these are the newest {limit}; --limit {2 * limit} lists more", file=sys.stderr)
    if as_json:
        print(json.dumps(told, ensure_ascii=False))
    else:
        print("\n".join("  ".join(each.values()) for each in told) or "there is no run")
    return 0


def _summary(name: str, history: History) -> dict[str, str]:
    try:
        run = Run.model_validate_json(history.body)
    except ValidationError:
        return {"run": name, "status": history.ended or "its state is of another version"}
    return {
        "run": name,
        "started": f"{run.started_at:%Y-%m-%d %H:%M:%SZ}",
        "status": history.ended or run.status,
        "end": end_of(with_stored_status(run, history.ended)) or "-",
        "name": run.name,
        "playbook": run.playbook,
        "at": position_of(run.frames[-1]),
        "conversation": run.conversation,
        "requester": run.requester.id,
    }


async def show_explanation(settings: Settings, run_id: str, *, as_json: bool) -> int:
    """Print for each skill why it may be chosen now or not, and every step; 1 for no such run."""
    async with open_store_ports(settings) as store:
        found = await find_run(store, run_id, settings)
    if found is None:
        return 1
    if found.playbook is None:
        return _report_fault(f"{run_id}: its playbook {found.run.digest} is not published")
    why = explain_run(found.run, found.playbook, found.history.entries, ended=found.history.ended)
    print(why.model_dump_json(indent=2) if as_json else _format_explanation(why))
    return 0


async def show_run_trace(settings: Settings, run_id: str) -> int:
    """Print the run's trace, which `signoff replay` reads; 1 for no such run."""
    async with open_store_ports(settings) as store:
        found = await find_run(store, run_id, settings)
    if found is None:
        return 1
    print(trace_of(found.run, found.history.entries).model_dump_json())
    return 0


async def migrate_run(
    settings: Settings, run_id: str, to: str, *, dry_run: bool, as_json: bool
) -> int:
    """Move the run to the playbook of that digest, or print what that would change.

    1 when there is no such run, or it cannot.
    """
    async with open_store_ports(settings) as store:
        found = await find_run(store, run_id, settings)
        if found is None:
            return 1
        new = await _target(store, found.run, to, settings)
        if new is None:
            return _report_fault(f"--to: no playbook is published under {to}")
        change = plan_migration(found.run, found.playbook, new)
        if not change.faults and not dry_run:
            await _send(store, found.run, new.digest)
    print(_json_of(change) if as_json else _line(run_id, change, dry_run=dry_run))
    return 1 if change.faults else 0


async def _target(store: StorePorts, run: Run, to: str, settings: Settings) -> Playbook | None:
    """The playbook of that digest; `current` is the one that new runs begin with."""
    if to == CURRENT:
        pointer = await store.published.pointer()
        digests = Pointer.model_validate_json(pointer).playbooks if pointer else {}
        to = digests.get(run.playbook, to)
    return await _published(store, to, settings)


async def _published(store: StorePorts, digest: str, settings: Settings) -> Playbook | None:
    legacy = try_load_legacy(settings.playbooks, Problems())
    return await load_published_playbook(store.published, digest, legacy)


async def _send(store: StorePorts, run: Run, to: str) -> None:
    mail = MigrationOrdered(to=to, by=operator(), via=VIA).stored()
    if run.status == "blocked" and await store.operations.retry(
        run.id, mail, by=operator(), via=VIA
    ):
        return
    await store.mailbox.put(f"run:{run.id}", mail, update_id=f"{run.id}:{run.steps}:{to}")


async def find_run(store: StorePorts, run_id: str, settings: Settings) -> StoredRun | None:
    """The run with its playbook and history; None for no such run, which is reported."""
    history = await store.archive.history(run_id)
    if history is None:
        _report_fault(f"{run_id}: no run is kept under this id")
        return None
    try:
        run = Run.model_validate_json(history.body)
    except ValidationError:
        _report_fault(f"{run_id}: its state was written by another version")
        return None
    run = with_stored_status(run, history.ended)
    playbook = await _published(store, run.digest, settings)
    return StoredRun(run, playbook, history)


def _report_fault(text: str) -> int:
    print(text, file=sys.stderr)
    return 1


def _format_explanation(why: RunExplanation) -> str:
    waiting = ", ".join(why.waiting) or "nothing"
    ended = f" ({why.end})" if why.end else ""
    lines = [
        f"run {why.run}: {why.status}{ended}, phase {why.phase}, at {why.at}",
        f"playbook {why.playbook} {why.digest[:12]}, request {why.request or 'none'}",
        f"missing: {', '.join(why.missing) or 'nothing'}; waits for: {waiting}",
        "",
        *(f"{'in ' if s.available else 'out'}  {s.skill}: {s.why}" for s in why.skills),
        *_jobs(why),
        "",
        *(_step(step) for step in why.steps),
    ]
    return "\n".join(lines)


def _jobs(why: RunExplanation) -> list[str]:
    """The jobs of its job graph, after an empty line; [] for a run that has none."""
    lines = []
    for job in why.jobs:
        needs = f"; needs {', '.join(job.needs)}" if job.needs else ""
        error = f"; {' '.join(job.error.split())}" if job.error else ""
        by = f" by {job.expert}" if job.expert else ""
        lines.append(f"{job.state}  {job.job}{by}, attempt {job.attempts}{needs}{error}")
    return ["", *lines] if lines else []


def _step(step: PastStep) -> str:
    by = f"; {step.by} changed {', '.join(step.changed)}" if step.changed else ""
    judged = f"; {step.judged}" if step.judged else ""
    return f"{step.at[:19]}  {step.frame}  {step.outcome}  {step.why}{by}{judged}"


def _json_of(change: Migration) -> str:
    told = {"faults": list(change.faults), "asks_again": change.asks_again, "to": change.run.digest}
    return json.dumps(told, ensure_ascii=False)


def _line(run_id: str, change: Migration, *, dry_run: bool) -> str:
    if change.faults:
        return "\n".join(f"{run_id}: cannot be migrated: {fault}" for fault in change.faults)
    how = f"asks again, since {change.asks_again}" if change.asks_again else "waits as before"
    return f"{run_id}: {'would be' if dry_run else 'is being'} migrated, and {how}"


async def order_job_graph(
    settings: Settings, run_id: str, what: GraphOrder, *, text: str, job: str
) -> int:
    """Put an order for the job graph into the run's lane; 1 if it cannot be carried out."""
    async with open_store_ports(settings) as store:
        found = await find_run(store, run_id, settings)
        if found is None:
            return 1
        run = found.run
        if run.status in ENDED or run.parent or not can_take(what, run, job):
            print(f"{run_id}: {_refusal(what, run, job)}", file=sys.stderr)
            return 1
        mail = GraphOrdered(what=what, by=operator(), name=OPERATOR, text=text, job=job, via=VIA)
        # The same order at the same step is one order.
        update = f"{run.id}:{run.steps}:{what}:{job}"
        await store.mailbox.put(f"run:{run.id}", mail.stored(), update_id=update)
    print(f"{run_id}: {what} is on its way")
    return 0


def _refusal(what: GraphOrder, run: Run, job: str) -> str:
    if run.status in ENDED:
        return f"the run has ended: {run.status}"
    if run.parent:
        return f"it is a job of run {run.parent}; name that one"
    graph = job_graph_of(run)
    if graph is None:
        return "it is in no job graph"
    if what == "fail" and graph.job(job) is None:
        return f"there is no job {job!r}; there are: {', '.join(each.id for each in graph.jobs)}"
    return f"its job graph is {graph.status}"
