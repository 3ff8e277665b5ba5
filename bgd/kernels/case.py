"""What is answered at once, by one kernel call: the best play at 0 plies, and what a position is worth.

All that such an answer needs is made ready once for each thread and stake of a game and handed over as one thing: numba
takes each array of an argument apart on every call, 0.15 us a time, and there are 60 of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.experimental import structref
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import inlined_kernel, inner_kernel, kernel
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
from bgd.kernels.decide import Space, evaluate_kept
from bgd.kernels.home import opponent_index, own_index
from bgd.kernels.movegen import BOARD, flip, generate
from bgd.kernels.network import OUTPUTS, Net, game_over, won_probabilities
from bgd.kernels.scalars import as_int
from bgd.kernels.structs import StructType, borrow

# Entries of Case.found after the five chances: of a position, and of a play.
CUBELESS, ROLLING, TAKEN, BEST = range(OUTPUTS, OUTPUTS + 4)
WORTH = OUTPUTS
FOUND = OUTPUTS + 4


@structref.register
class CaseType(StructType):
    """numba's type of a case."""


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


@inlined_kernel
def rank_by_worth(
    count: int, ladder: Ladder, table: Bearoff, space: Space, cube: CubeSpace, worths: NDArray[np.float64]
) -> int:
    """Worths with the cube of the `count` plays in `space`, to `worths`; the index of the best, of equals the first."""
    best = 0
    for i in range(count):
        worths[i] = worth_after_play(space.plays.boards[i], space.probs[i], ladder, table, cube)
        if worths[i] > worths[best]:
            best = i
    return best


@inlined_kernel
def stand(board: NDArray[np.int8], ladder: Ladder, table: Bearoff, cube: CubeSpace, found: NDArray[np.float64]) -> None:
    """What `board` is worth to the side on roll, side 0 of the ladder, whose view it is and whose chances are in
    `found`, to the rest of `found`."""
    on_roll = as_int(0)
    state = as_int(0)
    win = found[0]
    prepare(on_roll, found, ladder, cube)
    found[CUBELESS] = cubeless_worth(win, ladder, cube)
    if in_pairs(board, ladder):
        mine = own_index(board)
        theirs = opponent_index(board)
        never = win < 0
        found[ROLLING] = worth_of_pair(mine, theirs, on_roll, state, never, ladder, table)
        found[TAKEN] = worth_of_pair(mine, theirs, on_roll, state + 2, never, ladder, table)
    else:
        efficiency = efficiency_at(board, ladder.efficiency)
        found[ROLLING] = worth_in(on_roll, state, win, efficiency, ladder, cube)
        found[TAKEN] = worth_in(on_roll, state + 2, win, efficiency, ladder, cube)
    found[BEST] = best_action(found[ROLLING], found[TAKEN], ladder)


@inner_kernel
def _judge(die1: int, die2: int, cubeful: bool, everything: Case) -> tuple[int, int]:
    """See `judge`."""
    net = borrow(everything, "net")
    table = borrow(everything, "table")
    space = borrow(everything, "space")
    ladder = borrow(everything, "ladder")
    cube = borrow(everything, "cube")
    found = borrow(everything, "found")
    board = borrow(everything, "board")
    parent = board
    count = 1
    if die1 == 0:  # as the only play of the other side, from itself
        parent = space.turned
        flip(board, parent)
        for k in range(BOARD):
            space.plays.boards[0, k] = parent[k]
    else:
        count = generate(parent, die1, die2, space.plays)
    for i in range(count):
        space.prune.kept[i] = i
    best = evaluate_kept(parent, count, borrow(everything, "weights"), net, table, space)
    if die1 == 0:
        if game_over(board):  # won by the side on roll: no turned board to ask
            won_probabilities(board, space.best)
            for k in range(OUTPUTS):
                found[k] = space.best[k]
        else:
            turn_chances(space.probs[0], found)
        stand(board, ladder, table, cube, found)
        return best, count
    if cubeful:
        worths = borrow(everything, "worths")
        best = rank_by_worth(count, ladder, table, space, cube, worths)
        found[WORTH] = worths[best]
    else:
        found[WORTH] = space.utility[best]
    after = borrow(everything, "after")
    for k in range(BOARD):
        after[k] = space.plays.boards[best, k]
    for k in range(OUTPUTS):
        found[k] = space.probs[best, k]
    return best, count


@kernel
def judge(die1: int, die2: int, cubeful: bool, everything: Case) -> tuple[int, int]:
    """The index of the best play of the dice and how many there are, all of them left in the case's space; with no dice
    (0) what its board is worth, to its `found`. One kernel for both, since both would be compiled.

    The best play has the most utility or, if it is to be `cubeful`, the most worth with the cube in play, side 1 of the
    ladder being on roll and side 0 free to double next. It goes to `after`, its chances and that number to `found`.

    This is the one kernel that counts its reference to a case: without, numba would take one at each call from Python
    and never give it back, and no thread's memory would ever be free again."""
    best, count = _judge(die1, die2, cubeful, everything)
    return best, count
