"""Who decides at a review, found out once, when it is asked for (design §7, §11).

Whatever a field, people.yaml or a tool says of it has to be one person of ours who may decide:
else the run is blocked and says why. It never goes to others instead.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cards.clipping import shorten
from cards.deciding.needed import count_given
from cards.markdown import format_value, literal
from cards.model import Lang, NeededVote, Principal, Review
from cards.texts import say
from engine.errors import ToolError
from engine.frames.ends import block_run
from engine.frames.leaves import label_of, value_of
from engine.frames.outcome import Note, StatusChange, StepContext
from engine.frames.state import Run
from engine.frames.tool_values import values_for_tool
from engine.playbooks.review import (
    MANAGER_OF,
    REQUESTER,
    Deciders,
    PersonTool,
    ReviewPolicy,
)
from engine.reviews.limits import is_needed, why_needed

SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True)
class _Voters:
    """Who may give one of the votes: holders of `roles`, or the one among `persons`.

    `names` is how people call them, `why` says in the audit who they are, and by what.
    """

    holders: Sequence[Principal]
    names: str
    why: str
    roles: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()

    def vote(self) -> NeededVote:
        """The vote as a card keeps it."""
        approvers = tuple(each.id for each in self.holders)
        return NeededVote(roles=self.roles, persons=self.persons, approvers=approvers)


@dataclass(frozen=True, slots=True)
class Approvers:
    """Who may decide by a policy at this moment: an entry for each vote that is needed.

    `skipped` says in the audit which further approvals are not needed, and why. Whatever names it,
    it may be nobody but who asked: `is_requester`, who just confirms.
    """

    policy: ReviewPolicy
    votes: tuple[_Voters, ...]
    lang: Lang
    skipped: tuple[str, ...] = ()
    is_requester: bool = False

    @property
    def names(self) -> str:
        """How people call them."""
        return say("list.items", self.lang).join(dict.fromkeys(each.names for each in self.votes))

    def asking_note(self, run: Run) -> Note:
        """What the reply says while they are asked."""
        if self.is_requester:
            return Note("needs_you", say("part.confirm", run.lang, name=run.name))
        roles = literal(self.names)
        return Note("in_review", say("part.in_review", run.lang, name=run.name, roles=roles))

    @property
    def why(self) -> str:
        """Who they are, and by what, for the audit."""
        return "; ".join(dict.fromkeys((*(each.why for each in self.votes), *self.skipped)))

    def review(self) -> Review:
        """The policy as the card keeps it, with who may decide at this moment."""
        policy, needed = self.policy, tuple(each.vote() for each in self.votes)
        return Review(
            roles=_each(vote.roles for vote in needed),
            persons=_each(vote.persons for vote in needed),
            quorum=len(needed),
            four_eyes=policy.four_eyes,
            approvers=_each(vote.approvers for vote in needed),
            decides=policy.decides,
            delegable=policy.hand_over and not self.is_requester,
            remind=policy.remind,
            escalate=policy.escalate,
            execute_s=policy.execute_s,
            may_edit=policy.may_edit,
            needed=needed if len(set(needed)) > 1 else (),
        )


def _each(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for one in lists for each in one))


async def find_approvers(
    policy: ReviewPolicy, involved: Collection[str], context: StepContext
) -> Approvers | StatusChange:
    """Those who may decide now; the run is blocked when there are not enough of them.

    `involved` are ids of the people who have no vote under four eyes.
    """
    found = await _find(policy, context)
    reason = found if isinstance(found, str) else _shortage_text(found, involved, context)
    if reason:
        return block_run(context.run, reason)
    assert not isinstance(found, str), "a text is a reason"
    return found


async def find_told(part: Deciders, context: StepContext) -> tuple[str, ...]:
    """The ids of those whom this names; () where it names nobody of ours."""
    found = await _find_voters(part, context)
    return () if isinstance(found, str) else tuple(each.id for each in found.holders)


async def foresee_shortage(policy: ReviewPolicy, context: StepContext) -> str:
    """What is known by now to leave too few who may decide; "" while that may still be well."""
    always = tuple(part for part in policy.also if part.when is None and not part.above)
    if not all(_is_known(part, context) for part in (policy, *always)):
        return ""
    found = await _find(policy.model_copy(update={"also": always}), context)
    if isinstance(found, str):
        return found
    return _shortage_text(found, context.run.requester.ids, context)


def _is_known(part: Deciders, context: StepContext) -> bool:
    """Whether all is there that says who it is."""
    asked = (path for path in part.read_paths if path.split(".")[0] != REQUESTER)
    return all(value_of(path, context.run.state) is not None for path in asked)


async def _find(policy: ReviewPolicy, context: StepContext) -> Approvers | str:
    """Those whom the policy names; a sentence where it names nobody."""
    first = await _find_voters(policy, context)
    if isinstance(first, str):
        return first
    votes, skipped, state = [first] * policy.quorum, list[str](), context.run.state
    for part in policy.also:
        why = why_needed(part, state)
        if not is_needed(part, state):
            skipped.append(f"not {part.named_by or ', '.join(part.roles)} ({why})")
            continue
        found = await _find_voters(part, context)
        if isinstance(found, str):
            return found
        votes.append(replace(found, why=f"{found.why} ({why})"))
    return Approvers(
        policy, tuple(votes), context.run.lang, tuple(skipped), _is_requester(votes, context.run)
    )


def _is_requester(votes: Sequence[_Voters], run: Run) -> bool:
    """Whether nobody but who asked decides, as a field, people.yaml or a tool may say too."""
    own = run.requester.ids
    return len(votes) == 1 and bool(votes[0].persons) and own.issuperset(votes[0].persons)


async def _find_voters(part: Deciders, context: StepContext) -> _Voters | str:
    """Who may give this vote; a sentence where it is nobody."""
    lang, people = context.run.lang, context.services.people
    if part.person is None:
        names = say("list.items", lang).join(people.role_name(role, lang) for role in part.roles)
        holders = people.holders(part.roles)
        return _Voters(holders, names, ", ".join(part.roles), roles=part.roles)
    found = await _find_person(part.person, context)
    if isinstance(found, str):
        return found
    why = f"{found.id}, by {part.named_by}"
    return _Voters((found,), found.name, why, persons=(found.id,))


async def _find_person(source: str | PersonTool, context: StepContext) -> Principal | str:
    """The person whom a field, the requester's entry or a tool names; else a sentence."""
    lang, requester = context.run.lang, context.run.requester
    if isinstance(source, PersonTool):
        try:
            return await _ask_tool(source, context)
        except ToolError as error:
            reason = error.text(lang)
            return say("approver.tool", lang, tool=literal(source.tool), reason=reason)
    if chain := MANAGER_OF.fullmatch(source):
        found: Principal = requester
        for _ in range(chain[1].count(".")):
            manager = context.services.people.manager_of(found)
            if manager is None:
                return say("approver.no_manager", lang, name=literal(found.name))
            found = manager
        return found
    path = source.removeprefix("$")
    return _listed([value_of(path, context.run.state)], label_of(path, context), context)


