"""Runs `foveal` in a process of the nursery: hands over all that a process is started with, and ends as it ends."""

import json
import os
import signal
import socket
import sys


def launch(place: str, words: list[str]) -> int:
    asked = {"words": words, "folder": os.getcwd(), "variables": dict(os.environ)}
    said = json.dumps(asked).encode()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(place)
        socket.send_fds(line, [b"%8d" % len(said)], [0, 1, 2])
        line.sendall(said)
        with line.makefile("rb") as answers:
            child = int(answers.read(8))
            for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(one, lambda number, _: os.kill(child, number))
            return int(answers.read(8))


if __name__ == "__main__":
    code = launch(sys.argv[1], sys.argv[2:])
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
