"""Bodies as the store packs them: whole again, bounded, and readable by every later build."""

import json
from binascii import b2a_base64
from hashlib import sha256
from pathlib import Path
from typing import get_args
from zlib import compressobj, crc32

import pytest
from hypothesis import given
from hypothesis import strategies as some
from pydantic import ValidationError

from adapters.redis.packing import dictionaries
from adapters.redis.packing.bodies import (
    DAMAGED,
    MOST_BYTES,
    MOST_CHARACTERS,
    pack,
    pack_lines,
    repack,
    unpack,
    unpack_lines,
    unpack_once,
)
from adapters.redis.packing.dictionaries import ENCODINGS, Kind, read_dictionary
from cards.frozen import is_by_newer
from cards.model import Card
from engine.frames.state import Run

KINDS = get_args(Kind)
DIGESTS = {
    "1/run": "4daa4624b86fdc4da8055c97d22ee18e3fd0e6107bcaddadb02ee7cb47078b57",
    "1/card": "dace98901d4b115055575744c948edfb740686b4df1aa68f9c3a74b76f701da3",
    "1/log": "30d37d4f49109bc316208de457d3f912799fc8c634ba9b5b3a905546ce18b81e",
    "1/reply": "8d3c9966d6bd318e6614b672d4a1a07ea51c5590a758f6c68e2d557a9a930876",
    "1/trace": "c9744029868e943018a9aeaec4f919e3167f7dd182c8c088207e13f278b8e12c",
    "1/session": "b796ff031fffe1b77f4c21f44ef0fc4a729417ab3281dc7739f6a22ccc96e7e0",
    "2/run": "6d34c498ffe71911e385ce20dc37a68ba1dd5255c264dd78ac401638cfc9a1c8",
    "2/card": "27837974456ac4a2eee53e620837fb9f03ec30a1f4d1423ecce298859767a66b",
    "2/log": "30d37d4f49109bc316208de457d3f912799fc8c634ba9b5b3a905546ce18b81e",
    "2/reply": "eefc368ee15fff951006575ef578fb345a096e667f9660a524a17d1e72f6971a",
    "2/trace": "c9744029868e943018a9aeaec4f919e3167f7dd182c8c088207e13f278b8e12c",
    "2/session": "438432cf2b22b5fead5c6f45f6c9191eafdad19baddb20d6f9eb5d251d8e78e8",
    "3/run": "4daa4624b86fdc4da8055c97d22ee18e3fd0e6107bcaddadb02ee7cb47078b57",
    "3/card": "dace98901d4b115055575744c948edfb740686b4df1aa68f9c3a74b76f701da3",
    "3/log": "30d37d4f49109bc316208de457d3f912799fc8c634ba9b5b3a905546ce18b81e",
    "3/reply": "8d3c9966d6bd318e6614b672d4a1a07ea51c5590a758f6c68e2d557a9a930876",
    "3/trace": "c9744029868e943018a9aeaec4f919e3167f7dd182c8c088207e13f278b8e12c",
    "3/session": "b796ff031fffe1b77f4c21f44ef0fc4a729417ab3281dc7739f6a22ccc96e7e0",
    "4/run": "6d34c498ffe71911e385ce20dc37a68ba1dd5255c264dd78ac401638cfc9a1c8",
    "4/card": "27837974456ac4a2eee53e620837fb9f03ec30a1f4d1423ecce298859767a66b",
    "4/log": "30d37d4f49109bc316208de457d3f912799fc8c634ba9b5b3a905546ce18b81e",
    "4/reply": "eefc368ee15fff951006575ef578fb345a096e667f9660a524a17d1e72f6971a",
    "4/trace": "c9744029868e943018a9aeaec4f919e3167f7dd182c8c088207e13f278b8e12c",
    "4/session": "438432cf2b22b5fead5c6f45f6c9191eafdad19baddb20d6f9eb5d251d8e78e8",
}
STORED = Path(__file__).parents[2] / "fixtures" / "state" / "packed"

texts = some.text(some.characters(exclude_categories=()), max_size=2_000)
lines = some.lists(some.text(some.characters(exclude_characters="\n"), max_size=300), min_size=1)


def test_a_released_dictionary_never_changes_and_never_goes() -> None:
    """A better one is a new version: what was packed with this one is in stores for years."""
    found = {
        f"{version}/{kind}": sha256(read_dictionary(version, kind)).hexdigest()
        for version in ENCODINGS
        for kind in KINDS
    }
    assert found == DIGESTS


@pytest.mark.parametrize("name", sorted(path.stem for path in STORED.glob("*.json")))
def test_what_an_earlier_version_packed_is_read(name: str) -> None:
    """By the files of each version, which are never written again."""
    for stored in json.loads((STORED / f"{name}.json").read_text("utf-8")):
        assert unpack_lines([stored["packed"]]) == stored["lines"]


@given(text=texts, kind=some.sampled_from(KINDS))
def test_any_text_is_whole_again(text: str, kind: Kind) -> None:
    assert unpack(pack(kind, text)) == text
    assert unpack_once(pack(kind, text)) == text
    assert unpack(repack(pack(kind, "x" * 500), text)) == text


def test_every_character_is_whole_again() -> None:
    at_once = 0x8000
    for first in range(0, 0x110000, at_once):
        text = "".join(map(chr, range(first, first + at_once)))
        assert unpack(pack("run", text)) == text


