"""What operators do about people: list and compare them, let them in, see what waits for them."""

import json
import re
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from bot.people.check import AccountCheck, check_accounts
from bot.people.directory import Directory, load_people
from bot.people.file import Person
from bot.settings import Settings
from bot.terminal.output import table_with_header
from bot.wiring.clock import open_clock
from bot.wiring.contexts import open_account_sources
from bot.wiring.people import PeopleAccess, open_people_access
from bot.wiring.store import connect_store
from cards.deciding.inbox import EVERYBODY
from cards.model import Card
from engine.ports.storage.admissions import Entrant
from engine.talk.pending import read_pending_page
from engine.yaml.faults import suggestion

MOST = 200
"""So many cards are printed."""
_ACCOUNT = re.compile(r"[a-z]+:[^\s:]+(:[^\s:]+)?")
_WRITE_ACCOUNT = "is no account; write slack:T0EXAMPLE1:U0EXAMPLE1 or telegram:100000001"


async def list_people(settings: Settings, *, as_json: bool) -> int:
    """Print everybody in people.yaml, and who else may ask."""
    people = load_people(settings.people, settings.accounts)
    async with open_people_access(settings, people) as access:
        entrants = await access.admissions.everybody()
    if as_json:
        listed = [_as_json(each, people) for each in people.people]
        listed += map(_entrant_as_json, entrants)
        print(json.dumps(listed, ensure_ascii=False))
        return 0
    heads = ("id", "name", "roles", "accounts", "language", "zone", "delegate")
    print(table_with_header([heads, *(_row(person, people) for person in people.people)]))
    for role in people.file.roles:
        if role.slack_group:
            print(f"role {role.id}: also the members of Slack group {role.slack_group}")
    admit = people.file.admit
    for what in ("platforms", "workspaces", "roles"):
        if named := getattr(admit, what):
            print(f"may ask besides: {what} {', '.join(named)}")
    for each in entrants:
        when = f" on {each.at:%Y-%m-%d %H:%M %Z}" if each.at else ""
        print(f"may ask besides: {each.account} ({each.name}), let in by {each.by}{when}")
    return 0


async def admit_account(settings: Settings, account: str) -> int:
    """Admit an account beside people.yaml: it may ask, and start what needs no role."""
    if not _ACCOUNT.fullmatch(account):
        print(f"{account}: {_WRITE_ACCOUNT}", file=sys.stderr)
        return 1
    async with open_people_access(
        settings, load_people(settings.people, settings.accounts)
    ) as access:
        now = open_clock(settings).now()
        await access.admissions.admit(Entrant(account=account, by="operator", at=now))
    print(f"{account}: may ask now, and start what needs no role")
    return 0


async def revoke_account(settings: Settings, account: str) -> int:
    """Take an admission back; 1 when the account was not admitted."""
    async with open_people_access(
        settings, load_people(settings.people, settings.accounts)
    ) as access:
        gone = await access.admissions.revoke(account)
    if not gone:
        print(f"{account}: was not let in; see `signoff people list`", file=sys.stderr)
        return 1
    print(f"{account}: may ask no more")
    return 0


async def check_people(settings: Settings, *, as_json: bool) -> int:
    """Compare people.yaml with the platforms; 1 when something is wrong, 3 if not all is known."""
    people = load_people(settings.people, settings.accounts)
    async with AsyncExitStack() as stack:
        # Where workspaces installed the app themselves, the store has their tokens.
        store = await connect_store(settings, stack) if settings.isolates_workspaces else None
        sources = open_account_sources(settings, stack, store)
        found = await check_accounts(people, sources)
    if as_json:
        print(json.dumps([one.model_dump() for one in found], ensure_ascii=False))
    elif found:
        rows = [(one.whose, one.platform, one.account, one.state, one.told) for one in found]
        print(table_with_header([("whose", "platform", "account", "state", "told"), *rows]))
    else:
        print(f"nobody in this file has an account on {' or '.join(map(str.title, sources))}")
    return _status(found)


def _status(found: Sequence[AccountCheck]) -> int:
    states = {one.state for one in found}
    if "wrong" in states:
        return 1
    return 3 if "unknown" in states else 0


async def print_sign_in_link(settings: Settings, person_id: str, *, minutes: float) -> int:
    """Print a link that signs the person in to the web chat once; 1 when it cannot."""
    people = load_people(settings.people, settings.accounts)
    person = next((person for person in people.people if person.id == person_id), None)
    if not any(each.has_sign_in_links for each in settings.platforms.values()):
        print("SIGNOFF_WEB_LOGIN: should be link, for links to sign anybody in", file=sys.stderr)
        return 1
    if person is None:
        return report_unknown_person(people, person_id)
    if not person.web:
        print(f"{person_id}: has no `web` name in {settings.people}", file=sys.stderr)
        return 1
    async with open_people_access(settings, people) as access:
        secret = await access.logins.link(person.id, keep_s=minutes * 60)
    address = settings.public_url or f"http://{_host(settings.host)}:{settings.port}"
    # Behind the # no server on the way and no prefetcher sees it.
    print(f"{address}/login#{secret}")
    print(f"good once, for {minutes:g} minutes, for {person.name}", file=sys.stderr)
    return 0


