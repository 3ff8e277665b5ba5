"""What comes through a socket: plays and evaluations, one after another, pipelined, of many clients, beside long work
and beside many idle connections; and GNU Backgammon's, if it is wished, in the same run.

The daemon is a process of its own on the loopback. Questions are `board:` lines of the gnubg dialect at 0 plies, the
same for both, in turns of one round each. GNU Backgammon remembers what it has evaluated, so that each round has one of
its own, which sees each position for the first time, and then (`gnubg_again`) for the second; bgd remembers none of its
answers. `processor_us` is the processor's time that the daemon's loop took a question, which other programs on the
machine distort least.
"""

from __future__ import annotations

import os
import re
import resource
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from bgd.bench.lines import Decision, read
from bgd.duel.external import GnubgServer
from bgd.errors import ConfigError
from bgd.notation import fibs_board
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.state import GameState, Money, Phase, Side

TIMEOUT: Final = 120.0
"""Seconds to wait for any reply; the first one may have to wait for kernels to be compiled."""

HEAVY: Final = 2
"""Connections that ask for something long, again and again, while plays are timed."""

WINDOW: Final = 64
"""Requests that a pipelining client has on their way."""


_FINAL: Final = re.compile(rb"(?:#\S+ )?(?:ok|error)(?: [^\n]*)?\n")


