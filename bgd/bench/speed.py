"""How long a play and a cube decision take, beside GNU Backgammon or beside one thread alone if it is wished: turn and
turn about, so that a busy machine slows both alike.

Median and p95 are wall clock; GNU Backgammon's contain the hop over its socket, some 50 µs. The mean processor time
of a decision, over all threads, is what a busy machine distorts least.

What more threads bring is measured inside one process: two processes of the same code may differ by a fifth for as
long as they live, which would pass for, or hide, what the second thread does."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bgd.bench.lines import Decision, read
from bgd.duel.external import GnubgServer, question
from bgd.engine import Engine
from bgd.engine.evaluator import Evaluator
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.state import GameState, Money, Phase, Side

_NOTICED = 0.1  # seconds of another process's time below which a figure would be rounding
_TRIES = 3  # in a row of a decision, together and alone; the middle one of each counts


def measure(
    evaluator: Evaluator,
    path: Path,
    levels: Sequence[int],
    sample: int | None,
    beside_gnubg: bool,
    alone: Evaluator | None,
) -> list[dict[str, Any]]:
    """A row for plays and one for cube decisions at each level. `alone` has one thread, to compare with."""
    engine = Engine(evaluator)
    single = None if alone is None else Engine(alone)
    lines = read(path, Decision, sample)
    before = [GameState(Board.of(line.board), Side.BOTTOM, terms=Money(jacoby=False)) for line in lines]
    rolled = [state.with_dice(Dice(*line.dice)) for state, line in zip(before, lines, strict=True)]
    questions = (("play", rolled, Engine.best), ("cube", before, Engine.cube))
    found = []
    for plies in levels:
        with ExitStack() as stack:
            peer = stack.enter_context(_Peer(plies)) if beside_gnubg else None
            for what, states, decide in questions:
                ask = partial(decide, engine, plies=plies)
                row = _compare(what, plies, states, ask, peer)
                if single is not None:
                    row |= _scaling(states, ask, partial(decide, single, plies=plies))
                print(", ".join(f"{name} {value}" for name, value in row.items()), file=sys.stderr)
                found.append(row)
    return found


class _Peer(ExitStack):
    """GNU Backgammon, and the one connection to it."""

    def __init__(self, plies: int) -> None:
        super().__init__()
        self.server = self.enter_context(GnubgServer(plies, jacoby=False))
        self.client = self.enter_context(self.server.connect(600.0))

    def ask(self, state: GameState) -> str:
        phase = Phase.PLAY if state.dice else Phase.ROLL
        moment = GameState(state.board, state.turn, phase, dice=state.dice, terms=state.terms)
        return self.client.ask(question(moment))


def _compare(
    what: str, plies: int, states: Sequence[GameState], ask: Callable[[GameState], object], peer: _Peer | None
) -> dict[str, Any]:
    """Times in ms of `ask` and, if there is a peer, of the same question to it."""
    own, processor, theirs = [], [], []
    ask(states[0])
    before = peer.server.processor_time() if peer else None
    for state in states:
        start = time.process_time()
        own.append(_milliseconds(ask, state))
        processor.append(1000 * (time.process_time() - start))
        if peer is not None:
            theirs.append(_milliseconds(peer.ask, state))
    row: dict[str, Any] = {"what": what, "plies": plies, "decisions": len(own), **_figures("", own)}
    row["cpu_ms"] = round(float(np.mean(processor)), 4)
    if peer is not None:
        row |= _figures("gnubg_", theirs)
        row["times_faster"] = round(row["gnubg_median_ms"] / row["median_ms"], 2)
        after = peer.server.processor_time()
        # The system counts processor time in hundredths of a second: some quick decisions take none that it notices.
        if before is not None and after is not None and after - before > _NOTICED:
            row["gnubg_cpu_ms"] = round(1000 * (after - before) / len(states), 4)
            row["times_less_cpu"] = round(row["gnubg_cpu_ms"] / row["cpu_ms"], 2)
    return row


def _scaling(
    states: Sequence[GameState], ask: Callable[[GameState], object], ask_alone: Callable[[GameState], object]
) -> dict[str, Any]:
    """How many times as long one thread alone takes: the quotient of the mean times. In a row, as decisions are asked
    elsewhere here: other threads, too, need their caches and, after a rest of 0.1 ms, to be woken."""
    together: list[float] = []
    alone: list[float] = []
    for state in states:
        for times, one in ((together, ask), (alone, ask_alone)):
            times.append(float(np.median([_milliseconds(one, state) for _ in range(_TRIES)])))
    return {
        "alone_mean_ms": round(float(np.mean(alone)), 4),
        "scaling": round(float(np.mean(alone) / np.mean(together)), 2),
    }


def _milliseconds(ask: Callable[[GameState], object], state: GameState) -> float:
    start = time.perf_counter()
    ask(state)
    return 1000 * (time.perf_counter() - start)


def _figures(prefix: str, times: list[float]) -> dict[str, float]:
    return {
        f"{prefix}median_ms": round(float(np.median(times)), 4),
        f"{prefix}p95_ms": round(float(np.percentile(times, 95)), 4),
        f"{prefix}mean_ms": round(float(np.mean(times)), 4),
    }
