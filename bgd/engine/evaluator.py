"""The engine's face to the kernels: legal plays, probabilities and ranked plays, on plain arrays.

Boards are 26 integers seen by the side on roll (or, after a play, by the side that made it): 1..24 points, own
checkers positive and moving 24 to 1, 25 own bar (>= 0), 0 the opponent's bar (<= 0). The five probabilities are, in
order: win, win a gammon or more, win a backgammon, lose a gammon or more, lose a backgammon; always nested.
"Plies" are counted as gnubg counts them: 0 is the network's own opinion. The caller has checked boards and dice.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgd.engine.weights import load_weights, shipped_weights
from bgd.errors import Unsupported
from bgd.kernels import bearoff
from bgd.kernels.bearoff import Bearoff
from bgd.kernels.bundle import best_play_of
from bgd.kernels.decide import evaluate_after, evaluate_on_roll
from bgd.kernels.movegen import BOARD, generate
from bgd.kernels.network import OUTPUTS, Net, money_weights
from bgd.kernels.prune import PruneNet
from bgd.kernels.spaces import Workplace

Board = Sequence[int] | NDArray[np.int8]

ONE_PLY_CANDIDATES = 16  # plays that are looked at one ply deep: the best at 0 plies
_PACK = struct.Struct("26b").pack


class Evaluator:
    """Thread safe: each thread has a workspace of its own. The same input gives the same bytes."""

    max_plies: int = 1

    def __init__(self, net: Net, prune: PruneNet, table: Bearoff, header: dict[str, Any]) -> None:
        self.header = header
        self._net = net
        self._prune = prune
        self._table = table
        self._money = money_weights()
        self._here = Workplace(net, table)

    @classmethod
    def load(cls, weights: Path | None = None, progress: Callable[[str], None] | None = None) -> Evaluator:
        """Read the weights (those of the package unless a file is given) and the bear-off table, and make every
        kernel ready, which takes a fraction of a second, or half a minute when they must be compiled.

        `progress` is told in a few words what is going on. Raises WeightsError for a wrong file."""
        tell = progress or (lambda _: None)
        net, prune, header = load_weights(weights or shipped_weights())
        tell("loading the bear-off table")
        evaluator = cls(net, prune, bearoff.load(tell), header)
        start = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
        tell("preparing move generation")
        evaluator.plays(start, 3, 1)
        tell("preparing 0-ply decisions")
        evaluator.best(start, 3, 1, evaluator._money)
        tell("preparing evaluation")
        evaluator.evaluate(np.array([start], np.int8), plies=0)
        evaluator.evaluate(np.array([start], np.int8), plies=1)
        tell("preparing 1-ply decisions")
        evaluator.rank(start, 2, 1, evaluator._money, plies=1)
        tell("ready")
        return evaluator

    def _check_plies(self, plies: int) -> None:
        if not 0 <= plies <= self.max_plies:
            raise Unsupported(f"plies: expected 0 to {self.max_plies}, got `{plies}`")

    def _put(self, board: Board) -> Workplace:
        """Copy the board into this thread's padded one."""
        here = self._here
        if isinstance(board, np.ndarray):
            here.board[:26] = board[:26]
        else:
            here.board_bytes[:] = _PACK(*board)
        return here

    def evaluate(self, boards: NDArray[np.int8], plies: int = 0) -> NDArray[np.float32]:
        """Probabilities (n, 5) of the side on roll, before its roll, for boards (n, 26) seen by it.

        At 1 ply the best replies are chosen by money equity. Cost: about 1 us a board at 0 plies, 0.2 ms at 1."""
        self._check_plies(plies)
        here = self._here
        padded = np.zeros((len(boards), BOARD), np.int8)
        padded[:, :26] = boards
        probs = np.zeros((len(boards), OUTPUTS), np.float32)
        evaluate_on_roll(padded, plies, self._money, self._net, self._prune, self._table, here.space, probs)
        return probs

    def plays(self, board: Board, d1: int, d2: int) -> NDArray[np.int8]:
        """The distinct boards (n, 26) after each legal play, the mover's view; the unchanged board if there is none."""
        here = self._put(board)
        count = generate(here.board, d1, d2, here.space.plays)
        return here.space.plays.boards[:count, :26].copy()

    def rank(
        self, board: Board, d1: int, d2: int, weights6: Sequence[float] | NDArray[np.float32], plies: int = 0
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]:
        """Boards after the plays (n, 26), best first, with the mover's probabilities (n, 5) and utilities (n,).

        The utility is `weights6[0] + sum(weights6[1 + k] * probs[k])`; money equity for (-1, 2, 1, 1, -1, -1). At 0
        plies all plays are there; at 1 ply only the best 16 by the 0-ply utility. Equals: in order of generation."""
        self._check_plies(plies)
        weights = np.ascontiguousarray(weights6, np.float32)
        here = self._put(board)
        space = here.space
        _, count = best_play_of(here.board, d1, d2, weights, here.bundle)
        order = np.argsort(-space.utility[:count], kind="stable")
        if plies == 0:
            return space.plays.boards[order, :26], space.probs[order], space.utility[order]
        boards = space.plays.boards[order[:ONE_PLY_CANDIDATES]]
        probs = np.zeros((len(boards), OUTPUTS), np.float32)
        evaluate_after(boards, plies, weights, self._net, self._prune, self._table, space, probs)
        utility = probs @ weights[1:] + weights[0]
        order = np.argsort(-utility, kind="stable")
        return boards[order, :26], probs[order], utility[order]

    def best(
        self, board: Board, d1: int, d2: int, weights6: Sequence[float] | NDArray[np.float32], plies: int = 0
    ) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        """The board (26,) after the best play and the mover's probabilities (5,): the first of `rank`, faster."""
        if plies:
            boards, probs, _ = self.rank(board, d1, d2, weights6, plies)
            return boards[0], probs[0]
        here = self._put(board)
        space = here.space
        weights = weights6 if isinstance(weights6, np.ndarray) else np.array(weights6, np.float32)
        index, _ = best_play_of(here.board, d1, d2, weights, here.bundle)
        return space.plays.boards[index, :26].copy(), space.probs[index].copy()
