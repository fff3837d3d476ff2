"""What Telegram shows of a form that is filled in: a prompt, options, or all to be checked."""

from collections.abc import Sequence
from dataclasses import dataclass

from telegram import ForceReply, InlineKeyboardButton, InlineKeyboardMarkup

from adapters.telegram.forms.progress import FormProgress
from adapters.telegram.forms.prompts import Prompt, PromptField, hint_of, label_of, prompt_html
from adapters.telegram.outbound.markdown import spans_of
from adapters.telegram.outbound.richtext import (
    BOLD,
    ITALIC,
    Span,
    render_html,
    split,
    without_mentions,
)
from cards.clipping import clip
from cards.fields.readers import option_label
from cards.fields.table import options_of, shown_value
from cards.model import Field
from cards.texts import say
from cards.visible import visible

PER_PAGE = 20
"""The most options or fields on one page, well below what a keyboard may hold."""

_LABEL_CHARS = 40
_VALUE_CHARS = 300
_ROWS_CHARS = 2000
_SHORT = 16


@dataclass(frozen=True, slots=True)
class FormScreen:
    """One message: with a keyboard, or to be replied to."""

    html: str
    markup: InlineKeyboardMarkup | ForceReply

    @property
    def keyboard(self) -> InlineKeyboardMarkup | None:
        """The buttons below it; None when it has to be replied to."""
        return self.markup if isinstance(self.markup, InlineKeyboardMarkup) else None


def form_screen(progress: FormProgress, mention: Span | None = None) -> FormScreen:
    """Return the message of this step; `mention` is who shall answer, in a group."""
    field = progress.field
    if field is None:
        return _summary_screen(progress, mention)
    if options_of(field):
        return _choice_screen(progress, field, mention)
    return _prompt_screen(progress, field, mention)


def closing_html(progress: FormProgress, result: str, mention: Span | None = None) -> str:
    """Return the HTML of a finished form: its values, and the result."""
    body = [
        *_title(progress, mention),
        *_rows(progress),
        Span("\n\n"),
        Span(without_mentions(result), (BOLD,)),
    ]
    return _html(body)


def _prompt_screen(progress: FormProgress, field: Field, mention: Span | None) -> FormScreen:
    lang, stands = progress.form.lang, progress.value(field)
    ways = ["telegram.way_back"] if progress.at else []
    if stands:
        ways.append("telegram.way_keep")
        ways += [] if field.required else ["telegram.way_clear"]
    elif not field.required:
        ways.append("telegram.way_skip")
    hints = [say("telegram.lines_too", lang)] if field.multiline else []
    hints += [say("telegram.file_too", lang)] if field.type == "file" else []
    hints += [say("list.clauses", lang).join(say(way, lang) for way in ways)] if ways else []
    steer = say("telegram.steer", lang, ways=" ".join(hints)).strip()
    fields = (PromptField(field.name, label_of(field, lang), lines=field.multiline),)
    prompt = Prompt(progress.form.data, fields, lang, progress.id)
    body = [*_question(progress, field), Span("\n\n"), Span(steer, (ITALIC,))]
    return FormScreen(prompt_html(prompt, body, mention), ForceReply(selective=True))


def _choice_screen(progress: FormProgress, field: Field, mention: Span | None) -> FormScreen:
    lang, stands, at = progress.form.lang, progress.value(field), progress.at
    values = options_of(field)
    shown, turns = _page(progress, len(values))
    labels = [visible(option_label(field, value, lang)) for value in values]
    options = [
        _button(f"{'✓ ' if values[n] == stands else ''}{label}", progress, "o", at, n)
        for n, label in list(enumerate(labels))[shown]
    ]
    ways = [_button(say("telegram.back", lang), progress, "b")] if at else []
    if stands:
        kept = visible(shown_value(field, stands, lang))
        ways.append(_button(say("telegram.keep", lang, value=kept), progress, "k", at))
    if not field.required:
        key = "telegram.clear" if stands else "telegram.skip"
        ways.append(_button(say(key, lang), progress, "e", at))
    ways.append(_button(progress.form.cancel, progress, "x"))
    body = [
        *_lead(mention),
        *_question(progress, field),
        Span("\n\n"),
        Span(say("telegram.choose", lang), (ITALIC,)),
    ]
    return FormScreen(
        _html(body), InlineKeyboardMarkup([*_in_rows(options), *turns, *_in_rows(ways)])
    )


