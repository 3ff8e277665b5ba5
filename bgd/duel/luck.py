"""How lucky a roll was: what it made the position worth, less what the rolls make it worth on average.

Luck has mean zero whoever measures it and however well, so taking it away leaves the expected result as it is and only
its spread smaller. (D. Montgomery, "Variance reduction", GammOnLine, 2000.)
"""

from __future__ import annotations

from operator import mul

from bgd.duel.players import MONEY
from bgd.engine.evaluator import Evaluator
from bgd.rules.board import Board
from bgd.rules.dice import ROLLS, Dice


class LuckMeter:
    """Measures with bgd's engine at 0 plies: one decision for each of the 21 rolls, about 0.5 ms a turn."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def __call__(self, board: Board, dice: Dice, opening: bool) -> float:
        """In points a game without a cube. The opening roll, already given to this side, is never a double."""
        total = weights = actual = 0.0
        for roll in ROLLS:
            if opening and roll.is_double:
                continue
            _, probs = self._evaluator.best(board.points, roll.first, roll.second, MONEY)
            value = MONEY[0] + sum(map(mul, MONEY[1:], probs.tolist()))
            weight = 1 if roll.is_double else 2
            total += weight * value
            weights += weight
            if (roll.high, roll.low) == (dice.high, dice.low):
                actual = value
        return actual - total / weights
