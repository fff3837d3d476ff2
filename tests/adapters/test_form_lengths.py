"""How long a typed text may be: one limit, and one sentence, on every platform."""

import pytest

from adapters.slack.inbound.receive import receive
from adapters.slack.outbound.forms import form_modal
from adapters.telegram.forms.progress import begin_form, enter_values
from adapters.telegram.forms.prompts import Prompt, PromptField, parse_reply
from adapters.webchat.page_requests import FormBody, parse_body
from cards.forms import MAX_LIST, MAX_TEXT, check_form
from cards.model import Field
from cards.showing.view import FormView
from cards.texts import say
from engine.events import Actor, FormSubmitted
from tests.fakes.platforms.slack import payloads

FORM = FormView(
    data="s1:1f-AbCdEf123456:submit:1",
    lang="zh",
    title="Why?",
    submit="Send",
    cancel="Cancel",
    fields=(Field(name="reason", label="Reason", multiline=True),),
)
WHO = {"team": "T1", "user": "U1", "view_id": "V1", "hash": "1.a"}
EXACT = {
    "latin": "x" * MAX_TEXT,
    "chinese": "字" * MAX_TEXT,
    "emoji": "😀" * (MAX_TEXT // 2),
    "lines": "\r\n".join(["xx"] * (MAX_TEXT // 3)) + "xxx",
}
MORE = {"latin": "x", "chinese": "字", "emoji": "😀", "lines": "\r\nx"}


def on_slack(text: str, *, unasked: bool = False) -> FormSubmitted:
    view = form_modal(FORM, "slack:T1:C1")
    if unasked:
        # A client that does not keep to what the field says.
        del view["blocks"][0]["element"]["max_length"]
    sent = receive(payloads.view_submission(view, {"reason": text}, **WHO))
    assert isinstance(sent, FormSubmitted)
    return sent


def on_telegram(text: str) -> dict[str, str]:
    prompt = Prompt(FORM.data, (PromptField("reason", "Reason", lines=True),), "zh", "1")
    return parse_reply(prompt, text)


def on_web(text: str, name: str = "reason") -> dict[str, str]:
    body = {"room": "main", "person": "lin", "id": "12345678", "button": FORM.data}
    form = parse_body(FormBody, FormBody(**body, values={name: text}).model_dump_json().encode())
    return form.update(Actor(platform="web", workspace="local", user="lin")).values


@pytest.mark.parametrize("kind", EXACT)
def test_a_text_of_exactly_the_limit_passes_everywhere(kind: str) -> None:
    text = EXACT[kind]
    for values in (on_slack(text).values, on_telegram(text), on_web(text)):
        typed, faults = check_form(FORM.fields, values, "zh")
        assert faults == {}
        assert typed["reason"] == text.replace("\r\n", "\n")
    assert enter_values(begin_form(FORM, "1"), on_telegram(text)).fault == ""


@pytest.mark.parametrize("kind", EXACT)
def test_one_character_more_is_refused_with_the_same_sentence_everywhere(kind: str) -> None:
    text, told = EXACT[kind] + MORE[kind], say("form.long", "zh", limit=MAX_TEXT)
    with pytest.raises(ValueError, match="shorten"):
        on_slack(text)
    for values in (on_slack(text, unasked=True).values, on_telegram(text), on_web(text)):
        assert check_form(FORM.fields, values, "zh") == ({}, {"reason": told})
    assert enter_values(begin_form(FORM, "1"), on_telegram(text)).fault == told
    # However long it is, it is the field's sentence that says so.
    assert check_form(FORM.fields, on_web(text * 20), "zh") == ({}, {"reason": told})


ITEMS = Field(name="items", label="Items", multiline=True, columns=(Field(name="a", label="A"),))


def test_a_list_is_as_long_as_the_reference_says() -> None:
    rows = "\n".join(f"{number:019d}" for number in range(1_000))
    assert len(rows) + 1 == MAX_LIST
    for text in (rows, f"{rows}\n"):
        assert check_form([ITEMS], on_web(text, "items"), "en")[1] == {}
    too_long = say("form.long", "en", limit=MAX_LIST)
    assert check_form([ITEMS], {"items": f"xx{rows}"}, "en")[1] == {"items": too_long}
    many = say("form.many_rows", "en", limit=1_000)
    assert check_form([ITEMS], {"items": "x\n" * 1_001}, "en")[1] == {"items": many}


def test_a_list_that_slack_cannot_show_is_named_and_not_sent() -> None:
    fields = (ITEMS.model_copy(update={"value": "x\n" * 1_600}), *FORM.fields)
    view = form_modal(FORM.model_copy(update={"fields": fields, "lang": "en"}), "slack:T1:C1")
    told, reason = view["blocks"]
    assert told["text"]["text"] == "Items: this list is too long for Slack, and stays as it is"
    assert reason["block_id"] == "reason"
    short = FORM.model_copy(update={"fields": (ITEMS,)})
    (block,) = form_modal(short, "slack:T1:C1")["blocks"]
    assert block["element"]["max_length"] == 3_000


def test_a_value_that_is_too_long_as_it_stands_does_not_pass_shortened() -> None:
    field = Field(name="reason", label="Reason", value="word " * 700)
    (block,) = form_modal(FORM.model_copy(update={"fields": (field,)}), "slack:T1:C1")["blocks"]
    shown = block["element"]["initial_value"]
    assert shown.endswith("…")
    assert check_form([field], {"reason": shown}, "zh")[1]
