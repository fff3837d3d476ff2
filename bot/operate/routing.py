"""`signoff route` and `lint-examples`: how messages would be understood; nothing is started."""

import json
import os
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, replace
from typing import Any

from bot.definitions.loader import TALK_FILE, Definitions, load_definitions
from bot.settings import Settings
from bot.terminal.output import show_progress
from bot.wiring.clock import open_clock
from bot.wiring.connections import load_connections
from bot.wiring.model import open_model
from cards.model import Principal
from engine.frames.intents import Candidate, Intent
from engine.reviews.form_facts import form_facts
from engine.skills.example_values import ExampleFault, FormExamples
from engine.text.entities import fold_cue
from engine.text.language import detect_language
from engine.tools.model import Tool
from engine.understanding.context import RouteContext, RoutedMessage
from engine.understanding.grammar.reading import GRAMMAR
from engine.understanding.learned.lint import DoubtfulExample, find_doubtful
from engine.understanding.learned.table import Route, RouteTable
from engine.understanding.lookups.find import cue_found
from engine.understanding.router.chain import route

GUESS = 0.22
"""The score from which an unsure piece is printed as its likeliest meaning."""

ENOUGH = 10
"""Of a request with fewer examples, those that look like another route are not listed each."""

_MENDS_CUE = "what follows a cue is taken to the end of its clause; take another cue, or none"
_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}
"""Characters that some readers take for the end of a line, escaped in JSON."""


async def show_routes(settings: Settings, text: str, *, as_json: bool) -> int:
    """Print how a message is understood; for `-`, each line of the standard input."""
    definitions = load_definitions(settings, load_connections(settings).toolbox)
    table, tools = definitions.route_table(), definitions.tools
    _tell_unread_lists(definitions)
    async with AsyncExitStack() as stack:
        model = open_model(settings, stack) if settings.openai_api_key else None
        for message in _lines(text):
            context = _context(settings, table, tools, message)
            if len({document.project for document in definitions.documents} - {""}) < 2:
                # In a chat the conversation says whose documents answer.
                context = replace(context, sections=table.sections)
            routed = await route(message, context, model)
            told = json.dumps(describe_route(message, routed), ensure_ascii=False)
            print(told.translate(_ENDS) if as_json else _as_text(routed), flush=True)
    return 0


def _tell_unread_lists(definitions: Definitions) -> None:
    """Say on the standard error which entities are known by lists, of which none is read here."""
    unread = [
        f"{playbook.id}: {name} ({entity.tool})"
        for playbook in definitions.playbooks.values()
        for name, entity in playbook.definition.entities.items()
        if entity.tool
    ]
    if unread:
        print(f"lists of names are not read here: {', '.join(unread)}", file=sys.stderr)


def _lines(text: str) -> Iterator[str]:
    """The messages to route; bytes that are no UTF-8 are replaced, whatever the locale is."""
    raw = sys.stdin.buffer if text == "-" else [os.fsencode(text)]
    for line in raw:
        yield line.decode("utf-8", "replace").rstrip("\r\n")


def lint_examples(settings: Settings, *, only: str = "", as_json: bool = False) -> int:
    """Print the folder's examples that look like another route; 1 when a text stands under two.

    Besides, what of a request's examples does not reach its forms, and by which cue.
    Those of the folder's own files come first. With `only` (a playbook, or `playbook/request`)
    those that are of it or look like it; 2 where nothing is called so.
    """
    definitions = load_definitions(settings, load_connections(settings).toolbox)
    table, theirs = definitions.route_table(), _given_examples(settings, definitions)
    if only and not any(_is_of(each.group, only) for each in table.examples):
        print(f"there is no playbook or request {only!r} with examples", file=sys.stderr)
        return 2
    own = _own_groups(settings, definitions)
    doubtful = find_doubtful(table, lambda every: show_progress(every, "examples", len(every)))
    found = [
        _from_own_side(one, own)
        for one in doubtful
        if (one.is_duplicate or (one.example.text in theirs and one.example.group in own))
        and any(_is_of(group, only) for group in (one.example.group, one.looks_like))
    ]
    found.sort(key=lambda one: one.example.group not in own)
    faults = _form_faults(settings, definitions, only)
    if as_json:
        told = [_doubt(one) for one in found]
        told += [{"group": g, **asdict(each)} for g, every in faults.items() for each in every]
        print(json.dumps(told, ensure_ascii=False))
        return 1 if any(one.is_duplicate for one in found) else 0
    few = {} if only else _requests_with_few(table)
    for one in found:
        if not (_is_misrouted(one) and one.example.group in few):
            print(f"{one.example.group}: {one.example.text!r} {_advice(one, table)}")
    for group, size in few.items():
        if doubted := sum(_is_misrouted(one) and one.example.group == group for one in found):
            print(_few_examples(group, size, doubted))
    for group, every in faults.items():
        print(*(f"{group}: {line}" for line in _tell_faults(every)), sep="\n")
    twice, held = sum(one.is_duplicate for one in found), sum(one.is_held for one in found)
    if held:
        print(f"{held} examples hang on something, or forbid it")
    print(f"{len(found) - held} examples look like another route, {twice} of them stand under two")
    return 1 if twice else 0


