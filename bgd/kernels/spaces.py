"""Memory to work in: for each thread that asks, made when it first asks, and for games that are played out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.bundle import Bundle, bundle
from bgd.kernels.case import FOUND, Case, case
from bgd.kernels.cubeful import Ladder, cube_space
from bgd.kernels.decide import Space, space_for
from bgd.kernels.movegen import BOARD, MAX_PLAYS
from bgd.kernels.network import Net, aligned
from bgd.kernels.rollout import RollSpace, roll_space

_KEPT = 256  # cases, one for each stake of a game that was asked about lately


class Workplace(threading.local):
    """A thread's own memory: `space`, alone and in a `bundle`; and what its cases share: a padded board and the one
    after the best play, with views of their 26 bytes, and what was `found`, with a view."""

    def __init__(self, net: Net, table: Bearoff) -> None:
        self._net = net
        self._table = table
        self._cases: dict[tuple[int, int], tuple[Case, Ladder, NDArray[np.float32]]] = {}
        self.space: Space = space_for(net)
        self.worths: NDArray[np.float64] = np.zeros(MAX_PLAYS)  # of plays with the cube in play
        self.board: NDArray[np.int8] = aligned(np.zeros(BOARD, np.int8))
        self.board_bytes: memoryview = memoryview(self.board.data).cast("B")[:26]
        self.after: NDArray[np.int8] = aligned(np.zeros(BOARD, np.int8))
        self.after_bytes: memoryview = memoryview(self.after.data).cast("B")[:26]
        self.found: NDArray[np.float64] = np.zeros(FOUND)
        self.found_bytes: memoryview = memoryview(self.found.data).cast("B")

    @cached_property
    def bundle(self) -> Bundle:
        """What searches are given: its kernel is made ready with theirs."""
        return bundle(self._net, self._table, self.space)

    def case(self, ladder: Ladder, weights: NDArray[np.float32]) -> Case:
        """This thread's case of a game with these stakes; the same arrays are to be given for the same stakes."""
        key = id(ladder), id(weights)
        kept = self._cases.get(key)
        if kept is not None:
            return kept[0]
        cube = cube_space(ladder.usable.shape[1])
        made = case(
            self._net, self._table, self.space, weights, ladder, cube, self.board, self.worths, self.after, self.found
        )
        if len(self._cases) >= _KEPT:
            self._cases.clear()
        self._cases[key] = made, ladder, weights  # which keeps their addresses from being given to others
        return made


class RollSpaces:
    """Memory for games that are played out, lent for a block of them: the threads of a rollout go when it ends, and
    5 MB taken from the system for each would not all come back to it."""

    def __init__(self, net: Net) -> None:
        self._net = net
        self._free: list[RollSpace] = []

    @contextmanager
    def lent(self) -> Iterator[RollSpace]:
        """Nobody else's until it is given back; there come to be as many as were ever needed at once."""
        try:
            rolls = self._free.pop()
        except IndexError:
            rolls = roll_space(space_for(self._net))
        try:
            yield rolls
        finally:
            self._free.append(rolls)
