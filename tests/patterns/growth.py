"""Whether a backtracking matcher needs steps in proportion to the text, proved and counted.

The matcher goes every run of the automaton before it gives up, so its steps are the runs. Their
number stays in proportion to the text unless one of two shapes stands in the automaton (Weber and
Seidl, "On the degree of the ambiguity of finite automata", 1991):

- a place that comes back to itself in two ways over one text: every round doubles the runs;
- a place that comes back to itself over a text over which it also comes to another place that
  comes back to itself: every round adds a run. A search is such a place: it begins anew everywhere.

A run that has reached the end of the pattern has won, so what it could still read costs once.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Literal, TypeVar

from tests.patterns.automaton import Automaton, Way

State = tuple[int, int]
"""A place, and the kind of character that it read last."""
Kinds = list[int]
"""A text, as the numbers of its characters' kinds."""
Group = dict[State, dict[int, list[State]]]
"""States, and the moves inside of their group by what they read."""
Three = tuple[State, State, State]
Method = Literal["search", "match", "fullmatch"]
T = TypeVar("T")
ROUNDS = 12
"""From so many loops of a pattern texts are made."""


class Graph:
    """What an automaton can do: its states, the moves between them, and those that have won.

    `search` (and `sub`, `split` …) begins anew behind every character. In `fullmatch` the whole
    text has to match, so that no run has won before its end.
    """

    def __init__(self, made: Automaton, method: Method) -> None:
        # Graphs of several methods share an automaton; a search adds a place to its own.
        self.made = made = replace(made, reads=[*made.reads], ways=[*made.ways])
        self._method = method
        self._moves: Group = {}
        self._won: dict[State, bool] = {}
        self._before: dict[int, list[int]] | None = None
        self._rounds: list[Group] | None = None
        self.again: int | None = None
        if method == "search":
            kinds = (1 << len(made.symbols)) - 1
            self.again = made.place(kinds)
            made.ways[self.again] = [Way(self.again, made.any, made.any), *made.first]
        self._read = [_targets(made, ways) for ways in made.ways]
        self._begin = self._begins()

    def begin(self) -> dict[int, list[State]]:
        """The moves from the text's begin, by what they read."""
        return self._begin

    def _begins(self) -> dict[int, list[State]]:
        found = _allowed(_targets(self.made, self.made.first), self.made.begin)
        if self.again is not None:
            for kind in range(len(self.made.symbols)):
                found.setdefault(kind, []).append((self.again, kind))
        return found

    def moves(self, state: State) -> dict[int, list[State]]:
        """The moves from a state, by what they read."""
        if state not in self._moves:
            place, kind = state
            self._moves[state] = _allowed(self._read[place], 1 << kind)
        return self._moves[state]

    def has_won(self, state: State) -> bool:
        """Whatever follows, the pattern matches here."""
        if self._method == "fullmatch":
            return False
        if state not in self._won:
            self._won[state] = self._wins(state)
        return self._won[state]

    def _wins(self, state: State) -> bool:
        after, every = 0, self.made.any & ~self.made.begin
        for way in self.made.last:
            if way.place == state[0] and way.before & (1 << state[1]):
                after |= way.after
        return after & every == every

    def leading_to(self, place: int) -> set[int]:
        """The places from which there is a way to this one, and itself."""
        if self._before is None:
            self._before = {}
            for number, ways in enumerate(self.made.ways):
                for way in ways:
                    self._before.setdefault(way.place, []).append(number)
        found, todo = {place}, [place]
        while todo:
            for before in self._before.get(todo.pop(), ()):
                if before not in found:
                    found.add(before)
                    todo.append(before)
        return found

    def rounds(self) -> list[Group]:
        """The groups of states that come back to themselves, with the moves inside of each."""
        if self._rounds is None:
            self._rounds = self._find_rounds()
        return self._rounds

    def _find_rounds(self) -> list[Group]:
        places = {n: [way.place for way in ways] for n, ways in enumerate(self.made.ways)}
        near = {place: n for n, group in enumerate(_components(places)) for place in group}
        inside = {
            state: [
                t for into in self.moves(state).values() for t in into if near.get(t[0]) == number
            ]
            for place, number in near.items()
            for state in _states(place, self.made.reads[place])
        }
        return [self._within(group) for group in _components(inside)]

    def losing(self, group: Iterable[State]) -> list[Group]:
        """The groups inside of a group that come back without having won."""
        lost = {state for state in group if not self.has_won(state)}
        kept = {s: [t for into in self.moves(s).values() for t in into if t in lost] for s in lost}
        return [self._within(inner) for inner in _components(kept)]

    def _within(self, group: set[State]) -> Group:
        return {
            state: {
                kind: kept
                for kind, into in self.moves(state).items()
                if (kept := [target for target in into if target in group])
            }
            for state in group
        }

    def text(self, states: Iterable[State]) -> str:
        """The characters that the states read."""
        return "".join(self.made.symbols[kind] for _, kind in states)


