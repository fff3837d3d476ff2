from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, field_validator

from cards.frozen import Frozen
from engine.errors import DefinitionError
from engine.yaml import libyaml
from engine.yaml.faults import InnerFaults
from engine.yaml.source import MAX_BYTES, MAX_DEPTH, Problems, Source, read_yaml, try_build
from tests.fakes.building import build
from tests.fakes.tables import table


@pytest.fixture(scope="module", params=["with libyaml", "without"], autouse=True)
def parser(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test here holds where PyYAML has libyaml, and where it was built without."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "without":
            patch.setattr(libyaml, "_PARSER", None)
        yield


class Names(Frozen):
    zh: str
    en: str


class Single(Frozen):
    field: str
    check: str


class Every(Frozen):
    all: tuple["Test", ...]


class Some(Frozen):
    any: tuple["Test", ...]


Test = Single | Every | Some
Every.model_rebuild()
Some.model_rebuild()


class Hard(Frozen):
    kind: Literal["hard"]
    rules: tuple[int, ...] = ()


class Soft(Frozen):
    kind: Literal["soft"]
    instruction: str
    limit: float = Field(default=1, ge=0, lt=10)


class Study(Frozen):
    id: str = Field(pattern="^[a-z]+$")
    name: str | Names = "x"
    count: int = Field(default=1, ge=1)
    ratio: float = 1
    active: bool = False
    begins: date | None = None
    nodes: dict[str, Annotated[Hard | Soft, Field(discriminator="kind")]] = {}
    when: Test | None = None
    severity: Literal["error", "warning"] = "error"
    tags: tuple[str, ...] = Field(default=("a",), min_length=1)
    by: str = Field(default="", alias="from")
    logic: dict[str, Any] = {}
    owner: str = "lin"

    @field_validator("logic")
    @classmethod
    def _inner(cls, logic: dict[str, Any]) -> dict[str, Any]:
        if "and" in logic:
            raise InnerFaults([(("and", 1), "is odd"), ((), "is strange")])
        return logic

    @field_validator("owner")
    @classmethod
    def _known(cls, owner: str) -> str:
        if owner == "nobody":
            raise ValueError("names nobody we know")
        return owner


def faults_of(text: str) -> tuple[str, ...]:
    with pytest.raises(DefinitionError) as caught:
        read_yaml(text, file="f.yaml")
    return caught.value.problems


def problems_of(text: str) -> tuple[str, ...]:
    with pytest.raises(DefinitionError) as caught:
        build(Study, read_yaml("id: abc\n" + text, file="f.yaml"))
    return caught.value.problems


@table(
    ("written", "meant"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("", None),
        ("0", 0),
        ("-3", -3),
        ("1.50", 1.5),
        ("-0.5", -0.5),
        ("999999999999999", 999999999999999),
        ("'true'", "true"),
        ('"5"', "5"),
        ("''", ""),
        ("是", "是"),
        *(
            (text, text)
            for text in (
                *("no", "yes", "on", "off", "y", "n", "True", "NULL", "~", "2026-01-01", "1:30"),
                *("0o17", "0x1F", "017", "1_000", "+1", "1e3", ".5", "5.", "inf", ".nano", "1,000"),
                *("12345678901234567890", "=", "<<"),
            )
        ),
    ],
)
def test_a_plain_scalar_means_what_it_looks_like(written: str, meant: object) -> None:
    value = read_yaml(f"key: {written}", file="f.yaml").data["key"]
    assert (value, type(value)) == (meant, type(meant))


def test_block_text_and_nesting_are_read_plainly() -> None:
    source = read_yaml("a: |\n  1\n  2\nb:\n- {c: [1, no]}\n-\n", file="f.yaml")
    assert source.data == {"a": "1\n2\n", "b": [{"c": [1, "no"]}, None]}


def test_an_empty_file_holds_nothing() -> None:
    assert read_yaml("# nothing\n", file="f.yaml").data is None


@table(
    ("text", "problems"),
    [
        ("a: 1\nb: 2\na: 3", ["f.yaml:3: key 'a' stands twice, first on line 1"]),
        ("'': 1\nb: 2\n'': 3", ["f.yaml:3: key '' stands twice, first on line 1"]),
        ("a: &x 1", ["f.yaml:1: anchors (&name) are not allowed"]),
        (
            "a: &x 1\nb: *x",
            [
                "f.yaml:1: anchors (&name) are not allowed",
                "f.yaml:2: aliases (*name) are not allowed; write it out",
            ],
        ),
        ("a: *x", ["f.yaml:1: aliases (*name) are not allowed; write it out"]),
        ("1: a", ["f.yaml:1: a key must be text; quote 1"]),
        ("true: a", ["f.yaml:1: a key must be text; quote true"]),
        ("? [a]\n: b", ["f.yaml:1: a key must be text"]),
        ("a: !!python/object:os.system x", ["f.yaml:1: tags (!name) are not allowed"]),
        ("a: !x [b]", ["f.yaml:1: tags (!name) are not allowed"]),
        ("a: 1\n---\nb: 2", ["f.yaml:2: a second document begins; a file holds one"]),
        (
            "a: [1,\nb: }",
            [
                "f.yaml:2: not valid YAML: while parsing a flow node: "
                "expected the node content, but found '}'"
            ],
        ),
        ("a: b: c", ["f.yaml:1: not valid YAML: a text with `: ` in it has to stand in quotes"]),
        ("a: 1\nb: \x01", ["f.yaml:2: holds a character that YAML does not allow: U+0001"]),
        ('a: "\\ud800"', ["f.yaml:1: holds half a character (a lone surrogate)"]),
        (
            'a: "\\UFFFFFFFF"',
            ["f.yaml:1: not valid YAML: holds a number or an escape out of range"],
        ),
        ("[" * 100_000, [f"f.yaml:1: nested deeper than {MAX_DEPTH} levels"]),
        ("a" * (MAX_BYTES + 1), [f"f.yaml:1: is larger than {MAX_BYTES} bytes"]),
    ],
)
def test_what_strict_yaml_refuses_is_told_by_line(text: str, problems: list[str]) -> None:
    assert list(faults_of(text)) == problems


def test_the_deepest_allowed_nesting_is_read() -> None:
    depth = MAX_DEPTH
    assert read_yaml("[" * depth + "1" + "]" * depth, file="f.yaml").data
    faults_of("[" * (depth + 1) + "1" + "]" * (depth + 1))


@given(
    st.text(alphabet=st.sampled_from(list("ab1:- \n\t[]{},&*!|>'\"?#%@\\\u2028é.~<="))) | st.text()
)
def test_any_text_is_read_or_refused_with_lines(text: str) -> None:
    assert all(p.startswith("f.yaml:") for p in _problems(text))


def _problems(text: str) -> tuple[str, ...]:
    try:
        read_yaml(text, file="f.yaml")
    except DefinitionError as error:
        return error.problems
    return ()


def test_a_line_is_that_of_the_key_or_of_what_stands_around_it() -> None:
    source = read_yaml("a:\n  b:\n    - c: 1\n      d: 2\n    - 5\n", file="f.yaml")
    lines = {
        (): 1,
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "b", 0, "d"): 4,
        ("a", "b", 1): 5,
        ("a", "b", 1, "x"): 5,
        ("a", "b", 9, "x"): 2,
        ("z",): 1,
    }
    assert {path: source.line(path) for path in lines} == lines


