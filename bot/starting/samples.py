"""The samples that come with the service, as `signoff init --from` copies them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from adapters.filesystem import read_text
from bot.project import PROJECT_FILE
from cards.frozen import Frozen
from engine.errors import DefinitionError
from engine.playbooks.load import MAIN
from engine.playbooks.tool import TOOLS_FILE
from engine.text.language import suits_language
from engine.yaml.faults import suggestion
from engine.yaml.source import Problems, read_yaml, try_build

_HOME: Final = Path(__file__).parents[2]
_ROOTS: Final = (_HOME / "signoff" / "samples", _HOME / "examples", _HOME)
"""Where a wheel has the samples, as setup.py says, and where a checkout has them."""
_LIST: Final = "samples.yaml"
_KINDS: Final = frozenset({".yaml", ".md", ".sql", ".py"})
_PROJECT: Final = re.compile(r"^project: .*$", re.MULTILINE)
_LANGUAGES: Final = re.compile(r"^languages: .*$", re.MULTILINE)
_CREATED: Final = re.compile(r"^(\s+create: )(\w+/)", re.MULTILINE)


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
    if name not in source.data:
        hint = suggestion(name, source.data)
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
    for place, text in files.items():
        if place.endswith(f"/{MAIN}"):
            files[place] = _PROJECT.sub(f"project: {project}", text, count=1)
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
    """The first example of a request in a playbook among the files, in English if there is one."""
    for place, text in files.items():
        if place.endswith(f"/{MAIN}"):
            data = read_yaml(text, file=place).data
            examples = [str(each) for each in data["requests"][0]["examples"]]
            return next((e for e in examples if suits_language(e, "en")), examples[0])
    return ""
