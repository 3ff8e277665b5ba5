"""The two-sided bear-off table: up to six checkers a side in the home boards, solved exactly.

For each pair of arrangements (of the side on roll and of the other) four numbers, the side on roll's, before its roll:

    WIN       the chance of winning, both sides playing for it alone
    CENTRED   money equity of not doubling now, the cube in the middle
    OWNED     money equity of not doubling now, the cube on its own side
    AWAY      money equity with the cube on the other side

in units of the cube, with best plays and best cube decisions from then on. No gammons are left with so few checkers,
and so neither Jacoby's rule nor beavers matter: whoever may beaver was doubled wrongly. Doubling and being taken is
worth 2 * AWAY, and passed 1. There is no limit to the cube; one of 128 times its value changes no number by 1e-6.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.cache import cache_root, inner_kernel
from bgd.kernels.home import both_home, home_boards, opponent_index, own_index
from bgd.kernels.movegen import PlaySpace, generate, play_space
from bgd.kernels.tables import read_table, write_table

CHECKERS = 6
PAIRS = 924  # C(12, 6) arrangements of up to 6 checkers
WIN, CENTRED, OWNED, AWAY = 0, 1, 2, 3
COLUMNS = 4
_CENTRED_BEST, _OWNED_BEST = 4, 5  # the same after the better of doubling and not, while the table is made
_MOST_RESULTS = 64  # distinct results of a roll of six checkers at home: 35 at most
_NAME = "two-sided bear-off 6x6 v1"


@inner_kernel
def in_table(board: NDArray[np.int8]) -> bool:
    """Whether the table knows the position."""
    return both_home(board) and own_index(board) < PAIRS and opponent_index(board) < PAIRS


@inner_kernel
def _results(boards: NDArray[np.int8], results: NDArray[np.int16], counts: NDArray[np.int64], space: PlaySpace) -> None:
    """The arrangements after each play of each of the 21 rolls, for every arrangement but the empty one."""
    for index in range(1, boards.shape[0]):
        roll = 0
        for die1 in range(1, 7):
            for die2 in range(1, die1 + 1):
                count = generate(boards[index], die1, die2, space)
                counts[index, roll] = count
                for k in range(count):
                    results[index, roll, k] = own_index(space.boards[k])
                roll += 1


@inner_kernel
def _solve(
    mine: int, theirs: int, values: NDArray[np.float64], results: NDArray[np.int16], counts: NDArray[np.int64]
) -> None:
    """Fill one pair from those in which the other side is on roll against fewer pips."""
    win = 0.0
    centred = 0.0
    owned = 0.0
    away = 0.0
    roll = 0
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            worst_win = 2.0
            worst_centred = 2.0
            worst_owned = 2.0
            worst_away = 2.0
            for k in range(counts[mine, roll]):
                answer = values[theirs, results[mine, roll, k]]
                worst_win = min(worst_win, answer[WIN])
                worst_centred = min(worst_centred, answer[_CENTRED_BEST])
                worst_owned = min(worst_owned, answer[AWAY])
                worst_away = min(worst_away, answer[_OWNED_BEST])
            chance = (1.0 if die1 == die2 else 2.0) / 36.0
            win += chance * (1.0 - worst_win)
            centred -= chance * worst_centred
            owned -= chance * worst_owned
            away -= chance * worst_away
            roll += 1
    pair = values[mine, theirs]
    pair[WIN] = win
    pair[CENTRED] = centred
    pair[OWNED] = owned
    pair[AWAY] = away
    doubled = min(2.0 * away, 1.0)
    pair[_CENTRED_BEST] = max(centred, doubled)
    pair[_OWNED_BEST] = max(owned, doubled)


@inner_kernel
def _fill(values: NDArray[np.float64], results: NDArray[np.int16], counts: NDArray[np.int64]) -> None:
    """Every pair, each after those it depends on: they have a smaller larger index, or the same and a smaller other."""
    for index in range(PAIRS):
        for k in range(1, COLUMNS + 2):
            values[index, 0, k] = -1.0  # the other side is off: lost
            values[0, index, k] = 1.0
        values[index, 0, WIN] = 0.0
        values[0, index, WIN] = 1.0
    for larger in range(1, PAIRS):
        for smaller in range(1, larger):
            _solve(larger, smaller, values, results, counts)
        for smaller in range(1, larger + 1):
            _solve(smaller, larger, values, results, counts)


def build() -> NDArray[np.float32]:
    """Compute the table (PAIRS, PAIRS, COLUMNS)."""
    boards = home_boards(CHECKERS)
    results = np.zeros((PAIRS, 21, _MOST_RESULTS), np.int16)
    counts = np.zeros((PAIRS, 21), np.int64)
    _results(boards, results, counts, play_space())
    values = np.zeros((PAIRS, PAIRS, COLUMNS + 2))
    _fill(values, results, counts)
    return np.ascontiguousarray(values[:, :, :COLUMNS], np.float32)


def load(progress: Callable[[str], None] | None = None, path: Path | None = None) -> NDArray[np.float32]:
    """The table from the cache directory (or `path`), made and kept there if it is missing or damaged."""
    place = path or cache_root() / "twosided-1.bin"
    numbers = read_table(place, _NAME, PAIRS * PAIRS * COLUMNS)
    if numbers is not None:
        return numbers.reshape(PAIRS, PAIRS, COLUMNS)
    if progress:
        progress("making the two-sided bear-off table")
    table = build()
    write_table(place, _NAME, table)
    return table
