"""How alive the cube is, by class of position: the efficiency with which Janowski's formula best tells what is rolled
out.

Positions of bgd's own money games that are near a decision, by the chances of the side on roll, are rolled out at 0
plies without a cube, and then with it: in the middle, and turned and the opponent's, as in a double taken. Where both
sides are in the two-sided bear-off table, that knows all three. With the chances found, the formula makes of each of
the two equities that a decision compares `dead + x * (live - dead)`; x is fitted by least squares to both, in units of
the cube before the double: one number for contact, one for long races, and for short ones a line in the pips of the
side on roll. Standard errors allow for positions that differ in x.

The games' own doubles and takes follow the constants in force (bgd.engine.stakes), so that after a change of these the
next fit may differ: by little, since a cube turned a little late or early costs little.

`before` and `after` are root mean squares of formula less found: with the constants in force, and with those fitted to
the other half of the positions, every other one; `noise` is what the rollouts' standard errors make of it.
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
from bgd.engine import Engine, RolloutPlan
from bgd.engine.evaluator import Evaluator
from bgd.engine.stakes import Stakes, efficiency
from bgd.engine.values import Chances
from bgd.rules.board import Board
from bgd.rules.state import Cube, GameState, Money, Side

NEAR: Final = (0.6, 0.85)
"""Chances of winning of the side on roll between which doubles and takes are decided."""

LONG: Final = 50
"""Pips of the side on roll from which a race is called long."""

LEVELS: Final = (0, 1, 2)
"""Plies at which the engine's own equities are compared with those found."""

_TERMS: Final = Money(jacoby=False, beavers=False)
_MIDDLE: Final = Cube()
_TURNED: Final = Cube(2, Side.TOP)


@dataclass(frozen=True, slots=True)
class Sample:
    """A position: no double and a double taken, by the formula with a dead and with a live cube and as found, with the
    standard errors of that; (2,) each, in units of the cube before the double. `known`: exactly, by the table."""

    board: Board
    dead: NDArray[np.float64]
    live: NDArray[np.float64]
    found: NDArray[np.float64]
    errors: NDArray[np.float64]
    known: bool = False


Terms: TypeAlias = Callable[[Sequence[Sample]], NDArray[np.float64]]
"""What an efficiency is made of: a row for each position, to be multiplied by what is fitted."""


def measure(evaluator: Evaluator, count: int, trials: int, seed: int) -> list[dict[str, Any]]:
    """A row for contact, for long races and for short ones, of `count` positions each, rolled out `trials` times."""
    engine = Engine(evaluator)
    found = []
    for name, boards in _positions(engine, count, seed).items():
        samples = [_sample(engine, evaluator, board, trials, seed) for board in boards]
        row = _line(samples) if name == "short race" else _constant(samples)
        row |= {"levels": _levels(engine, [sample for sample in samples if not sample.known])}
        found.append(_told({"class": name, **row}))
    return found


