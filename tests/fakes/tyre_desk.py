"""A garage that orders tyres by the tools of an installed package."""

import shutil
import sys
from pathlib import Path
from subprocess import run

from tests.fakes.garage import APPROVE, ASK, MAIN, WRITE, write_garage

ROOT = Path(__file__).parents[2]
_NAMES = (
    (
        "tool: book_hoist, arguments: {bay: $bay, day: $day}",
        "tool: order_tyres, arguments: {number: $number, amount: $amount}",
    ),
    ("booking: approved}", "booking: approved}\n    end_rejected: {decisions.booking: rejected}"),
    ("id: hoists", "id: tyres"),
    ("举升机, en: Hoists", "轮胎, en: Tyres"),
    ("cues: [book, reserve]", "cues: [order]"),
    ("预订举升机, en: Book a hoist", "订购轮胎, en: Order tyres"),
    ("book a hoist", "order tyres"),
    ("reserve a hoist", "order new tyres"),
    ("举升机", "轮胎"),
    (
        '  day: {label: {zh: 日期, en: Day}, type: date, cues: [day, "on"]}',
        "  amount: {label: {zh: 数量, en: Amount}, type: integer}",
    ),
    ("bay, day", "number, amount"),
    (
        "  bay: {label: {zh: 工位, en: Bay}, cues: [bay]",
        "  number: {label: {zh: 编号, en: Number}, cues: [tyre]",
    ),
)


def install_tyre_tools(folder: Path) -> Path:
    """Build the example package and install it into a folder; no network is asked."""
    source, target = folder / "source", folder / "installed"
    # A build leaves files in its folder.
    shutil.copytree(ROOT / "examples" / "package_tools", source)
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")
    command = (sys.executable, "-m", "pip", "install", "--quiet", *offline, "--target", target)
    run((*command, source), check=True, capture_output=True, timeout=120)
    return target


def write_tyre_desk(folder: Path) -> Path:
    """Write a folder of playbooks with the one that orders tyres."""
    files = {
        "tyres/playbook.yaml": MAIN,
        "tyres/skills/ask-booking.yaml": ASK,
        "tyres/skills/approve-booking.yaml": APPROVE,
        "tyres/skills/write-booking.yaml": WRITE,
    }
    for name, text in files.items():
        for old, new in _NAMES:
            text = text.replace(old, new)
        files[name] = text
    return write_garage(folder, **files)
