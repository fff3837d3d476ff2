"""Lists of names from tools: the last good one is kept, for those who may read it."""

from typing import Any

import pytest

from bot.definitions.entity_lists import EntityLists
from cards.model import Lang, Principal
from engine.errors import ToolFailed
from engine.playbooks.entity import EntityDefinition
from engine.playbooks.model import Playbook, PlaybookFile, Request
from engine.text.language import LocalizedText
from engine.toolbox.toolbox import Toolbox
from engine.tools.arguments import Arguments
from engine.tools.model import Tool, ToolContext
from tests.fakes.entities import ORDER
from tests.fakes.services import services_of

CUSTOMER = LocalizedText(zh="客户", en="Customer")
LIN = Principal(id="lin", name="Lin", roles=("clerk",))
BO = Principal(id="bo", name="Bo")


class NoArguments(Arguments):
    pass


class Shop:
    """A system whose customers change, and which may be down."""

    def __init__(self) -> None:
        self.rows: Any = [
            {"id": 17, "name": "Acme", "alias": "Acme Ltd."},
            {"id": "C2", "name": "华东电力", "alias": None},
            {"id": None, "name": "Nobody"},
            "no row",
        ]
        self.projects: list[str] = []

    async def read(self, args: NoArguments, ctx: ToolContext) -> dict[str, Any]:
        self.projects.append(ctx.project)
        if self.rows is None:
            raise ToolFailed("tool.timeout", name="list_customers", seconds="10")
        return {"rows": self.rows}


def tell(result: dict[str, Any], lang: Lang) -> str:
    return str(result)


def lists_of(shop: Shop, *roles: str) -> EntityLists:
    tool = Tool(
        name="list_customers",
        description="",
        arguments=NoArguments,
        readonly=True,
        run=shop.read,
        tell=tell,
        roles=roles,
    )
    entity = EntityDefinition(name=CUSTOMER, tool=tool.name, id="id", names=("name", "alias"))
    request = Request(id="order", name=CUSTOMER, examples=("order",))
    playbook = Playbook(
        definition=PlaybookFile(
            id="shop",
            name=CUSTOMER,
            project="SHOP",
            cues=(),
            requests=(request,),
            entities={"customer": entity},
            phases=(),
        ),
        skills={},
    )
    services = services_of(toolbox=Toolbox(own=[tool]))
    return EntityLists(services, lambda: {"shop": playbook})


async def test_a_list_is_read_for_its_project_and_found_beside_patterns() -> None:
    shop = Shop()
    lists = lists_of(shop)
    assert lists.entities((ORDER,), "SHOP", BO).ids("Acme Ltd") == ()
    await lists.refresh()
    found = lists.entities((ORDER,), "SHOP", BO)
    assert found.kinds_and_ids("W-0815 for acme ltd. and 华东电力, 17") == (
        ("order", "W0815"),
        ("customer", "17"),
        ("customer", "C2"),
    )
    assert found.record("of Acme")[0].version == found.version != ""
    assert lists.entities((ORDER,), "SHOP", BO) is found
    assert lists.entities((ORDER,), "OTHER", BO).ids("Acme") == ()
    assert shop.projects == ["SHOP"]


async def test_who_may_not_read_the_list_is_told_nothing_by_it() -> None:
    lists = lists_of(Shop(), "clerk")
    await lists.refresh()
    assert lists.entities((), "SHOP", LIN).ids("Acme") == ("17",)
    assert lists.entities((), "SHOP", BO).ids("Acme") == ()


@pytest.mark.parametrize("rows", [None, "x", [{"id": str(n)} for n in range(100_001)]])
async def test_the_last_good_list_is_kept_while_it_cannot_be_read(rows: Any) -> None:
    shop = Shop()
    lists = lists_of(shop)
    await lists.refresh()
    before = lists.entities((), "SHOP", BO)
    good, shop.rows = shop.rows, rows
    await lists.refresh()
    assert lists.entities((), "SHOP", BO) is before
    shop.rows = [*good, {"id": "C3", "name": "Will and Sons"}]
    await lists.refresh()
    after = lists.entities((), "SHOP", BO)
    assert (after.ids("will and sons"), before.ids("will and sons")) == (("C3",), ())
    assert after.version != before.version
