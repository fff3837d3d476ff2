"""The internal API's description in OpenAPI 3.1, made from its models and the playbooks."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic.json_schema import models_json_schema

from bot.api.bodies import Invalid, Refusal, SkillAnswer, SkillRequest
from engine.playbooks.model import Playbook
from engine.playbooks.nesting import nest
from engine.skills.output import leaf_schema

EXECUTE: Final = "/internal/ai/skills/{skill}/execute"
OPENAPI: Final = "/internal/ai/openapi.json"
_REF: Final = "#/components/schemas/"
_REFUSALS: Final = {
    400: "The body is no JSON",
    401: "The token is missing or wrong",
    404: "There is no such skill",
    409: "The skill cannot run on this state, or failed on it; `why` says which and how",
    413: "The body is longer than 1 MiB",
    415: "The body is not sent as application/json",
    502: "The model gave no usable answer",
    503: "The skill needs a model, and none is set or reachable; or the store is away",
    504: "The skill took too long",
}


def describe(playbooks: Mapping[str, Playbook]) -> dict[str, Any]:
    """The description, with the skills of these playbooks and the types of their fields."""
    usable = {name: playbook for name, playbook in playbooks.items() if playbook.skills}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Signoff: skills for other programs", "version": "1"},
        "security": [{"token": []}],
        "paths": {EXECUTE: {"post": _execute(usable)}, OPENAPI: {"get": _openapi()}},
        "components": {
            "schemas": _schemas(usable),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _execute(usable: Mapping[str, Playbook]) -> dict[str, Any]:
    skills = sorted({name for playbook in usable.values() for name in playbook.skills})
    named: dict[str, Any] = {"type": "string", **({"enum": skills} if skills else {})}
    parameter = {"name": "skill", "in": "path", "required": True, "schema": named}
    return {
        "operationId": "executeSkill",
        "summary": "Run one skill on a state; nothing is stored or written, and nobody is asked",
        "parameters": [parameter],
        "requestBody": {"required": True, "content": _content("SkillRequest")},
        "responses": {
            "200": {"description": "What the skill gives", "content": _content("SkillAnswer")},
            "422": {"description": "The fields that are wrong", "content": _content("Invalid")},
            **_refusals(*_REFUSALS),
        },
    }


def _openapi() -> dict[str, Any]:
    described = {"application/json": {"schema": {"type": "object"}}}
    return {
        "operationId": "describeSkills",
        "summary": "This description",
        "responses": {
            "200": {"description": "This description", "content": described},
            **_refusals(401),
        },
    }


def _refusals(*statuses: int) -> dict[str, Any]:
    content = _content("Refusal")
    return {
        str(status): {"description": _REFUSALS[status], "content": content} for status in statuses
    }


def _content(schema: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"{_REF}{schema}"}}}


def _schemas(usable: Mapping[str, Playbook]) -> dict[str, Any]:
    _, made = models_json_schema(
        [
            (SkillRequest, "validation"),
            (SkillAnswer, "serialization"),
            (Refusal, "serialization"),
            (Invalid, "serialization"),
        ],
        ref_template=f"{_REF}{{model}}",
    )
    schemas: dict[str, Any] = made["$defs"]
    if not usable:
        return schemas
    request, state = schemas["SkillRequest"]["properties"], schemas["SkillState"]
    request["playbook"] = {"type": "string", "enum": sorted(usable)}
    states = {f"State.{name}": _state(state, playbook) for name, playbook in usable.items()}
    request["state"] = {"anyOf": [{"$ref": f"{_REF}{name}"} for name in sorted(states)]}
    del schemas["SkillState"]
    return {**schemas, **states}


def _state(state: Mapping[str, Any], playbook: Playbook) -> dict[str, Any]:
    """The state with the playbook's own fields and their types."""
    definition = playbook.definition
    fields = {
        "profile": _tree({n: leaf_schema(f) for n, f in definition.profile_fields.items()}),
        "decisions": {
            name: {"type": ["string", "number", "boolean"]} for name in definition.decision_fields
        },
        "data": _tree({n: leaf_schema(leaf) for n, leaf in definition.data_fields.items()}),
    }
    typed = {group: _object(named) for group, named in fields.items()}
    title = f"A state of {playbook.id}"
    return {**state, "title": title, "properties": {**state["properties"], **typed}}


def _tree(leaves: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return nest(leaves, _object)


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}
