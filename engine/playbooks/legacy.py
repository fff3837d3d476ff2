"""What playbooks of earlier versions name, in today's words, which come from a project's folder.

Rules once went over `records: NAME`, and batches likewise: which records those were, a project says
in its legacy.yaml, by the tool that lists them today. Tools that were once the service's own are
those of the playbook's tools.yaml today.
"""

from typing import Any

from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, from_json, to_json

from cards.frozen import Frozen
from engine.playbooks.model import Playbook
from engine.playbooks.records import ListTool, RecordTool
from engine.playbooks.tool import ToolDefinition


class LegacyRecords(RecordTool):
    """The tool that lists what was called so; `leaf_key` is where the leaf of one member stood."""

    leaf_key: str = ""


class LegacyBatch(ListTool):
    """The tool that lists what was called so; `leaf_key` is where the leaf of a record stood."""

    leaf_key: str


class Legacy(Frozen):
    """What stands for each name of records: for rules over them, and for batches of them.

    `tools` are those of a playbook by its id, for versions of it that have none of their own.
    """

    over: dict[str, LegacyRecords] = {}
    batch: dict[str, LegacyBatch] = {}
    tools: dict[str, dict[str, ToolDefinition]] = {}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """As files write it: `tools` are names of playbooks, whose tools.yaml has them."""
        found = handler.resolve_ref_schema(handler(schema))
        names = {"type": "array", "items": {"type": "string"}}
        found["properties"]["tools"] |= names
        del found["properties"]["tools"]["additionalProperties"]
        return found

    def read_playbook(self, stored: str) -> Playbook:
        """A stored playbook. Raises ValidationError, also for a name that nothing stands for."""
        playbook = self._read_records(stored)
        if playbook.tools or playbook.id not in self.tools:
            return playbook
        return playbook.model_copy(update={"tools": self.tools[playbook.id]})

    def _read_records(self, stored: str) -> Playbook:
        if '"records"' not in stored:
            return Playbook.model_validate_json(stored)
        given = from_json(stored)
        skills = given.get("skills") if isinstance(given, dict) else None
        if not isinstance(skills, dict):
            return Playbook.model_validate_json(stored)
        upgraded = {name: self.upgrade_skill(skill) for name, skill in skills.items()}
        return Playbook.model_validate_json(to_json({**given, "skills": upgraded}))

    def upgrade_skill(self, given: Any) -> Any:
        """A skill, as JSON or YAML has it, as it would be written today."""
        sop = given.get("sop") if isinstance(given, dict) else None
        if not isinstance(sop, dict):
            return given
        sop = dict(sop)
        if isinstance(sop.get("batch"), dict):
            sop["batch"] = self._batch(sop["batch"])
        if isinstance(sop.get("nodes"), dict):
            sop["nodes"] = {name: self._node(node) for name, node in sop["nodes"].items()}
        return {**given, "sop": sop}

    def _node(self, node: Any) -> Any:
        over = node.get("over") if isinstance(node, dict) else None
        return {**node, "over": self._over(over)} if isinstance(over, dict) else node

    def _over(self, over: dict[str, Any]) -> dict[str, Any]:
        source = self.over.get(str(over.get("records")))
        if source is None:
            return over
        today = source.model_dump(mode="json", exclude={"leaf_key"})
        if over.get(source.leaf_key) and today["for_each"]:
            today["for_each"]["only"] = over[source.leaf_key]
        return {**today, **_without(over, source.leaf_key)}

    def _batch(self, batch: dict[str, Any]) -> dict[str, Any]:
        source = self.batch.get(str(batch.get("records")))
        if source is None:
            return batch
        today = source.model_dump(mode="json", exclude={"leaf_key"})
        return {**today, "name": batch.get(source.leaf_key), **_without(batch, source.leaf_key)}


def _without(given: dict[str, Any], leaf_key: str) -> dict[str, Any]:
    return {key: value for key, value in given.items() if key not in ("records", leaf_key)}


NO_LEGACY = Legacy()