async def sign_out_everywhere(settings: Settings, person_id: str) -> int:
    """Sign the person out everywhere, also somebody who has left people.yaml."""
    people = load_people(settings.people, settings.accounts)
    async with open_people_access(settings, people) as access:
        await access.logins.leave_everywhere(person_id)
    known = any(person.id == person_id for person in people.people)
    note = "" if known else " (nobody of this id is in people.yaml)"
    print(f"{person_id}: signed out everywhere, and links given so far are worthless{note}")
    return 0


def report_unknown_person(people: Directory, person_id: str) -> int:
    """Report that nobody has that id, with a suggestion; returns 1."""
    hint = suggestion(person_id, {person.id for person in people.people})
    print(f"{person_id}: nobody of this id is in people.yaml; {hint}", file=sys.stderr)
    return 1


def _host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _row(person: Person, people: Directory) -> tuple[str, ...]:
    delegate = person.delegate
    until = f" until {delegate.until}" if delegate and delegate.until else ""
    return (
        person.id,
        person.name,
        ", ".join(person.roles) or "-",
        ", ".join(people.accounts_of(person)) or "-",
        person.language or "-",
        person.zone or "-",
        f"{delegate.person}{until}" if delegate else "-",
    )


def _entrant_as_json(entrant: Entrant) -> dict[str, Any]:
    told = entrant.model_dump(mode="json", include={"by", "at"})
    return {"id": entrant.account, "name": entrant.name, "roles": (), "admitted": told}


def _as_json(person: Person, people: Directory) -> dict[str, Any]:
    told = person.model_dump(mode="json", exclude={"label"})
    return told | {"accounts": people.accounts_of(person)}


async def show_pending(settings: Settings, person_id: str | None, *, as_json: bool) -> int:
    """Print what waits for a person, or for anybody, the oldest first; 1 for nobody of that id."""
    people = load_people(settings.people, settings.accounts)
    if person_id and all(person.id != person_id for person in people.people):
        return report_unknown_person(people, person_id)
    async with open_people_access(settings, people) as access:
        cards, total, unreadable = await _cards(access, person_id, settings)
    if as_json:
        print(json.dumps([_card_as_json(card) for card in cards], ensure_ascii=False))
    elif cards:
        heads = ("card", "title", "asked for by", "where", "waits for")
        print(table_with_header([heads, *map(_pending_row, cards)]))
        if total > len(cards):
            print(f"the oldest {len(cards)} of at most {total}")
    else:
        print(f"nothing{' readable' if unreadable else ''} waits for {person_id or 'anybody'}")
    if unreadable:
        print(f"and {unreadable} that this version cannot read", file=sys.stderr)
    return 0


async def _cards(
    access: PeopleAccess, person_id: str | None, settings: Settings
) -> tuple[Sequence[Card], int, int]:
    """The cards, out of how many at most, and how many cannot be read."""
    person = access.people.person(person_id) if person_id else None
    if person is None:
        listed = await access.inbox.find_tokens([EVERYBODY])
        tokens = listed.tokens[:MOST]
        cards = await access.inbox.cards(tokens)
        lost = await access.inbox.unreadable(tokens) if len(cards) < len(tokens) else 0
        return cards, listed.total if listed.total > len(tokens) else len(cards), lost
    clock = open_clock(settings)
    voter = partial(access.people.as_voter, person, today=clock.today())
    page = await read_pending_page(access.inbox, voter, clock.now(), size=MOST)
    return page.cards, page.total if page.more else len(page.cards), page.unreadable


def _pending_row(card: Card) -> tuple[str, ...]:
    rows = " ".join(row.value for row in card.rows[:2])
    title = " ".join(f"{card.title} {rows}".split())
    who = ", ".join((*card.review.roles, *card.review.persons))
    return (card.token, title, card.requester, card.conversation, who)


def _card_as_json(card: Card) -> dict[str, Any]:
    return {
        "card": card.token,
        "kind": card.kind,
        "title": card.title,
        "run": card.run,
        "conversation": card.conversation,
        "requester": card.requester,
        "roles": card.review.roles,
        "persons": card.review.persons,
        "votes": [vote.person for vote in card.votes],
        "deadline": card.deadline.isoformat() if card.deadline else None,
    }
