"""What the page itself says: a file for each language."""

import re
import shutil
from pathlib import Path

import pytest

from adapters.webchat.static_files import StaticFiles

STATIC = Path(__file__).parents[3] / "adapters" / "webchat" / "static"
SPOKEN = sorted(path.name for path in STATIC.glob("texts.*.js"))


def keys(script: str) -> set[str]:
    return set(re.findall(r"^  (\w+):", script, re.MULTILINE))


@pytest.mark.parametrize("name", SPOKEN)
def test_every_language_has_the_same_keys(name: str) -> None:
    said, english = ((STATIC / each).read_text("utf-8") for each in (name, "texts.en.js"))
    assert len(keys(english)) > 50
    assert keys(said) == keys(english)


def test_a_third_language_is_a_file(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(STATIC, tmp_path / "static"))
    (folder / "texts.fr.js").write_text('export default { own: "FR", send: "Envoyer" };', "utf-8")
    listed = [f'default as {lang} }} from "/static/texts.{lang}.js"' for lang in ("en", "fr", "zh")]
    for files, expected in ((StaticFiles(), listed[::2]), (StaticFiles(folder), listed)):
        body = files.serve("languages.js").body
        assert isinstance(body, bytes)
        assert re.findall(r"export \{ (.*);", body.decode()) == expected