def _summary_screen(progress: FormProgress, mention: Span | None) -> FormScreen:
    form = progress.form
    shown, turns = _page(progress, len(form.fields))
    changes = [
        _button(f"✎ {field.label}", progress, "c", number)
        for number, field in list(enumerate(form.fields))[shown]
    ]
    ends = [
        _button(form.submit, progress, "s", style="primary"),
        _button(form.cancel, progress, "x"),
    ]
    body = [
        *_title(progress, mention),
        Span(say("telegram.summary", form.lang), (ITALIC,)),
        Span("\n"),
        *_rows(progress),
    ]
    return FormScreen(_html(body), InlineKeyboardMarkup([ends, *_in_rows(changes), *turns]))


def _title(progress: FormProgress, mention: Span | None) -> list[Span]:
    form = progress.form
    intro = [*spans_of(form.intro), Span("\n")] if form.intro else []
    return [*_lead(mention), Span(without_mentions(form.title), (BOLD,)), Span("\n"), *intro]


def _lead(mention: Span | None) -> list[Span]:
    return [mention, Span(" ")] if mention else []


def _question(progress: FormProgress, field: Field) -> list[Span]:
    form, lang = progress.form, progress.form.lang
    step = say(
        "telegram.step",
        lang,
        title=without_mentions(form.title),
        n=(progress.at or 0) + 1,
        total=len(form.fields),
    )
    hint = hint_of(field, lang, options=False)
    lines = [label_of(field, lang) + (say("list.colon", lang) + hint if hint else "")]
    if stands := progress.value(field):
        value = clip(visible(shown_value(field, stands, lang), lines=True), _VALUE_CHARS)
        lines.append(say("telegram.stands", lang, value=value))
    fault = [Span(f"⚠️ {without_mentions(progress.fault)}\n")] if progress.fault else []
    intro = [*spans_of(form.intro), Span("\n")] if form.intro and not progress.at else []
    title = [Span(step, (BOLD,)), Span("\n"), *intro]
    return [*title, *fault, Span(without_mentions("\n".join(lines)))]


def _rows(progress: FormProgress) -> list[Span]:
    lang, spans = progress.form.lang, list[Span]()
    room = min(_VALUE_CHARS, _ROWS_CHARS // len(progress.form.fields))
    for field in progress.form.fields:
        entered = visible(shown_value(field, progress.value(field), lang), lines=True)
        value = clip(entered, room) or say("telegram.empty", lang)
        label = without_mentions(label_of(field, lang)) + say("list.colon", lang)
        spans += [Span(f"\n{label}", (BOLD,)), Span(without_mentions(value))]
    return spans


def _page(progress: FormProgress, count: int) -> tuple[slice, list[list[InlineKeyboardButton]]]:
    """Return which are shown, and the row of buttons that turn the page, if there are more."""
    lang, pages = progress.form.lang, -(-count // PER_PAGE)
    page = min(progress.page, max(pages - 1, 0))
    shown = slice(page * PER_PAGE, (page + 1) * PER_PAGE)
    row = []
    if page > 0:
        row.append(_button(say("telegram.previous", lang), progress, "p", page - 1))
    if page < pages - 1:
        row.append(_button(say("telegram.next", lang), progress, "p", page + 1))
    return shown, [row] if row else []


def _button(
    label: str, progress: FormProgress, verb: str, *numbers: int | None, style: str | None = None
) -> InlineKeyboardButton:
    data = ":".join(["f1", progress.id, verb, *(str(n) for n in numbers if n is not None)])
    text = clip(without_mentions(label), _LABEL_CHARS) or "…"
    return InlineKeyboardButton(text, callback_data=data, style=style)


def _in_rows(buttons: Sequence[InlineKeyboardButton]) -> list[list[InlineKeyboardButton]]:
    """Arrange buttons, two in a row where both labels are short."""
    rows: list[list[InlineKeyboardButton]] = []
    for button in buttons:
        last = rows[-1] if rows else []
        if len(last) == 1 and all(len(b.text) <= _SHORT for b in (*last, button)):
            last.append(button)
        else:
            rows.append([button])
    return rows


def _html(body: Sequence[Span]) -> str:
    return render_html(next(split(list(body))))
