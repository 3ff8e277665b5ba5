"""Boards as the kernels take them, and a small random network: its opinions are worth nothing, its laws must hold."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.encode import CLASSES
from bgd.kernels.movegen import BOARD, flip, generate, play_space
from bgd.kernels.network import Net, game_over
from bgd.kernels.selfplay import START
from bgd.train.nets import random_net


def padded(points: Sequence[int]) -> NDArray[np.int8]:
    """26 counts as a row of 32."""
    board = np.zeros(BOARD, np.int8)
    board[:26] = points
    return board


def counts(board: NDArray[np.int8]) -> tuple[int, ...]:
    """The 26 counts of a row, as plain numbers."""
    return tuple(int(men) for men in board[:26])


def small_net(seed: int = 5) -> Net:
    """16 hidden units, all classes, weights large enough that opinions differ, small enough that few are sure. Those of
    a class do not depend on how many there are."""
    net = random_net(16, CLASSES, 4.0, seed)
    for number, array in enumerate((net.second, net.third, net.bias3)):
        rng = np.random.default_rng((seed, number))
        array += 0.4 * rng.standard_normal(array.shape).astype(np.float32)
    return net


def random_game(seed: int, turns: int) -> Iterator[tuple[NDArray[np.int8], int, int]]:
    """Positions and rolls of games played at random from the opening position, one after the other."""
    dice = random.Random(seed)
    space = play_space()
    board = START.copy()
    for _ in range(turns):
        die1, die2 = dice.randint(1, 6), dice.randint(1, 6)
        yield board.copy(), die1, die2
        count = generate(board, die1, die2, space)
        after = space.boards[dice.randrange(count)].copy()
        if game_over(after):
            board = START.copy()
        else:
            flip(after, board)
