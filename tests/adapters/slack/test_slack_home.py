"""The Home tab: shown when it is opened, kept up to date, inside Slack's limits, buttons alive."""

import asyncio

import pytest
from aiohttp import web

from adapters.slack.outbound.home import home_view
from cards.model import Field, Row
from cards.showing.view import ButtonView, CardView, FormView
from engine.errors import StoreUnavailable
from engine.events import DirectAnswer, FormWanted, NotRecorded
from engine.ports.pages import HomePage
from tests.fakes.platforms.patience import PATIENCE_S, within
from tests.fakes.platforms.slack.checks import home_problems
from tests.fakes.slack_app import connected
from tests.fakes.tables import table

CARD = CardView(
    token="0a-Zk3tP9qLmN4x",
    kind="confirm",
    title="Record a visit",
    rows=(Row(label="ECOG", value="2 <!channel>"),),
    buttons=(
        ButtonView(data="s1:0a-Zk3tP9qLmN4x:approve:1", label="Approve", style="primary"),
        ButtonView(data="s1:0a-Zk3tP9qLmN4x:reject:1", label="Reject", style="danger"),
    ),
)
RUN = CardView(
    token="0a-run-of-theirs",
    kind="run",
    title="Record a visit P003",
    text="waiting for Bo",
    buttons=(
        ButtonView(
            data="s1:0a-run-of-theirs:cancel_run:0",
            label="Cancel Record a visit",
            style="danger",
            final=True,
        ),
    ),
)
FULL = HomePage(lang="en", cards=((CARD, "en"),), runs=(RUN,))
EMPTY = HomePage(lang="en")
HUGE = "The visit of P003 <!channel> & more. " * 1_000


class _Pages:
    """What each person's tab shows now."""

    def __init__(self):
        self.page = FULL
        self.asked = 0
        self.often = asyncio.Event()
        self.away = False

    async def __call__(self, actor):
        self.asked += 1
        if self.asked == 5:
            self.often.set()
        if self.away:
            raise StoreUnavailable("away")
        return self.page


@pytest.fixture
def pages():
    return _Pages()


@pytest.fixture
async def platform(slack, pages):
    """The platform with a Home tab that is looked at all the time."""
    made = connected(slack, app_token="", home=pages, home_s=0.01)
    yield made
    await made.close()


@pytest.fixture
async def listening(platform, intake):
    """The platform's listener, which keeps tabs up to date."""
    task = asyncio.create_task(platform.listen(intake))
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_an_opened_tab_shows_what_waits_and_what_is_under_way(slack, post, intake):
    assert (await post(slack.home_event())).status == 200
    assert intake.updates == []
    told = slack.home_body("U0REQUESTER")
    for said in ("Waiting for you", "*Record a visit*", "2 &lt;!channel&gt;", "My requests"):
        assert said in told
    assert "*Record a visit P003*" in told
    assert "waiting for Bo" in told


async def test_the_messages_tab_asks_for_nothing(slack, post, pages):
    assert (await post(slack.home_event(tab="messages"))).status == 200
    assert (pages.asked, slack.homes) == (0, {})


async def test_a_tab_follows_what_changes_and_is_left_alone_otherwise(
    slack, post, pages, listening
):
    await post(slack.home_event())
    async with within(PATIENCE_S, "the tab has been looked at often"):
        await pages.often.wait()
    assert slack.calls["views.publish"] == 1
    pages.page = EMPTY
    await slack.wait_for(lambda: "Nothing waits for you" in slack.home_body("U0REQUESTER"))
    assert slack.calls["views.publish"] == 2


async def test_a_store_that_is_away_leaves_the_tab_as_it_is(slack, post, pages):
    pages.away = True
    assert (await post(slack.home_event())).status == 200
    assert slack.homes == {}


