"""Bends what comes from outside, for some minutes: payloads by atheris, the API by schemathesis.

Both stop by themselves, and everything stays on this machine. Where a tool is missing it says NOT
FUZZED and ends with 3.
"""

import argparse
import asyncio
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import aiohttp

from tests.fakes.platforms.patience import within
from tests.fakes.ports import free_port
from tests.fuzz.parsers import TARGETS, examples

ROOT = Path(__file__).parents[2]
TOKEN = "fuzz-" + "0" * 12
# Documented refusals are answers; anything else, a 500 before all, is not.
CHECKS = (
    "status_code_conformance,content_type_conformance,response_schema_conformance,"
    "unsupported_method,ignored_auth"
)
START_S, PATIENCE_S = 90.0, 60.0
FINE, FOUND, NOT_FUZZED = 0, 1, 3


def fuzz_parser(name: str, seconds: int, folder: Path) -> bool:
    """True when nothing was found within so many seconds; what was found is printed."""
    corpus = folder / name
    corpus.mkdir()
    for number, raw in enumerate(examples()):
        (corpus / str(number)).write_bytes(raw)
    options = (f"-max_total_time={seconds}", "-timeout=10", "-max_len=20000", "-rss_limit_mb=2048")
    words = [sys.executable, "-m", "tests.fuzz.harness", name, *options]
    ran = subprocess.run(
        [*words, f"-artifact_prefix={folder}/", str(corpus)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=seconds + PATIENCE_S,
    )
    if ran.returncode:
        print(ran.stdout[-4000:])
    done = [line for line in ran.stdout.splitlines() if line.startswith("Done ")]
    print(f"{name}: {done[-1] if done else f'ended with {ran.returncode}'}", flush=True)
    return ran.returncode == 0


@contextmanager
def service(folder: Path) -> Iterator[str]:
    """The address of the real service, with the sample playbooks and a token, and no model."""
    port = str(free_port())
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT),
        "PORT": port,
        "SIGNOFF_PLAYBOOKS": str(ROOT / "playbooks"),
        "SIGNOFF_PEOPLE": str(ROOT / "playbooks" / "people.yaml"),
        "SIGNOFF_ADMIN_TOKEN": TOKEN,
    }
    log = (folder / "service.log").open("wb")
    words = [sys.executable, "-m", "bot", "run"]
    process = subprocess.Popen(words, cwd=folder, env=variables, stdout=log, stderr=log)
    log.close()
    try:
        asyncio.run(_ready(f"http://127.0.0.1:{port}/healthz"))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_S)


async def _ready(url: str) -> None:
    async with within(START_S, f"{url} answers"), aiohttp.ClientSession() as http:
        while True:
            try:
                async with http.get(url) as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.1)


def fuzz_api(seconds: int, folder: Path) -> bool:
    """True when the internal API kept to its own description for so many seconds."""
    program = shutil.which("st", path=str(Path(sys.executable).parent))
    assert program is not None
    with service(folder) as url:
        words = [program, "run", f"{url}/internal/ai/openapi.json", "--url", url]
        options = ["--max-time", str(seconds), "--phases", "examples,coverage,fuzzing"]
        options += ["--checks", CHECKS, "--header", f"Authorization: Bearer {TOKEN}"]
        options += ["--suppress-health-check", "all", "--warnings", "off", "--no-color"]
        ran = subprocess.run(
            [*words, *options],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds * 3 + PATIENCE_S,
        )
        alive = asyncio.run(_alive(url))
    print("\n".join(ran.stdout.splitlines()[-40 if ran.returncode else -8 :]), flush=True)
    return ran.returncode == 0 and alive


async def _alive(url: str) -> bool:
    async with aiohttp.ClientSession() as http, http.get(f"{url}/readyz") as answer:
        return answer.status == 200


def main(argv: Sequence[str] | None = None) -> int:
    """0 when nothing was found, 1 when something was, 3 where the tools are missing."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--seconds", type=int, default=60, help="for each parser, and for the API")
    seconds = reader.parse_args(argv).seconds
    missing = [name for name in ("atheris", "schemathesis") if not importlib.util.find_spec(name)]
    if missing:
        print(f"NOT FUZZED: there is no {' and no '.join(missing)}", file=sys.stderr)
        return NOT_FUZZED
    folder = Path(tempfile.mkdtemp(prefix="signoff-fuzz-"))
    fine = [fuzz_parser(name, seconds, folder) for name in TARGETS]
    fine.append(fuzz_api(seconds, folder))
    if not all(fine):
        print(f"kept: {folder}")
        return FOUND
    shutil.rmtree(folder, ignore_errors=True)
    return FINE


if __name__ == "__main__":
    sys.exit(main())
