"""A request that says "it" is about what the message named before it."""

from engine.text.entity_kinds import Entities
from tests.engine.understanding.domains.folders import read_playbook
from tests.fakes.tables import table
from tests.fakes.walk import Walk, new_run


@table(
    ("before", "text", "device"),
    [
        ("is LT-0388 still under warranty? ", "please replace it", "LT-0388"),
        ("who has LT-0388? ", "please replace that laptop", "LT-0388"),
        ("LT-0388 还在保吗？", "帮我换掉它", "LT-0388"),
        # Another is named, or none refers back, or two are named.
        ("who has LT-0388? ", "replace it by LT-0401", "LT-0401"),
        ("who has LT-0388? ", "replace my laptop", None),
        ("who has LT-0388 and LT-0401? ", "please replace it", None),
        ("", "please replace it", None),
    ],
)
async def test_it_is_what_was_named(before: str, text: str, device: str | None) -> None:
    book = read_playbook("helpdesk", "devices")
    (asked,) = [each.id for each in book.definition.requests if "replace" in each.id]
    known = Entities(tuple(book.definition.pattern_kinds))
    message = before + text
    lang = "zh" if "吗" in before else "en"
    run = new_run(
        book, message=message, text=text, request=asked, lang=lang, named=known.record(text)
    )
    walk = await Walk(book, run, listed=lambda *_: known).start()
    form = {field.name: field.value for field in walk.card.choices[0].form}
    taken = walk.run.state.data.get("asset") or form.get("asset") or None
    assert taken == device
