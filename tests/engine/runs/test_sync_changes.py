"""Changes for the system of record: at least once, in order, one under way (spec 003, Sync)."""

from typing import Any

from cards.deciding.decision import DecidedCard, decide
from cards.model import Vote
from engine.frames.state import Run
from engine.mail import CardDecided, ChangeSynced, RunResumed, SyncFailed
from engine.ports.systems.sync import Change
from engine.runs.sync_changes import unsent_posts
from tests.engine.skills.test_reviewed_card import reviewed
from tests.fakes.matter import playbook
from tests.fakes.scripted_model import ScriptedModel, output
from tests.fakes.walk import CHEN, NOW, Walk, new_run

MATTER = playbook()
FACTS = output(profile={"summary": "unpaid"}, data={"amount": 500})
CAUSES = output(data={"causes": [{"cause": "sale", "basis": "595"}]})
PLAN = output(data={"plan": "sue"})


class ByGoal:
    """Answers each skill by what it is asked to do."""

    def __init__(self, **more: Any) -> None:
        self.by = {"Gather": FACTS, "Recommend": CAUSES, "Plan": PLAN, **more}

    async def complete(self, messages: Any, **asked: Any) -> Any:
        goal = messages[0].content.split()[0]
        return await ScriptedModel([self.by[goal]] * 50).complete(messages, **asked)


def walk() -> Walk:
    return Walk(MATTER, new_run(MATTER), ByGoal())


def sent(walk: Walk) -> list[Change]:
    return [Change.model_validate_json(p.body) for p in walk.posts if p.kind == "sync"]


def posts(walk: Walk) -> list[Any]:
    return [post for post in walk.posts if post.kind == "sync"]


async def at_choice() -> Walk:
    """The first skill has run, its change is under way; the person is asked to choose."""
    return await walk().start()


async def test_after_a_skill_its_changed_fields_are_sent() -> None:
    found = await at_choice()
    (change,) = sent(found)
    assert change == Change(
        run="00-run1",
        playbook="matter",
        conversation="web:local:room",
        requester="lin",
        to="sample",
        project=MATTER.definition.project,
        number=1,
        by="matter-intake",
        by_kind="skill",
        at=NOW,
        fields={"profile.summary": "unpaid", "amount": 500},
    )
    assert change.key == "00-run1:sync:1"
    (post,) = posts(found)
    assert (post.conversation, post.row) == ("sync:00-run1", "00-run1/sync/1.1")
    assert found.run.outgoing == (change,)


async def test_the_next_change_waits_for_the_one_under_way_and_has_only_what_is_new() -> None:
    found = await at_choice()
    await found.answer("1")
    assert len(sent(found)) == 1
    assert [c.number for c in found.run.outgoing] == [1, 2]
    await found.tell(ChangeSynced(number=1))
    assert [c.number for c in sent(found)] == [1, 2]
    second = sent(found)[1]
    assert (second.by, second.by_kind) == ("lin", "person")
    (decided,) = second.decided
    assert (decided.about, decided.choice, decided.option) == ("cause-recommendation", "1", "sale")
    assert [vote.person for vote in decided.votes] == ["lin"]
    assert found.run.decided == ()
    assert second.fields == {"cause": "sale", "decisions.cause_confirmed": True}
    assert [c.number for c in found.run.outgoing] == [2]


async def test_decisions_are_told_with_all_who_voted_and_why_with_the_next_change() -> None:
    matter = reviewed("cause-recommendation")
    found = await Walk(matter, new_run(matter), ByGoal()).start()
    back = found.card.choices[-1]
    assert back.label == "Send back"
    told = list[str]()
    found.on_step = lambda run: told.append(run.part.text)
    await found.answer(back.id, {"reason": "neither\u202e"}, by=CHEN)
    assert len(sent(found)) == 1, "nothing changed by that"
    assert "Chen Bo rejected it: neither⟨U+202E⟩" in "\n".join(told), "they read what is not seen"
    earlier = Vote(person="wu", name="Wu Min", choice="1", at=NOW)
    two = found.card.model_copy(
        update={
            "votes": (earlier,),
            "review": found.card.review.model_copy(update={"quorum": 2}),
        }
    )
    verdict = decide(two, CHEN, "1", NOW, revision=two.revision)
    assert isinstance(verdict, DecidedCard)
    await found.tell(CardDecided(card=two.token, decision=verdict.decision))
    change = found.run.outgoing[-1]
    first, second = change.decided
    assert (first.choice, first.reason) == (back.id, "neither\u202e"), "as it was written"
    assert [vote.reason for vote in first.votes] == ["neither\u202e"]
    assert (second.choice, second.option) == ("1", "sale")
    assert [(vote.person, vote.name) for vote in second.votes] == [
        ("wu", "Wu Min"),
        ("chen", "Chen Bo"),
    ]
    older = {name: v for name, v in change.model_dump(mode="json").items() if name[:2] != "by"}
    older = {**older, "by": "chen"}
    del older["decided"]
    assert Change.model_validate(older).decided == ()


async def test_the_same_news_twice_and_news_of_another_change_are_nothing() -> None:
    found = await at_choice()
    await found.answer("1")
    await found.tell(ChangeSynced(number=1))
    before = found.run
    for number in (1, 3, 0):
        stepped = await found.tell(ChangeSynced(number=number))
        assert stepped.effects.runs == ()
    assert found.run == before


