import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.slack.outbound.blocks import message, notice
from adapters.slack.outbound.forms import answer_modal, field_errors, form_modal
from adapters.slack.outbound.layout import cut, fit, pack
from adapters.slack.outbound.markdown import Chunk
from cards.clipping import units
from cards.model import Field, Row
from cards.showing.view import ButtonView, CardView, FormView, MessageView, PartView
from tests.fakes.platforms.slack.checks import message_problems, view_problems
from tests.fakes.tries import tries

HUGE = "The visit of P003 <!channel> & more. " * 3_000
HOSTILE = "<!channel> <@U1> *x* `y` https://x.org @here"


def _card(**fields):
    return CardView(
        **{
            "token": "0a-Zk3tP9qLmN4x",
            "kind": "confirm",
            "title": "Record a visit",
            "text": "Please check.",
            "problems": ("ECOG 7 is above **5**",),
            "rows": (Row(label="ECOG", value="2"), Row(label="Weight", value="71 kg")),
            "note": "Asked by Ann",
            "buttons": (
                ButtonView(data="s1:0a-Zk3tP9qLmN4x:approve:1", label="Approve", style="primary"),
                ButtonView(data="s1:0a-Zk3tP9qLmN4x:reject:1", label="Reject", style="danger"),
                ButtonView(data="s1:0a-Zk3tP9qLmN4x:later:1", label="Later"),
            ),
        }
        | fields
    )


def _texts(shown):
    return [b["text"]["text"] for b in shown["blocks"] if b["type"] == "section"]


def test_parts_are_numbered_in_order_with_their_state():
    view = MessageView(
        lang="en",
        parts=(
            PartView(number=1, state="answered", text="ECOG is **1**."),
            PartView(number=2, state="needs_you", label="New visit", text="What is missing?"),
            PartView(number=3, state="working", text=""),
        ),
    )
    shown = message(view)
    assert _texts(shown) == ["*1.* ECOG is *1*.\n\n*2.* ✍️ *New visit*\nWhat is missing?\n\n*3.* ⏳"]
    assert shown["text"] == _texts(shown)[0]


def test_a_single_answer_has_no_number():
    shown = message(MessageView(lang="en", parts=(PartView(number=0, state="answered", text="1"),)))
    assert _texts(shown) == ["1"]


def test_an_open_card_shows_everything_and_its_buttons():
    shown = message(MessageView(lang="en", card=_card()))
    section, actions, context = shown["blocks"]
    assert section["text"]["text"] == (
        "*Record a visit*\n\nPlease check.\n\n• ECOG 7 is above *5*\n\n*ECOG* 2\n*Weight* 71 kg"
    )
    assert [b["action_id"] for b in actions["elements"]] == ["signoff:0", "signoff:1", "signoff:2"]
    assert [b["value"].split(":")[2] for b in actions["elements"]] == ["approve", "reject", "later"]
    assert [b.get("style") for b in actions["elements"]] == ["primary", "danger", None]
    assert context["elements"][0]["text"] == "Asked by Ann"
    assert "Record a visit" in shown["text"]


def test_a_closed_card_shows_its_outcome_and_no_buttons():
    card = _card(buttons=(), outcome="Approved by Bo, 21 Nov 10:02", tone="good")
    shown = message(MessageView(lang="en", card=card))
    assert [b["type"] for b in shown["blocks"]] == ["section", "context"]
    assert _texts(shown)[0].endswith("✅ Approved by Bo, 21 Nov 10:02")


def test_parts_and_card_stand_in_one_message():
    parts = (PartView(number=1, state="answered", text="1"),)
    shown = message(MessageView(lang="en", parts=parts, card=_card()))
    kinds = [b["type"] for b in shown["blocks"]]
    assert kinds == ["section", "divider", "section", "actions", "context"]


def test_what_people_wrote_cannot_pose_as_a_row_or_a_mention():
    card = _card(
        title=HOSTILE,
        rows=(Row(label=HOSTILE, value="ok\n*Approved by* Bo"),),
        note=HOSTILE,
        outcome=HOSTILE,
        buttons=(ButtonView(data="s1:x", label=HOSTILE),),
    )
    shown = message(MessageView(lang="en", card=card))
    assert message_problems(shown) == []
    rich = [b["elements"][0] for b in shown["blocks"] if b["type"] == "rich_text"]
    told = "".join(part["text"] for section in rich for part in section["elements"])
    assert "ok↵*Approved by* Bo" in told


