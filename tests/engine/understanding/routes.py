"""The shipped playbooks as the router has learned them, and a context to route in."""

from datetime import date
from pathlib import Path

from bot.definitions.loader import load_definitions
from bot.wiring.connections import load_connections
from cards.model import Principal
from engine.understanding.context import RouteContext
from tests.fakes.settings import make_settings

ROOT = Path(__file__).parents[3]
SETTINGS = make_settings(playbooks=ROOT / "playbooks", people=ROOT / "playbooks" / "people.yaml")
DEFINITIONS = load_definitions(SETTINGS, load_connections(SETTINGS).toolbox)
TABLE = DEFINITIONS.route_table()
TOOLS = DEFINITIONS.tools

CONTEXT = RouteContext(
    table=TABLE,
    entities=TABLE.entities,
    tools=DEFINITIONS.tools,
    open_cards=(),
    principal=Principal(id="li", name="Li"),
    today=date(2026, 11, 23),
    recent=(),
    lang="zh",
)
