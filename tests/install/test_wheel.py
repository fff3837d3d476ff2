"""The wheel works in a fresh environment, outside of the checkout."""

from pathlib import Path
from zipfile import ZipFile

from bot.version import VERSION
from tests.install.trial import try_installation
from tests.install.wheel import ROOT, build_wheel, make_environment


async def test_the_wheel_is_installed_and_a_folder_is_made_and_served(tmp_path: Path) -> None:
    wheel = build_wheel(tmp_path)
    assert wheel.name == f"signoff-{VERSION}-py3-none-any.whl"
    files = set(ZipFile(wheel).namelist())
    assert not any(
        "data/" in name or "package_tools" in name for name in files - _sample_data(files)
    )
    shipped = {name.removeprefix("signoff/samples/") for name in files}
    examples = (("examples", f"{depth}/playbooks/**/*") for depth in ("*", "cookbook/*"))
    for folder, pattern in (*examples, ("playbooks", "**/*.yaml")):
        place = "playbooks/" if folder == "playbooks" else ""
        for path in (ROOT / folder).glob(pattern):
            assert path.is_dir() or f"{place}{path.relative_to(ROOT / folder)}" in shipped
    programs = make_environment(tmp_path / "environment", wheel, offline=True)
    empty = tmp_path / "empty"
    empty.mkdir()
    told = await try_installation(programs, empty, "en")
    assert "there is no project folder here: `signoff init my-bot` makes one" in told
    assert "signoff run en" in told


def _sample_data(files: set[str]) -> set[str]:
    return {name for name in files if name.endswith(".sql")}


def test_the_changelog_says_what_this_version_brings() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    section = text.partition(f"\n## {VERSION}\n")[2].partition("\n## ")[0]
    assert "### To upgrade\n" in section
    assert len(section) > 200
