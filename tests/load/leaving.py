"""SIGTERM in the middle of twenty requests, five in each dialect: every one has its final reply, and status 0 is left.

    python -m tests.load.leaving [--grace 3]

Three of each five would take far longer than the grace time; they are answered with `shutting-down`.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Final

from bgd.wire.detect import Dialect
from tests.conftest import DaemonProcess, LineSocket

GRACE: Final = 3.0
AFTERWARDS: Final = 10.0
"""Seconds beyond the grace time: the daemon waits one for its peers to close, and a busy machine lets it wait too."""

START: Final = "4HPwATDgc/ABMA"
BOARD: Final = (
    "board:A:B:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:"
    "0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)


def _call(number: int, method: str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": {"position": "start", **params}})


ASKED: Final[dict[Dialect, tuple[list[str], list[str], str]]] = {
    "text": (
        ["position start"],
        [
            *(f"#{number} rollout trials=100000" for number in range(3)),
            "#3 best 11 plies=2 top=0",
            "#4 eval plies=2",
        ],
        r"#\d (ok|error)( |$)",
    ),
    "json": (
        [],
        [
            *(_call(number, "rollout", trials=100_000) for number in range(3)),
            _call(3, "cube", plies=2),
            _call(4, "best", plies=2, dice="21"),
        ],
        r'\{"jsonrpc":"2.0","id":\d,"(result|error)":',
    ),
    "ubgi": (
        ["ubgi", f"position gnubgid {START}"],
        [
            "dice 4 1\ngo depth 3",
            "dice 2 1\ngo depth 3",
            *("dice 1 1\ngo trials 100000" for _ in range(3)),
        ],
        r"bestmove |error ",
    ),
    "gnubg": (
        ["set debug on"],
        [f"{BOARD} plies 2", *(f"evaluation fibsboard {BOARD} plies {plies}" for plies in (2, 4, 4, 4))],
        r"(?:roll|double|Error: .*|(?:-?\d+\.\d{6} ?){6})$",
    ),
}
"""For each dialect what opens its connection, the five requests, and how their final replies begin."""


def leave(grace: float = GRACE) -> dict[str, Any]:
    """Start a daemon, ask, signal, listen to the end. What came; `ok` says whether all was as it should be."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        arguments = ["--host", "127.0.0.1", "--port", "0", "--unix", f"{folder}/socket"]
        daemon = stack.enter_context(DaemonProcess.start(*arguments, env={"BGD_LIMITS_GRACE": str(grace)}))
        watcher = stack.enter_context(daemon.connect())
        watcher.ask("best 31 position=start")  # once the engine is there
        clients: dict[Dialect, LineSocket] = {}
        for dialect, (greeting, requests, _) in ASKED.items():
            client = daemon.connect_unix() if dialect in ("text", "gnubg") else daemon.connect()
            clients[dialect] = stack.enter_context(client)
            client.send(*greeting, *requests)
        sent = sum(len("\n".join([*greeting, *requests]).splitlines()) for greeting, requests, _ in ASKED.values())
        own = 2  # of the watcher: `best`, and the `stats` that is answered
        while (told := _stats(watcher))["requests"] < sent + own:  # until all have been read
            own += 1
        began = time.monotonic()
        daemon.process.send_signal(signal.SIGTERM)
        heard = {dialect: client.receive_rest().splitlines() for dialect, client in clients.items()}
        watcher.receive_rest()
        status = daemon.process.wait(60)
        seconds = time.monotonic() - began
    finals = {
        dialect: [line for line in lines if re.match(ASKED[dialect][2], line)] for dialect, lines in heard.items()
    }
    refused = {dialect: sum("leaving" in line for line in lines) for dialect, lines in finals.items()}
    expected = {dialect: len(requests) for dialect, (_, requests, _) in ASKED.items()}
    counted = {dialect: len(lines) for dialect, lines in finals.items()}
    once = all(
        Counter(re.findall(r'^(?:#|.*"id":)(\d)', "\n".join(finals[dialect]), re.MULTILINE)) == Counter("01234")
        for dialect in ("text", "json")
    )
    in_time = seconds <= grace + AFTERWARDS
    return {
        "leaving": "ok" if counted == expected and once and status == 0 and in_time else "FAILED",
        "asked": expected,
        "final_replies": counted,
        "of_them_shutting_down": refused,
        "unanswered_at_the_signal": told["queued"] + told["running"],
        "seconds": round(seconds, 2),
        "grace": grace,
        "exit_status": status,
        "heard": heard if counted != expected else {},
    }


def _stats(watcher: LineSocket) -> dict[str, int]:
    return {
        name: int(value)
        for name, value in re.findall(r"stat (\w+)=(\d+)$", "\n".join(watcher.ask("stats")), re.MULTILINE)
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.load.leaving", description="Leave while twenty are waiting.")
    parser.add_argument("--grace", type=float, default=GRACE, help="seconds (%(default)s)")
    summary = leave(parser.parse_args(argv).grace)
    print(json.dumps(summary, indent=1))
    return 0 if summary["leaving"] == "ok" else 1


if __name__ == "__main__":
    sys.exit(main())
