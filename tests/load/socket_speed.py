"""How long a play takes through a socket, bgd's and GNU Backgammon's, in one run.

    python -m tests.load.socket_speed decisions.jsonl [--rounds 10]

Each line of the file is `{"board": [26 integers], "dice": [2, 4]}`, the board seen by the side on roll. Both are asked
the same `board:` lines over TCP, one after the other's answer, in turns of one round each. gnubg remembers what it has
evaluated, so that each round has a gnubg of its own, which sees each position once; bgd remembers nothing. Prints a
line for each: the median and mean in µs of a question and its answer, and bgd's plays a second when they are pipelined.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import time
from pathlib import Path

from bgd.duel.external import GnubgServer
from bgd.notation import fibs_board
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.state import GameState, Money, Phase, Side
from tests.conftest import DaemonProcess


def board_lines(path: Path) -> list[bytes]:
    lines = []
    for text in path.read_text().splitlines():
        row = json.loads(text)
        state = GameState(
            board=Board(tuple(row["board"])),
            turn=Side.BOTTOM,
            phase=Phase.PLAY,
            dice=Dice(*row["dice"]),
            terms=Money(),
        )
        lines.append(fibs_board.encode(state, ("A", "B")).encode() + b"\n")
    return lines


class Client:
    def __init__(self, port: int) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def one_by_one(self, lines: list[bytes]) -> tuple[list[float], list[bytes]]:
        """Seconds for each, and the answers."""
        times, answers = [], []
        clock, send, receive = time.perf_counter, self.sock.sendall, self.sock.recv
        for line in lines:
            began = clock()
            send(line)
            answer = receive(4096)
            while not answer.endswith(b"\n"):
                answer += receive(4096)
            times.append(clock() - began)
            answers.append(answer)
        return times, answers

    def pipelined(self, lines: list[bytes]) -> float:
        """Plays a second."""
        began = time.perf_counter()
        self.sock.sendall(b"".join(lines))
        left = len(lines)
        while left:
            left -= self.sock.recv(65_536).count(b"\n")
        return len(lines) / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("decisions", type=Path)
    parser.add_argument("--rounds", type=int, default=10)
    arguments = parser.parse_args()
    lines = board_lines(arguments.decisions)

    times: dict[str, list[float]] = {"bgd": [], "gnubg": []}
    pipelined = []
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0") as daemon:
        bgd = Client(daemon.port)
        _, answers = bgd.one_by_one(lines)  # waits for the kernels
        assert not any(answer.startswith(b"Error") for answer in answers), answers
        for _ in range(arguments.rounds):
            times["bgd"] += bgd.one_by_one(lines)[0]
            pipelined.append(bgd.pipelined(lines))
            gnubg = GnubgServer()
            try:
                client = Client(gnubg.port)
                client.one_by_one([b"set debug off\n"] * len(lines))
                times["gnubg"] += client.one_by_one(lines)[0]
            finally:
                gnubg.close()

    medians = {name: statistics.median(series) * 1e6 for name, series in times.items()}
    for name, series in times.items():
        print(
            f"{name:6} median {medians[name]:6.1f} µs  mean {statistics.fmean(series) * 1e6:6.1f} µs  n={len(series)}"
        )
    print(f"ratio  gnubg / bgd {medians['gnubg'] / medians['bgd']:.2f}")
    print(f"bgd    pipelined {statistics.median(pipelined):.0f} plays/s")


if __name__ == "__main__":
    main()
