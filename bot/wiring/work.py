"""The parts of a worker: what handles lanes, what shows messages, and who waits for a model."""

from collections.abc import Callable

from bot.serve.delivery.carriers import (
    ChangeCarrier,
    FindingsCarrier,
    LetterCarrier,
    RepostCarrier,
)
from bot.serve.delivery.delivery import Delivery
from bot.serve.delivery.localizer import Localizer
from bot.serve.delivery.streaming import StreamingDelivery
from bot.serve.work.lanes import NEWER_BUILD_WAIT_S, LaneLoop, NewerBuildPatience
from bot.serve.work.model_queue import ModelLimits, ModelQueue
from bot.serve.work.pulse import Pulse
from bot.wiring.contexts import Adapter
from bot.wiring.service import Parts
from engine.ports.storage.findings import Check
from engine.ports.storage.store import Effects


def build_delivery(parts: Parts) -> Delivery:
    """What shows messages over these parts."""
    settings = parts.settings
    streaming = StreamingDelivery(parts.store.drafts, parts.store.rate, lease_s=settings.lease_s)
    return Delivery(
        parts.store.outbox,
        parts.resources.platforms,
        parts.services.clock,
        carriers=(
            ChangeCarrier(
                parts.store.outbox,
                parts.store.mailbox,
                parts.resources.record,
                lease_s=settings.lease_s,
            ),
            LetterCarrier(parts.store.outbox, parts.store.mailbox),
            FindingsCarrier(parts.store.outbox, parts.store.findings, _former_project(parts)),
            RepostCarrier(
                parts.store.outbox,
                parts.services.decisions,
                parts.store.inbox,
                parts.resources.people,
            ),
        ),
        rate=parts.store.rate,
        localizer=Localizer(parts.resources.people, settings.timezone),
        lease_s=settings.lease_s,
        reply_after_s=settings.reply_after_s,
        meter=parts.telemetry.meter,
        streaming=streaming if settings.streaming else None,
        link=(settings.public_url or "") if settings.has_page else "",
        with_links=parts.resources.file_links.on_message,
    )


def _former_project(parts: Parts) -> Callable[[Check], str]:
    """Where earlier versions kept a check of a playbook with a project of its own.

    It was the conversation's; no other check of that playbook is there.
    """

    def former(check: Check) -> str:
        playbook = parts.reloader.current.snapshot.playbooks.get(check.playbook)
        is_own = playbook is not None and playbook.definition.project == check.project
        return parts.services.project(check.conversation) if is_own else check.project

    return former


def build_lanes(
    parts: Parts, delivery: Delivery, model_queue: ModelQueue, pulse: Pulse
) -> LaneLoop:
    """The lanes, which wake the delivery, and themselves, by what they commit."""

    def typing_platform(conversation: str) -> Adapter | None:
        return parts.resources.platforms.get(conversation.partition(":")[0])

    def on_commit(effects: Effects) -> None:
        if (in_s := effects.shows_in_s) is not None:
            delivery.wake(in_s)
        if effects.mails:
            lanes.wake()

    lanes = LaneLoop(
        parts.store.mailbox,
        parts.handler,
        limit=parts.settings.worker_lanes,
        kept=parts.settings.kept_lanes,
        model_queue=model_queue,
        lease_s=parts.settings.lease_s,
        typing_platform=typing_platform,
        on_commit=on_commit,
        is_shown=delivery.is_idle,
        meter=parts.telemetry.meter,
        pulse=pulse,
        patience=NewerBuildPatience(NEWER_BUILD_WAIT_S, parts.services.clock.elapsed_s),
    )
    return lanes


def build_model_queue(parts: Parts) -> ModelQueue:
    """Limits as they are set, else by the number of places: half of them for one person."""
    settings, places = parts.settings, parts.settings.llm_concurrency
    limits = ModelLimits(
        places=places,
        lanes=settings.llm_lanes or 8 * places,
        per_project=settings.llm_lanes_per_project or 4 * places,
        per_person=settings.llm_lanes_per_person or max(1, places // 2),
    )
    return ModelQueue(
        limits, parts.services.project, parts.services.clock.elapsed_s, parts.telemetry.meter
    )
