"""Bodies packed for the store and unpacked again, at its boundary (store.md).

A packed body is the version and the kind of its dictionary, then the text's checksum and a raw
deflate stream, seven bits in each character: `<character 4>c...`, which no build that does not
know it reads as anything. That of a run is JSON, `{"z":"4r.<thirteen bits in two letters>"}`, in
which such a build finds an unknown field, as in anything else that a newer build wrote, and leaves
it alone; beside it are the run's id, name, language and place, so that such a build can tell its
conversation. They are part of its dictionary. Versions 1 and 2 were JSON for all kinds, in base64;
what stood beside a run was no part of the dictionary in version 1.
"""

import json
import zlib
from binascii import a2b_base64
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final
from zlib import DEFLATED, MAX_WBITS, Z_DEFAULT_STRATEGY, compressobj, crc32, decompressobj

from adapters.redis.packing.dictionaries import (
    ENCODINGS,
    LETTER_OF_KIND,
    Kind,
    read_dictionary,
    read_label,
)
from adapters.redis.packing.letters import (
    from_characters,
    from_letters,
    to_characters,
    to_letters,
)

LEAST_CHARACTERS: Final = 250
"""Shorter bodies gain less than packing them is worth."""
MOST_CHARACTERS: Final = 256 * 1024
"""Longer bodies are stored as they are, for packing them would keep a worker busy."""
MOST_BYTES: Final = 4 * MOST_CHARACTERS
"""What no packed body exceeds: one that does is damaged, and is not unpacked further."""
DAMAGED: Final = "damaged: "
"""How a body reads that cannot be unpacked: as no JSON begins."""

_OPENING: Final = '{"z":"'
_BASE64_UNTIL: Final = 2
_OPENINGS: Final = (_OPENING, *(chr(each) for each in ENCODINGS if each > _BASE64_UNTIL))
_TELLING: Final = ("id", "name", "lang", "thread", "conversation")
_CHECK_BYTES: Final = 4
# Half the time of the usual tables, and the same size: bodies and dictionaries are short. Level 9
# takes twice the time of this one, for half a hundredth.
_LEVEL, _WINDOW_BITS, _MEMORY = 6, 14, 6


def pack(kind: Kind, text: str) -> str:
    """Return the text packed, or as it is where that is shorter or it is too long."""
    # What looks like a packed body would be taken for one.
    if text.startswith(_OPENINGS):
        return _pack(kind, text)
    if not LEAST_CHARACTERS <= len(text) <= MOST_CHARACTERS:
        return text
    packed = _pack(kind, text)
    return packed if len(packed) < len(text) else text


def pack_lines(kind: Kind, lines: Sequence[str]) -> Sequence[str]:
    """Return lines packed together, or as they are where they are too short or too long.

    None of them has a line break.
    """
    looks_packed = any(line.startswith(_OPENINGS) for line in lines)
    if looks_packed or LEAST_CHARACTERS <= sum(map(len, lines)) <= MOST_CHARACTERS:
        return [_pack(kind, "\n".join(lines))]
    return lines


def unpack(text: str) -> str:
    """Return the text that was packed; one that was not, or by a newer build, as it is.

    A damaged one begins with DAMAGED.
    """
    return _remembered(text) if text.startswith(_OPENINGS) else text


def unpack_once(text: str) -> str:
    """Return what `unpack` does, for a text that nobody will ask for again soon."""
    return _unpack(text) if text.startswith(_OPENINGS) else text


def unpack_lines(texts: Iterable[str]) -> list[str]:
    """Return the lines of all of them."""
    return [
        line
        for text in texts
        for line in (_unpack(text).split("\n") if text.startswith(_OPENINGS) else (text,))
    ]


def repack(before: str, text: str) -> str:
    """Return the text as `before` was stored: packed with its kind, or as it is."""
    known = read_label(_split(before)[0])
    return _pack(known[1], text) if known and text else text


def _pack(kind: Kind, text: str) -> str:
    version, raw = _write(text)
    telling = _telling(text) if kind == "run" else ""
    dictionary = _dictionary(version, kind, telling)
    tables = (_LEVEL, DEFLATED, -_WINDOW_BITS, _MEMORY, Z_DEFAULT_STRATEGY)
    deflate = compressobj(*tables, dictionary)
    sealed = _checksum(text) + deflate.compress(raw) + deflate.flush()
    if kind == "run":
        return f'{_OPENING}{version}r.{to_letters(sealed)}"{telling}}}'
    return f"{chr(version)}{LETTER_OF_KIND[kind]}{to_characters(sealed)}"


def _write(text: str) -> tuple[int, bytes]:
    """The version that writes the text in the fewest bytes, and these."""
    raw = text.encode("utf-8", "surrogatepass")
    # A lone surrogate is written by UTF-8 only.
    with suppress(UnicodeEncodeError):
        shorter = raw if text.isascii() else text.encode(ENCODINGS[4])
        if len(shorter) <= len(raw):
            return 4, shorter
    return 3, raw


def _dictionary(version: int, kind: Kind, telling: str) -> bytes:
    dictionary = read_dictionary(version, kind)
    return dictionary + telling.encode(ENCODINGS[version]) if version > 1 else dictionary


def _checksum(text: str) -> bytes:
    # Of UTF-8 in every version, so that another Python's other table would be noticed.
    return crc32(text.encode("utf-8", "surrogatepass")).to_bytes(_CHECK_BYTES, "big")


def _telling(text: str) -> str:
    """The facts of a run that stand beside its packed body, "" for none."""
    with suppress(ValueError, AttributeError):
        body = json.loads(text)
        facts = {name: body[name] for name in _TELLING if body.get(name)}
        written = json.dumps(facts, ensure_ascii=False, separators=(",", ":"))
        return "," + written[1:-1] if facts else ""
    return ""


# What is shown is read several times, and so is what is decided.
@lru_cache(maxsize=128)
def _remembered(text: str) -> str:
    return _unpack(text)


def _split(text: str) -> tuple[str, str, str]:
    """The label of a packed text, such as `4c`, what is packed, and what stands beside that."""
    if not text.startswith(_OPENING):
        return f"{ord(text[0])}{text[1:2]}" if text.startswith(_OPENINGS) else "", text[2:], ""
    packed, _, beside = text[len(_OPENING) :].partition('"')
    label, _, written = packed.partition(".")
    return label, written, beside[:-1]


def _unpack(text: str) -> str:
    label, written, beside = _split(text)
    known = read_label(label)
    if known is None:
        return text
    try:
        return _unseal(_read(*known, written), known[0], _dictionary(*known, beside))
    except (ValueError, zlib.error):
        return DAMAGED + text


def _read(version: int, kind: Kind, written: str) -> bytes:
    """Raises ValueError for what is damaged."""
    if version <= _BASE64_UNTIL:
        return a2b_base64(written + "=" * (-len(written) % 4), strict_mode=True)
    return from_letters(written) if kind == "run" else from_characters(written)


def _unseal(sealed: bytes, version: int, dictionary: bytes) -> str:
    """Raises ValueError or zlib's error for what is damaged."""
    inflate = decompressobj(-MAX_WBITS, zdict=dictionary)
    raw = inflate.decompress(sealed[_CHECK_BYTES:], MOST_BYTES)
    encoding = "utf-8" if raw.isascii() else ENCODINGS[version]
    text = raw.decode(encoding, "surrogatepass" if encoding == "utf-8" else "strict")
    if not inflate.eof or _checksum(text) != sealed[:_CHECK_BYTES]:
        raise ValueError("damaged, or longer than any")
    return text
