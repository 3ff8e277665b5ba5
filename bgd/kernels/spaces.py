"""One workspace for each thread that asks, made when it first asks."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.bundle import Bundle, bundle
from bgd.kernels.decide import Space, space_for
from bgd.kernels.movegen import BOARD, MAX_PLAYS
from bgd.kernels.network import Net
from bgd.kernels.rollout import RollSpace, roll_space


class Workplace(threading.local):
    """A thread's own memory: `space`, alone, in a `bundle` and among what `rolls` needs, and a padded board with a view
    of its 26 bytes."""

    def __init__(self, net: Net, table: Bearoff) -> None:
        self.space: Space = space_for(net)
        self.bundle: Bundle = bundle(net, table, self.space)
        self.worths: NDArray[np.float64] = np.zeros(MAX_PLAYS)  # of plays with the cube in play
        self.rolls: RollSpace = roll_space(self.space)
        self.board: NDArray[np.int8] = np.zeros(BOARD, np.int8)
        self.board_bytes: memoryview = memoryview(self.board.data).cast("B")[:26]