@given(text=texts, kind=some.sampled_from(KINDS))
def test_what_looks_packed_is_whole_again(text: str, kind: Kind) -> None:
    packed = pack(kind, text * 5)
    assert unpack(pack(kind, packed)) == packed
    for opening in ('{"z":"', "\x03", "\x04", "\x04c"):
        assert unpack(pack(kind, opening + text)) == opening + text


@given(several=some.lists(lines, min_size=1, max_size=4))
def test_lines_are_whole_again_in_their_order(several: list[list[str]]) -> None:
    stored = [text for each in several for text in pack_lines("log", each)]
    assert unpack_lines(stored) == [line for each in several for line in each]


@pytest.mark.parametrize("opening", ['{"z":"', "\x03", "\x04c"])
def test_lines_that_look_packed_are_whole_again(opening: str) -> None:
    several = ["a line", f"{opening}short"]
    assert unpack_lines(pack_lines("log", several)) == several


@pytest.mark.parametrize("kind", KINDS)
def test_a_body_that_is_cut_or_changed_reads_as_no_json_and_never_as_another(kind: Kind) -> None:
    text = json.dumps({"id": "0-a", "text": "what was approved", "more": [*range(200)]})
    packed = pack(kind, text)
    assert packed != text
    body = packed.partition(".")[2].partition('"')[0] if kind == "run" else packed[2:]
    for at in range(0, len(body), 7):
        other = "B" if body[at] == "A" else "A"
        for broken in (f"{body[:at]}{other}{body[at + 1 :]}", body[:at], f"{body[:at]}!"):
            read = unpack(packed.replace(body, broken))
            assert read == text or read.startswith(DAMAGED)
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(DAMAGED + packed)


def test_a_bomb_is_not_inflated() -> None:
    deflate = compressobj(9, wbits=-15, zdict=read_dictionary(1, "card"))
    raw = b" " * (100 * 1024 * 1024)
    stream = crc32(raw).to_bytes(4, "big") + deflate.compress(raw) + deflate.flush()
    packed = b2a_base64(stream, newline=False).rstrip(b"=").decode()
    assert len(packed) < MOST_BYTES
    assert unpack(f'{{"z":"1c.{packed}"}}').startswith(DAMAGED)


def test_the_longest_body_is_packed_and_a_longer_one_stays_as_it_is() -> None:
    longest = "数" * MOST_CHARACTERS
    assert len(pack("run", longest)) < 50_000
    assert unpack(pack("run", longest)) == longest
    assert pack("run", longest + "数") == longest + "数"
    assert pack_lines("log", [longest, "数"]) == [longest, "数"]


@pytest.mark.parametrize("label", ["5r", "4x", "1", "", "x", "0c", "01c", "-1c"])
def test_a_dictionary_of_a_newer_build_is_left_alone_and_known_as_newer(label: str) -> None:
    packed = f'{{"z":"{label}.AAAA"}}'
    assert unpack(packed) == packed
    with pytest.raises(ValidationError) as refused:
        Run.model_validate_json(packed)
    assert is_by_newer(refused.value)


@pytest.mark.parametrize("packed", ["\x05cAAAA", "\x02cAAAA", "\x04xAAAA", "\x04"])
def test_what_is_packed_in_a_newer_way_is_left_alone_and_reads_as_nothing(packed: str) -> None:
    assert unpack(packed) == packed
    assert unpack_lines([packed]) == [packed]
    with pytest.raises(ValidationError):
        Card.model_validate_json(packed)


def test_a_packed_body_is_valid_utf_8_in_a_seventh_less_than_in_base64() -> None:
    """An older build, whose client decodes all that it reads, must not fail at its neighbours."""
    for stored in json.loads((STORED / "2.json").read_text("utf-8")):
        kind, text = dictionaries.KIND_OF_LETTER[stored["packed"][7]], "\n".join(stored["lines"])
        (packed,) = pack_lines("log", [text]) if kind == "log" else [pack(kind, text)]
        assert packed.isascii() or kind == "run"
        assert len(packed) < len(stored["packed"]) * (0.95 if kind == "run" else 0.875)


def test_an_older_build_knows_a_packed_run_as_newer_and_can_tell_its_conversation() -> None:
    facts = {"id": "0-a", "name": "报销", "lang": "zh", "conversation": "web:local:main"}
    packed = pack("run", json.dumps({**facts, "text": "x" * 500}))
    with pytest.raises(ValidationError) as refused:
        Run.model_validate_json(packed)
    assert is_by_newer(refused.value)
    assert json.loads(packed).items() >= facts.items()


def test_what_stands_beside_a_packed_run_is_not_packed_once_more() -> None:
    name = "".join(map(chr, range(0x4E00, 0x4E00 + 200)))
    body = json.dumps({"id": "0-a", "name": name, "text": "x" * 100}, ensure_ascii=False)
    packed = pack("run", body)
    assert len(packed.replace(name, "")) < 100
    assert unpack(packed) == body
    assert unpack(packed.replace(name, name[::-1])).startswith(DAMAGED)


def test_every_kind_has_its_letter() -> None:
    assert set(dictionaries.LETTER_OF_KIND) == set(KINDS)
