"""Many clients of all dialects for a long time, bad ones among them, against a real daemon.

    python -m tests.load.soak --minutes 30 --clients 50 [--share 0.15] [--seed N]

Every reply is compared, byte for byte, with what a session in this process says to the same question. A summary comes
as one JSON object on stdout; the exit status is 1 when a reply was lost, doubled or wrong, when memory grew, when a
descriptor or thread was left, when the daemon logged an error, or did not leave with status 0.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import trio

from bgd.engine import Engine
from tests.conftest import DaemonProcess
from tests.load.book import write
from tests.load.ledger import Ledger
from tests.load.visits import Place, Visitor, pay_one

GROWTH: Final = 24.0
"""MiB that a daemon may grow from the end of its warm-up to its last minutes: its allocator's own ups and downs."""

SETTLING: Final = 90.0
"""Seconds that descriptors and threads may take to be back: idle threads stay for ten, closed connections linger."""

IDLE_THREADS: Final = 11.0
"""Seconds after which a thread without work is gone (trio keeps it for ten)."""

SAMPLES: Final = 60
"""Looks at the daemon's memory."""


@dataclass
class Look:
    """At the daemon, from outside: seconds since the start, memory in MiB, descriptors, threads."""

    at: float
    memory: float
    descriptors: int
    threads: int


@dataclass
class Watch:
    """Looks at a process."""

    pid: int
    began: float = field(default_factory=time.monotonic)

    def look(self) -> Look:
        status = dict(
            line.split(":", 1) for line in Path(f"/proc/{self.pid}/status").read_text().splitlines() if ":" in line
        )
        descriptors = len(os.listdir(f"/proc/{self.pid}/fd"))
        memory = int(status["VmRSS"].split()[0]) / 1024
        return Look(round(time.monotonic() - self.began, 1), round(memory, 1), descriptors, int(status["Threads"]))

    def seconds(self) -> float:
        """Of processor time, so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Throttle:
    """Keeps what daemon and clients use together near a share of one core, by resting between visits."""

    def __init__(self, share: float, watch: Watch, dice: random.Random) -> None:
        self._share, self._watch, self._dice = share, watch, dice
        self.pause = 0.2

    def used(self) -> float:
        return time.process_time() + self._watch.seconds()

    async def rest(self) -> None:
        await trio.sleep(self.pause * self._dice.uniform(0.5, 1.5))

    async def steer(self) -> None:
        used, at = self.used(), time.monotonic()
        while True:
            await trio.sleep(1)
            now_used, now = self.used(), time.monotonic()
            ratio = (now_used - used) / (now - at) / self._share
            self.pause = min(20.0, max(0.001, self.pause * min(1.5, max(0.7, ratio))))
            used, at = now_used, now


async def soak(
    daemon: DaemonProcess, visitor: Callable[[int, Throttle], Visitor], clients: int, seconds: float, throttle: Throttle
) -> list[Look]:
    """Let them come for so long; those who are there by then may finish. Looks at the daemon meanwhile."""
    looks: list[Look] = []
    watch = Watch(daemon.process.pid)

    async def come(number: int) -> None:
        guest = visitor(number, throttle)
        while time.monotonic() < ends:
            await pay_one(guest)
            await throttle.rest()

    ends = time.monotonic() + seconds
    async with trio.open_nursery() as nursery:
        steering = trio.CancelScope()

        async def steer() -> None:
            with steering:
                await throttle.steer()

        nursery.start_soon(steer)
        async with trio.open_nursery() as visits:
            for number in range(clients):
                visits.start_soon(come, number)
            while time.monotonic() < ends:
                await trio.sleep(seconds / SAMPLES)
                looks.append(watch.look())
        steering.cancel()
    return looks


async def settled(daemon: DaemonProcess, before: Look) -> Look:
    """Once nothing is open, queued or running any more, and as few descriptors and threads are there as before."""
    watch = Watch(daemon.process.pid)
    while True:
        with daemon.connect() as client:
            told = dict(line.split("=", 1) for line in client.ask("stats") if "=" in line)
            counts = [told.get(f"stat {name}") for name in ("open", "queued", "running")]
        now = watch.look()
        if counts == ["1", "0", "0"] and now.descriptors <= before.descriptors and now.threads <= before.threads:
            return now
        if now.at > SETTLING:
            return now
        await trio.sleep(0.5)


def growth(looks: Sequence[Look]) -> float:
    """MiB from the time after a warm-up, a fifth of the whole, to the end: medians of a tenth of the looks each."""
    tenth = max(1, len(looks) // 10)
    warm = looks[len(looks) // 5 :]
    return statistics.median(look.memory for look in warm[-tenth:]) - statistics.median(
        look.memory for look in warm[:tenth]
    )


def run(seconds: float, clients: int, seed: int, share: float, limit: float = GROWTH) -> dict[str, Any]:
    """A whole soak. Its summary; `ok` says whether all was as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/socket"
        with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", "--unix", path) as daemon:
            return _run(daemon, path, seconds, clients, seed, share, limit)


