"""What one process has learned of the examples, all others need not learn."""

from dataclasses import replace

from bot.definitions.snapshot import learn_routes
from engine.errors import StoreUnavailable
from engine.ports.storage.published import Published
from engine.understanding.learned.classifier import Learned
from engine.understanding.learned.lessons import Lessons
from engine.understanding.learned.table import RouteTable
from tests.engine.understanding.routes import TABLE

TEXT = "good morning"


class KeptBodies(Published):
    """What is kept, in memory; away when there is none."""

    def __init__(self, kept: dict[str, bytes] | None) -> None:
        self.kept = kept

    async def load_learned(self, digest: str) -> bytes | None:
        if self.kept is None:
            raise StoreUnavailable("away")
        return self.kept.get(digest)

    async def save_learned(self, digest: str, body: bytes) -> None:
        if self.kept is None:
            raise StoreUnavailable("away")
        self.kept[digest] = body


def fresh() -> RouteTable:
    """A table of talk alone, of which this process has learned nothing."""
    table = RouteTable({}, (), TABLE.talk)
    table.lessons = Lessons(table.examples, table.entities)
    return table


async def test_the_first_process_learns_and_keeps_it_and_the_next_takes_what_is_kept() -> None:
    published, first = KeptBodies({}), fresh()
    await learn_routes(first, published)
    ((digest, body),) = published.kept.items() if published.kept else ()
    assert digest == first.lessons.digest
    kept = Learned.unpack(body)
    assert kept
    # Told apart from what it would learn itself.
    bias = tuple(2 * each for each in kept.bias)
    published.kept = {digest: replace(kept, exponent=kept.exponent - 1, bias=bias).pack()}
    second = fresh()
    await learn_routes(second, published)
    once, twice = (table.classifier.scores(TEXT).routes["smalltalk"] for table in (first, second))
    assert abs(twice - 2 * once) < 1e-5


async def test_what_cannot_be_read_is_learned_and_kept_anew() -> None:
    table = fresh()
    published = KeptBodies({table.lessons.digest: b"of another build"})
    await learn_routes(table, published)
    assert table.classifier.scores(TEXT).routes["smalltalk"] > 0.5
    assert published.kept
    assert Learned.unpack(published.kept[table.lessons.digest])


async def test_without_the_store_a_process_learns_by_itself() -> None:
    table = fresh()
    await learn_routes(table, KeptBodies(None))
    assert table.learned
    assert table.classifier.scores(TEXT).routes["smalltalk"] > 0.5
