"""For what is missing in a file, `signoff validate` shows the line to add."""

from bot.starting.missing import lines_to_add
from tests.fakes.tables import table


@table(
    ("problem", "line"),
    [
        ("a/playbooks/vans/playbook.yaml:30: phases.0.goal: is required", "goal: TEXT"),
        ("playbooks/vans/playbook.yaml:1: phases: is required", "phases: [{id: TEXT, name: TEXT,"),
        ("vans/skills/a.yaml:1: plan.guard: is required: x", "guard: {decision: TEXT}"),
        ("vans/playbook.yaml:2: data_fields.van.label: is required", "label: TEXT"),
        ("signoff.yaml:1: timezone: is required", "timezone: TEXT"),
        ("people.yaml:3: people.0.name: is required", "name: TEXT"),
        ("connections.yaml:3: book.file: is required", "file: TEXT"),
        ("playbooks/vans/tools.yaml:2: list_vans.description: is required", "description: TEXT"),
        ("playbooks/vans/skills/ask.yaml:1: kind: is required", "kind: prompt"),
        ("playbooks/vans/skills/a.yaml:9: sop.nodes.x.on_fail: is required", "on_fail: TEXT"),
        ("playbooks/vans/tests/a.yaml:9: 0.steps: is required", "steps: [{"),
        ("a/skills/a.yaml:9: plan.calls.1.arguments: lacks 'day', which book needs", "day: $day"),
        ("vans/answers.yaml:9: x.arguments: lacks 'van', which read_van needs", "van: VALUE"),
        ("playbooks/vans/playbook.yaml:30: phases.0.gaol: unknown key", ""),
        ("notes.txt:1: x: is required", ""),
        ("playbooks/vans/playbook.yaml:3: nowhere.at.all: is required", ""),
    ],
)
def test_the_line_is_of_the_key_that_is_missing(problem: str, line: str) -> None:
    told = lines_to_add(problem)
    assert told.startswith(line)
    assert bool(told) is bool(line)
