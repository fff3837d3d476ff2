"""Bytes as text that takes little more of the store than they do, and is valid UTF-8.

A client decodes all answers of the store as UTF-8, so that bytes as they are would fail the whole
answer of a build that does not expect them. Bits are moved in long numbers, which takes some ten
microseconds for a body where a loop over its bytes takes hundreds.
"""

import struct
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Final

_GROUPS: Final = 512
_ALPHABET: Final = "".join(chr(n) for n in range(0x21, 0x7F) if chr(n) not in '"\\')
_PAIRS: Final = ["".join(pair) for pair in product(_ALPHABET, repeat=2)]
_NUMBERS: Final = {letter: number for number, letter in enumerate(_ALPHABET)}


def to_characters(data: bytes) -> str:
    """Return bytes as ASCII, control characters among it: seven bits in each."""
    return _spread(data, 7, 8).decode("ascii")


def from_characters(text: str) -> bytes:
    """Return the bytes again. Raises ValueError for what is not ASCII."""
    return _gather(text.encode("ascii"), 7, 8)


def to_letters(data: bytes) -> str:
    """Return bytes as what a JSON string holds as it is: thirteen bits in two letters."""
    spread = _spread(data, 13, 16)
    numbers = struct.unpack(f"<{len(spread) // 2}H", spread)
    return "".join(map(_PAIRS.__getitem__, numbers))


def from_letters(text: str) -> bytes:
    """Return the bytes again, maybe with a zero behind. Raises ValueError for other text."""
    try:
        numbers = [_NUMBERS[letter] for letter in text]
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        spread = [first * len(_ALPHABET) + second for first, second in pairs]
    except KeyError as error:
        raise ValueError(f"no letter of ours: {error}") from error
    if max(spread, default=0) >> 13:
        raise ValueError("two letters that are never written together")
    return _gather(struct.pack(f"<{len(spread)}H", *spread), 13, 16)


def _spread(data: bytes, width: int, step: int) -> bytes:
    """Each `width` bits of it in `step` bits, in pieces of as many as `_moves` is for."""
    pieces = []
    for piece in _cut(data, _GROUPS * width // 8):
        value = int.from_bytes(piece, "little")
        for mask, shift in _moves(width, step):
            high = value & mask
            value += (high << shift) - high
        groups = -(-len(piece) * 8 // width)
        pieces.append(value.to_bytes(groups * step // 8, "little"))
    return b"".join(pieces)


def _gather(spread: bytes, width: int, step: int) -> bytes:
    """What `_spread` was given."""
    pieces = []
    for piece in _cut(spread, _GROUPS * step // 8):
        value = int.from_bytes(piece, "little")
        for mask, shift in reversed(_moves(width, step)):
            high = value & (mask << shift)
            value -= high - (high >> shift)
        groups = len(piece) * 8 // step
        pieces.append(value.to_bytes(groups * step // 8, "little")[: groups * width // 8])
    return b"".join(pieces)


def _cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


@cache
def _moves(width: int, step: int) -> list[tuple[int, int]]:
    """Which bits move how far: the higher half of all groups, then that of each half, and so on."""
    moves, half = [], _GROUPS // 2
    while half:
        ones = ((1 << half * width) - 1) << half * width
        mask = sum(ones << at * step for at in range(0, _GROUPS, 2 * half))
        moves.append((mask, half * (step - width)))
        half //= 2
    return moves