async def test_a_tap_on_the_tab_is_a_tap_and_is_answered_in_a_dialog(slack, post, intake):
    intake.outcome = DirectAnswer(text="Bo <b> was first.", ok=False)
    await post(slack.home_event("U0REVIEWER"))
    response = await post(slack.home_action("U0REVIEWER", "Approve"))
    assert (response.status, await response.text()) == (200, "")
    (update,) = intake.updates
    assert update.button == "s1:0a-Zk3tP9qLmN4x:approve:1"
    assert update.conversation == "slack:T0TRIAL:D0REVIEWER"
    (opened,) = slack.views
    assert opened.view["blocks"][0]["text"]["text"] == "Bo <b> was first."
    assert slack.ephemerals == []


async def test_a_tap_on_the_tab_may_ask_for_a_form(slack, post, intake):
    field = Field(name="reason", label="Reason")
    form = FormView(
        data="s1:x", lang="en", title="Reject", submit="Send", cancel="Back", fields=(field,)
    )
    intake.outcome = FormWanted(form=form)
    await post(slack.home_event("U0REVIEWER"))
    await post(slack.home_action("U0REVIEWER", "Reject"))
    assert slack.views[-1].view["title"]["text"] == "Reject"
    intake.outcome = NotRecorded(text="Not recorded.")
    answer = await (await post(slack.view_submission(slack.views[-1], {"reason": "x"}))).json()
    assert answer["errors"] == {"reason": "Not recorded."}


@table("lang", ["zh", "en"])
@table("count", [0, 1, 60])
def test_a_page_of_any_size_stays_inside_slacks_limits(lang, count):
    card = CARD.model_copy(update={"text": HUGE, "note": HUGE, "title": HUGE})
    run = RUN.model_copy(update={"text": HUGE, "note": HUGE, "title": HUGE})
    page = HomePage(lang=lang, cards=((card, lang),) * count, runs=(run,) * 20, more=False)
    for plain in (False, True):
        view = home_view(page, plain=plain)
        assert home_problems(view) == []
        blocks = [str(block) for block in view["blocks"] if block["type"] == "actions"]
        actions = sum(CARD.token in block for block in blocks)
        assert any(RUN.token in block for block in blocks)
        assert actions == count or any("/pending" in str(block) for block in view["blocks"])
        assert not plain or "mrkdwn" not in str(view)


class _Counts:
    """A meter that keeps what is counted."""

    def __init__(self):
        self.counted = []

    def count(self, *labels, amount=1.0):
        self.counted.append(labels)


@pytest.mark.parametrize("code", ["invalid_blocks", "msg_blocks_too_long", "view_too_large"])
async def test_a_tab_that_slack_refuses_is_shown_plainer_with_its_buttons(
    slack, platform, post, intake, code
):
    meter = _Counts()
    platform.count_in(meter)
    slack.refuses["views.publish"] = lambda fields: code if "mrkdwn" in str(fields) else ""
    await post(slack.home_event("U0REVIEWER"))
    told = slack.home_body("U0REVIEWER")
    assert "Record a visit" in told
    assert "ECOG: 2 <!channel>" in told
    assert meter.counted == [("refused", "slack", "home_ok")]
    await post(slack.home_action("U0REVIEWER", "Approve"))
    assert intake.updates[-1].button == "s1:0a-Zk3tP9qLmN4x:approve:1"


async def test_a_tab_of_which_slack_takes_nothing_says_what_to_send(slack, post, pages):
    await post(slack.home_event())
    pages.page = EMPTY
    slack.refuses["views.publish"] = lambda fields: (
        "invalid_blocks" if len(fields["view"]["blocks"]) > 1 else ""
    )
    await post(slack.home_event())
    assert "Send /signoff pending to see it" in slack.home_body("U0REQUESTER")


async def test_a_tab_that_slack_does_not_publish_at_all_does_no_harm(slack, post):
    slack.refuses["views.publish"] = lambda _: "invalid_blocks"
    assert (await post(slack.home_event())).status == 200
    assert slack.calls["views.publish"] == 3


async def test_without_a_home_nothing_is_published(slack, aiohttp_client, intake):
    bare = connected(slack, app_token="")
    app = web.Application()
    app.add_routes(bare.routes(intake))
    client = await aiohttp_client(app)
    body, headers = slack.signed_request(slack.home_event())
    assert (await client.post("/slack/events", data=body, headers=headers)).status == 200
    await bare.close()
    assert slack.homes == {}
