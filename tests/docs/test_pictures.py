"""The pictures of the documents show the page as it is."""

import re

import pytest
from PIL import Image, ImageChops, ImageStat

from adapters.redis.server.embedded import EmbeddedServer
from tests.docs.pictures import FOLDER, PICTURES, TEXT, Picture, kept, made
from tests.docs.reading import ROOT
from tests.docs.tutorial import steps
from tests.fakes.browser import browser_or_skip

ANEW = "the page has changed: make pictures, and look at them"
# Fonts differ from machine to machine; a page in other colours or in another order does not pass.
SMALL, TOLERANCE = (48, 40), 14.0


def test_every_picture_is_shown_and_every_shown_picture_is_made() -> None:
    documents = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = set()
    for document in documents:
        for target in re.findall(r"!\[[^\]]+\]\(([^)]+\.png)\)", document.read_text()):
            shown.add((document.parent / target).resolve())
    made_here = {picture.name for picture in PICTURES}
    made_here |= {step.text for step in steps() if step.kind == "picture"}
    assert shown == {FOLDER / f"{name}.png" for name in made_here}
    assert {path for path in FOLDER.iterdir() if path.suffix == ".png"} == shown


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
async def test_a_picture_shows_the_page_as_it_is(
    picture: Picture, redis_server: EmbeddedServer
) -> None:
    browser_or_skip()
    then = kept(picture.name)
    now = await made(picture, redis_server, then.info[TEXT])
    assert now.size == picture.size, ANEW
    assert_same(then, now)


def assert_same(then: Image.Image, now: Image.Image) -> None:
    """The picture of the documents shows the page as it is now."""
    assert then.size == now.size, ANEW
    assert then.info[TEXT] == now.info[TEXT], ANEW
    assert difference(then, now) < TOLERANCE, ANEW


def difference(one: Image.Image, other: Image.Image) -> float:
    """The mean difference of the two, seen from afar (0 to 255)."""
    small = [image.convert("RGB").resize(SMALL, Image.Resampling.BOX) for image in (one, other)]
    return max(ImageStat.Stat(ImageChops.difference(*small)).mean)


def test_another_page_is_told_from_afar() -> None:
    first, second, *_ = (kept(picture.name) for picture in PICTURES)
    assert difference(first, first) == 0
    assert difference(first, second.resize(first.size)) > TOLERANCE
    turned = first.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    assert difference(first, turned) > TOLERANCE
