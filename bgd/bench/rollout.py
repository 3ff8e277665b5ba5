"""What a rollout costs, and how well it knows the answer: beside GNU Backgammon, if it is wished.

Rollouts of a position before its roll, for money without Jacoby's rule, at 0 plies, with variance reduction and
quasi-random dice, to the end or the exact bear-off: cubeless, and with the cube in the middle and not turned now. Costs
are CPU seconds of all threads, without those of starting a program. `times_cheaper` compares them at equal standard
error: cost times error squared.
Or whether the errors are honest: pairs of rollouts with other seeds, of which one in twenty may differ by more than two
joint standard errors.

The positions in rollouts.jsonl, beside this module, are contact of six kinds; `what` says which. Three come from the
first rollouts measured, three from bgd's own games (0 plies, cubeless, dice from `random.Random(1)`): the first
position of those games to fit the words.
"""

from __future__ import annotations

import math
import os
import pty
import re
import select
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, Final

from bgd.bench.lines import Placed, read
from bgd.duel.external import required_gnubg
from bgd.engine import Engine, RolloutPlan
from bgd.engine.evaluator import Evaluator
from bgd.errors import ConfigError
from bgd.notation import position_id
from bgd.rules.board import Board
from bgd.rules.state import GameState, Money

POSITIONS: Final = Path(__file__).with_name("rollouts.jsonl")

_PATIENCE: Final = 600.0
"""Seconds that GNU Backgammon may take for one rollout."""

_COMMANDS: Final = """\
set automatic game off
set automatic roll off
set confirm new off
set player 0 human
set player 1 human
new session
set jacoby off
set turn 1
set board {position}
set output digits 5
set rng mersenne
set rollout chequerplay plies 0
set rollout cubedecision plies 0
set rollout trials {trials}
set rollout cubeful {cubeful}
set rollout seed {seed}
"""
_LEAVE: Final = "quit\ny\n"
_EQUITY: Final = {False: re.compile(r"CL +([-+]?\d\.\d+)"), True: re.compile(r"CF +([-+]?\d\.\d+)")}


def measure(
    evaluator: Evaluator, path: Path, sample: int | None, trials: int, seed: int, beside_gnubg: bool
) -> list[dict[str, Any]]:
    """A row for each position, cubeless and cubeful."""
    engine = Engine(evaluator)
    boards = [Board.of(line.board) for line in read(path, Placed, sample)]
    engine.rollout(GameState(boards[0], terms=Money(jacoby=False)), RolloutPlan(trials=36))
    found = []
    for number, board in enumerate(boards, 1):
        for cubeful in (False, True):
            row = {"position": number, "cubeful": cubeful, **_own(engine, board, trials, seed, cubeful)}
            if beside_gnubg:
                row |= _gnubg(board, trials, seed, cubeful)
                theirs = row["gnubg_cpu"] * row["gnubg_error"] ** 2
                ours = row["cpu"] * row["error"] ** 2
                row["times_cheaper"] = round(theirs / ours, 2) if ours else None
            print(", ".join(f"{name} {value}" for name, value in row.items()), file=sys.stderr)
            found.append(row)
    return found


def agreement(
    evaluator: Evaluator, path: Path, sample: int | None, trials: int, seed: int, pairs: int
) -> list[dict[str, Any]]:
    """A row for each position, cubeless and cubeful: of so many `pairs` of rollouts with seeds from `seed` on how many
    differ by no more than two joint standard errors, and the root of the mean square of difference / joint error, which
    should be 1."""
    engine = Engine(evaluator)
    found = []
    for number, line in enumerate(read(path, Placed, sample), 1):
        for cubeful in (False, True):
            apart = []
            for first in range(seed, seed + 2 * pairs, 2):
                one, other = (_own(engine, Board.of(line.board), trials, first + k, cubeful) for k in (0, 1))
                apart.append(abs(one["equity"] - other["equity"]) / math.hypot(one["error"], other["error"]))
            inside = sum(ratio <= 2 for ratio in apart)
            spread = math.sqrt(math.fsum(ratio * ratio for ratio in apart) / pairs)
            row = {"position": number, "cubeful": cubeful, "pairs": pairs, "inside": inside, "spread": round(spread, 2)}
            print(", ".join(f"{name} {value}" for name, value in row.items()), file=sys.stderr)
            found.append(row)
    return found


def _own(engine: Engine, board: Board, trials: int, seed: int, cubeful: bool) -> dict[str, Any]:
    state = GameState(board, terms=Money(jacoby=False))
    plan = RolloutPlan(trials=trials, seed=seed, cubeful=cubeful, doubled=False)
    wall, cpu = time.perf_counter(), time.process_time()
    line = engine.rollout(state, plan).lines[0]
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    error = line.equity_error if line.cubeful_error is None else line.cubeful_error
    return {
        "trials": line.trials,
        "equity": round(line.value, 5),
        "error": round(error, 5),
        "cpu": round(cpu, 3),
        "wall": round(wall, 3),
    }


def _gnubg(board: Board, trials: int, seed: int, cubeful: bool) -> dict[str, Any]:
    """The same by GNU Backgammon. Raises ConfigError when it is not there or does not answer."""
    program = required_gnubg()
    commands = _COMMANDS.format(
        position=position_id.encode(board), trials=trials, cubeful="on" if cubeful else "off", seed=seed
    )
    with tempfile.TemporaryDirectory(prefix="bgd-gnubg-") as home:
        script = Path(home) / "commands"
        script.write_text(commands + "rollout\n" + _LEAVE)
        said, cpu = _in_terminal([program, "-t", "-q", "-r", "-c", str(script)], home)
    equities = _EQUITY[cubeful].findall(said.rpartition("Printing final results")[2])
    if len(equities) != 2:
        raise ConfigError(f"Expected gnubg to end with the rollout's result, it said `{said[-200:]}`")
    return {
        "gnubg_equity": float(equities[0]),
        "gnubg_error": float(equities[1]),
        "gnubg_cpu": round(cpu - _starting(program), 3),
    }


@cache
def _starting(program: str) -> float:
    """CPU seconds that it takes to start, make ready and leave, which are no part of a rollout."""
    ready = _COMMANDS.format(position=position_id.encode(Board.start()), trials=1, cubeful="on", seed=1)
    with tempfile.TemporaryDirectory(prefix="bgd-gnubg-") as home:
        script = Path(home) / "commands"
        script.write_text(ready + _LEAVE)
        return _in_terminal([program, "-t", "-q", "-r", "-c", str(script)], home)[1]


def _in_terminal(command: list[str], home: str) -> tuple[str, float]:
    """What a command says in a terminal, without which gnubg tells no results, and its CPU seconds."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(HOME=home, TERM="dumb", COLUMNS="200")
        os.execv(command[0], command)
    said = bytearray()
    ends = time.monotonic() + _PATIENCE
    while (left := ends - time.monotonic()) > 0 and select.select([terminal], [], [], left)[0]:
        try:
            some = os.read(terminal, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not some:
            break
        said += some
    os.close(terminal)
    _, _, used = os.wait4(process, 0)
    return said.decode(errors="replace"), used.ru_utime + used.ru_stime


__all__ = ["POSITIONS", "agreement", "measure"]