def _form_faults(
    settings: Settings, definitions: Definitions, only: str
) -> dict[str, list[ExampleFault]]:
    """What of a request's own examples does not reach its forms, by request."""
    entities, today = definitions.route_table().entities, open_clock(settings).today()
    facts = form_facts(definitions.people, today, entities)
    found: dict[str, list[ExampleFault]] = {}
    for name, playbook in definitions.playbooks.items():
        forms = FormExamples(playbook, entities, facts, today)
        for request in playbook.definition.requests:
            group = f"{name}/{request.id}"
            if _is_of(group, only) and (faults := [*forms.find_faults(request)]):
                found[group] = faults
    return found


def _tell_faults(faults: Sequence[ExampleFault]) -> Iterator[str]:
    """A line for each cue that takes too much, and one for each example that gives nothing."""
    by_cue: dict[tuple[str, str], list[ExampleFault]] = {}
    for each in faults:
        by_cue.setdefault((each.field, each.cue), []).append(each)
    for (field, cue), every in by_cue.items():
        first = every[0]
        if not field:
            for one in every:
                unused = f"; not used: {one.unused!r}" if one.unused not in ("", one.text) else ""
                yield f"{one.text!r} fills nothing of the form{unused}"
            continue
        more = f", and of {len(every) - 1} more" if len(every) > 1 else ""
        where = f"of {first.text!r}{more}"
        by = f" by its cue {cue!r}" if cue else ""
        if first.took:
            yield f"{field} takes {first.took!r}{by} {where}: {_MENDS_CUE}"
        else:
            yield f"{field} takes nothing{by} {where}, which hides a value: {_MENDS_CUE}"


def _is_misrouted(one: DoubtfulExample) -> bool:
    """Whether it is only near to another route."""
    return not (one.is_duplicate or one.is_held)


def _requests_with_few(table: RouteTable) -> dict[str, int]:
    """The requests with fewer than ENOUGH examples, and how many each has."""
    texts = [each for each in table.examples if not each.is_name and table.playbook(each.route)]
    sizes = Counter(each.group for each in texts)
    return {group: size for group, size in sizes.items() if size < ENOUGH}


def _few_examples(group: str, size: int, doubted: int) -> str:
    """What it means that a request has few examples of which most are doubtful."""
    return (
        f"{group}: {doubted} of its {size} examples look like another route, each judged by the "
        f"others alone, which is usual with fewer than {ENOUGH}: write more; --only {group} lists "
        "them"
    )


def _advice(one: DoubtfulExample, table: RouteTable) -> str:
    """What is doubtful about an example, and what mends it."""
    if one.is_held:
        return (
            "hangs on something, or forbids it, and would begin all the same: write the wish alone"
        )
    told = f"looks like {one.looks_like}:"
    if one.is_duplicate:
        return f"{told} stands there too; keep it in one of both"
    near = f", as in {one.like!r}" if one.like else ""
    shares = f"; it shares {one.shares}" if one.shares else ""
    route = table.playbook(one.example.route)
    is_named = route is None or cue_found(table.normalize(one.example.text), _cues(route))
    mends = "write more examples of it"
    mends = mends if is_named else f"name what is to be done, or {mends}"
    return f"{told} {one.other:.2f}, its own {one.own:.2f}{near}{shares}; {mends}"


def _cues(route: Route) -> tuple[str, ...]:
    """The words that ask for the work of a playbook, folded."""
    return tuple(map(fold_cue, route.cues))


