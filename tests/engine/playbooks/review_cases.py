"""What may be wrong with a `review`, and how it is told: review text, what people hold, problem."""

LONE = {"lin": ("crc",), "chen": ("reviewer",)}
ALL_REVIEW = {"lin": ("reviewer",), "chen": ("reviewer",)}
MANY = {"lin": ("crc",), "chen": ("reviewer",), "wu": ("reviewer",), "ma": ("reviewer", "lead")}
AT = "sop.nodes.ask.review"

CASES: list[tuple[str, dict[str, tuple[str, ...]], str]] = [
    (
        "roles: [reviewer], person: $law",
        MANY,
        f"{AT}.person: does not go together with roles; give one of them",
    ),
    ("person: $law, quorum: 2", MANY, f"{AT}.quorum: is 2, and one person has one vote"),
    (
        "person: law",
        MANY,
        f"{AT}.person: should be a field as $manager, $requester, $requester.manager, or a tool",
    ),
    (
        "person: $requester.boss",
        MANY,
        f"{AT}.person: should be a field as $manager, $requester, $requester.manager, or a tool",
    ),
    (
        "person: $requester",
        MANY,
        f"{AT}.four_eyes: should be false where $requester decides",
    ),
    (
        "person: $amount",
        MANY,
        f"{AT}.person: amount is a field of type number, which names no person",
    ),
    (
        "roles: [reviewer], decides: majority, also: [{roles: [lead]}]",
        MANY,
        f"{AT}.also: does not go together with decides: majority",
    ),
    (
        "roles: [reviewer], also: [{roles: [lead], above: {law: 5}}]",
        MANY,
        f"{AT}.also.0.above.law: law is a field of type text; a limit is of numbers or money",
    ),
    (
        "roles: [reviewer], also: [{roles: [lead], above: {amount: 5 EUR}}]",
        MANY,
        f"{AT}.also.0.above.amount: should be a number, as the field is",
    ),
    (
        "roles: [reviewer], also: [{roles: [lead], above: {amount: 5}, "
        "when: {field: law, check: empty}}]",
        MANY,
        f"{AT}.also.0.when: does not go together with above; give one of them",
    ),
    (
        "roles: [reviewer], also: [{roles: [board]}]",
        MANY,
        f"{AT}.also.0.roles: nobody in people.yaml holds board",
    ),
    (
        "roles: [reviewer], also: [{roles: [lead], above: {amount: 5}}], may_edit: [amount]",
        MANY,
        f"{AT}.may_edit.0: amount says who approves; whoever approves may not change it",
    ),
    (
        "roles: [reviewer], buttons: {approve: {zh: 好, en: I have seen it and shall act on it}}",
        MANY,
        f"{AT}.buttons.approve.en: should have 1 to 30 characters",
    ),
    (
        "person: $law, may_edit: [law]",
        MANY,
        f"{AT}.may_edit.0: law says who approves; whoever approves may not change it",
    ),
    (
        "roles: [reviewer], quorum: 2",
        LONE,
        f"{AT}.quorum: is 2, and only 1 in people.yaml hold reviewer",
    ),
    (
        "roles: [reviewer], quorum: 2",
        ALL_REVIEW,
        f"{AT}.quorum: is 2, and whoever asks is one of the 2 who hold reviewer: "
        "with four_eyes too few are left",
    ),
    (
        "roles: [reviewer], quorum: 2, decides: majority",
        MANY,
        f"{AT}.quorum: should be odd with decides: majority, so that no vote ends 1 to 1",
    ),
    ("roles: [reviewer], quorum: 0", MANY, f"{AT}.quorum: should be at least 1, not 0"),
    (
        "roles: [reviewer], decides: most",
        MANY,
        f"{AT}.decides: should be 'deny_wins' or 'majority', not 'most'",
    ),
    (
        "roles: [reviewer], escalate: {role: chief, after: 1d}",
        MANY,
        f"{AT}.escalate.role: there is no role in people.yaml 'chief'; known here: "
        "board, crc, lead, reviewer",
    ),
    (
        "roles: [reviewer], escalate: {role: board, after: 1d}",
        MANY,
        f"{AT}.escalate.role: nobody in people.yaml holds board",
    ),
    (
        "roles: [reviewer], escalate: {role: reviewer, after: 1d}",
        MANY,
        f"{AT}.escalate.role: reviewer may decide from the beginning; name another role",
    ),
    (
        "roles: [reviewer], escalate: {role: lead, after: 2d}, deadline: 2d",
        MANY,
        f"{AT}.escalate.after: should be less than the deadline, or it never happens",
    ),
    (
        "roles: [reviewer], remind: {after: 3d}, deadline: 2d",
        MANY,
        f"{AT}.remind.after: should be less than the deadline, or it never happens",
    ),
    (
        "roles: [reviewer], remind: {after: 4h, every: 30s}",
        MANY,
        f"{AT}.remind.every: should be at least 60s",
    ),
    (
        "roles: [reviewer], remind: {after: 30s}",
        MANY,
        f"{AT}.remind.every: is required where after is less than 60s",
    ),
    (
        "roles: [reviewer], remind: {after: 4h, at_most: 11}",
        MANY,
        f"{AT}.remind.at_most: should be at most 10, not 11",
    ),
    (
        "roles: [reviewer], remind: {after: 4h, hours: {zone: Asia/Shanghi}}",
        MANY,
        f"{AT}.remind.hours.zone: there is no time zone 'Asia/Shanghi'; "
        "did you mean 'Asia/Shanghai'?",
    ),
    (
        'roles: [reviewer], remind: {after: 4h, hours: {zone: UTC, closes: "9:00"}}',
        MANY,
        f"{AT}.remind.hours.closes: should be text of the form "
        "^([01]\\d|2[0-3]):[0-5]\\d$, not '9:00'",
    ),
    (
        'roles: [reviewer], remind: {after: 4h, hours: {zone: UTC, opens: "18:30"}}',
        MANY,
        f"{AT}.remind.hours.closes: should be later than 18:30, when it opens",
    ),
    (
        "roles: [reviewer], remind: {after: 4 hours}",
        MANY,
        f"{AT}.remind.after: should be a duration like 90s, 30m, 4h, 2d or 1d 12h, "
        "or whole seconds, not '4 hours'",
    ),
    (
        "roles: [reviewer], deadline: 0",
        MANY,
        f"{AT}.deadline: should be more than 0 and at most 366d, not 0",
    ),
    (
        "roles: [reviewer], deadline: 2d, deadline_s: 5",
        MANY,
        f"{AT}.deadline_s: unknown key; did you mean 'deadline'?",
    ),
    (
        "roles: [reviewer], may_edit: [sum]",
        MANY,
        f"{AT}.may_edit.0: 'sum' is not among data_fields; "
        "known here: amount, cause, causes, evidence, filed_on, law, people, plan, side, urgent, "
        "visits_found, visits_summary",
    ),
    (
        "roles: [reviewer], may_edit: [cause]",
        MANY,
        f"{AT}.may_edit.0: the card does not show 'cause'; known here: amount, law",
    ),
    (
        "roles: [reviewer], execute_within: 1d",
        MANY,
        f"{AT}.execute_within: belongs to a review that shows a plan: only writes are held back",
    ),
    (
        "roles: [reviewer], remind: {}",
        MANY,
        f"{AT}.remind.after: is required",
    ),
]

ON_EXPIRE = "sop.nodes.ask.on_expire: should lead elsewhere than an approval: nobody has decided"
