"""How alive the cube is, by class of position: the efficiency with which the formula of bgd.engine.stakes best tells
what is rolled out.

Positions of bgd's own money games whose game is open, by the chances of the side on roll, are rolled out at 0 plies
without a cube, and then with it: in the middle, turned and the opponent's as in a double taken, and the side's own.
Where both sides are in the two-sided bear-off table, that knows all of it. With the chances found, the formula makes
of an efficiency the three equities; its constants are fitted by least squares to them, in units of the cube before the
double: in contact those of `Efficiency` but `last` and `free`, which money play never sees, in races the most, what the
pips take away from it, and `win`. When a cube is late (`LATENESS`) is given. Standard errors allow for positions that
miss in all three together.

The games' own doubles and takes follow the constants in force (bgd.engine.stakes), so that after a change of these the
next fit may differ: by little, since a cube turned a little late or early costs little.

How alive the cube of a single side was found to be, and is to the formula, is told by how far its chances are beyond
its cash point: that shows where it begins to be late. A live and a dead cube's worth at the chances found are 1 and 0.

`before` and `after` are root mean squares of formula less found: with the constants in force, and with those fitted to
the other half of the positions, every other one; `noise` is what the rollouts' standard errors make of it.
"""

from __future__ import annotations

import itertools
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
from bgd.engine.stakes import ALIVE, CONTACT_EFFICIENCY, DEAD, RACE_EFFICIENCY, Efficiency, Stakes, efficiency
from bgd.engine.values import Chances
from bgd.rules.board import Board
from bgd.rules.state import Cube, GameState, Money, Side

OPEN: Final = (0.2, 0.93)
"""Chances of winning of the side on roll between which a game is open: where doubles and takes are decided, what comes
of them a few rolls later, and where one plays on for a gammon."""

LONG: Final = 50
"""Pips of the side on roll from which a race is called long."""

DISTANCES: Final = (-1.0, -0.5, -0.3, -0.15, -0.08, 0.0, 0.08, 0.16, 1.0)
"""Chances of winning beyond the cash point, which separate the groups in which a cube's aliveness is told."""

LEVELS: Final = (0, 1, 2)
"""Plies at which the engine's own equities are compared with those found."""

EQUITIES: Final = ("no double", "double/take", "own cube")

_TERMS: Final = Money(jacoby=False, beavers=False)
_CUBES: Final = (Cube(), Cube(2, Side.TOP), Cube(2, Side.BOTTOM))
_UNITS: Final = (1, 2, 1)  # a double taken counts in units of the cube before it
_STEP: Final = 1e-4
_ROUNDS: Final = 8


@dataclass(frozen=True, slots=True)
class Sample:
    """A position before the roll, its chances, and its EQUITIES as found, with the standard errors of these; (3,) each,
    in units of the cube before a double. `known`: exactly, by the table."""

    board: Board
    chances: Chances
    found: NDArray[np.float64]
    errors: NDArray[np.float64]
    known: bool = False


Meant: TypeAlias = Callable[[NDArray[np.float64], Board], Efficiency]
"""What the constants that are fitted mean at a board."""


def measure(evaluator: Evaluator, count: int, trials: int, seed: int) -> list[dict[str, Any]]:
    """A row for contact, for long races and short ones together, and for what engine and formula make of each, of
    `count` positions of each class, rolled out `trials` times."""
    engine = Engine(evaluator)
    samples = {
        name: [_sample(engine, evaluator, board, trials, seed) for board in boards]
        for name, boards in _positions(engine, count, seed).items()
    }
    races = samples["long race"] + samples["short race"]
    rows: list[dict[str, Any]] = [
        {
            "class": "contact",
            **_fitted(samples["contact"], in_contact, fitted_in_contact()),
            "by_distance": by_distance(samples["contact"]),
        },
        {"class": "race", **_fitted(races, in_races, RACE_EFFICIENCY)},
    ]
    for name, some in samples.items():
        rows.append({"class": name, "levels": _levels(engine, [sample for sample in some if not sample.known])})
    return [_told(row) for row in rows]


def fitted_in_contact() -> list[float]:
    """Of the constants in force, those that `in_contact` takes."""
    return [value for name, value in CONTACT_EFFICIENCY._asdict().items() if name not in ("last", "free")]


def in_contact(constants: NDArray[np.float64], board: Board) -> Efficiency:
    """All but what only matches see, wherever it is."""
    even, win, gammons, lost_gammons, late = constants.tolist()
    return CONTACT_EFFICIENCY._replace(even=even, win=win, gammons=gammons, lost_gammons=lost_gammons, late=late)


def in_races(constants: NDArray[np.float64], board: Board) -> Efficiency:
    """The most, what the square of the pips divides, and `win`. Dead where the constants in force say so."""
    most, less, win = constants.tolist()
    if efficiency(board) == DEAD:
        return DEAD
    return CONTACT_EFFICIENCY._replace(even=most - less / board.pips**2, win=win, late=0.0)


def formula(chances: Chances, alive: Efficiency) -> NDArray[np.float64]:
    """The EQUITIES."""
    return np.array(
        [
            unit * Stakes(chances, cube, Side.BOTTOM, _TERMS).cubeful(cube.value, _users(cube), alive)
            for cube, unit in zip(_CUBES, _UNITS, strict=True)
        ]
    )


