"""How lucky a roll was: what it made the position worth, less what the rolls make it worth on average.

Luck has mean zero whoever measures it and however well, so taking it away leaves the expected result as it is and only
its spread smaller. (D. Montgomery, "Variance reduction", GammOnLine, 2000.)
"""

from __future__ import annotations

from dataclasses import replace

from bgd.engine import Engine
from bgd.engine.evaluator import Evaluator
from bgd.rules.state import Cube, GameState

_NO_CUBE = Cube(limit=1)


class LuckMeter:
    """Measures with bgd's engine at 0 plies: one decision for each of the 21 rolls, about 0.6 ms a turn."""

    def __init__(self, evaluator: Evaluator, cube: bool) -> None:
        """`cube`: whether there is one."""
        self._engine = Engine(evaluator)
        self._cube = cube

    def __call__(self, state: GameState, opening: bool) -> float:
        """Of the dice of `state`, money, in points. The opening roll, already given to this side, is never a double."""
        if self._cube:
            return self._engine.luck(state, opening).luck * state.cube.value
        return self._engine.luck(replace(state, cube=_NO_CUBE), opening).luck
