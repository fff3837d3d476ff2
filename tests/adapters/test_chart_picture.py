"""A chart's picture: well-formed, of a bounded size, and without boxes in place of characters."""

import asyncio
import io
import re
from pathlib import Path
from typing import Any

from PIL import Image, ImageFont

from adapters.pictures.chart import FONT, WIDTH, draw, png
from cards.showing.view import BarView, ChartView
from cards.texts import COMPLETE, texts_of
from tests.fakes.tables import table

ROOT = Path(__file__).parents[2]
INK = 120


def chart(*bars: tuple[str, int], title: str = "Findings by rule") -> ChartView:
    return ChartView(title=title, bars=tuple(BarView(label=name, value=n) for name, n in bars))


def picture(of: ChartView) -> Image.Image:
    with Image.open(io.BytesIO(draw(of))) as opened:
        assert opened.format == "PNG"
        return opened.convert("RGB")


def blue(image: Image.Image, y: int) -> int:
    """How many points of a line of the picture are a bar's."""
    row = [image.getpixel((x, y)) for x in range(image.width)]
    return sum(b > 150 and r < INK for r, _, b in row)  # type: ignore[misc]


def bars(image: Image.Image) -> list[int]:
    """The length of each bar, from above."""
    lengths, above = [], 0
    for y in range(image.height):
        now = blue(image, y)
        if above and not now:
            lengths.append(above)
        above = max(above, now) if now else 0
    return [length for length in lengths if length > 3]


def test_bars_are_as_long_as_their_values_say() -> None:
    longest, half, least, *none = bars(picture(chart(("a", 200), ("b", 100), ("c", 1))))
    assert none == []
    assert abs(longest / half - 2) < 0.05
    assert 0 < least < half


def test_a_value_of_nothing_has_no_bar() -> None:
    assert bars(picture(chart(("a", 0)))) == []


@table("label", ["", "缺" * 300, "x" * 500, "a b " * 100, "\u202eabc\n\x00", "😀"])
def test_any_label_gives_a_picture_that_platforms_take(label: str) -> None:
    image = picture(chart((label, 3), ("b", 2), title=label))
    assert image.width == WIDTH
    assert image.width + image.height < 10_000


def test_everything_that_we_and_the_playbooks_say_has_characters_in_the_font() -> None:
    font: Any = ImageFont.truetype(FONT, 24, layout_engine=ImageFont.Layout.BASIC)
    box = bytes(font.getmask("\U0010fffd"))
    said = "".join(text for lang in COMPLETE for text in texts_of(lang).values())
    files = [*(ROOT / "playbooks").rglob("*.yaml")]
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    said += "".join(line for line in lines if re.search(r"\b(label|name|message|title):", line))
    assert "体重" in said
    odd = {char for char in set(said) if bytes(font.getmask(char)) == box}
    assert {c for c in odd if not re.match(r"\s", c)} <= set("⏳✅⚠✍👀❓✔✘✓↻✎\ufe0f")


async def test_drawing_leaves_the_loop_to_others() -> None:
    bars = [(f"bar {number}", number) for number in range(1, 41)]
    drawing = asyncio.create_task(png(chart(*bars)))
    turns = 0
    while not drawing.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 10
    assert (await drawing)[:4] == b"\x89PNG"
