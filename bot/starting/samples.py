"""The samples that come with the service, as `signoff init --from` copies them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from adapters.filesystem import read_text
from bot.project import PROJECT_FILE
from cards.frozen import Frozen
from engine.errors import DefinitionError
from engine.playbooks.answer import ANSWERS_FILE
from engine.playbooks.load import MAIN
from engine.playbooks.tool import TOOLS_FILE
from engine.text.language import suits_language
from engine.yaml.faults import suggestion
from engine.yaml.source import Problems, read_yaml, try_build

_HOME: Final = Path(__file__).parents[2]
_ROOTS: Final = (_HOME / "signoff" / "samples", _HOME / "examples", _HOME)
"""Where a wheel has the samples, as setup.py says, and where a checkout has them."""
_LIST: Final = "samples.yaml"
_COOKBOOK: Final = "cookbook"
"""The folder with an answer of the cookbook in each of its folders: `cookbook/manager`."""
_KINDS: Final = frozenset({".yaml", ".md", ".sql", ".py", ".csv"})
_PROJECT: Final = re.compile(r"^project: .*$", re.MULTILINE)
_LANGUAGES: Final = re.compile(r"^languages: .*$", re.MULTILINE)
_CREATED: Final = re.compile(r"^( +create: )(\w+/)", re.MULTILINE)


class Sample(Frozen):
    """A sample: a project folder, or one `playbook` of a folder that has several.

    `server` is a small system to try it with, `secret` the variable with the token that it wants.
    """

    folder: str
    playbook: str = ""
    server: str = ""
    secret: str = ""


def find_sample(name: str) -> Sample:
    """The sample of that name. Raises DefinitionError with those that there are."""
    path = _place(_LIST)
    source = read_yaml(read_text(path), file=str(path))
    answers = {f"{_COOKBOOK}/{path.name}" for path in _place(_COOKBOOK).iterdir() if path.is_dir()}
    if name in answers:
        return Sample(folder=name)
    if name not in source.data:
        hint = suggestion(name, {*source.data, *answers})
        raise DefinitionError(f"--from: there is no sample {name!r}; {hint}")
    problems = Problems()
    sample = try_build(Sample, source, problems, at=(name,))
    problems.raise_if_any()
    assert sample is not None
    return sample


def read_sample(sample: Sample, project: str, zone: str) -> dict[str, str]:
    """The texts of its files by their place in a new folder.

    The `project` and the time `zone` are the user's own. Raises DefinitionError.
    """
    folder = _place(sample.folder)
    languages = _LANGUAGES.search(read_text(folder / PROJECT_FILE))
    files = dict(_read_files(folder, sample.playbook))
    for main in [text for place, text in files.items() if place.endswith(f"/{MAIN}")]:
        # Its tests name it, too.
        for line in _PROJECT.findall(main):
            renamed = re.compile(rf"\b{re.escape(line)}(?![\w-])")
            files = {
                place: renamed.sub(f"project: {project}", text) for place, text in files.items()
            }
    if "connections.yaml" in files and sample.playbook:
        files["connections.yaml"] = _CREATED.sub(r"\1playbooks/\2", files["connections.yaml"])
    lines = [languages[0] if languages else "", f"timezone: {zone}", ""]
    return {**files, PROJECT_FILE: "\n".join(lines).lstrip("\n")}


def _read_files(folder: Path, playbook: str) -> Iterator[tuple[str, str]]:
    for path in sorted((folder / playbook).rglob("*")):
        place = path.relative_to(folder)
        if path.is_file() and path.suffix in _KINDS and not _is_made(place):
            yield (Path("playbooks") / place if playbook else place).as_posix(), read_text(path)
    if playbook:
        yield "people.yaml", read_text(folder / "people.yaml")
    if playbook and (folder / playbook / TOOLS_FILE).exists():
        yield "connections.yaml", read_text(folder / "connections.yaml")


def _is_made(place: Path) -> bool:
    """Whether the service or Python made the file while the sample was used."""
    return place.parts[0] == "data" or "__pycache__" in place.parts


def _place(name: str) -> Path:
    for root in _ROOTS:
        if (root / name).exists():
            return root / name
    raise DefinitionError(f"this installation has no samples: {_ROOTS[0] / name} is not there")


def first_words(files: Mapping[str, str]) -> str:
    """The first example of a request, else of a question, in English if there is one."""
    for name in (MAIN, TOOLS_FILE, ANSWERS_FILE):
        examples = [
            e for place in files if place.endswith(f"/{name}") for e in _examples(files, place)
        ]
        if examples:
            return next((each for each in examples if suits_language(each, "en")), examples[0])
    return ""


def _examples(files: Mapping[str, str], place: str) -> list[str]:
    data = read_yaml(files[place], file=place).data
    items = data.get("requests", ()) if place.endswith(f"/{MAIN}") else data.values()
    found = [item.get("examples", ()) for item in items]
    # An answer may have them by language.
    lists = [one for each in found for one in (each.values() if isinstance(each, dict) else [each])]
    return [str(text) for texts in lists for text in texts]
