"""What comes in from platforms, and what they ask while somebody writes."""

from adapters.redis.repositories.platform_texts import RedisExpiringTexts
from bot.serve.intake.admissions import AdmissionRequests
from bot.serve.intake.field_checks import FieldChecks
from bot.serve.intake.filters import OverheardFilter, RateLimitFilter, RepeatedAnswerFilter
from bot.serve.intake.form_files import FormFilesFinder
from bot.serve.intake.intake import Intake
from bot.serve.work.handler import MailHandler
from bot.settings import Settings
from bot.telemetry.instrumentation import MeteredIntake
from bot.wiring.resources import Resources
from bot.wiring.store import StorePorts
from engine.ports.platform import SupportsExamples, SupportsFieldChecks


def answer_platforms(
    settings: Settings, store: StorePorts, resources: Resources, handler: MailHandler
) -> None:
    """What platforms ask of the service."""
    _offer_examples(resources, handler)
    _offer_field_checks(settings, store, resources, handler)


def _offer_examples(resources: Resources, handler: MailHandler) -> None:
    """Platforms that show what may be asked show what their reader may."""
    for platform in resources.platforms.values():
        if isinstance(platform, SupportsExamples):
            platform.suggest_from(handler.suggest_examples)


def _offer_field_checks(
    settings: Settings, store: StorePorts, resources: Resources, handler: MailHandler
) -> None:
    """Platforms that ask a form's fields one by one have each judged at once."""
    files = _form_files(settings, resources, handler).find
    entities, people = handler.entities_on, resources.people
    check = FieldChecks(store.decisions, people, settings.timezone, entities, files)
    for platform in resources.platforms.values():
        if isinstance(platform, SupportsFieldChecks):
            platform.check_fields_by(check)


def _form_files(settings: Settings, resources: Resources, handler: MailHandler) -> FormFilesFinder:
    return FormFilesFinder(
        resources.files,
        handler.file_scope_of,
        kinds=settings.file_types,
        largest_mb=settings.file_max_mb,
    )


def build_intake(
    settings: Settings,
    store: StorePorts,
    resources: Resources,
    handler: MailHandler,
) -> OverheardFilter:
    """Where updates go: what may not pass is answered before it is stored."""
    people, clock = resources.people, handler.services.clock
    intake = Intake(
        store.mailbox,
        store.decisions,
        people,
        settings.timezone,
        store.inbox,
        store.arrivals,
        clock.now,
        AdmissionRequests(people, store.mailbox, store.numbers, store.rate),
        handler.help_text,
        handler.entities_on,
        _form_files(settings, resources, handler).find,
        handler.refresh_projects,
    )
    metered = MeteredIntake(
        RepeatedAnswerFilter(
            RateLimitFilter(
                intake, clock, per_minute=settings.messages_per_min, repeated=intake.repeated
            ),
            RedisExpiringTexts(store.scripts),
            clock,
        ),
        handler.services.meter,
        clock,
        spans=handler.spans,
        texts=settings.log_texts,
    )
    return OverheardFilter(metered, store.decisions, people, store.arrivals)
