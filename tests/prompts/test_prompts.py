"""Every prompt is as its file has it: who changes one reads the whole of it, in both languages."""

from pathlib import Path

import pytest

from cards.model import Lang
from tests.prompts.make import GOLDEN, TRANSCRIPTS, as_text, prompts
from tests.prompts.scripted_runs import transcripts
from tests.prompts.situation import LANGUAGES


def kept_in(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in folder.glob("*.md")}


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_every_prompt_is_as_its_file_has_it(lang: Lang) -> None:
    """`python -m tests.prompts.make` writes them anew."""
    made = {name: as_text(messages) for name, messages in (await prompts(lang)).items()}
    assert made == kept_in(GOLDEN / lang)


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_a_scripted_run_of_every_kind_asks_and_offers_what_its_file_has(lang: Lang) -> None:
    """Its tools, the schema of its answer, and what comes back after a slip."""
    assert await transcripts(lang) == kept_in(TRANSCRIPTS / lang)
