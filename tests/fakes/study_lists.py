"""How rules go over the visits of the sample study, as a playbook writes it."""


def over_visits(findings: str, summary: str, *, only: str = "") -> str:
    """An `over` of the visits of every subject, or of the one in the leaf `only`."""
    one = f", only: {only}" if only else ""
    return (
        "{tool: list_visits, with: {subject_id: $subject_id},"
        f" for_each: {{tool: list_subjects, as: subject_id{one}}},"
        f" entry: visit_date, count: visits, findings: {findings}, summary: {summary}}}"
    )