def _given_examples(settings: Settings, definitions: Definitions) -> set[str]:
    """What the folder itself gives as an example: all else comes with the service."""
    talk = definitions.talk.model_dump() if (settings.playbooks / TALK_FILE).exists() else {}
    lists = [*talk.values()]
    for playbook in definitions.playbooks.values():
        lists += [kind.examples for kind in playbook.definition.requests]
        lists += [tool.examples for tool in playbook.tools.values()]
    return {text for texts in lists for text in texts}


def _is_of(group: str, only: str) -> bool:
    """Whether a group of examples is of that playbook or request; every one where it is ""."""
    return not only or group == only or group.startswith(f"{only}/")


def _own_groups(settings: Settings, definitions: Definitions) -> set[str]:
    """The groups of examples that stand in the folder's own files."""
    table = definitions.route_table()
    own = {name for playbook in definitions.playbooks.values() for name in playbook.tools}
    has_talk = (settings.playbooks / TALK_FILE).exists()
    for each in table.examples:
        of = each.group.partition("/")[0]
        if of in definitions.playbooks or (has_talk and of == "talk"):
            own.add(each.group)
    return own


def _from_own_side(one: DoubtfulExample, own: Collection[str]) -> DoubtfulExample:
    """The same, told of the folder's own example where a text stands in a default as well."""
    if not one.is_duplicate or one.example.group in own or one.looks_like not in own:
        return one
    example = replace(one.example, group=one.looks_like)
    return replace(one, example=example, looks_like=one.example.group)


def _doubt(one: DoubtfulExample) -> dict[str, Any]:
    example = {"text": one.example.text, "group": one.example.group, "looks_like": one.looks_like}
    scores = {"own": one.own, "other": one.other, "twice": one.is_duplicate}
    return example | scores | {"like": one.like, "held": one.is_held, "shares": one.shares}


def describe_route(text: str, routed: RoutedMessage) -> dict[str, Any]:
    """The message and its intents as data; an unsure one as its likeliest meaning."""
    return {"text": text, "intents": [_intent(intent) for intent in routed.intents]}


def _intent(intent: Intent) -> dict[str, Any]:
    likely = (c for c in intent.candidates if intent.kind == "unclear" and c.score >= GUESS)
    guess = next(likely, None)
    return {
        "kind": guess.kind if guess else intent.kind,
        "text": intent.text,
        "playbook": guess.playbook if guess else intent.playbook,
        "request": guess.request if guess else intent.request,
        "condition": intent.condition,
        "depends_on": list(intent.depends_on),
        "confidence": round(guess.score, 2) if guess else intent.confidence,
        "sure": intent.sure,
        "lookups": [each.tool for each in (intent.lookup, *intent.more) if each],
        "offers": [_name(each) for each in intent.candidates],
        "read": [{"as": role, "text": said} for role, said in GRAMMAR.parts(intent.text)],
        "why": intent.why,
    }


def _name(candidate: Candidate) -> str:
    return f"{candidate.playbook}/{candidate.request}" if candidate.playbook else candidate.kind


def _as_text(routed: RoutedMessage) -> str:
    lines = []
    for number, intent in enumerate(routed.intents, 1):
        name = "/".join(filter(None, (intent.playbook, intent.request)))
        sure = "" if intent.sure else "  (not sure)"
        lines.append(f"{number}. {intent.kind}{f' {name}' if name else ''}{sure}: {intent.text}")
        lines.append(f"   why: {intent.why}")
        if intent.condition:
            lines.append(f"   if: {intent.condition}")
        if intent.depends_on:
            lines.append(f"   after: {', '.join(str(n + 1) for n in intent.depends_on)}")
        read = GRAMMAR.parts(intent.text)
        lines += [
            f"   {role}: {said}" for role, said in read if role not in ("about", "politeness")
        ]
        near = map(_name, intent.candidates)
        if intent.candidates:
            lines.append(f"   may mean: {', '.join(near)}")
    lines += [f"- {v.strategy}: {'sure' if v.sure else 'no'}; {v.why}" for v in routed.verdicts]
    return "\n".join(lines)


def _context(
    settings: Settings, table: RouteTable, tools: tuple[Tool[Any], ...], text: str
) -> RouteContext:
    return RouteContext(
        table=table,
        entities=table.entities,
        tools=tools,
        open_cards=(),
        principal=Principal(id="operator", name="operator"),
        today=open_clock(settings).today(),
        recent=(),
        lang=detect_language(text),
    )