def test_a_problem_names_file_line_and_path() -> None:
    source = read_yaml("a:\n- b: 1", file="x/y.yaml")
    assert source.problem(("a", 0, "b"), "is odd") == "x/y.yaml:2: a.0.b: is odd"
    assert source.problem((), "is odd") == "x/y.yaml:1: is odd"
    assert source.problem(("a\nb",), "is odd") == "x/y.yaml:1: 'a\\nb': is odd"


def test_a_faultless_file_becomes_its_model() -> None:
    text = (
        "id: abc\nname: {zh: 名, en: name}\ncount: 3\nratio: 2\nactive: true\nbegins: 2026-01-31\n"
        "nodes: {a: {kind: soft, instruction: hi, limit: 2.5}}\n"
        "when: {all: [{field: a, check: b}, {any: [{field: c, check: d}]}]}\n"
        "severity: warning\ntags: [x, y]\nfrom: z\n"
    )
    study = build(Study, read_yaml(text, file="f.yaml"))
    assert study.begins == date(2026, 1, 31)
    assert study.name == Names(zh="名", en="name")
    assert study.nodes == {"a": Soft(kind="soft", instruction="hi", limit=2.5)}
    some = Some(any=(Single(field="c", check="d"),))
    assert study.when == Every(all=(Single(field="a", check="b"), some))
    assert (study.tags, study.by) == (("x", "y"), "z")


