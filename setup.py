"""What pyproject.toml cannot say: folders that stand elsewhere in a wheel than in the checkout."""

from setuptools import find_packages, setup

OURS = ("bot", "adapters", "engine", "cards")
MOVED = {
    "signoff": "bot/signoff",
    "signoff.samples": "examples",
    "signoff.samples.playbooks": "playbooks",
}
"""Folders by what they are installed as; `bot/starting/samples.py` looks for them there."""

found = find_packages(include=[*OURS, *(f"{name}.*" for name in OURS)], exclude=["bot.signoff"])
setup(packages=[*found, *MOVED], package_dir=MOVED)
