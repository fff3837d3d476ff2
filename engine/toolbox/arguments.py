"""The arguments of a project folder's tools: fields like any other, checked as those are."""

from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema, create_model
from pydantic_core import to_jsonable_python

from cards.fields.table import FIELD_TYPES
from cards.frozen import Frozen
from engine.playbooks.leaf import Leaf, TypedValue, value_faults
from engine.playbooks.tool import SINCE, UNTIL, ToolDefinition
from engine.text.entity_kinds import NO_ENTITIES, Entities
from engine.text.language import LocalizedText
from engine.tools.arguments import Arguments
from engine.tools.remote import schema_arguments

Json = dict[str, Any]

MAX_KEPT = 1024
"""So many models are kept: a playbook that is read again mostly has the same tools."""


class _Told(Frozen):
    """What the arguments of a tool are made of."""

    arguments: dict[str, Leaf] = {}
    message: str = ""
    period: tuple[str, ...] = ()
    arguments_schema: Json | None = None


def arguments_model(
    name: str, definition: ToolDefinition, entities: Entities = NO_ENTITIES
) -> type[BaseModel]:
    """The model of a tool's arguments, by its file or by what its system says.

    Ids of `entities` come as their kind says that they are written.
    """
    told = definition.model_dump_json(include=set(_Told.model_fields))
    return _build_model(name, told, entities)


@lru_cache(maxsize=MAX_KEPT)
def _build_model(name: str, told: str, entities: Entities) -> type[BaseModel]:
    definition = _Told.model_validate_json(told)
    if definition.arguments_schema is not None:
        return schema_arguments(definition.arguments_schema)
    fields: dict[str, Any] = {
        n: _field(leaf, entities, is_message=n == definition.message)
        for n, leaf in definition.arguments.items()
    }
    if definition.period:
        fields |= {n: _field(leaf, entities, is_message=False) for n, leaf in _PERIOD.items()}
    return create_model(name, __base__=Arguments, __doc__="", **fields)


_PERIOD = {
    SINCE: Leaf(label=LocalizedText({"zh": "从", "en": "From"}), type="date", required=False),
    UNTIL: Leaf(label=LocalizedText({"zh": "到", "en": "Until"}), type="date", required=False),
}


def _field(leaf: Leaf, entities: Entities, *, is_message: bool) -> tuple[Any, Any]:
    schema = _value_schema(leaf)

    def check(value: Any) -> Any:
        if value is None and not leaf.required:
            return None
        plain = value if isinstance(value, str) else to_jsonable_python(value)
        if faults := value_faults(leaf, plain):
            raise ValueError(faults[0][1])
        if leaf.entity and isinstance(value, str):
            return entities.normalised(value, leaf.entity) or value
        # JSON has one kind of number: 3.0 is a whole one.
        return int(value) if leaf.type == "integer" else value

    shown = schema if leaf.required else {"anyOf": [schema, {"type": "null"}]}
    kind = Annotated[Any, WithJsonSchema(shown), AfterValidator(check)]
    marks = _marks(leaf) | ({"reads": "message"} if is_message else {})
    form = FIELD_TYPES[leaf.type].schema.get("description", "")
    further = "; ".join(filter(None, (leaf.hint("en") if leaf.hint else "", form)))
    words = ": ".join(filter(None, (leaf.label("en"), further)))
    told: Json = {"description": words, "json_schema_extra": marks}
    return kind, Field(**told) if leaf.required else Field(default=None, **told)


def _marks(leaf: Leaf) -> Json:
    """What a model is told beside the type, and what look-ups without one go by."""
    unit = leaf.unit("en")
    marks: Json = {"unit": unit} if unit else {}
    marks |= {"field_type": leaf.type, "currencies": list(leaf.currencies)}
    marks |= {"entity": leaf.entity} if leaf.entity else {}
    marks |= {"reads": "file"} if leaf.type == "file" else {}
    marks["said"] = [leaf.label("zh"), leaf.label("en"), *leaf.cues]
    marks["option_words"] = [
        [option, label(lang)] for option, label in leaf.labels.items() for lang in ("zh", "en")
    ]
    return marks


def _value_schema(leaf: Leaf) -> Json:
    """The JSON schema of the argument's values."""
    if leaf.type != "list":
        return _cell_schema(leaf)
    cells = {name: _cell_schema(column) for name, column in leaf.columns.items()}
    row = {"type": "object", "properties": cells, "additionalProperties": False}
    return {"type": "array", "items": row}


def _cell_schema(spec: TypedValue) -> Json:
    schema = dict(FIELD_TYPES[spec.type].schema)
    if spec.type == "date":
        schema["format"] = "date"
    if spec.options and schema["type"] == "string":
        schema["enum"] = list(spec.options)
    return schema
