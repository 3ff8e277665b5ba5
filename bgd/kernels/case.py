"""What is answered at once, by one kernel call: the best play at 0 plies, and what a position is worth.

All that such an answer needs is made ready once for each thread and stake of a game and handed over as one thing: numba
takes each array of an argument apart on every call, 0.15 us a time, and there are 60 of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.experimental import structref
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import float_kernel, inner_kernel, kernel
from bgd.kernels.cubeful import (
    CubeSpace,
    Ladder,
    best_action,
    cubeless_worth,
    efficiency_at,
    in_pairs,
    prepare,
    turn_chances,
    worth_after_play,
    worth_in,
    worth_of_pair,
)
from bgd.kernels.decide import Space, best_play, turn_probabilities
from bgd.kernels.home import opponent_index, own_index
from bgd.kernels.movegen import BOARD, flip
from bgd.kernels.network import OUTPUTS, Net, evaluate_board, game_over, won_probabilities

# Entries of Case.found after the five chances: of a position, and of a play.
CUBELESS, ROLLING, TAKEN, BEST = range(OUTPUTS, OUTPUTS + 4)
WORTH = OUTPUTS
FOUND = OUTPUTS + 4


@structref.register
class CaseType(types.StructRef):
    """numba's type of a case."""

    def preprocess_fields(self, fields: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
        """Types of values, not of constants."""
        plain: Any = types.unliteral
        return tuple((name, plain(kind)) for name, kind in fields)


class Case(structref.StructRefProxy):
    """The arrays themselves, not copies."""

    net: Net
    table: Bearoff
    space: Space
    weights: NDArray[np.float32]  # (6,) utility of the side that plays
    ladder: Ladder
    cube: CubeSpace
    board: NDArray[np.int8]  # (32,) seen by the side on roll
    worths: NDArray[np.float64]  # (MAX_PLAYS,) of the plays
    after: NDArray[np.int8]  # (32,) the board after the best play
    found: NDArray[np.float64]  # (FOUND,)


_define_proxy: Any = structref.define_proxy
_define_proxy(Case, CaseType, list(Case.__annotations__))
_new_case: Any = Case


@kernel
def case(
    net: Net,
    table: Bearoff,
    space: Space,
    weights: NDArray[np.float32],
    ladder: Ladder,
    cube: CubeSpace,
    board: NDArray[np.int8],
    worths: NDArray[np.float64],
    after: NDArray[np.int8],
    found: NDArray[np.float64],
) -> Case:
    """Make a case, by a kernel that is kept: numba would compile the class's own constructor in every process."""
    made: Case = _new_case(net, table, space, weights, ladder, cube, board, worths, after, found)
    return made


@inner_kernel
def rank_by_worth(count: int, ladder: Ladder, table: Bearoff, space: Space, cube: CubeSpace,
                  worths: NDArray[np.float64]) -> int:  # fmt: skip
    """Worths with the cube of the `count` plays in `space`, to `worths`; the index of the best, of equals the first."""
    best = 0
    for i in range(count):
        worths[i] = worth_after_play(space.plays.boards[i], space.probs[i], ladder, table, cube)
        if worths[i] > worths[best]:
            best = i
    return best


@inner_kernel
def stand(
    board: NDArray[np.int8],
    out: NDArray[np.float32],
    ladder: Ladder,
    table: Bearoff,
    cube: CubeSpace,
    found: NDArray[np.float64],
) -> None:
    """What `board` is worth to the side on roll, side 0 of the ladder, whose view it is, to `found`. `out` are the
    chances of the other side."""
    numbers = cube.probs
    turn_chances(out, numbers)
    prepare(0, numbers, ladder, cube)
    for k in range(OUTPUTS):
        found[k] = numbers[k]
    found[CUBELESS] = cubeless_worth(numbers[0], ladder, cube)
    if in_pairs(board, ladder):
        mine = own_index(board)
        theirs = opponent_index(board)
        found[ROLLING] = worth_of_pair(mine, theirs, 0, 0, False, ladder, table)
        found[TAKEN] = worth_of_pair(mine, theirs, 0, 2, False, ladder, table)
    else:
        efficiency = efficiency_at(board, ladder.efficiency)
        found[ROLLING] = worth_in(0, 0, numbers[0], efficiency, ladder, cube)
        found[TAKEN] = worth_in(0, 2, numbers[0], efficiency, ladder, cube)
    found[BEST] = best_action(found[ROLLING], found[TAKEN], ladder)


@float_kernel
def judge(die1: int, die2: int, cubeful: bool, everything: Case) -> tuple[int, int]:
    """The index of the best play of the dice and how many there are, all of them left in the case's space; with no dice
    (0) what its board is worth, to its `found`. One kernel for both, since both would be compiled.

    The best play has the most utility or, if it is to be `cubeful`, the most worth with the cube in play, side 1 of the
    ladder being on roll and side 0 free to double next. It goes to `after`, its chances and that number to `found`."""
    net, table, space = everything.net, everything.table, everything.space
    board, found = everything.board, everything.found
    if die1 == 0:
        if game_over(board):
            won_probabilities(board, space.best)
            turn_probabilities(space.best, space.net.out)
        else:
            flip(board, space.turned)
            evaluate_board(space.turned, net, table, space.net)
        stand(board, space.net.out, everything.ladder, table, everything.cube, found)
        return 0, 0
    best, count = best_play(board, die1, die2, everything.weights, net, table, space)
    if cubeful:
        worths = everything.worths
        best = rank_by_worth(count, everything.ladder, table, space, everything.cube, worths)
        found[WORTH] = worths[best]
    else:
        found[WORTH] = space.utility[best]
    for k in range(BOARD):
        everything.after[k] = space.plays.boards[best, k]
    for k in range(OUTPUTS):
        found[k] = space.probs[best, k]
    return best, count
