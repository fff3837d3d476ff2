"""Prompts to reply to, in place of forms, and how a reply is read (design §7).

A prompt carries what it asks for in a link. Only links of the bot's own messages are read, and no
text of others can put one there, so that nobody can forge a prompt.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

from adapters.telegram.outbound.markdown import FORM_HOST, spans_of
from adapters.telegram.outbound.richtext import (
    BOLD,
    ITALIC,
    Span,
    Tag,
    render_html,
    split,
    without_mentions,
)
from cards.fields.readers import option_label
from cards.fields.table import options_of, shown_value, written_form
from cards.forms import range_text, with_detail
from cards.model import Field, Lang
from cards.showing.view import FormView
from cards.texts import lang_of_tag, say
from cards.visible import visible

_MARK = "✎"
_LONGEST_LINK = 1800
_SHOWN_CHARS = 200
_COLON = re.compile("[:：=]")


def label_of(field: Field, lang: Lang) -> str:
    """Return the field's label with its unit."""
    return with_detail(field.label, field.unit, lang)


def hint_of(field: Field, lang: Lang, *, options: bool = True) -> str:
    """Return what may be entered in the field, "" when there is nothing to say."""
    labels = (option_label(field, option, lang) for option in options_of(field))
    hints = [" / ".join(labels) if options else "", field.hint]
    hints.append(range_text(field.minimum, field.maximum, lang))
    hints += [] if field.hint else [written_form(field)]
    hints += [] if field.required else [say("telegram.optional", lang)]
    return say("list.clauses", lang).join(hint for hint in hints if hint)


@dataclass(frozen=True, slots=True)
class PromptField:
    """One field of a prompt: name, label, and the value that holds when a reply omits it.

    Further lines of a reply belong to the `lines` field above them.
    """

    name: str
    label: str = ""
    value: str = ""
    lines: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a prompt asks for and the button that it belongs to; `lang` is the form's language.

    `form_id` is the form that is filled in one field at a time, "" when all is asked at once.
    """

    data: str
    fields: tuple[PromptField, ...]
    lang: Lang = "en"
    form_id: str = ""

    @property
    def link(self) -> str:
        """The link that carries this prompt, without values or labels where it gets too long."""
        query = {"d": self.data, "g": self.lang, "f": [f.name for f in self.fields]}
        query |= {"m": [f.name for f in self.fields if f.lines]}
        query |= {"w": [self.form_id] if self.form_id else []}
        labels, values = [f.label for f in self.fields], [f.value for f in self.fields]
        links = [
            f"https://{FORM_HOST}/form?{urlencode(each, doseq=True)}"
            for each in ({**query, "l": labels, "v": values}, {**query, "l": labels}, query)
        ]
        return next((link for link in links if len(link) <= _LONGEST_LINK), links[-1])


def prompt_of(form: FormView) -> Prompt:
    """Return the prompt that asks for the form's fields."""
    fields = tuple(
        PromptField(f.name, label_of(f, form.lang), f.value, f.multiline) for f in form.fields
    )
    return Prompt(form.data, fields, form.lang)


def parse_prompt_link(link: str) -> Prompt | None:
    """Return the prompt that a link carries; None for any other link."""
    if not link.startswith(f"https://{FORM_HOST}/form?"):
        return None
    query = parse_qs(urlsplit(link).query, keep_blank_values=True)
    names = query.get("f", [])
    if "d" not in query or not names:
        return None
    labels, values = (query.get(key, []) + [""] * len(names) for key in ("l", "v"))
    lines = [name in query.get("m", []) for name in names]
    fields = tuple(PromptField(*parts) for parts in zip(names, labels, values, lines, strict=False))
    lang = lang_of_tag(query.get("g", [""])[0])
    return Prompt(query["d"][0], fields, lang, query.get("w", [""])[0])


