"""What is offered to who does not know what to ask: nothing that cannot be answered here."""

from dataclasses import replace

from engine.ports.library import Library
from engine.talk.turn.offered_examples import example_list, suggest_examples
from engine.tools.files.element_extract import ELEMENT_EXTRACT
from engine.tools.files.file_get_info import FILE_GET_INFO
from tests.fakes.office import HERE, office_services
from tests.fakes.tables import table


@table(
    ("asked", "example"),
    [
        ("list the amounts of R-1001", "List the amounts in ledger.csv"),
        ("what format is R-1001?", "What format is letter.docx?"),
    ],
)
async def test_questions_about_files_are_offered_where_files_are(asked: str, example: str) -> None:
    tools = (ELEMENT_EXTRACT, FILE_GET_INFO)
    services = replace(office_services("en"), tools=tools, library=Library())
    assert example in suggest_examples(asked, "en", services, files=True)
    assert example not in suggest_examples(asked, "en", services)
    assert example not in await example_list(asked, "en", HERE, services)
