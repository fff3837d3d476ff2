"""Payloads that were bent at random: an answer or a refusal of ours, never another error."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.tries import tries
from tests.fuzz.parsers import TARGETS, examples

SEEDS = tuple(examples())


@st.composite
def bent(draw: st.DrawFn) -> bytes:
    """A real payload with pieces cut out, doubled, or put in from elsewhere."""
    body = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(body)))
        end = draw(st.integers(start, min(len(body), start + 20)))
        piece = draw(
            st.one_of(
                st.just(b""),
                st.binary(max_size=8),
                st.sampled_from((b"null", b"1e999", b'"\\ud800"', b"[" * 50, b"{}", b"-1", b'""')),
                st.just(bytes(body[start:end]) * 2),
            )
        )
        body[start:end] = piece
    return bytes(body)


@pytest.mark.parametrize("name", TARGETS)
def test_no_payload_breaks_what_reads_it(name: str) -> None:
    @settings(max_examples=tries(50), deadline=None, database=None, derandomize=True)
    @given(raw=st.one_of(bent(), st.binary(max_size=200)))
    def reads(raw: bytes) -> None:
        TARGETS[name](raw)

    reads()


@pytest.mark.parametrize("name", TARGETS)
def test_every_recorded_payload_is_read(name: str) -> None:
    assert SEEDS
    for raw in SEEDS:
        TARGETS[name](raw)
