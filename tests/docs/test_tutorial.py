"""The tutorial is done from its first line to its last, by a reader with one service at a time."""

from pathlib import Path

from PIL import Image

from tests.docs.pictures import kept, make_tutorial
from tests.docs.test_pictures import assert_same
from tests.fakes.browser import browser_or_skip


async def test_what_the_tutorial_says_is_what_happens(tmp_path: Path) -> None:
    browser_or_skip()
    taken = dict[str, Image.Image]()
    await make_tutorial(tmp_path, taken.__setitem__)
    assert taken
    for name, image in taken.items():
        assert_same(kept(name), image)
