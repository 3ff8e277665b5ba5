"""The engine as everybody else sees it: states in, plays, evaluations and cube decisions out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from bgd.engine import cube, ended, offers
from bgd.engine.met import MatchEquityTable
from bgd.engine.noise import disturbed
from bgd.engine.offers import ResignDecision
from bgd.engine.stakes import Stakes, play_stakes
from bgd.engine.values import Chances, CubeDecision, Evaluation, RankedPlay
from bgd.errors import MissingContext, Unsupported
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.state import Cube, GameState, Match, Money, Resignation, Side

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_PLIES: Final = 1
"""The deepest level there is; deeper ones are refused by name. Known without loading anything."""


class Judge(Protocol):
    """What the engine needs of bgd.engine.evaluator.Evaluator; see there for shapes and units."""

    def evaluate(self, boards: NDArray[np.int8], plies: int = 0) -> NDArray[np.float32]: ...

    def rank(
        self, board: Sequence[int], d1: int, d2: int, weights6: Sequence[float] | NDArray[np.float32], plies: int = 0
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float32]]: ...

    def best(
        self, board: Sequence[int], d1: int, d2: int, weights6: Sequence[float] | NDArray[np.float32], plies: int = 0
    ) -> tuple[NDArray[np.int8], NDArray[np.float32]]: ...


class Engine:
    """Answers for the side on roll of a GameState; may be used by any number of threads. Same question, same bytes.

    Plies are counted as GNU Backgammon does: 0 is the network's own opinion (others call that 1-ply). Plays are judged
    cubeless: by money equity, or in a match by the match winning chances at the cube as it stands.
    """

    max_plies: int = MAX_PLIES

    def __init__(self, judge: Judge, table: MatchEquityTable | None = None) -> None:
        self._judge = judge
        self._table = table or MatchEquityTable.default()
        # Money play always has the same weights; a match a few dozen in its course.
        self._weights = lru_cache(maxsize=4096)(self._new_weights)
        self._stakes = lru_cache(maxsize=4096)(self._new_stakes)

    @classmethod
    def load(cls, weights: Path | None = None, progress: Callable[[str], None] | None = None) -> Engine:
        """The engine with the weights shipped, or those in the file `weights`, ready to answer.

        Takes about half a second, or half a minute when the kernels must be compiled first; `progress` is told what is
        going on. Raises WeightsError for a damaged file or one of another version."""
        from bgd.engine.evaluator import Evaluator

        return cls(Evaluator.load(weights, progress))

    def best(self, state: GameState, plies: int = 0) -> Board:
        """The board after the best play of the dice in `state`, seen by the mover; the same board when there is none.

        The fast way to one play: about 15 µs at 0 plies."""
        dice = self._dice(state, plies)
        weights = self._weights(state.cube, state.turn, state.terms)
        points, _ = self._judge.best(state.board.points, dice.first, dice.second, weights, plies)
        return Board.unchecked(tuple(points.tolist()))

    def rank(self, state: GameState, plies: int = 0, top: int | None = None) -> list[RankedPlay]:
        """The plays of the dice in `state`, best first, at most `top`. Empty when there is no legal play.

        Above 0 plies only the most promising are looked at as deeply; the others follow with their value at 0 plies,
        which their `plies` tells. The best alone (`top` 1) is cheap at 0 plies."""
        dice = self._dice(state, plies)
        ranked = self._ranked(state, dice, plies, top)
        if plies and (top is None or len(ranked) < top):
            seen = {play.board for play in ranked}
            ranked += [play for play in self._ranked(state, dice, 0, None) if play.board not in seen]
        if len(ranked) == 1 and ranked[0].board == state.board:
            return []
        return ranked if top is None else ranked[:top]

    def evaluate(self, state: GameState, plies: int = 0, noise: float = 0.0) -> Evaluation:
        """What the position is worth to the side on roll, before its roll; dice in `state` are not looked at.

        `noise`: standard deviation of an error that is always the same for the same position."""
        if state.board.finished:
            return ended.evaluation(state, plies, self._table)
        chances = self.chances(state.board, plies)
        if noise:
            chances = disturbed(chances, state.board, noise)
        return cube.evaluation(state, chances, plies, self._table)

    def cube(self, state: GameState, plies: int = 0) -> CubeDecision:
        """Whether the side on roll should double, and what the other should answer; see bgd.engine.cube."""
        return cube.decide(state, self.chances(state.board, plies), plies, self._table)

    def answer(self, state: GameState, plies: int = 0) -> str:
        """What to answer to the double, beaver or raccoon that is pending: take, pass, beaver or raccoon."""
        return offers.answer(self, state, plies)

    def resign(self, state: GameState, plies: int = 0, offered: Resignation | None = None) -> ResignDecision:
        """Whether to accept the offer to resign; without one, what the side on roll should offer; see
        bgd.engine.offers."""
        return offers.resign(self, state, plies, offered, self._table)

    def chances(self, board: Board, plies: int = 0) -> Chances:
        """How the game will end, as probabilities of the side on roll, whose view `board` is."""
        import numpy as np

        self._check(plies)
        return Chances.of(self._judge.evaluate(np.array((board.points,), np.int8), plies)[0].tolist())

    def _ranked(self, state: GameState, dice: Dice, plies: int, top: int | None) -> list[RankedPlay]:
        weights = self._weights(state.cube, state.turn, state.terms)
        if top == 1:
            best, chances = self._judge.best(state.board.points, dice.first, dice.second, weights, plies)
            rows = [(best.tolist(), chances.tolist())]
        else:
            many = self._judge.rank(state.board.points, dice.first, dice.second, weights, plies)
            rows = list(zip(many[0][:top].tolist(), many[1][:top].tolist(), strict=True))
        constant, *slopes = weights.tolist()
        stakes = self._stakes(state.cube, state.turn, state.terms) if isinstance(state.terms, Match) else None
        ranked = []
        for board, row in rows:
            # In Python's own precision, so that an answer does not depend on how many others were asked for.
            worth = constant + sum(map(mul, slopes, row))
            equity, mwc = (stakes.equity(worth), worth) if stakes else (worth, None)
            ranked.append(RankedPlay(Board.unchecked(tuple(board)), Chances(*row), equity, mwc, plies))
        return ranked

    def _new_weights(self, stake: Cube, turn: Side, terms: Match | Money) -> NDArray[np.float32]:
        import numpy as np

        return np.array(play_stakes(stake, turn, terms, self._table), np.float32)

    def _new_stakes(self, stake: Cube, turn: Side, terms: Match | Money) -> Stakes:
        return Stakes(Chances(0.5), stake, turn, terms, self._table)

    def _dice(self, state: GameState, plies: int) -> Dice:
        self._check(plies)
        if state.dice is None:
            raise MissingContext("Expected dice to be played, got none")
        return state.dice

    def _check(self, plies: int) -> None:
        if plies > self.max_plies:
            raise Unsupported(f"Expected 0 to {self.max_plies} plies, got `{plies}`: deeper search is not there yet")
