"""What follows a play: whether there is more to search, or what comes is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.cache import inner_kernel
from bgd.kernels.home import both_home
from bgd.kernels.network import game_over
from bgd.kernels.twosided import in_table

OPEN, KNOWN, SOLVED, OVER = 0, 1, 2, 3
"""More play of unknown value; a race inside both home boards, whose chances are known; one of few men, whose worth in
money play is known with the cube besides; nothing."""


@inner_kernel
def end_of(board: NDArray[np.int8]) -> int:
    """What follows `board`, after a play of the side that sees it."""
    if game_over(board):
        return OVER
    if not both_home(board):
        return OPEN
    return SOLVED if in_table(board) else KNOWN


@inner_kernel
def ends_of(boards: NDArray[np.int8], ends: NDArray[np.uint8]) -> None:
    """What follows each of `boards` (n, 32), to `ends`."""
    for i in range(boards.shape[0]):
        ends[i] = end_of(boards[i])
