"""Every prompt is as its file has it: who changes one reads the whole of it, in both languages."""

import pytest

from cards.model import Lang
from tests.prompts.make import GOLDEN, LANGUAGES, as_text, prompts


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_every_prompt_is_as_its_file_has_it(lang: Lang) -> None:
    """`python -m tests.prompts.make` writes them anew."""
    made = {name: as_text(messages) for name, messages in (await prompts(lang)).items()}
    kept = {path.stem: path.read_text("utf-8") for path in (GOLDEN / lang).glob("*.md")}
    assert made == kept
