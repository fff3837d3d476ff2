"""Uploads of the page: streamed to disk, bounded, found by nobody but who sent them."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from adapters.webchat.uploads import MAX_PER_PERSON, TooManyUploads, Uploads, UploadTooLarge
from engine.errors import Gone
from engine.events import SharedFile
from tests.fakes.late_clock import LateClock

CLOCK = LateClock()


async def content(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def fetched(uploads: Uploads, file: SharedFile) -> bytes:
    return b"".join([piece async for piece in uploads.fetch(file)])


async def test_what_was_sent_is_found_by_its_sender_alone(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path / "up", CLOCK)
    upload = await uploads.take("main", "lin", content(b"a,b\n", b"1,2\n"))
    mine = uploads.shared_file("main", "lin", upload, "a.csv")
    assert await fetched(uploads, mine) == b"a,b\n1,2\n"
    for room, person in (("main", "chen"), ("other", "lin")):
        with pytest.raises(Gone):
            await fetched(uploads, uploads.shared_file(room, person, upload, "a.csv"))


@pytest.mark.parametrize("id", ["", "..", "../x", "/etc/hostname", "0" * 32, "0" * 65])
async def test_an_id_is_no_path(tmp_path: Path, id: str) -> None:
    with pytest.raises(Gone):
        await fetched(Uploads(tmp_path, CLOCK), SharedFile(platform="web", id=id))


async def test_too_much_leaves_nothing_behind(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path, CLOCK, max_mb=1)
    with pytest.raises(UploadTooLarge):
        await uploads.take("main", "lin", content(b"x" * 1024**2, b"y"))
    assert os.listdir(tmp_path) == []


async def test_what_comes_too_slowly_is_ended_and_leaves_nothing(tmp_path: Path) -> None:
    async def stalls() -> AsyncIterator[bytes]:
        yield b"a"
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await Uploads(tmp_path, CLOCK, seconds=0.05).take("main", "lin", stalls())
    assert os.listdir(tmp_path) == []


async def test_a_person_may_leave_so_many_until_they_are_a_day_old(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path, CLOCK)
    for _ in range(MAX_PER_PERSON):
        await uploads.take("main", "lin", content(b"x"))
    with pytest.raises(TooManyUploads):
        await uploads.take("main", "lin", content(b"x"))
    await uploads.take("main", "chen", content(b"x"))
    tomorrow = Uploads(tmp_path, LateClock(ahead_s=86_460))
    await tomorrow.take("main", "lin", content(b"x"))
    assert len(os.listdir(tmp_path)) == 1
