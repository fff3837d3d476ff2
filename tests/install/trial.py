"""Tries an installation as somebody new does, in an empty folder: from `init` to a question."""

import asyncio
import os
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

from tests.bot.signoff_process import answering
from tests.fakes.platforms.patience import START_S, within
from tests.fakes.ports import free_port
from tests.fakes.web_room import WebRoom, text_of

_COMMANDS = """
import sys
from importlib.metadata import version
import bot, signoff
from bot.__main__ import main
assert bot.__file__.startswith(sys.prefix), bot.__file__
assert signoff.__version__ == version("signoff"), signoff.__version__
assert main(["run"]) == 2
for lang in ("en", "zh"):
    assert main(["init", lang, "--yes", "--languages", lang]) == 0
for sample in ("leave", "clinical"):
    assert main(["init", sample, "--yes", "--from", sample]) == 0
assert main(["validate", "en"]) == 0
"""
QUESTIONS = {"en": ("who approves requests?", "reviewer"), "zh": ("谁来审批", "审批人")}


async def try_installation(programs: Path, folder: Path, lang: str) -> str:
    """What is printed until a folder is made; then it is served, asked a question and stopped."""
    env = {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder), "LANG": "C.UTF-8"}
    command = (programs / "python", "-P", "-c", _COMMANDS)
    made = await asyncio.create_subprocess_exec(
        *command, cwd=folder, env=env, stdout=PIPE, stderr=STDOUT
    )
    async with within(START_S, "the project folder is made"):
        told = (await made.communicate())[0].decode()
    assert made.returncode == 0, told
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        programs / "signoff", "run", lang, cwd=folder, env={**env, "PORT": str(port)}
    )
    try:
        url = f"http://127.0.0.1:{port}"
        await answering(url)
        question, answer = QUESTIONS[lang]
        async with WebRoom(url) as room:
            await room.say("robin", question)
            said = await room.wait_for(lambda m: any(p["state"] == "answered" for p in m["parts"]))
            assert answer in text_of(said)
    finally:
        process.terminate()
        async with within(START_S, "the service ends"):
            status = await process.wait()
    assert status == 0
    return told
