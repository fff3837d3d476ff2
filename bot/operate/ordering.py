"""What an operator does with a run's job graph: stop it, fail a job, let it go on (spec 002)."""

import sys

from bot.operate.operate import VIA, operator
from bot.operate.runs import find_run
from bot.settings import Settings
from bot.wiring.store_ports import opened_store
from engine.frames.outcome import GraphOrder
from engine.frames.state import ENDED, Run
from engine.jobs.graph import can_take, job_graph_of
from engine.mail import GraphOrdered

OPERATOR = "operator"


async def order(settings: Settings, run_id: str, what: GraphOrder, *, text: str, job: str) -> int:
    """Puts the order into the run's lane, where its turn comes; 1 if it cannot be done."""
    async with opened_store(settings) as store:
        found = await find_run(store, run_id)
        if found is None:
            return 1
        run = found.run
        if run.status in ENDED or run.parent or not can_take(what, run, job):
            print(f"{run_id}: {_why_not(what, run, job)}", file=sys.stderr)
            return 1
        mail = GraphOrdered(what=what, by=operator(), name=OPERATOR, text=text, job=job, via=VIA)
        # The same order at the same step is one order.
        update = f"{run.id}:{run.steps}:{what}:{job}"
        await store.mailbox.put(f"run:{run.id}", mail.stored(), update_id=update)
    print(f"{run_id}: {what} is on its way")
    return 0


def _why_not(what: GraphOrder, run: Run, job: str) -> str:
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
