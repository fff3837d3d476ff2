"""The lane of a case: one letter after the other (design §12)."""

from engine.cases.letters import mail_post
from engine.cases.merge import take_letter
from engine.frames.case import CaseDocument, CaseLetter
from engine.mail import CaseAnswered
from engine.ports.storage.store import Effects


def handle_letter(letter: CaseLetter, stored: str, *, keep_s: float) -> Effects:
    """The case with what the letter says, kept for `keep_s` seconds, and the answer to its run.

    Raises pydantic's ValidationError for a case that no version of us wrote.
    """
    document = CaseDocument.model_validate_json(stored) if stored else None
    after, answer = take_letter(document, letter)
    if letter.run is None:
        # A system of record is not answered: it hears of changes as of any.
        return Effects(session=after.stored(), session_keep_s=keep_s)
    mail = CaseAnswered(answer=answer).stored()
    post = mail_post(f"run:{letter.run.id}", mail, f"{letter.row}/answer")
    return Effects(session=after.stored(), session_keep_s=keep_s, posts=(post,))