def more_than_linear(graph: Graph) -> str | None:
    """A text that costs more than in proportion to its length when repeated; None if none does."""
    rounds = graph.rounds()
    losing = [inner for group in rounds for inner in graph.losing(group)]
    for inner in losing:
        if found := _doubling(inner):
            return f"exponential in {graph.text(found)!r}"
    for inner in losing:
        if found := _adding(graph, rounds, inner):
            return f"more than linear in {graph.text(found)!r}"
    return None


def steps(graph: Graph, text: Kinds) -> list[int]:
    """The steps of all runs over the text up to behind each of its characters.

    Each run goes on until it fails, has won, or the text ends.
    """
    counts, count = [0], 0
    runs: dict[State, int] = {}
    for number, kind in enumerate(text):
        after: dict[State, int] = {}
        begun = graph.begin().get(kind, ()) if number == 0 else ()
        for state in begun:
            after[state] = after.get(state, 0) + 1
        for state, many in runs.items():
            for target in graph.moves(state).get(kind, ()):
                after[target] = after.get(target, 0) + many
        count += sum(after.values())
        counts.append(count)
        runs = {state: many for state, many in after.items() if not graph.has_won(state)}
    return counts


def pumps(graph: Graph) -> Iterator[Kinds]:
    """The texts over which the pattern's loops come back, each the shortest of its loop."""
    for group in graph.rounds()[:ROUNDS]:
        for start in list(group)[:2]:
            if way := _back(group, start):
                yield [kind for _, kind in way]


def strolls(graph: Graph, chance: random.Random, length: int) -> Kinds:
    """A text of what the pattern reads, one of its ways after the other."""
    text: Kinds = []
    moves = graph.begin()
    while len(text) < length:
        # A search goes on into the pattern rather than past it.
        steps_ = [t for into in moves.values() for t in into if t[0] != graph.again]
        targets = steps_ or [t for into in graph.begin().values() for t in into]
        if not targets:
            return text
        state = chance.choice(targets)
        text.append(state[1])
        moves = graph.moves(state)
    return text


def _targets(made: Automaton, ways: Sequence[Way]) -> dict[int, list[tuple[int, int]]]:
    """By what is read: the places that read it, and before which kinds they may."""
    found: dict[int, list[tuple[int, int]]] = {}
    for way in ways:
        for _, kind in _states(way.place, way.after & made.reads[way.place]):
            found.setdefault(kind, []).append((way.place, way.before))
    return found


def _allowed(targets: dict[int, list[tuple[int, int]]], before: int) -> dict[int, list[State]]:
    return {
        kind: kept
        for kind, into in targets.items()
        if (kept := [(place, kind) for place, after in into if after & before])
    }


def _states(place: int, reads: int) -> Iterator[State]:
    while reads:
        bit = reads & -reads
        yield place, bit.bit_length() - 1
        reads ^= bit


