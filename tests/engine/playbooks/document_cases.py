"""What may be wrong with a document, its template, and how it is told."""

from tests.fakes.harbour import WRITER
from tests.fakes.templates import template

CASES: list[tuple[str, bytes, str]] = [
    ("", b"", "has nothing to say: give it a writer, a text or a template"),
    (
        "  template: lettr.docx\n",
        b"",
        "there is no documents/lettr.docx in the playbook's folder; did you mean 'letter.docx'?",
    ),
    (
        "  template: letter.docx\n",
        template(("To {{tenent}}",)),
        "letter.docx asks for 'tenent', which is no field; did you mean 'tenant'?",
    ),
    (
        "  template: letter.docx\n",
        template(("{{fees.total}}",)),
        "letter.docx asks for 'fees.total', which is no field",
    ),
    (
        "  template: letter.docx\n",
        template(("{{content}}",)),
        "letter.docx asks for a content, and nothing writes one: give the document a writer or a "
        "text",
    ),
    (
        f"{WRITER}  template: letter.docx\n",
        template(("All: {{content}}",)),
        "{{content}} should stand in a paragraph of its own",
    ),
    ("  template: letter.docx\n", b"PK no", "letter.docx is no Word document (.docx)"),
    (f"{WRITER}  text: terms\n", b"", "does not go with a writer, whose text it is"),
    ("  text: fees\n", b"", "should be a field of type text, and fees is of type list"),
    (
        "  name: decisions.agreed\n  text: terms\n",
        b"",
        "document.name: should be a field of type text",
    ),
]
