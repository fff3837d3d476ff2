"""Faults of a playbook's answers: what is replaced in the file, and what is told."""

CASES: tuple[tuple[str, str, str], ...] = (
    ("oil:", "Oil!:", "Oil!: is no name: small letters, digits, _ and -, a letter first"),
    ("text: {", "txet: {", "safe.txet: unknown key; did you mean 'text'?"),
    (
        '  text: {en: "It is 4711.", zh: "是 4711。"}\n',
        "",
        "safe: should have one of `text`, `document` and `tool`",
    ),
    (
        "  roles",
        "  tool: find_hoist\n  roles",
        "safe: should have one of `text`, `document` and `tool`",
    ),
    ("arguments: {bay: B2}", "roles: [foreman]", "spare: `roles` belong to the tool, in tools.y"),
    ("roles: [foreman]", "tell: hm", "safe: `arguments` and `tell` belong to an answer with a `t"),
    (
        "roles: [foreman]",
        "roles: [forman]",
        "safe.roles: there is no role 'forman' in people.yaml; did you mean 'foreman'?",
    ),
    (
        "    zh: [你们几点开门, 营业时间是什么]\n",
        "",
        "hours.examples: lacks zh and ja; without languages it is for every one",
    ),
    ("    zh: [你们", "    de: [你们", "hours.examples.de: is no language of this project"),
    (
        "[what is the code of the safe, 保险箱密码是多少]",
        "[]",
        "safe.examples: should not be empty",
    ),
    (
        "what is the code of the safe",
        '"When are you open?"',
        "safe.examples: 'When are you open?' is an example of hours too",
    ),
    ("    zh: 营业", "    zh_: 营业", "hours.text: 'zh_' is no language, as en or zh are"),
    (
        "file: rules.en.md",
        "file: rule.en.md",
        "oil.document.en.file: documents/ has no 'rule.en.md'; did you mean 'rules.en.md'?",
    ),
    (
        "heading: Waste",
        "heading: Wast",
        "oil.document.en.heading: rules.en.md has no section 'Wast'; did you mean 'Waste'?",
    ),
    ("heading: 废弃物", "headline: x", "oil.document.zh.headline: unknown key"),
    (
        "tool: find_hoist",
        "tool: find_hoists",
        "spare.tool: tools.yaml has no 'find_hoists' that reads; did you mean 'find_hoist'?",
    ),
    ("tool: find_hoist", "tool: book_hoist", "spare.tool: tools.yaml has no 'book_hoist' that re"),
    ("arguments: {bay: B2}", "arguments: {bay: bee}", "spare.arguments.bay: "),
    (
        "arguments: {bay: B2}",
        "arguments: {bya: B2}",
        "spare.arguments.bya: is none of the arguments of find_hoist; did you mean 'bay'?",
    ),
    (
        "  arguments: {bay: B2}\n",
        "",
        "spare.arguments: find_hoist needs bay, a text, which no question gives; name it",
    ),
    ("on {inspected}", "on {inspektor}", "spare.tell: names inspektor; there are bay,"),
)
ELSEWHERE = (
    "should be a mapping from names to answers",
    "has more than 500 answers",
    "`text` has more than 4000 characters",
)
