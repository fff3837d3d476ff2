"""A tap on the button that cancels a run: done at once, as the run may be anywhere (design §3)."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError

from bot.people.directory import Directory
from cards.deciding.codes import RefusalCode
from cards.model import Lang, Principal
from cards.texts import say
from engine.errors import StaleWrite, StoreUnavailable
from engine.events import CardTapped, ConfirmWanted, DirectAnswer, FormSubmitted, Outcome
from engine.frames import audit
from engine.frames.ends import end_of, with_stored_status
from engine.frames.state import Run
from engine.ports.storage.store import Decisions, Effects
from engine.talk.active_runs import read_runs
from engine.talk.cancellation import cancel_effects, may_cancel
from engine.talk.mine.cancel_button import cancel_question, plain_title

_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class CancelTaps:
    """Cancels the run whose button was tapped; a repeated tap gets the first answer."""

    decisions: Decisions
    people: Directory
    now: Callable[[], datetime]

    async def take(
        self, update: CardTapped | FormSubmitted, tapper: Principal, run_id: str
    ) -> Outcome:
        """What the tap came to. Raises StoreUnavailable."""
        for _ in range(_ATTEMPTS):
            run = await self._read(run_id)
            person = self._as_known_there(run, tapper)
            if run is None or person is None or not may_cancel(run, person):
                told = say("cancel.not_yours", tapper.lang or "en")
                return DirectAnswer(told, ok=False, code="not_allowed")
            lang = tapper.lang or run.lang
            if (end := end_of(run)) is not None:
                state, name = say(f"end.{end}", lang), plain_title(run)
                over = say("cancel.over", lang, name=name, state=state)
                code: RefusalCode = "cancelled" if end == "cancelled" else "closed"
                return await self._answer_once(update, run, over, Effects(), code)
            if isinstance(update, CardTapped) and not update.confirmed:
                return ConfirmWanted(cancel_question(run, lang))
            try:
                return await self._cancel(update, run, person, lang)
            except StaleWrite:
                continue
        raise StoreUnavailable(f"run {run_id} kept changing")

    async def _read(self, run_id: str) -> Run | None:
        found = await self.decisions.run(run_id)
        try:
            run = Run.model_validate_json(found[0]) if found else None
        except ValidationError:
            return None
        if run is None or found is None or run.parent:
            return None
        return with_stored_status(run, found[1])

    def _as_known_there(self, run: Run | None, person: Principal) -> Principal | None:
        """The person with their roles in the run's conversation; None where they are a stranger."""
        if run is None:
            return None
        scoped = self.people.scope_to(run.conversation, run.project or None).refresh(person)
        return scoped if scoped.id == person.id else None

    async def _cancel(
        self, update: CardTapped | FormSubmitted, run: Run, person: Principal, lang: Lang
    ) -> Outcome:
        others = read_runs(await self.decisions.active_runs(run.conversation))
        where = audit.origin_facts(update.conversation)
        origin = {"by": person.id, **where, "update": update.id}
        effects = cancel_effects(run, others, origin=origin, now=self.now())
        done = say("cancel.done", lang, name=plain_title(run))
        return await self._answer_once(update, run, done, effects)

    async def _answer_once(
        self,
        update: CardTapped | FormSubmitted,
        run: Run,
        text: str,
        effects: Effects,
        code: RefusalCode | None = None,
    ) -> Outcome:
        """Store the effects, and return the answer that a repeated tap gets too."""
        told = {"text": text, "ok": bool(effects.cancels), "code": code}
        answer = json.dumps(told, ensure_ascii=False)
        stored = json.loads(
            await self.decisions.decide(run.id, update_id=update.id, answer=answer, effects=effects)
        )
        return DirectAnswer(stored["text"], ok=stored["ok"], code=stored.get("code"))
