"""Which requests somebody may start, by the roles that they name."""

from collections.abc import Mapping

from cards.model import Principal
from engine.playbooks.model import Playbook, Request


def startable(
    playbooks: Mapping[str, Playbook], person: Principal
) -> tuple[Mapping[str, Playbook], Mapping[str, Request]]:
    """The playbooks with the requests that this person may start, and those that they may not.

    The second by `playbook/request`. A playbook of which nothing is left is left out; the others
    keep their digest, since a run of them is one of the whole playbook.
    """
    barred = {
        f"{playbook.id}/{request.id}": request
        for playbook in playbooks.values()
        for request in playbook.definition.requests
        if not person.holds_one_of(request.roles)
    }
    if not barred:
        return playbooks, {}
    left = {name: _without(playbook, barred) for name, playbook in playbooks.items()}
    return {name: each for name, each in left.items() if each.definition.requests}, barred


def _without(playbook: Playbook, barred: Mapping[str, Request]) -> Playbook:
    definition = playbook.definition
    kept = tuple(r for r in definition.requests if f"{playbook.id}/{r.id}" not in barred)
    if len(kept) == len(definition.requests):
        return playbook
    return playbook.model_copy(
        update={"definition": definition.model_copy(update={"requests": kept})}
    )
