"""Files that come with a message: which run or case they are for (design §12)."""

from cards.markdown import literal
from cards.showing.view import PartState
from cards.texts import say
from engine.cases.letters import mail_post
from engine.frames.case import CaseAuthor, CaseLetter, CaseName
from engine.frames.intents import Candidate, Intent
from engine.frames.replies import ReplyHead
from engine.frames.shared_files import kept_names
from engine.mail import CaseLetterArrived, FilesJoined
from engine.ports.storage.store import NOTHING, Effects
from engine.runs.run_state import takes_files
from engine.services import Services
from engine.talk.active_runs import unfinished_runs
from engine.talk.mine.cases import cases_here
from engine.talk.mine.facts import cases_of_person
from engine.talk.turn.choice_cards import MAX_CHOICES


async def pass_on_files(
    head: ReplyHead, services: Services, *, is_active: bool
) -> tuple[ReplyHead, Effects]:
    """The head, and what gives the files to what goes on here, or else to the case of the place.

    A run tells its case itself. Of several cases none is taken.
    """
    names, effects = kept_names(head.files), NOTHING
    if is_active:
        runs = await unfinished_runs(head.conversation, services)
        joined = [run for run in runs if await _takes_files(run.digest, services)]
        mail = FilesJoined(names=names).stored()
        effects = Effects(mails=tuple((f"run:{run.id}", mail) for run in joined))
        head = head.model_copy(update={"joined": tuple(run.name for run in joined)})
        if any(run.case for run in joined):
            return head, effects
    here = await cases_here(head, services)
    if len(here.cases) != 1:
        return head, effects
    (case,) = here.cases
    named = case.document.name.key in {entity.id for entity in head.entities}
    head = head.model_copy(update={"cases": (case.title(head.lang),)})
    return head, effects.plus(_letter_effects(case.document.name, head, services, is_shared=named))


async def _takes_files(digest: str, services: Services) -> bool:
    playbook = await services.playbook(digest)
    return playbook is not None and takes_files(playbook)


async def ask_for_case(head: ReplyHead, services: Services) -> Intent | None:
    """Which of the person's cases files without a word are for; None where there is none to ask of.

    A conversation with a case or a request under way has its own.
    """
    if (await cases_here(head, services)).cases:
        return None
    cases = await cases_of_person(head, services)
    candidates = tuple(
        Candidate(kind="case_file", case=case.document.name, name=case.title(head.lang))
        for case in cases[:MAX_CHOICES]
    )
    why = "files without a word, of which the person may say what they are for"
    return Intent(kind="unclear", text="", why=why, candidates=candidates) if candidates else None


async def give_to_case(
    name: CaseName, head: ReplyHead, services: Services
) -> tuple[PartState, str, Effects]:
    """The files become the case's, if it is there and the person may see it."""
    for case in await cases_of_person(head, services):
        if case.document.name == name:
            named = literal(case.title(head.lang))
            text = say("inbox.in_case", head.lang, names=named)
            return "answered", text, _letter_effects(name, head, services, is_shared=True)
    return "failed", say("work.gone", head.lang), NOTHING


def _letter_effects(
    name: CaseName, head: ReplyHead, services: Services, *, is_shared: bool
) -> Effects:
    """The letter that tells the case of the files, once for each message.

    They are `is_shared` when their sender said that they are for this case.
    """
    names, by = kept_names(head.files), head.principal
    letter = CaseLetter(
        case=name,
        key=f"files:{head.id}",
        files=names,
        places=dict.fromkeys(names, head.conversation),
        is_shared=is_shared,
        author=CaseAuthor(by=by.id, name=by.name, at=services.now),
    )
    mail = CaseLetterArrived(letter=letter).stored()
    return Effects(posts=(mail_post(name.lane, mail, f"{head.id}/files"),))