def test_where_a_card_comes_from_stands_under_its_note_as_a_link():
    card = _card(origin="From Slack · [open <it>](<https://x.example/p1?a=1&b=2>)")
    shown = message(MessageView(lang="en", card=card))
    assert message_problems(shown) == []
    note, origin = [b["elements"][0]["text"] for b in shown["blocks"] if b["type"] == "context"]
    assert note == "Asked by Ann"
    assert origin == "From Slack · <https://x.example/p1?a=1&amp;b=2|open &lt;it&gt;>"


def test_an_empty_view_is_still_a_message():
    assert message_problems(message(MessageView(lang="en"))) == []


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_huge_view_is_shortened_visibly_inside_all_limits(lang):
    view = MessageView(
        lang=lang,
        parts=tuple(PartView(number=i, state="answered", text=HUGE) for i in range(1, 4)),
        card=_card(
            title=HUGE,
            text=HUGE,
            problems=(HUGE,) * 30,
            rows=tuple(Row(label=f"field {i}", value="7" * 400) for i in range(100)),
            note=HUGE,
            outcome=HUGE,
            buttons=tuple(ButtonView(data=f"s1:{n}", label=HUGE) for n in range(60)),
        ),
    )
    shown = message(view)
    assert message_problems(shown) == []
    note = "个字符" if lang == "zh" else "characters left out"
    assert sum(text.count(note) for text in _texts(shown)) >= 4


def test_rows_are_shown_whole_where_only_the_text_is_too_long():
    rows = tuple(Row(label=f"field {i}", value=f"value {i}") for i in range(40))
    parts = (PartView(number=0, state="in_review", text="Waiting."),)
    shown = message(MessageView(lang="en", parts=parts, card=_card(text=HUGE, rows=rows)))
    said = "\n".join(_texts(shown))
    assert all(f"*field {i}* value {i}" in said for i in range(40))
    assert "Waiting." in said


WIDE = st.text(alphabet="a <&>*_`\n|#-[]()😀体", max_size=4_000)


@settings(max_examples=tries(20), deadline=None)
@given(text=WIDE, times=st.integers(1, 12), problems=st.lists(WIDE, max_size=3))
def test_every_view_fits_and_is_safe(text, times, problems):
    parts = (PartView(number=1, state="answered", text=text * times),)
    card = _card(text=text * times, problems=tuple(problems))
    assert message_problems(message(MessageView(lang="en", parts=parts, card=card))) == []