@table(
    ("text", "problem"),
    [
        ("idd: 4", "2: idd: unknown key; did you mean 'id'?"),
        ("form: 4", "2: form: unknown key; did you mean 'from'?"),
        ("count: abc", "2: count: should be a whole number, not 'abc'"),
        ("count: '5'", "2: count: should be a whole number, not '5'"),
        ("count: 1.5", "2: count: should be a whole number, not 1.5"),
        ("count: true", "2: count: should be a whole number, not true"),
        ("count:", "2: count: should be a whole number, not null"),
        ("count: 0", "2: count: should be at least 1, not 0"),
        ("ratio: x", "2: ratio: should be a number, not 'x'"),
        ("active: yes", "2: active: should be true or false, not 'yes'"),
        ("active: 1", "2: active: should be true or false, not 1"),
        ("owner: 5", "2: owner: should be text, not 5"),
        ("owner: [5]", "2: owner: should be text, not a list"),
        ("owner: nobody", "2: owner: names nobody we know"),
        ("begins: 2026-13-01", "2: begins: should be a date like 2026-01-31, not '2026-13-01'"),
        ("begins: 1", "2: begins: should be a date like 2026-01-31, not 1"),
        (
            "severity: eror",
            "2: severity: should be 'error' or 'warning', not 'eror'; did you mean 'error'?",
        ),
        ("tags: a", "2: tags: should be a list, not 'a'"),
        ("tags: []", "2: tags: should not be empty"),
        ("tags:\n- a\n- 1", "4: tags.1: should be text, not 1"),
        ("name: 5", "2: name: should be text or a mapping, not 5"),
        ("name: {zh: x}", "2: name.en: is required"),
        ("nodes: []", "2: nodes: should be a mapping, not a list"),
        ("nodes:\n  a: 5", "3: nodes.a: should be a mapping, not 5"),
        ("nodes:\n  a: {limit: 5}", "3: nodes.a.kind: is required"),
        ("nodes:\n  a: {kind: x}", "3: nodes.a.kind: should be one of 'hard', 'soft', not 'x'"),
        (
            "nodes:\n  a: {kind: hard, rule: []}",
            "3: nodes.a.rule: unknown key; did you mean 'rules'?",
        ),
        (
            "nodes:\n  a: {kind: hard, instruction: x}",
            "3: nodes.a.instruction: unknown key; known here: kind, rules",
        ),
        (
            "nodes:\n  a: {kind: soft, instruction: x, limit: 10}",
            "3: nodes.a.limit: should be less than 10, not 10",
        ),
        ("when: {an: []}", "2: when.an: unknown key; did you mean 'any'?"),
        ("when: 5", "2: when: should be a mapping, not 5"),
        ("when: {all: 4}", "2: when.all: should be a list, not 4"),
        (
            "when:\n  any:\n  - {all: [{field: 3, check: x}]}",
            "4: when.any.0.all.0.field: should be text, not 3",
        ),
    ],
)
def test_a_fault_is_told_in_plain_words(text: str, problem: str) -> None:
    assert problems_of(text) == (f"f.yaml:{problem}",)


def test_every_fault_is_told_in_the_order_of_the_file() -> None:
    text = "tags: 1\nnodes:\n  a: {kind: soft, limt: 1}\ncount: x\n"
    assert problems_of(text) == (
        "f.yaml:2: tags: should be a list, not 1",
        "f.yaml:4: nodes.a.instruction: is required",
        "f.yaml:4: nodes.a.limt: unknown key; did you mean 'limit'?",
        "f.yaml:5: count: should be a whole number, not 'x'",
    )


def test_what_is_missing_is_required() -> None:
    with pytest.raises(DefinitionError) as caught:
        build(Study, read_yaml("count: 3", file="f.yaml"))
    assert caught.value.problems == ("f.yaml:1: id: is required",)


def test_a_file_that_is_no_mapping_is_told() -> None:
    for text, what in (("", "null"), ("[]", "a list"), ("hello", "'hello'")):
        with pytest.raises(DefinitionError) as caught:
            build(Study, read_yaml(text, file="f.yaml"))
        assert caught.value.problems == (f"f.yaml:1: should be a mapping, not {what}",)


def test_a_validator_tells_where_inside_its_value_each_fault_lies() -> None:
    assert problems_of("logic:\n  and:\n  - 1\n  - 2\n") == (
        "f.yaml:2: logic: is strange",
        "f.yaml:5: logic.and.1: is odd",
    )


def test_a_piece_of_a_file_is_built_with_its_full_path() -> None:
    source = read_yaml("studies:\n- id: abc\n- id: ABC\n", file="f.yaml")
    assert build(Study, source, at=("studies", 0)).id == "abc"
    with pytest.raises(DefinitionError) as caught:
        build(Study, source, at=("studies", 1))
    assert caught.value.problems == (
        "f.yaml:3: studies.1.id: should be text of the form ^[a-z]+$, not 'ABC'",
    )
    with pytest.raises(DefinitionError) as caught:
        build(Study, source, at=("studies", 2, "x"))
    assert caught.value.problems == ("f.yaml:1: studies.2.x: is required",)


def test_problems_of_many_files_are_raised_together() -> None:
    problems = Problems()
    problems.raise_if_any()
    assert try_build(Names, read_yaml("zh: 1\nen: x", file="a.yaml"), problems) is None
    assert try_build(Names, read_yaml("zh: x\nen: y", file="b.yaml"), problems) == Names(
        zh="x", en="y"
    )
    problems.add(Source("c.yaml", None, {}).problem((), "is not here"))
    with pytest.raises(DefinitionError) as caught:
        problems.raise_if_any()
    assert caught.value.problems == (
        "a.yaml:1: zh: should be text, not 1",
        "c.yaml:1: is not here",
    )
