"""How well each ridge does on the shipped examples, each left out in turn.

`python -m tests.bench.router.ridge`: some minutes, and 1 GB of memory.
"""

import numpy as np

from bot.definitions.loader import load_definitions
from bot.wiring.connections import load_connections
from engine.understanding.learned.training import balance_of, kernel_of, solve, targets_of
from tests.bench.figures import table
from tests.chaos.processes import ROOT
from tests.fakes.settings import make_settings

RIDGES = (0.05, 0.1, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 1.0, 2.0)


def main() -> None:
    """Print a row for each ridge, in thousandths; all groups weigh the same, as in learning."""
    playbooks = ROOT / "playbooks"
    settings = make_settings(playbooks=playbooks, people=playbooks / "people.yaml")
    learned = load_definitions(settings, load_connections(settings).toolbox).route_table()
    routes = [example.route for example in learned.examples]
    groups = [example.group for example in learned.examples]
    found = solve(learned.examples, learned.lessons.said)
    balance, targets = balance_of(groups), np.hstack([targets_of(routes), targets_of(groups)])
    # In these coordinates the ridge is the same for all, and one decomposition serves every ridge.
    scale = balance**0.25
    kernel = kernel_of(found.rows, found.counts) * scale[:, None] * scale
    values, vectors = np.linalg.eigh(kernel)
    turned, squares = vectors.T @ (targets * scale[:, None]), vectors**2
    rows = {}
    for ridge in RIDGES:
        shrunk = 1 / (values + ridge)
        # What is left of an example is its weight over its own entry of the inverse.
        left = (vectors @ (shrunk[:, None] * turned)) / (squares @ shrunk)[:, None]
        without = targets - left / scale[:, None]
        parts = (
            np.split(without, [len(set(routes))], axis=1),
            np.split(targets, [len(set(routes))], axis=1),
        )
        right = [one.argmax(1) == own.argmax(1) for one, own in zip(*parts, strict=True)]
        error = ((targets - without) ** 2).sum(1)
        shares = [1000 * np.average(each, weights=balance) for each in (error, *right)]
        rows[f"{ridge}"] = dict(
            zip(("squared error", "routes right", "groups right"), shares, strict=True)
        )
    print(table("Examples left out in turn, in thousandths", rows))


if __name__ == "__main__":
    main()