async def test_a_run_is_complete_only_when_everything_was_taken() -> None:
    found = await at_choice()
    await found.answer("1")
    await found.answer("confirm")
    assert (found.run.status, found.run.finished) == ("suspended", True)
    assert found.run.part.state == "working"
    assert "being written to the system of record" in found.run.part.text
    await found.tell(ChangeSynced(number=1))
    assert found.run.status == "suspended"
    stepped = await found.tell(ChangeSynced(number=2))
    assert (found.run.status, found.run.part.state) == ("completed", "done")
    assert stepped.effects.runs[0].ended == "completed"
    assert "plan" not in {path for change in sent(found) for path in change.fields}


async def test_everything_taken_before_the_end_completes_at_once() -> None:
    found = await at_choice()
    await found.tell(ChangeSynced(number=1))
    await found.answer("1")
    await found.tell(ChangeSynced(number=2))
    await found.answer("confirm")
    assert (found.run.status, found.run.finished) == ("completed", True)


async def test_news_of_a_taken_change_does_not_disturb_an_open_card() -> None:
    found = await at_choice()
    card = found.card
    await found.tell(ChangeSynced(number=1))
    assert (found.run.status, found.card) == ("suspended", card)
    await found.answer("1")
    assert found.run.state.data["cause"] == "sale"


async def test_a_refusal_blocks_the_run_for_an_operator_and_keeps_the_mail() -> None:
    found = await at_choice()
    refusal = SyncFailed(number=1, attempt=1, reason="no <such> field")
    stepped = await found.tell(refusal)
    assert stepped.park
    assert found.run.status == "blocked"
    assert r"no \<such\> field" in found.run.part.text
    assert found.log[-1]["mail"]["reason"] == "no <such> field"
    assert found.run.waiting, "the card stays"
    card = found.card
    parked = await found.tell(ChangeSynced(number=1))
    assert parked.park
    assert parked.effects.runs == ()

    await found.tell(RunResumed())
    assert found.run.status == "suspended"
    assert [(c.number, c.attempt) for c in sent(found)] == [(1, 1), (1, 2)]
    assert sent(found)[1].key == sent(found)[0].key, "a repeat changes nothing there"
    # The refusal that was kept is about the attempt before.
    again = await found.tell(refusal)
    assert (again.park, found.run.status) == (False, "suspended")
    await found.tell(ChangeSynced(number=1))
    assert (found.card, found.run.outgoing) == (card, ())


async def test_a_refusal_of_the_last_change_keeps_the_run_from_its_end_until_it_is_taken() -> None:
    found = await at_choice()
    await found.tell(ChangeSynced(number=1))
    await found.answer("1")
    await found.answer("confirm")
    await found.tell(SyncFailed(number=2, attempt=1, reason="no"))
    assert (found.run.status, found.run.finished) == ("blocked", True)
    await found.tell(RunResumed())
    assert found.run.status == "suspended"
    await found.tell(ChangeSynced(number=2))
    assert found.run.status == "completed"


async def test_old_refusals_and_refusals_after_the_end_change_nothing() -> None:
    found = await at_choice()
    await found.tell(SyncFailed(number=1, attempt=2, reason="no"))
    await found.tell(SyncFailed(number=2, attempt=1, reason="no"))
    assert found.run.status == "suspended"
    await found.answer("withdraw")
    ended = found.run
    await found.tell(SyncFailed(number=1, attempt=1, reason="no"))
    assert found.run == ended


async def test_a_field_that_is_as_it_was_is_not_sent_again_and_one_that_went_is() -> None:
    found = await at_choice()
    await found.tell(ChangeSynced(number=1))
    state = found.run.state.model_copy(update={"data": {}})
    frames = (found.run.frames[0].model_copy(update={"phase": "intake"}),)
    found.run = found.run.model_copy(
        update={"state": state, "frames": frames, "waiting": (), "status": "running"}
    )
    found.model = ByGoal(Gather=output(profile={"summary": "unpaid"}))
    profile = {k: v for k, v in found.run.state.profile.items() if k != "intake_status"}
    state = found.run.state.model_copy(update={"profile": profile})
    found.run = found.run.model_copy(update={"state": state})
    await found.start()
    assert sent(found)[1].fields == {"amount": None}


async def test_a_playbook_without_a_system_of_record_sends_nothing() -> None:
    definition = MATTER.definition.model_copy(update={"sync": None})
    alone = MATTER.model_copy(update={"definition": definition})
    found = await Walk(alone, new_run(alone), ByGoal()).start()
    await found.answer("1")
    await found.answer("confirm")
    assert (found.run.status, posts(found), found.run.changes) == ("completed", [], 0)


async def test_what_is_under_way_survives_being_stored() -> None:
    found = await at_choice()
    await found.answer("1")
    assert Run.model_validate_json(found.run.stored()).outgoing == found.run.outgoing
    shaken = Walk(MATTER, new_run(MATTER), ByGoal(), crashing=True)
    await shaken.start()
    await shaken.answer("1")
    assert shaken.run == found.run


async def test_a_run_that_ends_otherwise_still_hands_over_what_its_skills_changed() -> None:
    found = await at_choice()
    await found.answer("1")
    assert [c.number for c in found.run.outgoing] == [1, 2]
    await found.answer("withdraw")
    assert found.run.status == "stopped"
    assert "has gone to the system of record" in found.run.part.text
    assert [c.number for c in sent(found)] == [1, 2], "nobody hears of the first one any more"


async def test_a_cancelled_run_still_hands_over_what_its_skills_changed() -> None:
    found = await at_choice()
    await found.answer("1")
    assert [post.row for post in unsent_posts(found.run)] == ["00-run1/sync/2.1"]
    assert unsent_posts(new_run(MATTER)) == ()
