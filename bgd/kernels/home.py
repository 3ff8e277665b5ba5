"""Home boards as numbers: every way to hold up to 15 checkers on six points has an index.

Arrangements are ordered by the counts on the points k and above, c1 >= c2 >= ... >= c6, lexicographically; so moving or
bearing off a checker always gives a smaller index, and those of up to n checkers come before those of more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.cache import inner_kernel, kernel
from bgd.kernels.lanes import at_least, at_most
from bgd.kernels.movegen import BOARD
from bgd.kernels.scalars import as_int

ARRANGEMENTS = 54_264  # C(21, 6): up to 15 checkers on 6 points


def _binomials() -> NDArray[np.int64]:
    table = np.zeros((24, 7), np.int64)
    table[:, 0] = 1
    for n in range(1, 24):
        for k in range(1, 7):
            table[n, k] = table[n - 1, k - 1] + table[n - 1, k]
    return table


_BINOMIAL = _binomials()


@inner_kernel
def own_index(board: NDArray[np.int8]) -> int:
    """Index of the mover's home board. Moving or bearing off a checker always gives a smaller index."""
    held = 0
    index = 0
    for k in range(1, 7):
        held += as_int(board[7 - k])
        index += _BINOMIAL[held + k - 1, k]
    return index


@inner_kernel
def opponent_index(board: NDArray[np.int8]) -> int:
    """Index of the opponent's home board."""
    held = 0
    index = 0
    for k in range(1, 7):
        held -= as_int(board[18 + k])
        index += _BINOMIAL[held + k - 1, k]
    return index


@inner_kernel
def home_sets(own: int, opponent: int) -> bool:
    """`both_home` of points with men of either side, given as bits."""
    return own >> 7 == 0 and opponent & 0x7FFFF == 0


@inner_kernel
def both_home(board: NDArray[np.int8]) -> bool:
    """True if every checker left of each side is in its own home board (so that there is no contact)."""
    return home_sets(at_least(board, 1), at_most(board, -1))


@kernel
def home_boards(most: int) -> NDArray[np.int8]:
    """The mover's board of every arrangement of up to `most` checkers, the opponent's left empty, by index."""
    count = _BINOMIAL[most + 6, 6]
    boards = np.zeros((count, BOARD), np.int8)
    index = 0
    for c1 in range(most + 1):
        for c2 in range(c1 + 1):
            for c3 in range(c2 + 1):
                for c4 in range(c3 + 1):
                    for c5 in range(c4 + 1):
                        for c6 in range(c5 + 1):
                            board = boards[index]
                            board[1] = c1 - c2
                            board[2] = c2 - c3
                            board[3] = c3 - c4
                            board[4] = c4 - c5
                            board[5] = c5 - c6
                            board[6] = c6
                            index += 1
    return boards
