"""The one-sided bear-off table: for each way to hold up to 15 checkers in the home board, the chance of being off
within n rolls, playing so that the mean number of rolls is least.

Two numbers a side are kept: `off`, the chance that all checkers are off within n rolls, and for the 15,504
arrangements that still have 15 checkers `first_off`, the chance that at least one is off within n rolls by the same
plays (it saves the gammon). With both sides in the table the game is a race of two independent clocks, so that win and
gammon chances come from a sum over n; with few checkers on both sides they are looked up in the two-sided table, which
knows that the side behind plays for more than its mean. Made in seconds at first use and kept in the cache directory.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels import twosided
from bgd.kernels.cache import cache_root, inner_kernel, kernel
from bgd.kernels.home import ARRANGEMENTS, both_home, opponent_index, own_index
from bgd.kernels.movegen import BOARD, PlaySpace, generate, play_space
from bgd.kernels.scalars import as_single
from bgd.kernels.tables import read_table, write_table
from bgd.kernels.twosided import PAIRS, WIN

FULL = 38_760  # index of the first arrangement of 15 checkers: C(20, 6)
ROLLS = 32  # 15 checkers on the 6 point last longer than 31 rolls less than once in 10^9 games
_NAME = "one-sided bear-off v2"


class Bearoff(NamedTuple):
    """The tables. Row i, column n of the first two: the chance of being done within n rolls."""

    off: NDArray[np.float32]  # (ARRANGEMENTS, ROLLS)
    first_off: NDArray[np.float32]  # (ARRANGEMENTS - FULL, ROLLS)
    pairs: NDArray[np.float32]  # (PAIRS, PAIRS, 4): exact values of both sides with up to six checkers, see twosided

    def mean_rolls(self, index: int) -> float:
        """The mean number of rolls to bear off arrangement `index`."""
        return float((1.0 - self.off[index].astype(np.float64)).sum())


@kernel
def _fill(chance: NDArray[np.float64], first: NDArray[np.float64], space: PlaySpace) -> None:
    """Fill the chances of taking exactly n rolls, for all checkers and for the first one, in order of index."""
    board = np.zeros(BOARD, np.int8)
    mean = np.zeros(ARRANGEMENTS)
    chance[0, 0] = 1.0
    index = 1
    # Counts on the points k and above, c1 >= c2 >= ... >= c6, in lexicographic order: the order of own_index.
    for c1 in range(1, 16):
        for c2 in range(c1 + 1):
            for c3 in range(c2 + 1):
                for c4 in range(c3 + 1):
                    for c5 in range(c4 + 1):
                        for c6 in range(c5 + 1):
                            board[1] = c1 - c2
                            board[2] = c2 - c3
                            board[3] = c3 - c4
                            board[4] = c4 - c5
                            board[5] = c5 - c6
                            board[6] = c6
                            for die1 in range(1, 7):
                                for die2 in range(1, die1 + 1):
                                    weight = (1.0 if die1 == die2 else 2.0) / 36.0
                                    plays = generate(board, die1, die2, space)
                                    best = own_index(space.boards[0])
                                    for i in range(1, plays):
                                        other = own_index(space.boards[i])
                                        if mean[other] < mean[best]:
                                            best = other
                                    for n in range(ROLLS - 1):
                                        chance[index, n + 1] += weight * chance[best, n]
                                    if c1 == 15:
                                        if best < FULL:
                                            first[index - FULL, 1] += weight
                                        else:
                                            for n in range(ROLLS - 1):
                                                first[index - FULL, n + 1] += weight * first[best - FULL, n]
                            for n in range(ROLLS):
                                mean[index] += n * chance[index, n]
                            index += 1


@inner_kernel
def race_probabilities(board: NDArray[np.int8], table: Bearoff, out: NDArray[np.float32]) -> None:
    """The five probabilities of the mover, the opponent to roll, both sides home: win, gammon, none, lost gammon, none.

    The mover wins if he needs fewer rolls than the opponent, who rolls first. A gammon is won if the mover is off
    before the opponent has borne off his first checker. Sums keep their order: all kernels get the same."""
    mine = own_index(board)
    theirs = opponent_index(board)
    if mine < PAIRS and theirs < PAIRS:
        out[0] = as_single(1) - table.pairs[theirs, mine, WIN]
        out[1] = 0
        out[2] = 0
        out[3] = 0
        out[4] = 0
        return
    win = as_single(0)
    for n in range(1, ROLLS):
        win += (table.off[theirs, n] - table.off[theirs, n - 1]) * table.off[mine, n - 1]
    win_gammon = as_single(0)
    if theirs >= FULL:
        for n in range(1, ROLLS):
            win_gammon += (table.off[mine, n] - table.off[mine, n - 1]) * (
                as_single(1) - table.first_off[theirs - FULL, n]
            )
    lose_gammon = as_single(0)
    if mine >= FULL:
        for n in range(1, ROLLS):
            lose_gammon += (table.off[theirs, n] - table.off[theirs, n - 1]) * (
                as_single(1) - table.first_off[mine - FULL, n - 1]
            )
    out[0] = min(max(win, as_single(0)), as_single(1))
    out[1] = min(max(win_gammon, as_single(0)), out[0])
    out[2] = 0
    out[3] = min(max(lose_gammon, as_single(0)), as_single(1) - out[0])
    out[4] = 0


def build() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Compute the one-sided table (about three seconds)."""
    chance = np.zeros((ARRANGEMENTS, ROLLS))
    first = np.zeros((ARRANGEMENTS - FULL, ROLLS))
    _fill(chance, first, play_space())
    return (
        np.minimum(np.cumsum(chance, axis=1), 1.0).astype(np.float32),
        np.minimum(np.cumsum(first, axis=1), 1.0).astype(np.float32),
    )


def load(progress: Callable[[str], None] | None = None, path: Path | None = None) -> Bearoff:
    """The tables from the cache directory (the one-sided one from `path`), made and kept if missing or damaged."""
    place = path or cache_root() / "bearoff-2.bin"
    numbers = read_table(place, _NAME, (2 * ARRANGEMENTS - FULL) * ROLLS)
    if numbers is None:
        if progress:
            progress("making the one-sided bear-off table")
        off, first_off = build()
        numbers = np.concatenate((off.reshape(-1), first_off.reshape(-1)))
        write_table(place, _NAME, numbers)
    rows = numbers.reshape(-1, ROLLS)
    return Bearoff(rows[:ARRANGEMENTS], rows[ARRANGEMENTS:], twosided.load(progress))


__all__ = [
    "ARRANGEMENTS",
    "FULL",
    "ROLLS",
    "Bearoff",
    "both_home",
    "build",
    "load",
    "opponent_index",
    "own_index",
    "race_probabilities",
]
