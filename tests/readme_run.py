"""Run the README's run command in a copy of the project, and ask what it serves. Used by .ci/run.

readme_run.py COPY
"""

from __future__ import annotations

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

QUESTIONS = b"position start\nbest 31\n"


def main() -> None:
    copy = pathlib.Path(sys.argv[1])
    found = re.search(r"<!-- command: run -->\n```sh\n(.*?)\n```", (copy / "README.md").read_text(), re.DOTALL)
    assert found, "README.md has no run command"
    command = found[1].replace(".venv/bin/bgd", "exec .venv/bin/bgd")
    daemon = subprocess.Popen(["bash", "-euo", "pipefail", "-c", command], cwd=copy, env={**os.environ, "CI": "true"})
    try:
        answer = ask(daemon)
        print(answer.decode())
        assert b"ok 8/5 6/5" in answer, answer
    finally:
        daemon.send_signal(signal.SIGTERM)
    assert daemon.wait(timeout=30) == 0


def ask(daemon: subprocess.Popen[bytes]) -> bytes:
    """What the questions bring, once the installed daemon listens; its first start compiles."""
    deadline = time.monotonic() + 600
    while True:
        assert daemon.poll() is None, f"the run command ended with {daemon.returncode}"
        assert time.monotonic() < deadline, "nothing listens on port 4321 after ten minutes"
        try:
            peer = socket.create_connection(("127.0.0.1", 4321), timeout=300)
            break
        except OSError:
            time.sleep(0.5)
    with peer:
        peer.sendall(QUESTIONS)
        peer.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: peer.recv(65536), b""))


if __name__ == "__main__":
    main()