def form_html(form: FormView, mention: Span | None = None) -> str:
    """Return the HTML that asks for all fields; `mention` is who shall answer, in a group."""
    prompt = prompt_of(form)
    if len(form.fields) == 1 and form.fields[0].type in ("text", "person"):
        question = [Span(without_mentions(_question(form.fields[0], form.lang)))]
        hint = say("telegram.reply_one", form.lang)
    else:
        lines = [f"• {_field_line(field, form.lang)}" for field in form.fields]
        question = [Span(without_mentions("\n".join(lines)))]
        hint = say("telegram.reply_lines" if len(lines) > 1 else "telegram.reply_one", form.lang)
    intro = [*spans_of(form.intro), Span("\n")] if form.intro else []
    title = [Span(without_mentions(form.title), (BOLD,)), Span("\n"), *intro]
    return prompt_html(prompt, [*title, *question, Span("\n\n"), Span(hint, (ITALIC,))], mention)


def retry_html(prompt: Prompt, errors: dict[str, str], mention: Span | None = None) -> str:
    """Return the HTML that lists a reply's faults and asks for another one."""
    labels = {field.name: field.label for field in prompt.fields}
    colon = say("list.colon", prompt.lang)
    lines = [f"• {labels.get(name) or name}{colon}{fault}" for name, fault in errors.items()]
    hint = say(
        "telegram.reply_lines" if len(prompt.fields) > 1 else "telegram.reply_one", prompt.lang
    )
    body = [
        Span(say("telegram.mend", prompt.lang), (BOLD,)),
        Span(without_mentions("\n" + "\n".join(lines) + "\n\n")),
        Span(hint, (ITALIC,)),
    ]
    return prompt_html(prompt, body, mention)


def parse_reply(prompt: Prompt, text: str) -> dict[str, str]:
    """Return a reply's raw values by field name; text that is no list of fields under "text"."""
    pairs = _with_rows([(_pair(line, prompt), line.rstrip()) for line in text.splitlines()], prompt)
    values = {pair[0]: pair[1].strip() for pair in pairs if pair}
    if not pairs or None in pairs:
        return {prompt.fields[0].name if len(prompt.fields) == 1 else "text": text.strip()}
    return {**{f.name: f.value for f in prompt.fields if f.value}, **values}


def _with_rows(
    read: Sequence[tuple[tuple[str, str] | None, str]], prompt: Prompt
) -> list[tuple[str, str] | None]:
    """Add further lines to the value above: lines with a bar, and any line of a text."""
    texts = {field.name for field in prompt.fields if field.lines}
    pairs: list[tuple[str, str] | None] = []
    for pair, line in read:
        last = pairs[-1] if pairs else None
        if pair is None and last and ("|" in line or last[0] in texts):
            pairs[-1] = (last[0], f"{last[1]}\n{line}".lstrip())
        elif line:
            pairs.append(pair)
    return pairs


def _pair(line: str, prompt: Prompt) -> tuple[str, str] | None:
    """Return the field and value of a line "name: value"; None for any other line."""
    name, *value = _COLON.split(line.strip().lstrip("•-* "), maxsplit=1)
    names = {_key(name): f.name for f in prompt.fields for name in (f.label, f.name) if name}
    field = names.get(_key(name))
    return (field, value[0].strip()) if field and value else None


def prompt_html(prompt: Prompt, body: Sequence[Span], mention: Span | None) -> str:
    """Return the HTML of a prompt, whose mark is the link that carries it."""
    who = [mention, Span(" ")] if mention else []
    mark = Span(_MARK, (Tag("a", prompt.link),))
    return render_html(next(split([mark, Span(" "), *who, *body])))


def _key(name: str) -> str:
    """Normalise a typed name: case, spaces and a unit in brackets do not matter."""
    return re.split("[(（]", name.replace("\u2060", ""), maxsplit=1)[0].strip().casefold()


def _question(field: Field, lang: Lang) -> str:
    return with_detail(label_of(field, lang), hint_of(field, lang), lang)


def _field_line(field: Field, lang: Lang) -> str:
    shown = visible(shown_value(field, field.value, lang), lines=True)
    value = f" [{_cut(shown)}]" if field.value else ""
    hint = f"{hint_of(field, lang) or '…'}{value}"
    return label_of(field, lang) + say("list.colon", lang) + hint


def _cut(value: str) -> str:
    """Shorten a value that the card shows whole."""
    return value if len(value) <= _SHOWN_CHARS else f"{value[:_SHOWN_CHARS]}…"