def fit(samples: Sequence[Sample], terms: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least squares of found - dead by terms * (live - dead), and standard errors that hold if the two equities of a
    position miss together."""
    weight = np.array([sample.live - sample.dead for sample in samples])
    wanted = np.array([sample.found - sample.dead for sample in samples])
    columns = weight[:, :, None] * terms[:, None, :]
    inverse = np.linalg.pinv(np.einsum("nek,nel->kl", columns, columns))
    fitted: NDArray[np.float64] = inverse @ np.einsum("nek,ne->k", columns, wanted)
    scores = np.einsum("nek,ne->nk", columns, wanted - columns @ fitted)
    return fitted, np.sqrt(np.maximum(0.0, np.diag(inverse @ (scores.T @ scores) @ inverse)))


def _positions(engine: Engine, count: int, seed: int) -> dict[str, list[Board]]:
    """`count` boards of each class, one of a game at most."""
    rng = random.Random(f"{seed} efficiency")
    found: dict[str, list[Board]] = {"contact": [], "long race": [], "short race": []}
    while min(map(len, found.values())) < count:
        some: dict[str, list[Board]] = {name: [] for name in found}
        for state in played.game(engine, _TERMS, rng):
            if NEAR[0] < engine.evaluate(state).chances.win < NEAR[1]:
                some[_class_of(state.board)].append(state.board)
        for name, boards in some.items():
            if boards and len(found[name]) < count:
                found[name].append(rng.choice(boards))
    return found


def _class_of(board: Board) -> str:
    if board.has_contact:
        return "contact"
    return "long race" if board.pips >= LONG else "short race"


def _sample(engine: Engine, evaluator: Evaluator, board: Board, trials: int, seed: int) -> Sample:
    exact = evaluator.exact_money(board.points)
    if exact is not None:
        chances, equities, errors = Chances(exact.win), [exact.centred, exact.double_take], [0.0, 0.0]
    else:
        state, plan = GameState(board, terms=_TERMS), RolloutPlan(trials=trials, seed=seed)
        chances = engine.rollout(state, replace(plan, cubeful=False)).lines[0].chances
        lines = engine.rollout(state, plan).lines
        equities, errors = [line.value for line in lines], [line.cubeful_error or 0.0 for line in lines]
    dead, live = (
        np.array(
            [
                cube.value * Stakes(chances, cube, Side.BOTTOM, _TERMS).cubeful(cube.value, _users(cube), alive)
                for cube in (_MIDDLE, _TURNED)
            ]
        )
        for alive in (0.0, 1.0)
    )
    return Sample(board, dead, live, np.array(equities), np.array(errors), exact is not None)


def _users(cube: Cube) -> tuple[bool, bool]:
    return cube.owner in (None, Side.BOTTOM), cube.owner in (None, Side.TOP)


def _constant(samples: Sequence[Sample]) -> dict[str, Any]:
    """One efficiency for all."""
    row = _fitted(samples, lambda some: np.ones((len(some), 1)))
    (value,), (error,) = row.pop("fitted"), row.pop("errors")
    return {"efficiency": value, "error": error, **row}


def _line(samples: Sequence[Sample]) -> dict[str, Any]:
    """An efficiency that is a line in the pips, down to the shortest twentieth of these races."""
    row = _fitted(samples, lambda some: np.array([[1.0, sample.board.pips] for sample in some]))
    (base, rise), (base_error, rise_error) = row.pop("fitted"), row.pop("errors")
    shortest = float(np.percentile([sample.board.pips for sample in samples], 5))
    return {
        "base": base,
        "base_error": base_error,
        "rise": rise,
        "rise_error": rise_error,
        "least": base + rise * shortest,
        "known": sum(sample.known for sample in samples),
        **row,
    }


def _fitted(samples: Sequence[Sample], terms: Terms) -> dict[str, Any]:
    """What is fitted, with its standard errors, and how well the formula does with it."""
    fitted, errors = fit(samples, terms(samples))
    halves = (samples[0::2], samples[1::2])
    after = np.concatenate(
        [_misses(judged, terms(judged) @ fit(others, terms(others))[0]) for judged, others in (halves, halves[::-1])]
    )
    before = _misses(samples, np.array([efficiency(sample.board) for sample in samples]))
    return {
        "fitted": fitted.tolist(),
        "errors": errors.tolist(),
        "positions": len(samples),
        "before": _rms(before),
        "after": _rms(after),
        "noise": _rms(np.array([sample.errors for sample in samples])),
        "bias_before": before.mean(axis=0).tolist(),
        "bias_after": after.mean(axis=0).tolist(),
    }


def _misses(samples: Sequence[Sample], alive: NDArray[np.float64]) -> NDArray[np.float64]:
    """Formula less found, (n, 2), with an efficiency for each."""
    return np.array(
        [sample.dead + x * (sample.live - sample.dead) - sample.found for sample, x in zip(samples, alive, strict=True)]
    )


def _levels(engine: Engine, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """How far the engine's equities of no double and of a double taken are from those found, at several plies."""
    rows = []
    for plies in LEVELS if samples else ():
        decisions = [engine.cube(GameState(sample.board, terms=_TERMS), plies) for sample in samples]
        misses = np.array([[decision.no_double, decision.double_take] for decision in decisions]) - np.array(
            [sample.found for sample in samples]
        )
        rows.append({"plies": plies, "bias": misses.mean(axis=0).tolist(), "rms": _rms(misses)})
    return rows


def _rms(misses: NDArray[np.float64]) -> float:
    return float(np.sqrt((misses**2).mean()))


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """The row, rounded; a line of it on stderr."""
    short: dict[str, Any] = _rounded(row)
    print(", ".join(f"{name} {value}" for name, value in short.items()), file=sys.stderr)
    return short


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return round(value, 5) if isinstance(value, float) else value
