"""Our errors; edges translate foreign ones into these once.

BotError                       retryable = False
├── Rejected                   inbound refused, 4xx: BadSignature, BadPayload
├── PlatformError              RateLimited(retry_after_s)*, Unavailable*, Gone, Forbidden,
│                              TooLarge(limit_mb)
├── ModelError                 NoModel, ModelUnavailable*: AnswerBroken,
│                              AllowanceUsedUp, BadModelOutput, ModelRefused
├── ToolError                  ToolRetry(hint: the model may fix its arguments),
│                              ToolFailed(key): ToolReported(words of an outside server),
│                              SystemFault(words of a driver)
├── SyncRefused                the system of record does not take a change; an operator is needed
├── StoreError                 LeaseLost*, StaleWrite*, StoreUnavailable*, Overloaded*, NewerState
├── BudgetExceeded             a run used up its answers of the model
├── ModelQueueFull(retry_in_s)* a lane may not wait for a model in this process now
└── DefinitionError            playbook, skill, SOP, people, settings; at load time only
`*` retryable: the worker looks at nothing else.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cards.model import Lang

MODEL_REST_S: Final = 30.0
"""How long a model that fails again and again is left alone."""


_AWAY: Final = frozenset(
    {
        "connection.away",
        "connection.slow",
        "connection.busy",
        "connection.fault",
        "connection.no_writes",
        "tool.package_busy",
    }
)


def _say(key: str, lang: "Lang", /, **values: object) -> str:
    # What looks after the embedded server has errors of ours, but no texts.
    from cards.texts import say

    return say(key, lang, **values)


class BotError(Exception):
    """Root of every error of ours."""

    retryable = False


class Rejected(BotError):
    """An inbound request is refused; nothing was stored. `status` is the HTTP status to answer."""

    status = 400


class BadSignature(Rejected):
    """The signature or secret is wrong or too old."""

    status = 401


class BadPayload(Rejected):
    """The body is not what the platform sends."""


class PlatformError(BotError):
    """A platform did not take what we sent; `begun` when it took some of it before."""

    begun = False


class RateLimited(PlatformError):
    """The platform asks to wait `retry_after_s` seconds; it concerns one destination."""

    retryable = True

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Unavailable(PlatformError):
    """5xx, time-out or no connection; the message may or may not have been shown."""

    retryable = True


class Gone(PlatformError):
    """The chat or message is not there any more; trying again cannot help."""


class Forbidden(PlatformError):
    """The bot was blocked or lacks a permission; trying again cannot help."""


def is_about_content(error: PlatformError) -> bool:
    """Whether the platform refuses what a message holds, and so may take another."""
    return not error.retryable and not isinstance(error, Gone | Forbidden)


class TooLarge(PlatformError):
    """The platform hands out no file of that size; `limit_mb` is what it does."""

    def __init__(self, text: str, *, limit_mb: int) -> None:
        super().__init__(text)
        self.limit_mb = limit_mb


class SyncRefused(BotError):
    """The system of record refuses a change, and would again; the message says why."""


class ModelError(BotError):
    """The model gave no usable answer."""


class NoModel(ModelError):
    """No model is configured."""


class ModelUnavailable(ModelError):
    """No model is reachable; it is left alone for less than `retry_after_s`."""

    retryable = True

    def __init__(self, message: str, *, rest_s: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_s = max(rest_s, MODEL_REST_S) + 1.0


class AnswerBroken(ModelUnavailable):
    """An answer broke off after a part of it had been handed over."""


class AllowanceUsedUp(ModelUnavailable):
    """The day's limit of the model is used up, of `whose`: person, project or all."""

    def __init__(self, whose: str, *, rest_s: float = 0.0) -> None:
        super().__init__(f"the day's limit of the model is used up ({whose})", rest_s=rest_s)
        self.whose = whose


class BadModelOutput(ModelError):
    """The answer does not have the form that was asked for."""


class ModelRefused(ModelError):
    """The model declined to answer."""


class ToolError(BotError):
    """A tool gave no result; `str()` is English, for the model and the log, `text` for people."""

    def __init__(self, message: str, key: str, /, **values: object) -> None:
        super().__init__(message)
        self.key = key
        self.values = values

    @property
    def is_away(self) -> bool:
        """Whether the tool's system cannot do it now: nothing was done, and a later try may be."""
        return self.key in _AWAY

    def text(self, lang: "Lang") -> str:
        """The sentence for people, in their language."""
        return _say(self.key, lang, **self.values)


class ToolRetry(ToolError):
    """The arguments were wrong in a way that the model can mend; `hint` says how, in English."""

    def __init__(self, hint: str) -> None:
        super().__init__(hint, "tool.retry")


class ToolFailed(ToolError):
    """The tool could not do its work; `key` and `values` make a sentence of the catalogue."""

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(_say(key, "en", **values), key, **values)


class SystemRefused(ToolFailed):
    """A system refuses a call; `str()` has its `answer` as it came, `text` what people can read."""

    def __init__(self, key: str, /, *, answer: str, **values: object) -> None:
        super().__init__(key, **values)
        if answer and answer != values.get("words"):
            self.args = (f"{self} It says: {answer}",)


class SystemFault(ToolFailed):
    """A system refuses a call in `words` of its driver's, which are in `str()` alone.

    `key` and `values` make what people read.
    """

    def __init__(self, key: str, /, *, words: str, name: str, status: str) -> None:
        told = _say("connection.refused", "en", name=name, status=status, words=words)
        ToolError.__init__(self, told, key, name=name)


class ToolChanged(ToolFailed):
    """What a write's system takes is not what it was when people approved it: nothing was sent."""


class ToolRefused(ToolFailed):
    """What a tool was asked for is not to be done, or finds nothing, for a reason that it says."""


class ToolUnsure(ToolFailed):
    """The answer to a write is lost: it may or may not have happened."""


class ToolReported(ToolFailed):
    """An outside server's tool reports a fault; its own `words` are for the model only."""

    def __init__(self, key: str, words: str, /, **values: object) -> None:
        ToolError.__init__(self, f"{_say(key, 'en', **values)} It says: {words}", key, **values)


class StoreError(BotError):
    """The store did not take a write or give a read."""


class LeaseLost(StoreError):
    """Another worker holds the lane now; nothing was written."""

    retryable = True


class StaleWrite(StoreError):
    """Something read before was changed by another; nothing was written; read again."""

    retryable = True


class StoreUnavailable(StoreError):
    """Redis cannot be reached or refuses writes."""

    retryable = True


class Overloaded(StoreUnavailable):
    """A lane has as much mail, or as old mail, as the settings allow; nothing was written."""


class NewerState(StoreError):
    """A newer version of us wrote what is stored; this one must leave it alone."""


class BudgetExceeded(BotError):
    """A run has used up its answers of the model; somebody has to let it go on."""


class ModelQueueFull(BotError):
    """A lane may not wait for a model in this process now; its mail is due in `retry_in_s`."""

    retryable = True

    def __init__(self, text: str, *, retry_in_s: float = 0.0) -> None:
        super().__init__(text)
        self.retry_in_s = retry_in_s


class DefinitionError(BotError):
    """A file or setting is wrong; `problems` lists each as `file:line: path: message`."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
