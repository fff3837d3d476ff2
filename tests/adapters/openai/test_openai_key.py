"""The key is in the Authorization header and nowhere else, whatever a server does with it."""

import asyncio
import io
import logging
import traceback
from collections.abc import Iterator

import pytest
import structlog

from adapters.openai import TimeLimits
from engine.errors import ModelError
from engine.ports.model import Message
from tests.adapters.openai.conftest import Connect, Observed
from tests.fakes.model_server import Reply, broken, cut, fail, garble, say, slow
from tests.fakes.model_stream import error_event

ASK = (Message(role="user", content="你好"),)
KEY = "sk-hush-0123456789"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """Everything that any library logs, down to debug, with the error that goes with it."""
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    logging.getLogger("any.library").debug("begins")
    yield lines
    root.removeHandler(handler)
    root.setLevel(before)


def rendered(error: BaseException) -> str:
    """As it may be written anywhere, with the values of all frames and errors before it."""
    frames = error.__traceback__
    assert frames is not None
    # The first frame is the test's own, where the key is at home.
    error.__traceback__ = frames.tb_next
    found = traceback.TracebackException.from_exception(error, capture_locals=True)
    logged = structlog.processors.ExceptionRenderer()(None, "error", {"exc_info": error})
    chain = [error]
    while (before := chain[-1].__context__) is not None:
        chain.append(before)
    return "".join([*found.format(chain=True), str(logged), *(f"{e} {e!r}" for e in chain)])


ECHO = f"you sent Bearer {KEY}"
HEADERS = {"x_request_id": ECHO, "retry_after": ECHO}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    "reply",
    [
        *(fail(status, **HEADERS) for status in (400, 401, 403, 404, 422, 429, 500, 503)),
        fail(400, code="content_filter"),
        fail(400, code=KEY),
        garble(ECHO),
        garble(f'{{"choices": "{ECHO}"}}'),
        None,
        *(
            broken(say("x"), event, after=1)
            for event in (
                error_event(ECHO),
                f"data: {ECHO}\n\n".encode(),
                f'data: {{"choices": "{ECHO}"}}\n\n'.encode(),
            )
        ),
        cut(say(ECHO), after=1),
    ],
)
async def test_a_server_that_echoes_the_key_gets_it_into_no_log_and_no_error(
    reply: Reply | None,
    streamed: bool,
    connect: Connect,
    observed: Observed,
    written: io.StringIO,
) -> None:
    server, model = await connect(
        api_key=KEY,
        limits=TimeLimits(total_s=0.5),
        fallbacks=("second",),
        served={"api_key": KEY, "tells": ECHO},
    )
    # None: no answer comes in time.
    server.script(lambda request: reply or slow(asyncio.Event(), ECHO))
    with pytest.raises(ModelError) as raised:
        await model.complete(ASK, heard=(lambda text: None) if streamed else None)
    assert server.requests
    assert KEY not in rendered(raised.value)
    assert raised.value.__context__ is None
    assert KEY not in repr(observed)
    assert KEY not in f"{model!r}{vars(model)!r}"
    assert written.getvalue().startswith("begins")
    assert KEY not in written.getvalue()
