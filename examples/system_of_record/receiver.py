"""A system of record in one file: it takes what Signoff changes, and says what is changed here.

    SIGNOFF_SYNC_SECRET=... python receiver.py 9000 http://127.0.0.1:8080

It serves this machine only. `GET /records` shows what it has. `PUT` of a JSON object to
`/records/<project>/<playbook>/<case>` changes fields here, and tells Signoff.
"""

import hashlib
import hmac
import json
import os
import sys
import time
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock

SECRET = os.environ["SIGNOFF_SYNC_SECRET"].encode()
SIGNOFF = sys.argv[2]
RECORDS: dict[str, dict[str, object]] = {}
SEEN: set[str] = set()
LOCK = Lock()


def sign(timestamp: str, body: bytes) -> str:
    signed = b"v1:" + timestamp.encode() + b":" + body
    return "v1=" + hmac.new(SECRET, signed, hashlib.sha256).hexdigest()


def tell_signoff(project: str, playbook: str, case: str, fields: dict[str, object]) -> int:
    """Say what was changed here; returns the status of the answer."""
    about = {"project": project, "playbook": playbook, "case": case}
    change = {**about, "fields": fields, "by": "ledger"}
    body, timestamp = json.dumps(change).encode(), str(int(time.time()))
    headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
        "Signoff-Timestamp": timestamp,
        "Signoff-Signature": sign(timestamp, body),
    }
    request = urllib.request.Request(f"{SIGNOFF}/internal/cases/changes", body, headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return int(answer.status)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        timestamp = self.headers.get("Signoff-Timestamp", "")
        given = self.headers.get("Signoff-Signature", "")
        fresh = timestamp.isdecimal() and abs(time.time() - int(timestamp)) <= 300
        if not (fresh and hmac.compare_digest(sign(timestamp, body), given)):
            return self.answer(401, {"error": "not signed"})
        change, key = json.loads(body), self.headers["Idempotency-Key"]
        case = change["case"] or {"of": "request", "key": change["run"]}
        name = "/".join((change["project"], change["playbook"], case["key"]))
        with LOCK:
            if key not in SEEN:
                SEEN.add(key)
                RECORDS.setdefault(name, {}).update(change["fields"])
        self.answer(204, None)

    def do_PUT(self) -> None:
        fields = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        project, playbook, case = self.path.removeprefix("/records/").split("/")
        with LOCK:
            RECORDS.setdefault(f"{project}/{playbook}/{case}", {}).update(fields)
        self.answer(200, {"signoff": tell_signoff(project, playbook, case, fields)})

    def do_GET(self) -> None:
        self.answer(200, RECORDS)

    def answer(self, status: int, told: object) -> None:
        body = b"" if told is None else json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
