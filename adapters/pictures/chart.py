"""A bar chart as a PNG, readable in Chinese and English on a machine without fonts."""

import asyncio
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cards.showing.view import ChartView

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

FONT = Path(__file__).parent / "fonts" / "NotoSansCJKsc-GB2312.otf"
WIDTH = 1_200
MOST_BARS = 40
_EDGE, _GAP, _BELOW = 48, 20, 2
_TITLE_SIZE, _LABEL_SIZE = 38, 28
_BAR = 30
_LEAST_BAR = 6
_PAPER, _TRACK, _INK, _FILL = "#ffffff", "#edf1f6", "#1b2733", "#2f6fb7"
# Pillow draws the first as boxes, and would draw the others in an order of its own.
_UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


async def png(chart: ChartView) -> bytes:
    """The picture of a chart, drawn in a thread; Pillow is loaded for the first one only."""
    return await asyncio.to_thread(draw, chart)


def draw(chart: ChartView) -> bytes:
    """The picture of a chart as a PNG: each bar under its label, beside its value."""
    from PIL import Image, ImageDraw, ImageFont

    # One glyph for each character: no text can break it, whatever its script.
    plain = ImageFont.Layout.BASIC
    title_font = ImageFont.truetype(FONT, _TITLE_SIZE, layout_engine=plain)
    font = ImageFont.truetype(FONT, _LABEL_SIZE, layout_engine=plain)
    bars = chart.bars[:MOST_BARS]
    title = list(_lines(_plain(chart.title), title_font))
    labels = [list(_lines(_plain(bar.label), font)) for bar in bars]
    title_line, line = sum(title_font.getmetrics()), sum(font.getmetrics()) + _BELOW
    rows = sum(len(each) * line + _BAR + _GAP for each in labels)
    height = 2 * _EDGE + len(title) * title_line + _GAP + rows - _GAP
    image = Image.new("RGB", (WIDTH, height), _PAPER)
    draw = ImageDraw.Draw(image)
    top = _text(draw, title, _EDGE, title_font, title_line) + _GAP
    longest = max((bar.value for bar in bars), default=0)
    for bar, label in zip(bars, labels, strict=True):
        top = _text(draw, label, top, font, line)
        _bar(draw, top, bar.value, longest, font)
        top += _BAR + _GAP
    out = io.BytesIO()
    # A picture of few colours is a third of the size with a palette.
    image.quantize(32).save(out, "PNG")
    return out.getvalue()


def _text(
    draw: "ImageDraw", lines: list[str], top: int, font: "FreeTypeFont", line_height: int
) -> int:
    """Draws the lines under each other; where the next thing begins."""
    for text in lines:
        draw.text((_EDGE, top), text, font=font, fill=_INK)
        top += line_height
    return top


def _bar(draw: "ImageDraw", top: int, value: int, longest: int, font: "FreeTypeFont") -> None:
    room = WIDTH - 2 * _EDGE - int(font.getlength(f"{longest:,}")) - _GAP
    length = max(_LEAST_BAR, round(room * max(0, value) / max(1, longest))) if value else 0
    draw.rounded_rectangle((_EDGE, top, _EDGE + room, top + _BAR), 5, fill=_TRACK)
    if length:
        draw.rounded_rectangle((_EDGE, top, _EDGE + length, top + _BAR), 5, fill=_FILL)
    middle = top + _BAR / 2
    draw.text((_EDGE + room + _GAP, middle), f"{value:,}", font=font, fill=_INK, anchor="lm")


def _lines(text: str, font: "FreeTypeFont") -> Iterator[str]:
    """The text in lines that fit; Chinese may break anywhere, other words where they end."""
    line = ""
    for piece in re.findall(r"[!-~\u00a1-\u024f]+|.", text):
        for part in (piece,) if font.getlength(piece) <= WIDTH - 2 * _EDGE else piece:
            if line and font.getlength(line + part) > WIDTH - 2 * _EDGE:
                yield line.rstrip()
                line = ""
            line += part if line else part.lstrip()
    yield line


def _plain(text: str) -> str:
    return " ".join(_UNSHOWN.sub(" ", text).split())
