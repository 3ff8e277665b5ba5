"""How alive the cube is, by class of position: the efficiency with which Janowski's formula best tells what is rolled
out.

Positions of bgd's own money games in which the cube may be of use are rolled out at 0 plies without a cube, and then
with it: in the middle, turned and the opponent's, and owned by the side on roll. With the chances that the first
rollout found, the formula says `dead + x * (live - dead)` of each of the others; x is fitted by least squares to all of
them, in races as a line in the pips of the side on roll. Standard errors allow for positions that differ in x.

The games' own doubles and takes follow the constants in force (bgd.engine.stakes): after a change, fit again. Both are
small corrections of small differences: the second fit hardly moves.

`before` and `after` are root mean squares of formula less rollout: with the constants in force, and with those fitted
to the other half of the positions, every other one. `noise` is what the rollouts' own standard errors make of it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bgd.bench import played
from bgd.bench.accuracy import classes_of
from bgd.engine import Engine, RolloutPlan
from bgd.engine.evaluator import Evaluator
from bgd.engine.stakes import Stakes, efficiency
from bgd.kernels.encode import CONTACT, DEEP, RACE
from bgd.rules.board import Board
from bgd.rules.state import Cube, GameState, Money, Side

LONG: Final = 50
"""Pips of the side on roll from which a race is called long."""

_TERMS: Final = Money(jacoby=False, beavers=False)
_WINNABLE: Final = (0.15, 0.9)
"""Chances of winning outside which a position tells nothing of the cube."""

_MIDDLE, _OWN, _OPPONENTS = Cube(), Cube(2, Side.BOTTOM), Cube(2, Side.TOP)


@dataclass(frozen=True, slots=True)
class Sample:
    """A position rolled out: its equities with a dead and a live cube by the formula and as found, with the standard
    errors of that, for the cube in the middle, turned, and owned. In units of the cube as it is then."""

    board: Board
    dead: NDArray[np.float64]  # (3,)
    live: NDArray[np.float64]
    found: NDArray[np.float64]
    errors: NDArray[np.float64]


Terms: TypeAlias = Callable[[Sequence[Sample]], NDArray[np.float64]]
"""What an efficiency is made of: a row for each position, to be multiplied by what is fitted."""


def measure(evaluator: Evaluator, count: int, trials: int, seed: int) -> list[dict[str, Any]]:
    """A row for contact, for its part with many men back, and for races, of `count` positions a class: contact, short
    races and long ones. Rollouts are of `trials` games."""
    engine = Engine(evaluator)
    samples = {
        name: [_rolled_out(engine, board, trials, seed) for board in boards]
        for name, boards in _positions(evaluator, count, seed).items()
    }
    races = samples["short race"] + samples["long race"]
    found = [_constant("contact", samples["contact"])]
    deep = [sample for sample in samples["contact"] if _class_of(sample.board) == DEEP]
    if len(deep) > 1:
        found.append(_constant("contact, many men back", deep))
    found += [_constant(name, samples[name]) for name in ("short race", "long race")]
    found.append(_line("race", races))
    return found


def _positions(evaluator: Evaluator, count: int, seed: int) -> dict[str, list[Board]]:
    """`count` boards of each class, one of a game at most."""
    engine, rng = Engine(evaluator), random.Random(f"{seed} efficiency")
    found: dict[str, list[Board]] = {"contact": [], "short race": [], "long race": []}
    while min(map(len, found.values())) < count:
        some: dict[str, list[Board]] = {name: [] for name in found}
        for state in played.game(engine, _TERMS, rng):
            low, high = _WINNABLE
            if low < engine.evaluate(state).chances.win < high and not evaluator.exact_money(state.board.points):
                some[_name_of(state.board)].append(state.board)
        for name, boards in some.items():
            if boards and len(found[name]) < count:
                found[name].append(rng.choice(boards))
    return found


def _name_of(board: Board) -> str:
    if _class_of(board) != RACE:
        return "contact"
    return "long race" if board.pips >= LONG else "short race"


def _class_of(board: Board) -> int:
    kind = int(classes_of(np.array([board.points], np.int8))[0])
    assert kind in (RACE, CONTACT, DEEP)
    return kind


def _rolled_out(engine: Engine, board: Board, trials: int, seed: int) -> Sample:
    plan = RolloutPlan(trials=trials, seed=seed)
    cubeless, rolling = replace(plan, cubeful=False), replace(plan, doubled=False)
    middle, own = (GameState(board, cube=cube, terms=_TERMS) for cube in (_MIDDLE, _OWN))
    chances = engine.rollout(middle, cubeless).lines[0].chances
    lines = [*engine.rollout(middle, plan).lines, *engine.rollout(own, rolling).lines]
    units = np.array([1.0, 0.5, 1.0])  # a double taken is told in units of the cube before it
    dead, live = (
        np.array(
            [
                Stakes(chances, cube, Side.BOTTOM, _TERMS).cubeful(cube.value, _users(cube), alive)
                for cube in (_MIDDLE, _OPPONENTS, _OWN)
            ]
        )
        for alive in (0.0, 1.0)
    )
    found = np.array([line.value for line in lines]) * units
    errors = np.array([line.cubeful_error or 0.0 for line in lines]) * units
    return Sample(board, dead, live, found, errors)


def _users(cube: Cube) -> tuple[bool, bool]:
    return cube.owner in (None, Side.BOTTOM), cube.owner in (None, Side.TOP)


def _constant(name: str, samples: Sequence[Sample]) -> dict[str, Any]:
    """One efficiency for all."""
    row = _row(name, samples, lambda some: np.ones((len(some), 1)))
    (value,), (error,) = row.pop("fitted"), row.pop("errors")
    return _told(row | {"efficiency": value, "error": error})


def _line(name: str, samples: Sequence[Sample]) -> dict[str, Any]:
    """An efficiency that is a line in the pips, as far as these positions go."""
    row = _row(name, samples, lambda some: np.array([[1.0, sample.board.pips] for sample in some]))
    (base, rise), (base_error, rise_error) = row.pop("fitted"), row.pop("errors")
    pips = [sample.board.pips for sample in samples]
    ends = sorted(base + rise * end for end in np.percentile(pips, (5, 95)))
    return _told(
        row
        | {
            "base": base,
            "base_error": base_error,
            "rise": rise,
            "rise_error": rise_error,
            "least": ends[0],
            "most": ends[1],
            "pips": [min(pips), max(pips)],
        }
    )


def _row(name: str, samples: Sequence[Sample], terms: Terms) -> dict[str, Any]:
    """What is fitted, with its standard errors, and how well the formula does with it."""
    fitted, errors = fit(samples, terms(samples))
    halves = [list(samples[0::2]), list(samples[1::2])]
    after = np.concatenate(
        [_misses(judged, terms(judged) @ fit(others, terms(others))[0]) for judged, others in (halves, halves[::-1])]
    )
    before = _misses(samples, np.array([efficiency(sample.board) for sample in samples]))
    noise = np.array([sample.errors for sample in samples])
    return {
        "class": name,
        "positions": len(samples),
        "fitted": fitted.tolist(),
        "errors": errors.tolist(),
        "before": _rms(before),
        "after": _rms(after),
        "noise": _rms(noise),
        "bias_before": before.mean(axis=0).tolist(),
        "bias_after": after.mean(axis=0).tolist(),
    }


def fit(samples: Sequence[Sample], terms: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least squares of found - dead by terms * (live - dead), and standard errors that hold if the equities of one
    position miss together."""
    weight = np.array([sample.live - sample.dead for sample in samples])
    wanted = np.array([sample.found - sample.dead for sample in samples])
    columns = weight[:, :, None] * terms[:, None, :]
    inverse = np.linalg.inv(np.einsum("nek,nel->kl", columns, columns))
    fitted: NDArray[np.float64] = inverse @ np.einsum("nek,ne->k", columns, wanted)
    scores = np.einsum("nek,ne->nk", columns, wanted - columns @ fitted)
    return fitted, np.sqrt(np.diag(inverse @ (scores.T @ scores) @ inverse))


def _misses(samples: Sequence[Sample], alive: NDArray[np.float64]) -> NDArray[np.float64]:
    """Formula less rollout, (n, 3), with an efficiency for each."""
    return np.array(
        [sample.dead + x * (sample.live - sample.dead) - sample.found for sample, x in zip(samples, alive, strict=True)]
    )


def _rms(misses: NDArray[np.float64]) -> float:
    return float(np.sqrt((misses**2).mean()))


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """The row, rounded; a line of it on stderr."""
    short = {key: _rounded(value) for key, value in row.items()}
    print(", ".join(f"{name} {value}" for name, value in short.items()), file=sys.stderr)
    return short


def _rounded(value: Any) -> Any:
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return round(value, 5) if isinstance(value, float) else value
