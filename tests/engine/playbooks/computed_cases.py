"""Faults of computed fields: what is replaced in the cookbook's folder, and what is told."""

CASES: tuple[tuple[str, str, str], ...] = (
    ("{var: discount}", "{var: discont}", "'discont' is not among data_fields"),
    ("{var: food.value}", "{var: event}", "takes a number, and this is text"),
    (
        "{var: food.value}",
        "{var: total.value}",
        "'total.value' is computed too: it has to stand above",
    ),
    (
        "{var: food.value}",
        "{var: profile.x}",
        "'profile.x' is no data field; only these are computed with",
    ),
    (
        "fields: [event, dishes, discount]",
        "fields: [event, total]",
        "'total' is computed: nothing else fills it",
    ),
    (
        "roles: [treasurer]",
        "roles: [treasurer]\n        may_edit: [discount]",
        "total is computed from discount, and would not be what the card shows",
    ),
    (
        "label: Total\n    type: money",
        "label: Total\n    type: file",
        "should be one of integer, number, money, date, text, boolean for a computed field",
    ),
    (
        "label: Total\n    type: money\n    currency: EUR",
        "label: Total\n    type: money",
        "is required for computed money: one currency",
    ),
    (
        "label: Total",
        "label: Total\n    minimum: 1",
        "is for what people give; let a rule judge what is computed",
    ),
    (
        "phases:\n",
        "profile_fields: {sum: {label: Sum, type: number, computed: {var: portions}}}\nphases:\n",
        "belongs among data_fields",
    ),
)
