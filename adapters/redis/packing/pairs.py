"""Bytes as text that stands in JSON without escapes: 13 bits in two of 91 characters, as in basE91.

The text is 23 % longer than the bytes, where base64 is 33 % longer.
"""

from array import array
from struct import Struct
from typing import Final

_SIZE: Final = 91
_LETTERS: Final = bytes(c for c in range(0x21, 0x7F) if c not in b"\"'\\")
_NUMBERS: Final = bytes(max(_LETTERS.find(c), 0) for c in range(256))
_GROUP: Final = 0x1FFF
_BLOCK_BYTES, _BLOCK_LETTERS = 13, 16
_PAIR_OF_GROUP: Final = array(
    "H", [first << 8 | second for first in _LETTERS for second in _LETTERS][: _GROUP + 1]
)
# Eight groups are thirteen bytes.
_BYTES, _PAIRS = Struct(">QIB"), Struct(">8H")


def write_pairs(raw: bytes) -> str:
    """Return the bytes as text of an even number of letters."""
    pair = _PAIR_OF_GROUP
    written = b"".join(
        [
            _PAIRS.pack(
                pair[a >> 51],
                pair[a >> 38 & _GROUP],
                pair[a >> 25 & _GROUP],
                pair[a >> 12 & _GROUP],
                pair[a << 1 & _GROUP | b >> 31],
                pair[b >> 18 & _GROUP],
                pair[b >> 5 & _GROUP],
                pair[b << 8 & _GROUP | c],
            )
            for a, b, c in _BYTES.iter_unpack(raw + bytes(-len(raw) % _BLOCK_BYTES))
        ]
    )
    return written[: 2 * -(-8 * len(raw) // 13)].decode("ascii")


def read_pairs(text: str) -> bytes:
    """Return the bytes, and one zero byte after them where the last pair has room for it.

    Raises ValueError for what is no ASCII; any other text gives some bytes.
    """
    numbers = text.encode("ascii").translate(_NUMBERS)
    raw = bytearray()
    for pairs in _PAIRS.iter_unpack(numbers + bytes(-len(numbers) % _BLOCK_LETTERS)):
        block = 0
        for pair in pairs:
            block = block << 13 | (pair - (pair >> 8) * (256 - _SIZE)) & _GROUP
        raw += block.to_bytes(_BLOCK_BYTES, "big")
    return bytes(raw[: len(text) // 2 * 13 // 8])
