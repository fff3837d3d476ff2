"""The model room: any OpenAI-compatible chat-completions server."""

from adapters.openai.client import OpenAIModel

__all__ = ["OpenAIModel"]
