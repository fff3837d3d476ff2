"""A program that is `python -m MODULE WORDS`, without the seconds that its imports take.

What a client starts as a child is this: the forge makes the process that it stands for, which has
its input, output, folder and environment. Signals go on to that process; each ends with the other.
For a process of the forge it is Python itself: what is not `-m bot` or the tests' own is left to
the real one, and begins from nothing.
"""

import json
import os
import signal
import socket
import sys


def main(path: str, module: str, words: list[str]) -> int:
    """The process's exit status."""
    asked = {
        "module": module,
        "words": words,
        "cwd": os.getcwd(),
        "env": dict(os.environ),
        "start_new_session": False,
        "ends_with_asker": True,
    }
    told = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    told.connect(path)
    socket.send_fds(told, [json.dumps(asked).encode()], [0, 1, 2])
    pid = int(told.recv(64))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda got, _: os.kill(pid, got))
    # The other end of each pipe is to see its end with the process, not with this.
    null = os.open(os.devnull, os.O_RDWR)
    for end in (0, 1, 2):
        os.dup2(null, end)
    answer = told.recv(64)
    status = int(answer) if answer else 1
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status


def run(path: str, given: list[str]) -> int:
    """As Python runs what it is given; a child's exit status."""
    words = given[1:] if given[0] == "-P" else given
    if words[0] != "-m" or words[1].partition(".")[0] not in ("bot", "tests"):
        os.execv(sys.executable, [sys.executable, *given])
    return main(path, words[1], words[2:])


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]))