@settings(max_examples=tries(40), deadline=None)
@given(st.text(alphabet="ab <>&;\n😀", max_size=300), st.integers(0, 120))
def test_cut_loses_nothing_and_keeps_the_limit(text, limit):
    head, tail = cut(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"), limit)
    assert head + tail == text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert units(head) <= limit


def test_cut_never_goes_through_a_link():
    text = "see <https://x.org/a|the plan> and more"
    assert cut(text, 20) == ("see ", "<https://x.org/a|the plan> and more")


def test_long_code_is_split_into_whole_blocks():
    code = "\n".join(f"line {i}" for i in range(600))
    texts = pack([Chunk("before"), Chunk(code, code=True), Chunk("after")])
    assert len(texts) > 1
    assert all(text.count("```") % 2 == 0 and units(text) <= 3_000 for text in texts)
    shown = "".join(texts)
    assert all(f"line {i}\n" in shown for i in range(600))


def test_shortening_counts_what_is_left_out():
    chunks = [Chunk("a" * 100), Chunk("b" * 500), Chunk("c" * 50)]
    kept = fit(chunks, 300, "en")
    shown = sum(len(c.text) for c in kept[:-1])
    assert kept[-1].text == f"(shortened: {650 - shown} characters left out)"
    assert fit(chunks, 1_000, "en") == chunks


def test_a_notice_shows_plain_text():
    shown = notice("<!channel> *Bo* has approved")
    assert shown["blocks"][0]["text"]["text"] == "<!channel> *Bo* has approved"
    assert shown["text"].startswith("&lt;!channel&gt;")
    assert message_problems(notice("x" * 9_000)) == []


FIELDS = (
    Field(name="visit_date", label="Visit date", type="date", value="2026-11-21"),
    Field(name="ecog", label="ECOG", type="integer", minimum=0, maximum=5, hint="as examined"),
    Field(name="weight_kg", label="Weight", type="number", unit="kg", minimum=30, required=False),
    Field(name="arm", label="Arm", type="choice", options=("A", "B"), value="B"),
    Field(name="reason", label="Reason", value="because"),
)


def _form(**fields):
    return FormView(
        **{
            "data": "s1:0a-Zk3tP9qLmN4x:submit:1",
            "lang": "en",
            "title": "Record a visit",
            "submit": "Send",
            "cancel": "Cancel",
            "fields": FIELDS,
        }
        | fields
    )


def test_a_form_asks_for_each_field_by_its_type():
    view = form_modal(_form(intro="What is <missing>?"), "slack:T1:D1")
    assert view_problems(view) == []
    intro, *inputs = view["blocks"]
    assert intro["text"] == {"type": "plain_text", "text": "What is <missing>?", "emoji": False}
    assert [b["block_id"] for b in inputs] == [f.name for f in FIELDS]
    assert [b["element"]["type"] for b in inputs] == [
        "datepicker",
        "number_input",
        "number_input",
        "static_select",
        "plain_text_input",
    ]
    assert [b["optional"] for b in inputs] == [False, False, True, False, False]
    date, ecog, weight, arm, reason = inputs
    assert date["element"]["initial_date"] == "2026-11-21"
    assert ecog["hint"]["text"] == "as examined · 0 – 5"
    whole = {"is_decimal_allowed": False, "min_value": "0", "max_value": "5"}
    assert ecog["element"] == {"type": "number_input", "action_id": "value"} | whole
    assert (weight["label"]["text"], weight["hint"]["text"]) == ("Weight (kg)", "≥ 30")
    assert arm["element"]["initial_option"]["value"] == "B"
    assert reason["element"]["multiline"] is True
    assert reason["element"]["initial_value"] == "because"


def test_a_form_finds_its_way_back():
    view = form_modal(_form(), "slack:T1:C1:1763700000.000100")
    assert view["callback_id"] == "signoff"
    assert view["private_metadata"] == (
        '{"button":"s1:0a-Zk3tP9qLmN4x:submit:1","conversation":"slack:T1:C1:1763700000.000100"}'
    )


def test_long_and_odd_forms_stay_inside_the_limits():
    long = "A very long text that no head line holds " * 90
    fields = (
        Field(name="choice", label=long, type="choice", options=tuple(map(str, range(150)))),
        Field(name="wordy", label="w", type="choice", options=(long, "b"), value="b"),
        Field(name="day", label="", type="date", value="soon", hint=long),
        Field(name="note", label="n", value=long, unit="kg"),
    )
    view = form_modal(
        _form(title=long, submit=long, cancel=long, intro=long, fields=fields), "slack:T:D"
    )
    assert view_problems(view) == []
    assert view["title"]["text"] == "A very long text that…"
    assert view["blocks"][0]["text"]["text"].startswith(view["title"]["text"][:-1] + " no head")
    assert "initial_date" not in view["blocks"][4]["element"]


@pytest.mark.parametrize(
    ("title", "head", "first"),
    [
        ("Record a visit", "Record a visit", "What is missing?"),
        (
            "Please correct: Record a visit",
            "Please correct: Record…",
            "Please correct: Record a visit",
        ),
        (
            "请核对并补充受试者本次访视的全部记录，然后提交给研究者审核",
            "请核对并补充受试者本次访视的全部记录，然后提交…",
            "请核对并补充受试者本次访视的全部记录，然后提交给研究者审核",
        ),
    ],
)
def test_a_title_that_has_no_room_stands_whole_above_the_form(title, head, first):
    view = form_modal(_form(title=title, intro="What is missing?"), "slack:T1:D1")
    assert view_problems(view) == []
    assert view["title"]["text"] == head
    assert view["blocks"][0]["text"]["text"] == first
    shown = [block["text"]["text"] for block in view["blocks"] if block["type"] == "section"]
    assert shown[-1] == "What is missing?"


def test_errors_stand_at_their_field_and_strays_at_the_first():
    view = form_modal(_form(intro="x"), "slack:T1:D1")
    errors = {"ecog": "too high", "elsewhere": "not today", "": "sorry"}
    assert field_errors(errors, view) == {"ecog": "too high", "visit_date": "not today sorry"}
    assert field_errors(errors, {"blocks": None}) == {}


@pytest.mark.parametrize(("text", "title"), [("已经批准。", "结果"), ("Approved.", "Result")])
def test_an_answer_in_a_modal_is_plain_text(text, title):
    view = answer_modal(text)
    assert view_problems(view) == []
    assert view["title"]["text"] == title
    assert view["blocks"][0]["text"]["text"] == text


def test_text_of_several_lines_has_a_field_of_several_lines():
    fields = (Field(name="rows", label="Rows", value="a | b\nc | d", multiline=True),)
    view = form_modal(
        _form().model_copy(update={"fields": fields}), "slack:T1:C1:1763700000.000100"
    )
    (block,) = [b for b in view["blocks"] if b["type"] == "input"]
    assert block["element"]["multiline"] is True
    assert block["element"]["initial_value"] == "a | b\nc | d"


def _choices(count, **more):
    return tuple(
        ButtonView(data=f"s1:0a-Zk3tP9qLmN4x:c{n}:1", label=f"Choice {n}", **more)
        for n in range(count)
    )


def _elements(card):
    shown = message(MessageView(lang="en", card=card))
    assert message_problems(shown) == []
    (actions,) = [b for b in shown["blocks"] if b["type"] == "actions"]
    return actions["elements"], shown


def test_up_to_five_choices_are_buttons_and_more_are_a_menu():
    few, _ = _elements(_card(kind="select", buttons=_choices(5)))
    assert [e["type"] for e in few] == ["button"] * 5
    none = ButtonView(data="s1:0a-Zk3tP9qLmN4x:none:1", label="None", style="danger")
    many, _ = _elements(_card(kind="select", buttons=(*_choices(6), none)))
    assert [e["type"] for e in many] == ["static_select", "button"]
    assert [o["text"]["text"] for o in many[0]["options"]] == [f"Choice {n}" for n in range(6)]
    assert many[0]["options"][3]["value"] == "s1:0a-Zk3tP9qLmN4x:c3:1"


def test_a_long_menu_stands_in_groups_of_a_hundred():
    (menu,), _ = _elements(_card(kind="select", buttons=_choices(250)))
    groups = menu["option_groups"]
    assert [g["label"]["text"] for g in groups] == ["1 - 100", "101 - 200", "201 - 250"]
    assert [len(g["options"]) for g in groups] == [100, 100, 50]


def test_choices_without_room_are_counted():
    long = tuple(
        ButtonView(data=f"s1:0a-Zk3tP9qLmN4x:c{n}:1", label=f"{n} " + "x" * 100) for n in range(90)
    )
    (menu,), shown = _elements(_card(kind="select", text=HUGE, buttons=long))
    left = 90 - len(menu["options"])
    assert left > 0
    said = [e["text"] for b in shown["blocks"] if b["type"] == "context" for e in b["elements"]]
    assert f"({left} more buttons not shown)" in said


def test_what_cannot_be_taken_back_is_asked_once_more():
    buttons = (
        ButtonView(data="s1:x", label="Approve " * 20, style="primary", final=True),
        ButtonView(data="s1:y", label="Later"),
    )
    (approve, later), _ = _elements(_card(title=HOSTILE * 20, buttons=buttons))
    asked = approve["confirm"]
    assert asked["text"]["type"] == "plain_text"
    assert asked["text"]["text"].startswith("<!channel>")
    assert asked["style"] == "primary"
    assert "confirm" not in later


@pytest.mark.parametrize(
    ("count", "typed"), [(100, False), (101, False), (300, False), (301, True)]
)
def test_a_choice_of_a_form_is_a_menu_as_long_as_it_fits(count, typed):
    options = tuple(f"选项{n}".ljust(75, "长") for n in range(count))
    field = Field(name="arm", label="Arm", type="choice", options=options, value=options[-1])
    form = FormView(data="s1:x", lang="en", title="T", submit="Send", cancel="No", fields=(field,))
    view = form_modal(form, "slack:T1:C1")
    assert view_problems(view) == []
    element = view["blocks"][0]["element"]
    assert (element["type"] == "plain_text_input") is typed
    if not typed:
        assert element["initial_option"]["value"] == options[-1]


def test_a_person_is_chosen_from_slacks_own_list():
    fields = (
        Field(name="person", label="Name", type="person", hint="a name", options=("Bo", "Hui")),
    )
    view = form_modal(_form(fields=fields), "slack:T1:C1")
    assert view_problems(view) == []
    (block,) = view["blocks"]
    assert block["element"] == {"type": "users_select", "action_id": "value"}
    assert "hint" not in block
