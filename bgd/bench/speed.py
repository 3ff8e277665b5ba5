"""How long a play and a cube decision take, beside GNU Backgammon if it is wished: turn and turn about, so that a busy
machine slows both alike. Times are wall clock; GNU Backgammon's contain the hop over its socket, some 50 µs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bgd.bench.lines import Decision, read
from bgd.duel.external import ExternalClient, GnubgServer
from bgd.engine import Engine
from bgd.engine.evaluator import Evaluator
from bgd.notation import fibs_board
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.state import GameState, Money, Phase, Side

Question = TypeVar("Question")


def measure(
    evaluator: Evaluator, path: Path, levels: Sequence[int], sample: int | None, beside_gnubg: bool
) -> list[dict[str, Any]]:
    """A row for plays and one for cube decisions at each level."""
    engine = Engine(evaluator)
    lines = read(path, Decision, sample)
    before = [GameState(Board.of(line.board), Side.BOTTOM, terms=Money(jacoby=False)) for line in lines]
    rolled = [state.with_dice(Dice(*line.dice)) for state, line in zip(before, lines, strict=True)]
    found = []
    for plies in levels:
        with ExitStack() as stack:
            client = None
            if beside_gnubg:
                server = stack.enter_context(GnubgServer(plies, jacoby=False))
                client = stack.enter_context(server.connect(600.0))
            found.append(_compare("play", plies, rolled, partial(engine.best, plies=plies), client))
            found.append(_compare("cube", plies, before, partial(engine.cube, plies=plies), client))
    return found


def _compare(
    what: str,
    plies: int,
    states: Sequence[GameState],
    ask: Callable[[GameState], object],
    client: ExternalClient | None,
) -> dict[str, Any]:
    """Times in ms of `ask` and, if there is a client, of the same question to it."""
    own, theirs = [], []
    ask(states[0])
    for state in states:
        own.append(_milliseconds(ask, state))
        if client is not None:
            theirs.append(_milliseconds(client.ask, _question(state)))
    row: dict[str, Any] = {"what": what, "plies": plies, "decisions": len(own), **_figures("", own)}
    if theirs:
        row |= _figures("gnubg_", theirs)
        row["times_faster"] = round(row["gnubg_median_ms"] / row["median_ms"], 2)
    print(", ".join(f"{name} {value}" for name, value in row.items()), file=sys.stderr)
    return row


def _question(state: GameState) -> str:
    phase = Phase.PLAY if state.dice else Phase.ROLL
    return (
        fibs_board.encode(
            GameState(state.board, state.turn, phase, dice=state.dice, terms=state.terms), names=("bgd", "gnubg")
        )
        + " jacobyrule off"
    )


def _milliseconds(ask: Callable[[Question], object], question: Question) -> float:
    start = time.perf_counter()
    ask(question)
    return 1000 * (time.perf_counter() - start)


def _figures(prefix: str, times: list[float]) -> dict[str, float]:
    return {
        f"{prefix}median_ms": round(float(np.median(times)), 4),
        f"{prefix}p95_ms": round(float(np.percentile(times, 95)), 4),
        f"{prefix}mean_ms": round(float(np.mean(times)), 4),
    }