def _run(
    daemon: DaemonProcess, path: str, seconds: float, clients: int, seed: int, share: float, limit: float
) -> dict[str, Any]:
    place = Place(daemon.port, path)
    with daemon.connect() as client:
        for warming in ("best 31", "best 31 plies=2", "rollout trials=36 truncate=2", "show as=svg"):
            assert client.ask(f"{warming} position=start")[-1].startswith("ok"), warming
    warm = time.monotonic()
    book = write(Engine.load(), seed)
    time.sleep(max(0.0, warm + IDLE_THREADS - time.monotonic()))
    ledger, watch = Ledger(), Watch(daemon.process.pid)
    before = watch.look()
    throttle = Throttle(share, watch, random.Random(seed))
    used, began = throttle.used(), time.monotonic()

    def visitor(number: int, throttle: Throttle) -> Visitor:
        return Visitor(place, book, ledger, random.Random(f"{seed} {number}"), throttle.rest)

    looks = trio.run(soak, daemon, visitor, clients, seconds, throttle)
    lasted = time.monotonic() - began
    used = throttle.used() - used
    after = trio.run(settled, daemon, before)
    status = daemon.stop()
    complaints = [line for line in daemon.log if "ERROR" in line or "Traceback" in line]
    grown = growth(looks)
    times = sorted(ledger.latencies) or [0.0]

    def count(name: str) -> dict[str, int]:
        most = max(getattr(look, name) for look in looks)
        return {"start": getattr(before, name), "most": most, "end": getattr(after, name)}

    good = (
        ledger.whole
        and after.descriptors <= before.descriptors
        and after.threads <= before.threads
        and grown <= limit
        and not complaints
        and status == 0
    )
    return {
        "soak": "ok" if good else "FAILED",
        "seconds": round(lasted),
        "clients": clients,
        "seed": seed,
        "cores_used": round(used / lasted, 2),
        "connections": sum(ledger.visits.values()),
        "visits": dict(sorted(ledger.visits.items())),
        "dialects": dict(sorted(ledger.dialects.items())),
        "requests": ledger.requests,
        "replies": ledger.replies,
        "abandoned": ledger.abandoned,
        "cancelled": ledger.cancelled,
        "progress_lines": ledger.progress,
        "lost": ledger.lost,
        "doubled": ledger.doubled,
        "wrong": ledger.wrong,
        "broken": ledger.broken,
        "play_ms": {
            "asked": len(ledger.latencies),
            "median": round(1000 * statistics.median(times), 2),
            "p99": round(1000 * times[int(0.99 * (len(times) - 1))], 2),
        },
        "memory_mib": {
            "start": before.memory,
            "along": [look.memory for look in looks[:: max(1, len(looks) // 12)]],
            "end": after.memory,
            "growth_after_warm_up": round(grown, 1),
        },
        "descriptors": count("descriptors"),
        "threads": count("threads"),
        "exit_status": status,
        "errors_logged": complaints[:5],
        "faults": ledger.faults,
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.load.soak", description="Wear a daemon out.")
    parser.add_argument("--minutes", type=float, default=30.0, help="of clients coming and going (%(default)s)")
    parser.add_argument("--clients", type=int, default=50, help="at once (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of who does what (%(default)s)")
    parser.add_argument(
        "--share", type=float, default=1.0, help="of a core, for daemon and clients together (%(default)s)"
    )
    parser.add_argument("--growth", type=float, default=GROWTH, help="MiB that are no leak (%(default)s)")
    asked = parser.parse_args(argv)
    summary = run(asked.minutes * 60, asked.clients, asked.seed, asked.share, asked.growth)
    print(json.dumps(summary, indent=1))
    return 0 if summary["soak"] == "ok" else 1


if __name__ == "__main__":
    sys.exit(main())