async def _ask_tool(source: PersonTool, context: StepContext) -> Principal | str:
    """The person in the tool's answer. Raises ToolError."""
    values = values_for_tool(source.arguments, context)
    tool = context.list_tool(source.tool)
    result = await context.services.call(tool, values, context.tool_context())
    return _listed(_column(result, source.column), source.tool, context)


def _column(result: Any, column: str) -> list[Any]:
    """What stands in a column of the answer, or of each of its rows."""
    rows = result.get("rows", [result]) if isinstance(result, Mapping) else result
    rows = rows if isinstance(rows, list | tuple) else ()
    return [row.get(column) for row in rows if isinstance(row, Mapping)]


def _listed(values: Sequence[Any], source: str, context: StepContext) -> Principal | str:
    """The one person whom these values name; a sentence where they name none of ours."""
    lang, source = context.run.lang, literal(source)
    named = {format_value(v).strip() for v in values if isinstance(v, str | int)} - {""}
    if not named:
        return say("approver.empty", lang, source=source)
    if len(named) > 1:
        return say("approver.several", lang, source=source, n=len(named))
    (handle,) = named
    found = context.services.people.find_listed(handle)
    value = literal(shorten(handle, SHOWN_CHARS))
    return found or say("approver.nobody", lang, source=source, value=value)


def _shortage_text(found: Approvers, involved: Collection[str], context: StepContext) -> str:
    """Why those who may decide cannot give every vote; "" when they can."""
    policy, lang = found.policy, context.run.lang
    able: dict[str, list[int]] = {}
    for number, vote in enumerate(found.votes):
        left = [p for p in vote.holders if not (policy.four_eyes and p.ids.intersection(involved))]
        if not left:
            return _nobody_text(vote, lang)
        for person in left:
            able.setdefault(person.id, []).append(number)
    given = count_given([tuple(numbers) for numbers in able.values()])
    if given >= len(found.votes):
        return ""
    roles, quorum = literal(found.names), len(found.votes)
    return say("run.too_few", lang, n=given, roles=roles, quorum=quorum)


def _nobody_text(vote: _Voters, lang: Lang) -> str:
    if vote.persons:
        return say("approver.involved", lang, name=literal(vote.names))
    key = "run.only_requester" if vote.holders else "run.no_approver"
    return say(key, lang, roles=literal(vote.names))
