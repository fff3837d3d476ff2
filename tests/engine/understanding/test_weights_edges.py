"""Each number by which rules are weighed against acts, at its edge: acts and scores are given.

As `test_thresholds.py`; `make mutate` moves each of them.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace

from engine.understanding.context import Piece, RouteContext
from engine.understanding.learned.acts import ACTS, Acts
from engine.understanding.learned.classifier import DECIMALS
from engine.understanding.pieces import plain, weighing
from tests.engine.understanding.routes import CONTEXT
from tests.engine.understanding.test_constants import GivenWords, asked
from tests.engine.understanding.test_edges import TEXT
from tests.engine.understanding.test_thresholds import CORRECTION, ROUTE, TICK, VISIT, WORK, said
from tests.fakes.tables import table

NEVER = -150
LATER = Piece(WORK, "workflow", "", ROUTE, "visit-entry", condition="if Wu agrees")
BID = replace(LATER, condition="")
QUESTION = Piece(TEXT, "qa_query", "")
UNSURE = replace(QUESTION, firm=False)
UNKNOWN = Piece(WORK, "unclear", "", end=len(WORK))
IDLE, OFF = replace(UNKNOWN, unclear_kind="idle"), replace(UNKNOWN, unclear_kind="holds_off")
AWAY = replace(UNKNOWN, unclear_kind="elsewhere")
HUNG = {"conditional": 11, "request": -21}
NOT_OFF = "record the weight 61 not 16"

Edge = tuple[str, Callable[[int], bool], int, int]
"""A number, what depends on it, the last value at which that holds, the first at which not."""


def acts(**given: int) -> Acts:
    """Acts of which none stands in the text but those that are given."""
    return Acts(**{**dict.fromkeys(ACTS, NEVER), **given})


def seen(
    groups: Mapping[str, float],
    *,
    known: float = 1.0,
    shares: Mapping[str, float] | None = None,
    **routes: float,
) -> RouteContext:
    """A context in which every text is so near to these requests and routes."""
    one = said(known=known, **routes).scores
    scores = replace(one, groups={**one.groups, **groups})
    return replace(CONTEXT, table=GivenWords(defaultdict(lambda: scores), shares or {}))


CLEARLY = seen({VISIT: 1.0})


def by(piece: Piece, name: str, **rest: int) -> Callable[[int], bool]:
    """Whether work stays sure, by the score of one act."""
    return lambda s: weighing._weigh_work(piece, acts(**rest, **{name: s})).firm


def answered(
    piece: Piece, name: str, whole: int | None = None, **rest: int
) -> Callable[[int], bool]:
    """Whether a question is sure, by the score of one act, or of asking in the whole message."""

    def firm(score: int) -> bool:
        own = acts(**rest) if name == "whole" else acts(**rest, **{name: score})
        asks = score if name == "whole" else own.question if whole is None else whole
        return weighing._weigh_question(piece, own, acts(question=asks)).firm

    return firm


def read(piece: Piece, name: str, **rest: int) -> Callable[[int], Piece]:
    """What an unclear piece becomes."""
    return lambda s: weighing._weigh_unclear(piece, acts(**rest, **{name: s}), CONTEXT)


def asks(name: str, **rest: int) -> Callable[[int], bool]:
    return lambda s: read(UNKNOWN, name, **rest)(s).kind == "qa_query"


def surely_asks(name: str) -> Callable[[int], bool]:
    return lambda s: read(UNKNOWN, name, question=31)(s).firm


def talk(score: int) -> bool:
    piece = Piece(TEXT, "smalltalk", "")
    given = acts(request=score)
    return weighing._doubt(piece, given, given, CLEARLY).kind == "smalltalk"


def idle(name: str, **rest: int) -> Callable[[int], bool]:
    """Whether nothing is wanted, by what is wanted in the piece and in the `whole`."""

    def holds(score: int) -> bool:
        given = {**rest, name: score}
        return weighing._is_idle(acts(wanted=given["own"]), acts(wanted=given["whole"]))

    return holds


def offers(piece: Piece, name: str, kind: str, **rest: int) -> Callable[[int], bool]:
    def holds(score: int) -> bool:
        found = weighing._offer_more(piece, acts(**rest, **{name: score}), CLEARLY)
        return kind in [each.kind for each in found.candidates]

    return holds


def settles(piece: Piece, name: str, **rest: int) -> Callable[[int], bool]:
    """Whether a piece in doubt becomes work, be it on its condition."""

    def holds(score: int) -> bool:
        given = acts(**{**rest, name: score})
        return weighing._settle(piece, given, CLEARLY, alone=True).kind == "workflow"

    return holds


def begins(name: str, *pieces: Piece, text: str = WORK, **rest: int) -> Callable[[int], bool]:
    """Whether a whole message begins as the work that it plainly asks for."""

    def holds(score: int) -> bool:
        given = acts(**{"request": 60, **rest, name: score})
        return plain.read_plainly(text, pieces or (UNKNOWN,), given, CLEARLY) is not None

    return holds


DOUBTED = replace(UNKNOWN, condition="if Wu agrees")
LIKED = replace(UNKNOWN, candidates=(asked(CORRECTION, 0.1),))
TWICE = (replace(BID, text="record"), replace(BID, text=" today's visit", start=6))

EDGES: list[Edge] = [
    ("UNBIDDEN", by(BID, "request"), -70, -71),
    ("HUNG", by(BID, "conditional", request=0), 0, 1),
    ("ASKED: of work", by(BID, "question", request=-21), 30, 31),
    ("ASKED: beside several", by(BID, "question", request=0, several=31), 30, 31),
    ("UNASKED: of work", by(BID, "request", question=31), -20, -21),
    ("SEVERAL: of work", by(BID, "several", request=0, question=31), 30, 31),
    ("UNHUNG", by(LATER, "conditional"), -40, -41),
    ("WISHED", answered(QUESTION, "request", question=0), 20, 21),
    ("WISHED: later", answered(QUESTION, "conditional", question=0), 20, 21),
    ("UNASKED: of a question", answered(QUESTION, "question", whole=30), -20, -21),
    ("ASKED: of a whole", answered(QUESTION, "whole", question=-21), 31, 30),
    ("SEVERAL", answered(QUESTION, "several", question=100, request=41), 30, 31),
    ("BIDDEN: of a question", answered(QUESTION, "request", question=100, several=31), 40, 41),
    ("ASKING", answered(UNSURE, "question", whole=41), 41, 40),
    ("ASKING: of a whole", answered(UNSURE, "whole", question=41), 41, 40),
    ("NO_WISH", answered(UNSURE, "request", question=41), -81, -80),
    ("NO_WISH: several", answered(UNSURE, "several", question=41), -81, -80),
    ("NOT_OFF", lambda s: read(OFF, "held_off")(s).unclear_kind == "holds_off", -70, -71),
    ("WANTED", lambda s: read(IDLE, "wanted")(s).unclear_kind == "idle", -41, -40),
    ("ASKED: indirectly", asks("question"), 31, 30),
    ("UNASKED: indirectly", asks("request", question=31), -21, -20),
    ("NO_OTHER: work", surely_asks("request"), -61, -60),
    ("NO_OTHER: several", surely_asks("several"), -61, -60),
    ("BIDDEN", talk, 39, 40),
    ("NOTHING", idle("whole", own=-41), -51, -50),
    ("NO_PART", idle("own", whole=-51), -41, -40),
    ("SURELY_NOTHING", idle("own", whole=0), -81, -80),
    ("CLEAR", offers(AWAY, "request", "workflow"), 21, 20),
    ("OFFER_WORK", offers(UNKNOWN, "request", "workflow"), -94, -95),
    ("OFFER_QUESTION", offers(LIKED, "question", "qa_query"), -19, -20),
    ("HANGS", settles(DOUBTED, "conditional", **HUNG), 11, 10),
    ("NO_WORK", settles(DOUBTED, "request", **HUNG), -21, -20),
    ("NO_QUESTION", settles(DOUBTED, "question", **HUNG), -21, -20),
    ("NO_QUESTION: nor off", settles(DOUBTED, "held_off", **HUNG), -21, -20),
    ("ONE", settles(DOUBTED, "several", **HUNG), -20, -19),
    ("BEGUN", settles(UNKNOWN, "request"), 21, 20),
    *(
        (f"NO_OTHER: {name}", settles(UNKNOWN, name, request=21), -61, -60)
        for name in ("conditional", "question", "held_off", "several")
    ),
    ("PLAIN", begins("request"), 60, 59),
    *(
        (f"NO_OTHER: {name} of all", begins(name), -60, -59)
        for name in ("conditional", "question", "held_off", "several")
    ),
    ("SURELY_ONE", begins("several", *TWICE), -71, -70),
    ("NOT_OFF_AT_ALL", begins("held_off", text=NOT_OFF), -100, -99),
]


@table(("holds", "last", "first"), [row[1:] for row in EDGES], ids=[row[0] for row in EDGES])
def test_the_score_of_an_act_decides_from_its_number_on(
    holds: Callable[[int], bool], last: int, first: int
) -> None:
    assert (holds(last), holds(first)) == (True, False)


def offered(context: RouteContext, piece: Piece = UNKNOWN) -> bool:
    """Whether the visit is offered besides."""
    found = weighing._offer_more(piece, acts(request=0), context).candidates
    return "visit-entry" in [each.request for each in found]


def hangs(context: RouteContext, piece: Piece = UNKNOWN) -> bool:
    return bool(weighing._hung(piece, context).condition)


def begun(context: RouteContext) -> bool:
    return weighing._begun(UNKNOWN, context).kind == "workflow"


def works(context: RouteContext, *, pieces: int = 1) -> bool:
    every = (UNKNOWN,) * pieces
    return plain._work_of_all(WORK, every, (), context, parted=False) is not None


def is_nearest(known: float = 1.0, **routes: float) -> bool:
    return plain.nearest(WORK, seen({VISIT: 1.0}, known=known, **routes)) is not None


def behind(score: float) -> RouteContext:
    return seen({VISIT: 0.9, CORRECTION: round(0.9 - score, DECIMALS)})


def beside(score: float) -> Piece:
    return replace(UNKNOWN, candidates=(asked(CORRECTION, score),))


SHARES: list[tuple[str, Callable[[float], bool], float, bool]] = [
    ("LIKELY: is offered alone", lambda s: offered(CLEARLY, beside(s)), 0.45, False),
    ("LIKELY: is no other", lambda s: hangs(CLEARLY, beside(s)), 0.45, False),
    ("LEAST_NEAR: offered", lambda s: offered(seen({VISIT: s})), 0.1, True),
    ("LEAST_NEAR: hung", lambda s: hangs(seen({VISIT: s}), BID), 0.1, True),
    ("LEAST_WORDS", lambda s: offered(seen({}, shares={VISIT: s})), 0.1, True),
    ("APART", lambda s: hangs(behind(s)), 0.3, True),
    ("LIKE", lambda s: begun(seen({VISIT: s}, shares={VISIT: 1.0})), 0.4, True),
    ("AHEAD", lambda s: begun(behind(s)), 0.45, True),
    ("LIKE: all", lambda s: works(seen({VISIT: s}, shares={VISIT: 1.0})), 0.4, True),
    ("AHEAD: all", lambda s: works(behind(s)), 0.45, True),
    ("PARTED", lambda s: works(seen({VISIT: s}), pieces=2), 0.5, True),
    ("AWAY", lambda s: not is_nearest(elsewhere=s), 0.25 + TICK, True),
    ("STATED", lambda s: not is_nearest(statement=s), 0.6 + TICK, True),
    ("LEAST_KNOWN", is_nearest, 0.45, True),
]


@table(("holds", "edge", "above"), [row[1:] for row in SHARES], ids=[row[0] for row in SHARES])
def test_a_likeness_decides_from_its_number_on(
    holds: Callable[[float], bool], edge: float, *, above: bool
) -> None:
    at, below = holds(round(edge, DECIMALS)), holds(round(edge - TICK, DECIMALS))
    assert (at, below) == (above, not above)


@table(("examples", "known"), [(8, True), (7, False)])
def test_of_a_request_with_eight_examples_enough_is_known(examples: int, *, known: bool) -> None:
    context = seen({VISIT: 1.0})
    context.table.routes = tuple(
        replace(
            route,
            requests=tuple(
                each.model_copy(update={"examples": (WORK,) * examples}) for each in route.requests
            ),
        )
        for route in context.table.routes
    )
    assert (plain.nearest(WORK, context) is not None) is known
