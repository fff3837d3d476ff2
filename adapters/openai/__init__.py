"""The model room: any OpenAI-compatible chat-completions server."""

from adapters.openai.client import OpenAIModel
from adapters.openai.limits import RequestFields, TimeLimits

__all__ = ["OpenAIModel", "RequestFields", "TimeLimits"]
