"""A small expenses system to try the sample with: `EXPENSES_TOKEN=try python api.py`.

It keeps everything in memory, and is as strict as a real one: no token is 401, what is not there
404, the same claim twice 409, a claim that is not whole 422. A write with an `Idempotency-Key`
that it has seen is answered as before, and writes nothing.
"""

import os
from decimal import Decimal, InvalidOperation
from typing import Any

from aiohttp import web

PORT = 8765
KINDS = ("hotel", "meal", "taxi", "train", "other")
CURRENCIES = ("EUR", "USD")
STATES = {"submitted": "Submitted", "paid": "Paid", "returned": "Returned"}
SHORTEST_PURPOSE = 3
_TEXTS = ("owner", "kind", "spent_on", "purpose", "approved_by")


class Ledger:
    """The claims that were submitted, by their numbers, and the answer to each key."""

    def __init__(self) -> None:
        self.claims: dict[str, dict[str, Any]] = {}
        self.answers: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {}
        for owner, kind, value, state in (
            ("ada", "hotel", "240.00", "paid"),
            ("ada", "taxi", "38.50", "submitted"),
            ("ben", "meal", "61.00", "returned"),
        ):
            self.add(
                {
                    "owner": owner,
                    "kind": kind,
                    "spent_on": "2026-11-02",
                    "purpose": "Customer visit in Berlin",
                    "amount": {"value": value, "currency": "EUR"},
                    "receipt": f"{kind}.pdf",
                    "approved_by": "mona",
                },
                state,
            )

    def add(self, claim: dict[str, Any], state: str = "submitted") -> dict[str, Any]:
        """The claim with its number and state."""
        number = f"E-{1234 + len(self.claims)}"
        amount = {**claim["amount"], "value": float(Decimal(str(claim["amount"]["value"])))}
        status = {"code": state, "name": STATES[state]}
        self.claims[number] = {**claim, "amount": amount, "number": number, "status": status}
        return self.claims[number]

    def holds(self, claim: dict[str, Any]) -> bool:
        """Whether the same was claimed before."""
        same = ("owner", "kind", "spent_on", "purpose")
        return any(all(each[n] == claim[n] for n in same) for each in self.claims.values())


def faults_of(claim: Any) -> list[str]:
    """What is wrong with a claim, a sentence each."""
    if not isinstance(claim, dict):
        return ["a claim is a JSON object"]
    faults = [f"{name} is missing" for name in _TEXTS if not isinstance(claim.get(name), str)]
    if claim.get("kind") not in KINDS:
        faults.append(f"kind is one of {', '.join(KINDS)}")
    if len(str(claim.get("purpose", ""))) < SHORTEST_PURPOSE:
        faults.append("purpose is too short")
    amount = claim.get("amount")
    if not isinstance(amount, dict) or amount.get("currency") not in CURRENCIES:
        return [*faults, f"amount.currency is one of {', '.join(CURRENCIES)}"]
    try:
        is_positive = Decimal(str(amount.get("value"))) > 0
    except InvalidOperation:
        is_positive = False
    return faults if is_positive else [*faults, "amount.value is a number above 0"]


def refuse(status: int, code: str, words: str) -> web.Response:
    """An answer that says what is wrong."""
    return web.json_response({"error": {"code": code, "message": words}}, status=status)


def build_api(token: str, ledger: Ledger | None = None) -> web.Application:
    """The system, for whoever brings the token."""
    kept = ledger or Ledger()

    @web.middleware
    async def admit(request: web.Request, handler: Any) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Bearer {token}":
            return refuse(401, "unauthorized", "bring a token")
        answer: web.StreamResponse = await handler(request)
        return answer

    async def find(request: web.Request) -> web.Response:
        claim = kept.claims.get(request.match_info["number"])
        if claim is None:
            return refuse(404, "not_found", "there is no such expense")
        return web.json_response(claim)

    async def list_claims(request: web.Request) -> web.Response:
        owner = request.query.get("owner", "")
        if not owner:
            return refuse(422, "incomplete", "owner is missing")
        found = [each for each in kept.claims.values() if each["owner"] == owner]
        return web.json_response({"items": found})

    async def submit(request: web.Request) -> web.Response:
        key = request.headers.get("Idempotency-Key", "")
        try:
            claim = await request.json()
        except ValueError:
            return refuse(400, "no_json", "the body is no JSON")
        if not key:
            return refuse(400, "no_key", "Idempotency-Key is missing")
        if key in kept.answers:
            before, answer = kept.answers[key]
            if before != claim:
                return refuse(409, "key_reused", "the key came with another claim")
            return web.json_response(answer, status=201)
        if faults := faults_of(claim):
            return refuse(422, "incomplete", "; ".join(faults))
        if kept.holds(claim):
            return refuse(409, "duplicate", "the same expense was claimed before")
        answer = kept.add(claim)
        kept.answers[key] = (claim, answer)
        return web.json_response(answer, status=201)

    app = web.Application(middlewares=[admit])
    app.router.add_get("/v1/expenses", list_claims)
    app.router.add_get("/v1/expenses/{number}", find)
    app.router.add_post("/v1/expenses", submit)
    return app


if __name__ == "__main__":
    web.run_app(build_api(os.environ["EXPENSES_TOKEN"]), host="127.0.0.1", port=PORT)