def fit(
    samples: Sequence[Sample], meant: Meant, first: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least squares of formula less found by Gauss and Newton, from the constants `first`; and standard errors that
    hold if the equities of a position miss together."""
    found = np.array(first, float)
    for _ in range(_ROUNDS):
        misses = _misses(samples, meant, found)
        columns = np.stack(
            [
                (_misses(samples, meant, found + step) - _misses(samples, meant, found - step)) / (2 * _STEP)
                for step in _STEP * np.eye(len(found))
            ],
            axis=-1,
        )
        inverse = np.linalg.pinv(np.einsum("nek,nel->kl", columns, columns))
        found = found - inverse @ np.einsum("nek,ne->k", columns, misses)
    scores = np.einsum("nek,ne->nk", columns, misses)
    return found, np.sqrt(np.maximum(0.0, np.diag(inverse @ (scores.T @ scores) @ inverse)))


def _positions(engine: Engine, count: int, seed: int) -> dict[str, list[Board]]:
    """`count` boards of each class, one of a game at most."""
    rng = random.Random(f"{seed} efficiency")
    found: dict[str, list[Board]] = {"contact": [], "long race": [], "short race": []}
    while min(map(len, found.values())) < count:
        some: dict[str, list[Board]] = {name: [] for name in found}
        for state in played.game(engine, _TERMS, rng):
            if OPEN[0] < engine.evaluate(state).chances.win < OPEN[1]:
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
        equities = np.array([exact.centred, exact.double_take, exact.owned])
        return Sample(board, Chances(exact.win), equities, np.zeros(len(EQUITIES)), known=True)
    state, plan = GameState(board, terms=_TERMS), RolloutPlan(trials=trials, seed=seed)
    chances = engine.rollout(state, replace(plan, cubeful=False)).lines[0].chances
    owned = engine.rollout(replace(state, cube=_CUBES[2]), replace(plan, doubled=False)).lines
    lines = engine.rollout(state, plan).lines + owned
    errors = [line.cubeful_error or 0.0 for line in lines]
    return Sample(board, chances, np.array([line.value for line in lines]), np.array(errors))


def by_distance(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """How alive the cube of the side on roll is (`own`), and the other's, given to it in a double; by least squares."""
    rows = []
    for name, place in (("own", 2), ("given", 1)):
        beyond, span, found, told = np.array([_above_dead(sample, place) for sample in samples]).T
        for low, high in itertools.pairwise(DISTANCES):
            here = (low <= beyond) & (beyond < high)
            weights = span * here / max(1e-9, float(span[here] @ span[here]))
            row = {"cube": name, "beyond": [low, high], "positions": int(here.sum())}
            rows.append(row | {"found": float(weights @ found), "told": float(weights @ told)})
    return [row for row in rows if row["positions"]]


def _above_dead(sample: Sample, place: int) -> tuple[float, float, float, float]:
    """How far the chances of who owns the cube in this place of _CUBES are beyond its cash point; and by how much more
    than a dead cube a live one is worth, the cube was found to be worth, and the formula says."""
    cube, win = _CUBES[place], sample.chances.win
    stakes = Stakes(sample.chances, cube, Side.BOTTOM, _TERMS)
    beyond = win - stakes.cash_point(0, cube.value) if _users(cube)[0] else stakes.take_point(0, cube.value) - win
    dead, alive, told = (formula(sample.chances, kind)[place] for kind in (DEAD, ALIVE, efficiency(sample.board)))
    return beyond, alive - dead, sample.found[place] - dead, told - dead


def _users(cube: Cube) -> tuple[bool, bool]:
    return cube.owner in (None, Side.BOTTOM), cube.owner in (None, Side.TOP)


def _fitted(samples: Sequence[Sample], meant: Meant, first: Sequence[float]) -> dict[str, Any]:
    """What is fitted, with its standard errors, and how well the formula does with it."""
    fitted, errors = fit(samples, meant, first)
    halves = (samples[0::2], samples[1::2])
    after = np.concatenate(
        [_misses(judged, meant, fit(others, meant, first)[0]) for judged, others in (halves, halves[::-1])]
    )
    before = np.array([formula(sample.chances, efficiency(sample.board)) - sample.found for sample in samples])
    return {
        "fitted": fitted.tolist(),
        "errors": errors.tolist(),
        "positions": len(samples),
        "known": sum(sample.known for sample in samples),
        "before": _by_equity(before),
        "after": _by_equity(after),
        "noise": _by_equity(np.array([sample.errors for sample in samples])),
        "bias_before": before.mean(axis=0).tolist(),
        "bias_after": after.mean(axis=0).tolist(),
    }


def _misses(samples: Sequence[Sample], meant: Meant, constants: NDArray[np.float64]) -> NDArray[np.float64]:
    """Formula less found, (n, 3)."""
    return np.array([formula(sample.chances, meant(constants, sample.board)) - sample.found for sample in samples])


def _levels(engine: Engine, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """How far the engine's equities are from those found, at several plies."""
    rows = []
    for plies in LEVELS if samples else ():
        misses = np.array([_by_engine(engine, sample.board, plies) - sample.found for sample in samples])
        rows.append({"plies": plies, "bias": misses.mean(axis=0).tolist(), "rms": _by_equity(misses)})
    return rows


def _by_engine(engine: Engine, board: Board, plies: int) -> NDArray[np.float64]:
    centred = engine.cube(GameState(board, terms=_TERMS), plies)
    owned = engine.cube(GameState(board, cube=_CUBES[2], terms=_TERMS), plies)
    return np.array([centred.no_double, centred.double_take, owned.no_double])


def _by_equity(misses: NDArray[np.float64]) -> list[float]:
    """Root mean squares, one for each of EQUITIES."""
    found: list[float] = np.sqrt((misses**2).mean(axis=0)).tolist()
    return found


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