class Daemon:
    """`bgd serve` on a free port of the loopback, for as many connections as are wanted. Raises ConfigError."""

    def __init__(self, connections: int, weights: Path | None) -> None:
        flags = [] if weights is None else ["--weights", str(weights)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bgd", "serve", "--host", "127.0.0.1", "--port", "0", *flags],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "BGD_LIMITS_MAX_CONNECTIONS": str(connections), "BGD_LIMITS_MAX_PENDING": "1024"},
        )
        assert self._process.stderr is not None
        said = []
        for line in self._process.stderr:
            said.append(line.strip())
            if found := re.search(r"listening on 127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                # Nobody reads what it still says; a pipe that is full would hold it up.
                threading.Thread(target=self._process.stderr.read, daemon=True).start()
                return
        self.close()
        raise ConfigError(f"Expected a daemon to start, it said `{' / '.join(said[-3:])}`")

    def connect(self) -> Client:
        return Client(self.port)

    def processor_time(self) -> float | None:
        """Seconds that its main thread has run, the loop that answers at 0 plies; None where the system doesn't tell.

        The first number of /proc/PID/schedstat, in ns (Documentation/scheduler/sched-stats.rst of Linux)."""
        try:
            return int(Path(f"/proc/{self._process.pid}/schedstat").read_text().split()[0]) / 1e9
        except OSError:
            return None

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Client:
    """One connection, and nothing between it and the clock."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection((host, port), TIMEOUT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def one_after_another(self, lines: Sequence[bytes]) -> list[float]:
        """Seconds from each question, which has a line for an answer, to its answer. None may be an error."""
        times, answers = [], []
        clock, send, receive = time.perf_counter, self.socket.sendall, self.socket.recv
        for line in lines:
            began = clock()
            send(line)
            answer = receive(4096)
            while not answer.endswith(b"\n"):
                answer += _some(receive(4096))
            times.append(clock() - began)
            answers.append(answer)
        assert not any(answer.lower().startswith(b"error") for answer in answers), answers
        return times

    def pipelined(self, lines: Sequence[bytes]) -> float:
        """Answers a second, with WINDOW questions on their way."""
        began = time.perf_counter()
        sent = answered = 0
        while answered < len(lines):
            if sent < len(lines) and sent - answered <= WINDOW // 2:
                upto = min(answered + WINDOW, len(lines))
                self.socket.sendall(b"".join(lines[sent:upto]))
                sent = upto
            answered += _some(self.socket.recv(65_536)).count(b"\n")
        return len(lines) / (time.perf_counter() - began)

    def ask(self, line: str) -> list[str]:
        """A request of the text dialect, and the lines of its reply."""
        self.socket.sendall(line.encode() + b"\n")
        data = bytearray()
        while not (data.endswith(b"\n") and _FINAL.match(data, data.rfind(b"\n", 0, -1) + 1)):
            data += _some(self.socket.recv(65_536))
        return data.decode().splitlines()


def _some(data: bytes) -> bytes:
    if not data:
        raise ConnectionError("The server closed the connection")
    return data


def measure(
    path: Path,
    sample: int | None,
    *,
    rounds: int,
    seconds: float,
    clients: int,
    idle: int,
    beside_gnubg: bool,
    weights: Path | None = None,
) -> list[dict[str, Any]]:
    """A row for each way to ask. `seconds`: how long `clients` at once, and plays beside long work, are measured."""
    plays = [_question(line) for line in read(path, Decision, sample)]
    evaluations = [b"evaluation fibsboard " + line for line in plays]
    _allow_descriptors(2 * (idle + clients) + 64)
    found = []
    with Daemon(idle + clients + 16, weights) as daemon:
        with daemon.connect() as deep:  # answered when all of the engine is ready
            deep.ask("best 31 position=start plies=1")
        with daemon.connect() as warm:
            warm.one_after_another(plays + evaluations)
        found.append(_side_by_side("plays, one after another", daemon, plays, rounds, beside_gnubg))
        found.append(_side_by_side("evaluations, one after another", daemon, evaluations, rounds, beside_gnubg))
        found.append(_pipelined(daemon, plays, rounds))
        found.append(_of_many(daemon, plays, clients, seconds))
        found.append(_beside_long_work(daemon, plays, seconds))
        found.append(_beside_idle_ones(daemon, plays, idle))
    return found


def _question(line: Decision) -> bytes:
    state = GameState(Board.of(line.board), Side.BOTTOM, Phase.PLAY, dice=Dice(*line.dice), terms=Money())
    return fibs_board.encode(state, ("A", "B")).encode() + b"\n"


def _allow_descriptors(number: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < number:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(number, hard), hard))


def _told(row: dict[str, Any]) -> dict[str, Any]:
    print(", ".join(f"{name} {value}" for name, value in row.items()), file=sys.stderr)
    return row


def _figures(times: Sequence[float], prefix: str = "") -> dict[str, float]:
    """Of seconds that questions took, one after another."""
    microseconds = 1e6 * np.array(times)
    return {
        f"{prefix}median_us": round(float(np.median(microseconds)), 1),
        f"{prefix}p99_us": round(float(np.percentile(microseconds, 99)), 1),
        f"{prefix}per_second": round(1e6 / float(microseconds.mean())),
    }


def _side_by_side(what: str, daemon: Daemon, lines: Sequence[bytes], rounds: int, beside_gnubg: bool) -> dict[str, Any]:
    own: list[float] = []
    theirs: list[float] = []
    theirs_again: list[float] = []
    worked = 0.0
    idle = [b"set debug off\n"] * len(lines)  # both are awake then
    with daemon.connect() as client:
        for _ in range(rounds):
            client.one_after_another(idle)
            before = daemon.processor_time()
            times = client.one_after_another(lines)
            worked += (daemon.processor_time() or 0.0) - (before or 0.0)
            own += times
            if beside_gnubg:
                with GnubgServer() as server, Client(server.port, server.host) as other:
                    other.one_after_another(idle)
                    theirs += other.one_after_another(lines)
                    theirs_again += other.one_after_another(lines)
    row: dict[str, Any] = {"what": what, "asked": len(own), **_figures(own)}
    if worked:
        row["processor_us"] = round(1e6 * worked / len(own), 1)
    if theirs:
        row |= _figures(theirs, "gnubg_") | _figures(theirs_again, "gnubg_again_")
        row["times_faster"] = round(row["gnubg_median_us"] / row["median_us"], 2)
    return _told(row)


def _pipelined(daemon: Daemon, lines: Sequence[bytes], rounds: int) -> dict[str, Any]:
    with daemon.connect() as client:
        rates = [client.pipelined(list(lines) * 5) for _ in range(rounds)]
    return _told({"what": "plays, pipelined", "asked": 5 * rounds * len(lines), "per_second": round(np.median(rates))})


def _of_many(daemon: Daemon, lines: Sequence[bytes], clients: int, seconds: float) -> dict[str, Any]:
    """Each client asks one after another; all of them at once."""
    times: list[float] = []
    with ExitStack() as stack, selectors.DefaultSelector() as ready:
        sockets = [stack.enter_context(daemon.connect()).socket for _ in range(clients)]
        asked = [0.0] * clients
        clock = time.perf_counter
        began = clock()
        for number, sock in enumerate(sockets):
            ready.register(sock, selectors.EVENT_READ, number)
            asked[number] = clock()
            sock.sendall(lines[number % len(lines)])
        while (now := clock()) - began < seconds:
            for key, _ in ready.select():
                sock, number = sockets[key.data], key.data
                _some(sock.recv(4096))  # the one line of the answer: a segment of the loopback
                now = clock()
                times.append(now - asked[number])
                asked[number] = now
                sock.sendall(lines[len(times) % len(lines)])
        rate = len(times) / (clock() - began)
    row: dict[str, Any] = {"what": f"plays of {clients} clients", "asked": len(times), **_figures(times)}
    return _told({**row, "per_second": round(rate)})


def _beside_long_work(daemon: Daemon, lines: Sequence[bytes], seconds: float) -> dict[str, Any]:
    with daemon.connect() as asker:
        hello = "\n".join(asker.ask("hello"))
    if "capability rollout\n" in hello:
        long = "rollout trials=1296 position=start"
    else:
        plies = re.search(r"limit max_plies=(\d+)", hello)
        long = f"best 11 plies={plies[1] if plies else 0} position=start"
    times: list[float] = []
    with _asked_again_and_again(daemon, long) as answered, daemon.connect() as client:
        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            times += client.one_after_another(lines)
        done = answered()
    return _told(
        {"what": f"plays beside {HEAVY} x {long}", "asked": len(times), **_figures(times), "long_answered": done}
    )


@contextmanager
def _asked_again_and_again(daemon: Daemon, line: str) -> Iterator[Callable[[], int]]:
    """HEAVY connections ask `line` for ever; gives a function that tells how many were answered."""
    leaving = threading.Event()
    answered: list[str] = []

    def ask(client: Client) -> None:
        while True:
            final = client.ask(line)[-1]
            if leaving.is_set():
                return
            answered.append(final)

    with ExitStack() as stack:
        clients = [stack.enter_context(daemon.connect()) for _ in range(HEAVY)]
        threads = [threading.Thread(target=ask, args=(client,), daemon=True) for client in clients]
        for thread in threads:
            thread.start()
        yield lambda: len(answered)
        leaving.set()
        for client in clients:  # who just closes is taken for one who still waits for the answer
            client.socket.sendall(b"cancel\n")
        for thread in threads:
            thread.join()
    assert not any(final.startswith("error") for final in answered), answered


def _beside_idle_ones(daemon: Daemon, lines: Sequence[bytes], idle: int) -> dict[str, Any]:
    with daemon.connect() as asker, daemon.connect() as client, ExitStack() as stack:
        client.one_after_another(lines[:1])  # and so is counted
        while int((before := _stats(asker))["open"]) > 2:  # those measured before are leaving
            pass
        for _ in range(idle):
            stack.enter_context(daemon.connect()).ask("ping")
        times = client.one_after_another(lines)
        after = _stats(asker)
    row: dict[str, Any] = {"what": f"plays beside {idle} idle connections", "asked": len(times), **_figures(times)}
    row["held"] = int(after["open"]) - int(before["open"])
    if "memory" in after:
        row["kib_each"] = round(1024 * (float(after["memory"]) - float(before["memory"])) / max(idle, 1), 1)
    return _told(row)


def _stats(client: Client) -> dict[str, str]:
    return dict(re.findall(r"stat (\w+)=(\S+)", "\n".join(client.ask("stats"))))
