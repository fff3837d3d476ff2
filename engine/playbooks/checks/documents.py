"""What models cannot check of documents: their leaves, and what their templates ask for."""

from engine.playbooks.checks.names import FileCheck
from engine.playbooks.skill import DocumentPart
from engine.text.word_template import BUILT_IN, CONTENT, BadWordTemplate, template_holes
from engine.yaml.faults import Path, suggestion


class DocumentCheck(FileCheck):
    """One pass over a skill's document; adds each problem where it stands."""

    def run(self, document: DocumentPart) -> None:
        """Check its leaves, its writer's tools and its template."""
        self._leaf(document.file, ("document", "file"), "file")
        if document.markdown:
            self._leaf(document.markdown, ("document", "markdown"), "file")
        self._leaf(document.name, ("document", "name"), "text")
        if document.text:
            self._leaf(document.text, ("document", "text"), "text")
        if document.writer and document.text:
            self.add(("document", "text"), "does not go with a writer, whose text it is")
        if not (document.writer or document.text or document.template):
            fault = "has nothing to say: give it a writer, a text or a template"
            self.add(("document",), fault)
        if document.writer:
            self.check_read_tools(document.writer.tools, ("document", "writer", "tools"))
        if document.template:
            self._template(document)

    def _leaf(self, path: str, at: Path, wanted: str) -> None:
        self.check_path(path, at)
        definition = self.names.definition
        leaf = definition.leaf(path) if definition else None
        if leaf and leaf.type != wanted:
            self.add(at, f"should be a field of type {wanted}, and {path} is of type {leaf.type}")
        elif definition and path.startswith("decisions."):
            self.add(at, f"should be a field of type {wanted}")

    def _template(self, document: DocumentPart) -> None:
        at, definition = ("document", "template"), self.names.definition
        templates = self.names.templates
        if templates is None or definition is None:
            return
        encoded = templates.get(document.template)
        if encoded is None:
            hint = suggestion(document.template, templates)
            fault = f"there is no documents/{document.template} in the playbook's folder; {hint}"
            self.add(at, fault.rstrip("; "))
            return
        try:
            holes = template_holes(encoded)
        except BadWordTemplate as error:
            self.add(at, f"{document.template} {error}")
            return
        for hole in holes:
            listed, _, column = hole.rpartition(".")
            rows = definition.data_fields.get(listed)
            known = hole in BUILT_IN or definition.leaf(hole) is not None
            if not known and not (rows and column in rows.columns):
                names = (*BUILT_IN, *definition.data_fields)
                hint = suggestion(hole, names)
                fault = f"{document.template} asks for {hole!r}, which is no field; {hint}"
                self.add(at, fault.rstrip("; "))
        if CONTENT in holes and not (document.writer or document.text):
            fault = f"{document.template} asks for a content, and nothing writes one"
            self.add(at, f"{fault}: give the document a writer or a text")
