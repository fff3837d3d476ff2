"""The model that the settings name."""

from contextlib import AsyncExitStack

from bot.settings import Settings
from engine.ports.model import Model
from engine.ports.settings import secret_text
from engine.ports.storage.model_numbers import ModelObserver


def open_model(
    settings: Settings, stack: AsyncExitStack, observer: ModelObserver | None = None
) -> Model | None:
    """The model, which closes with `stack`; None where none is set."""
    if settings.llm_model is None:
        return None
    # A fifth of what a process loads at its start: only for who has a model.
    from adapters.openai import OpenAIModel, RequestFields, TimeLimits

    model = OpenAIModel(
        api_key=secret_text(settings.openai_api_key),
        base_url=settings.openai_base_url or "",
        model=settings.llm_model,
        fallbacks=settings.llm_fallback_models,
        concurrency=settings.llm_concurrency,
        prices=settings.llm_prices,
        observer=observer,
        limits=TimeLimits(
            settings.llm_first_token_s, settings.llm_between_tokens_s, settings.llm_total_s
        ),
        fields=RequestFields(settings.llm_request_fields),
        streams=settings.streaming,
        thoughts=settings.llm_thoughts,
    )
    stack.push_async_callback(model.close)
    return model