def _components(moves: dict[T, list[T]]) -> list[set[T]]:
    """The strongly connected components that hold a cycle (Tarjan, without recursion)."""
    index: dict[T, int] = {}
    low: dict[T, int] = {}
    stack: list[T] = []
    standing: set[T] = set()
    groups: list[set[T]] = []
    work: list[tuple[T, Iterator[T]]] = []

    def enter(node: T) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        standing.add(node)
        work.append((node, iter(moves[node])))

    for root in moves:
        if root not in index:
            enter(root)
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in index:
                    enter(target)
                    break
                if target in standing:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    group = {node}
                    while (last := stack.pop()) != node:
                        group.add(last)
                    standing -= group
                    if len(group) > 1 or node in moves[node]:
                        groups.append(group)
    return groups


def _doubling(group: Group) -> list[State] | None:
    """A round over which one state of the group comes back in two ways."""
    came: dict[tuple[State, State], tuple[State, State] | None] = {}
    for moves in group.values():
        for targets in moves.values():
            if len(targets) != len(set(targets)):
                return targets[:1]
            came |= {(a, b): None for a in targets for b in targets if a < b}
    todo = list(came)
    while todo:
        pair = todo.pop()
        one, other = group[pair[0]], group[pair[1]]
        for kind in one.keys() & other.keys():
            for a, b in ((a, b) for a in one[kind] for b in other[kind]):
                after = (min(a, b), max(a, b))
                if after not in came:
                    came[after] = pair
                    todo.append(after)
                if a == b:
                    return [state for state, _ in _trail(came, after)]
    return None


def _adding(
    graph: Graph,
    rounds: list[Group],
    losing: Group,
) -> list[State] | None:
    """A round over which a state comes back and comes to one of `losing`, which comes back too."""
    for around in rounds:
        by_place: dict[tuple[int, int], list[Three]] = {}
        for p in around:
            for q in losing:
                if p[1] == q[1] and p != q:
                    by_place.setdefault((p[0], q[0]), []).append((p, p, q))
        for (_, place), starts in by_place.items():
            leading = graph.leading_to(place)
            # All at once first: most of them meet nothing.
            if _meets(graph, around, losing, starts, leading):
                for start in starts:
                    if found := _meets(graph, around, losing, [start], leading):
                        return found
    return None


def _meets(
    graph: Graph,
    around: Group,
    losing: Group,
    starts: list[Three],
    leading: set[int],
) -> list[State] | None:
    """The text over which p comes to p, p to q, and q to q: three runs that read the same.

    The second is followed only through the places that are `leading` to q.
    """
    goals = {(p, q, q) for p, _, q in starts}
    came: dict[Three, Three | None] = dict.fromkeys(starts)
    todo = list(starts)
    while todo:
        three = todo.pop()
        first, second, third = around[three[0]], graph.moves(three[1]), losing[three[2]]
        for kind in third.keys() & first.keys() & second.keys():
            near = [state for state in second[kind] if state[0] in leading]
            for after in product(first[kind], near, third[kind]):
                if after not in came:
                    came[after] = three
                    if after in goals:
                        return [state for _, _, state in _trail(came, after)][1:]
                    todo.append(after)
    return None


def _back(group: Group, start: State) -> list[State]:
    """The shortest way from a state back to it."""
    came: dict[State, State | None] = {}
    todo = [start]
    for state in todo:
        for target in (t for into in group[state].values() for t in into):
            if target not in came:
                came[target] = None if state == start else state
                todo.append(target)
            if target == start:
                came[start] = None if state == start else state
                return _trail(came, start) if came[start] != start else [start]
    return []


def _trail(came: dict[T, T | None], last: T) -> list[T]:
    trail = [last]
    while (before := came[trail[-1]]) is not None:
        trail.append(before)
    return trail[::-1]
