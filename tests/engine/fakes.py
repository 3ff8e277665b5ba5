"""A judge that needs no weights: it likes to be ahead in the race, and takes every fourth win for a gammon."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bgd.engine import Engine
from bgd.engine.deeper import Deeper
from bgd.engine.search import Look, Ranked
from bgd.engine.values import Chances, ExactMoney, Standing, Stop
from bgd.kernels.cubeful import Ladder, answer, cube_space, cubeless_worth, static
from bgd.kernels.rollout import Orders, Start
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.plays import legal_plays
from tests.kernels.arrays import padded

DEEPLY = 2
"""How many plays it looks at above 0 plies; there it believes half as much in its own judgement."""


def opinion(board: Board, plies: int) -> list[float]:
    """Five chances of the side whose view `board` is. Who has borne off a checker loses no gammon."""
    lead = (board.opponent_pips - board.pips) / (1 + plies) / 400
    win = min(1.0, max(0.0, 0.5 + lead))
    won = 0.0 if board.opponent_off else win / 4
    lost = 0.0 if board.off else (1 - win) / 4
    return [win, won, won / 16, lost, lost / 16]


class FakeJudge:
    """Stands in for bgd.engine.evaluator.Evaluator."""

    threads = 2

    def __init__(self, chances: Sequence[float] | None = None) -> None:
        self.chances = chances
        self.levels: list[int] = []
        self.cubeful: list[bool] = []  # of each list of plays, whether they were judged with the cube in play

    def complete(self, progress: Callable[[str], None] | None) -> None:
        pass

    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        self.levels.append(0)
        return np.array([self.chances or opinion(Board.of(board), 0) for board in boards], np.float32)

    def look(self, board: Sequence[int], weights6: NDArray[np.float32], ladder: Ladder, plies: int, stop: Stop) -> Look:
        self.levels.append(plies)
        plies = 0 if stop() else plies
        return Look(np.array(self.chances or opinion(Board(tuple(board)), plies)), None, plies)

    def rank(
        self,
        board: Sequence[int],
        d1: int,
        d2: int,
        weights6: NDArray[np.float32],
        plies: int,
        stop: Stop,
        ladder: Ladder | None,
    ) -> Ranked:
        self.cubeful.append(ladder is not None)
        self.levels.append(plies)
        plies = 0 if stop() else plies
        start = Board(tuple(board))
        after = [play.result for play in legal_plays(start, Dice(d1, d2))] or [start]
        probs = np.array([opinion(result, plies) for result in after], np.float32)
        weights = np.asarray(weights6, np.float32)
        utility = probs.astype(float) @ weights[1:] + weights[0]
        order = np.argsort(-utility, kind="stable")
        levels = np.where(np.arange(len(after)) < DEEPLY, plies, 0)
        return Ranked(
            np.array([result.points for result in after], np.int8)[order], probs[order], utility[order], levels
        )

    def choose(
        self,
        board: Sequence[int],
        d1: int,
        d2: int,
        weights6: NDArray[np.float32],
        plies: int,
        stop: Stop,
        ladder: Ladder | None,
    ) -> tuple[tuple[int, ...], Sequence[float], float]:
        ranked = self.rank(board, d1, d2, weights6, plies, stop, ladder)
        return tuple(ranked.boards[0].tolist()), ranked.probs[0].tolist(), float(ranked.utility[0])

    def stand(self, board: Sequence[int], ladder: Ladder) -> Standing:
        chances = Chances.of(self.evaluate(np.array([board], np.int8))[0].tolist())
        space = cube_space(ladder.usable.shape[1])
        static(padded(board), 0, np.array(chances), ladder, space)
        cubeless = cubeless_worth(chances.win, ladder, space)
        no_double, double_take = float(space.values[0]), float(space.values[2])
        answer(space.values, 0, ladder)
        return chances, cubeless, no_double, double_take, float(space.values[0])

    def exact_money(self, board: Sequence[int]) -> ExactMoney | None:
        return None

    def games(
        self,
        first: int,
        start: Start,
        orders: Orders,
        stop: NDArray[np.uint8],
        results: NDArray[np.float64],
        deeper: Deeper | None = None,
    ) -> int:
        """All games come to what is thought of their beginning, gammons left aside where worth is concerned."""
        chances, on_roll, state = start.chances.astype(float), start.numbers[0], start.numbers[1]
        if on_roll == 1:
            chances = np.array([1 - chances[0], chances[3], chances[4], chances[1], chances[2]])
        lost, won = orders.ladder.worth[0, (state + 1) // 2, [2, 4]]
        results[:, :5] = chances
        results[:, 5] = lost + (won - lost) * chances[0]
        return len(results)


def fake_engine(chances: Sequence[float] | None = None) -> Engine:
    """An engine that is sure of `chances` for any position, or else of what its fake judge thinks."""
    return Engine(FakeJudge(chances))
