"""Decisions of a rollout's games above 0 plies: the same searches that answer questions, with the cube as it is then.

The games are played by a kernel, which comes back for each such decision (see bgd.kernels.rollout); a search takes so
much longer than a turn that coming back costs nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bgd.engine.cube import Searched, decide
from bgd.engine.judge import Decider
from bgd.engine.ladder import ladder_of
from bgd.engine.met import MatchEquityTable
from bgd.engine.values import Chances, Stop
from bgd.kernels.cubeful import Ladder
from bgd.kernels.doubling import BEAVER, PASS, ROLL, TAKE
from bgd.kernels.rollout import A_CUBE, ANSWER, ASKED, DEEP, DIE1, DIE2, SIDE, STATE, RollSpace
from bgd.rules.board import Board
from bgd.rules.state import Cube, GameState, Phase

_ANSWERS = {"take": TAKE, "pass": PASS, "beaver": BEAVER}


class Deeper:
    """Answers to what the games of one rollout ask. Thread safe.

    `cubes` and `weights` say what each state of the cube means: the cube then, and what a side's plays are judged by
    (states, 2, 6). Side 0 is the side on roll in `state`."""

    def __init__(
        self,
        state: GameState,
        cubes: list[Cube],
        weights: NDArray[np.float32],
        cubeful: bool,
        table: MatchEquityTable,
    ) -> None:
        self._state = replace(
            state, board=Board.start(), phase=Phase.ROLL, dice=None, resignation=None, result=None, played=None
        )
        self._sides = (state.turn, state.turn.other)
        self._cubes = cubes
        self._weights = [[np.ascontiguousarray(weights[i, side]) for side in (0, 1)] for i in range(len(cubes))]
        self._cubeful = cubeful
        self._table = table
        self._ladder = lru_cache(maxsize=None)(self._new_ladder)

    def __call__(self, judge: Decider, rolls: RollSpace, stop: NDArray[np.uint8]) -> None:
        """Answer what `rolls.at` asks, in place. If `stop` is set meanwhile the answer is a hasty one."""
        at = rolls.at.tolist()
        side, state, plies = at[SIDE], at[STATE], at[DEEP]
        board = rolls.board[:26].tolist()
        weights = self._weights[state][side]

        def hurry() -> bool:
            return bool(stop[0])

        if at[ASKED] == A_CUBE:
            rolls.at[ANSWER] = self._action(judge, board, side, state, plies, hurry)
            return
        ladder = self._ladder(state, 1 - side, plies) if self._cubeful else None
        after, chances, _ = judge.choose(board, at[DIE1], at[DIE2], weights, plies, hurry, ladder)
        rolls.after[:26] = after
        rolls.probs[:] = chances

    def _action(self, judge: Decider, board: list[int], side: int, state: int, plies: int, stop: Stop) -> int:
        """What `side`, on roll, and the other do with the cube."""
        found = judge.look(board, self._weights[state][side], self._ladder(state, side, plies), plies, stop)
        # In states 0 and 2 of its own ladder the cube is as it is, or doubled and the opponent's.
        worths = None if found.worths is None else Searched(float(found.worths[0]), float(found.worths[2]))
        there = replace(
            self._state, board=Board.unchecked(tuple(board)), turn=self._sides[side], cube=self._cubes[state]
        )
        decision = decide(there, Chances.of(found.probs.tolist()), found.plies, self._table, worths)
        return _ANSWERS[decision.response] if decision.double else ROLL

    def _new_ladder(self, state: int, first: int, plies: int) -> Ladder:
        return ladder_of(self._cubes[state], self._sides[first], self._state.terms, self._table, plies)


__all__ = ["Deeper"]
