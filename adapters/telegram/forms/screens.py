"""A form that is being filled in, as Telegram shows it: a prompt, buttons, or all to be checked."""

from collections.abc import Sequence
from dataclasses import dataclass

from telegram import ForceReply, InlineKeyboardButton, InlineKeyboardMarkup

from adapters.telegram.forms.progress import Filling
from adapters.telegram.forms.prompts import Prompt, PromptField, html_prompt, label_of, told_of
from adapters.telegram.outbound.markdown import spans_of
from adapters.telegram.outbound.richtext import BOLD, ITALIC, Span, html_of, pieces, plain
from cards.clipping import clip
from cards.model import Field
from cards.texts import say
from cards.visible import visible

PER_PAGE = 20
"""So many options or fields are offered at once: well below what one keyboard may hold."""

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


def screen(filling: Filling, mention: Span | None = None) -> FormScreen:
    """What is shown at this step; `mention` is who shall answer, in a group."""
    field = filling.field
    if field is None:
        return _summary(filling, mention)
    if field.type == "choice":
        return _choice(filling, field, mention)
    return _prompt(filling, field, mention)


def closing(filling: Filling, told: str, mention: Span | None = None) -> str:
    """The HTML of a form that is over: what was given, and what became of it."""
    body = [*_title(filling, mention), *_rows(filling), Span("\n\n"), Span(plain(told), (BOLD,))]
    return _html(body)


def _prompt(filling: Filling, field: Field, mention: Span | None) -> FormScreen:
    lang, stands = filling.form.lang, filling.value(field)
    ways = ["telegram.way_back"] if filling.at else []
    if stands:
        ways.append("telegram.way_keep")
        ways += [] if field.required else ["telegram.way_clear"]
    elif not field.required:
        ways.append("telegram.way_skip")
    told = [say("telegram.lines_too", lang)] if field.multiline else []
    told += [say("list.clauses", lang).join(say(way, lang) for way in ways)] if ways else []
    steer = say("telegram.steer", lang, ways=" ".join(told)).strip()
    asked = (PromptField(field.name, label_of(field, lang), lines=field.multiline),)
    prompt = Prompt(filling.form.data, asked, lang, filling.id)
    body = [*_question(filling, field), Span("\n\n"), Span(steer, (ITALIC,))]
    return FormScreen(html_prompt(prompt, body, mention), ForceReply(selective=True))


def _choice(filling: Filling, field: Field, mention: Span | None) -> FormScreen:
    lang, stands, at = filling.form.lang, filling.value(field), filling.at
    shown, turns = _page(filling, len(field.options))
    options = [
        _button(f"{'✓ ' if option == stands else ''}{visible(option)}", filling, "o", at, number)
        for number, option in list(enumerate(field.options))[shown]
    ]
    ways = [_button(say("telegram.back", lang), filling, "b")] if at else []
    if stands:
        ways.append(_button(say("telegram.keep", lang, value=visible(stands)), filling, "k", at))
    if not field.required:
        key = "telegram.clear" if stands else "telegram.skip"
        ways.append(_button(say(key, lang), filling, "e", at))
    ways.append(_button(filling.form.cancel, filling, "x"))
    body = [
        *_lead(mention),
        *_question(filling, field),
        Span("\n\n"),
        Span(say("telegram.choose", lang), (ITALIC,)),
    ]
    return FormScreen(
        _html(body), InlineKeyboardMarkup([*_in_rows(options), *turns, *_in_rows(ways)])
    )


def _summary(filling: Filling, mention: Span | None) -> FormScreen:
    form = filling.form
    shown, turns = _page(filling, len(form.fields))
    changes = [
        _button(f"✎ {field.label}", filling, "c", number)
        for number, field in list(enumerate(form.fields))[shown]
    ]
    ends = [_button(form.submit, filling, "s", style="primary"), _button(form.cancel, filling, "x")]
    body = [
        *_title(filling, mention),
        Span(say("telegram.summary", form.lang), (ITALIC,)),
        Span("\n"),
        *_rows(filling),
    ]
    return FormScreen(_html(body), InlineKeyboardMarkup([ends, *_in_rows(changes), *turns]))


def _title(filling: Filling, mention: Span | None) -> list[Span]:
    form = filling.form
    intro = [*spans_of(form.intro), Span("\n")] if form.intro else []
    return [*_lead(mention), Span(plain(form.title), (BOLD,)), Span("\n"), *intro]


def _lead(mention: Span | None) -> list[Span]:
    return [mention, Span(" ")] if mention else []


def _question(filling: Filling, field: Field) -> list[Span]:
    form, lang = filling.form, filling.form.lang
    step = say(
        "telegram.step",
        lang,
        title=plain(form.title),
        n=(filling.at or 0) + 1,
        total=len(form.fields),
    )
    told = told_of(field, lang, options=False)
    lines = [label_of(field, lang) + (say("list.colon", lang) + told if told else "")]
    if stands := filling.value(field):
        value = clip(visible(stands, lines=True), _VALUE_CHARS)
        lines.append(say("telegram.stands", lang, value=value))
    fault = [Span(f"⚠️ {plain(filling.fault)}\n")] if filling.fault else []
    intro = [*spans_of(form.intro), Span("\n")] if form.intro and not filling.at else []
    title = [Span(step, (BOLD,)), Span("\n"), *intro]
    return [*title, *fault, Span(plain("\n".join(lines)))]


def _rows(filling: Filling) -> list[Span]:
    lang, spans = filling.form.lang, list[Span]()
    room = min(_VALUE_CHARS, _ROWS_CHARS // len(filling.form.fields))
    for field in filling.form.fields:
        given = visible(filling.value(field), lines=True)
        value = clip(given, room) or say("telegram.empty", lang)
        label = plain(label_of(field, lang)) + say("list.colon", lang)
        spans += [Span(f"\n{label}", (BOLD,)), Span(plain(value))]
    return spans


def _page(filling: Filling, count: int) -> tuple[slice, list[list[InlineKeyboardButton]]]:
    """Which are shown, and the row that turns the page, if there is more than one."""
    lang, pages = filling.form.lang, -(-count // PER_PAGE)
    page = min(filling.page, max(pages - 1, 0))
    shown = slice(page * PER_PAGE, (page + 1) * PER_PAGE)
    row = []
    if page > 0:
        row.append(_button(say("telegram.previous", lang), filling, "p", page - 1))
    if page < pages - 1:
        row.append(_button(say("telegram.next", lang), filling, "p", page + 1))
    return shown, [row] if row else []


def _button(
    label: str, filling: Filling, verb: str, *numbers: int | None, style: str | None = None
) -> InlineKeyboardButton:
    data = ":".join(["f1", filling.id, verb, *(str(n) for n in numbers if n is not None)])
    text = clip(plain(label), _LABEL_CHARS) or "…"
    return InlineKeyboardButton(text, callback_data=data, style=style)


def _in_rows(buttons: Sequence[InlineKeyboardButton]) -> list[list[InlineKeyboardButton]]:
    """Two in a row where both labels are short."""
    rows: list[list[InlineKeyboardButton]] = []
    for button in buttons:
        last = rows[-1] if rows else []
        if len(last) == 1 and all(len(b.text) <= _SHORT for b in (*last, button)):
            last.append(button)
        else:
            rows.append([button])
    return rows


def _html(body: Sequence[Span]) -> str:
    return html_of(next(pieces(list(body))))
