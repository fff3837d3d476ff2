"""Judges fields of a form before all of it is sent, where they are asked one by one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.people.directory import Directory
from bot.serve.intake.form_files import FindFormFiles
from cards.buttons import BadButton, Button
from cards.forms import check_form
from cards.model import Card, Principal
from engine.errors import StoreError
from engine.events import FormSubmitted
from engine.ports.storage.store import Decisions
from engine.reviews.answer import day_at, entered_values
from engine.reviews.form_facts import form_facts, with_days
from engine.text.entity_kinds import Entities
from engine.time_limit import allow_seconds

WITHIN_S = 2.0


@dataclass(frozen=True, slots=True)
class FieldChecks:
    """Judges them by what the whole form would be judged by; nothing is decided or stored."""

    decisions: Decisions
    people: Directory
    zone: str
    entities: Callable[[Card, Principal], Entities]
    form_files: FindFormFiles

    async def __call__(self, form: FormSubmitted) -> Mapping[str, str]:
        """Return a sentence for each field that is given and wrong.

        None where that cannot be told in time: the whole form is judged when it is sent.
        """
        try:
            async with allow_seconds(WITHIN_S):
                return await self._faults(form)
        except (BadButton, StoreError, TimeoutError):
            return {}

    async def _faults(self, form: FormSubmitted) -> Mapping[str, str]:
        button, person = Button.unpack(form.button), self.people.principal(form.actor)
        found = await self.decisions.card(button.token)
        choice = found.card.choice(button.choice) if found else None
        if found is None or choice is None:
            return {}
        card, values = found.card, entered_values(form)
        here, today = self.people.scope_of(card), day_at(found.now, self.zone)
        if here.refresh(person).id != person.id:
            return {}
        files = await self.form_files(form, card)
        facts = form_facts(here, today, self.entities(card, person), files)
        given = [field for field in choice.form if field.name in values]
        values = with_days(given, values, today)
        return check_form(given, values, person.lang or card.lang, facts)[1]
