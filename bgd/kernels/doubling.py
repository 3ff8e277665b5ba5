"""Who turns the cube, and what for: one decision of the side on roll, by Janowski's formula or by the bear-off table.

States of the cube and worths are those of `cubeful`; the decision is that of `bgd.engine.cube` at 0 plies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import inner_kernel
from bgd.kernels.cubeful import CENTRED, CubeSpace, Ladder, prepare, worth_in
from bgd.kernels.home import both_home, opponent_index, own_index
from bgd.kernels.network import OUTPUTS
from bgd.kernels.twosided import AWAY, OWNED, PAIRS
from bgd.kernels.twosided import CENTRED as SHARED

ROLL, TAKE, PASS, BEAVER = 0, 1, 2, 3  # no double; a double, and the answer
_EQUAL = 5e-7  # of what lies between a game won and lost: equals are a take, and no double unless it is free of risk
_LOST, _WON = 2, 4  # columns of Ladder.worth: a single game


@inner_kernel
def owner_of(state: int, ladder: Ladder) -> int:
    """Side 0, side 1 or CENTRED."""
    owner: int = ladder.owner
    return owner if state == 0 else (state + 1) % 2


@inner_kernel
def turned(side: int, state: int, times: int) -> int:
    """The state when `side` has turned the cube `times` times, or it and the other have, and the other holds it."""
    return 2 * ((state + 1) // 2 + times) - side


@inner_kernel
def cube_action(
    side: int, state: int, chances: NDArray[np.float32], efficiency: float, ladder: Ladder, space: CubeSpace
) -> int:
    """What `side`, on roll with these chances, and the other do with the cube: ROLL, TAKE, PASS or BEAVER.

    What that is worth to the side goes to `space.values[0]`."""
    values = space.values
    for k in range(OUTPUTS):
        space.probs[k] = chances[k]
    prepare(side, space.probs, ladder, space)
    keep = worth_in(side, state, chances[0], efficiency, ladder, space)
    values[0] = keep
    level = (state + 1) // 2
    if owner_of(state, ladder) == 1 - side or not ladder.usable[side, level] or level + 1 >= ladder.usable.shape[1]:
        return ROLL
    won = ladder.worth[side, level, _WON]
    equal = _EQUAL * (won - ladder.worth[side, level, _LOST])
    doubled = worth_in(side, turned(side, state, 1), chances[0], efficiency, ladder, space)
    action = TAKE
    if doubled > won + equal:
        action = PASS
        doubled = won
    elif ladder.beavers and doubled < -equal and level + 2 < ladder.usable.shape[1]:
        action = BEAVER
        doubled *= 2
    if doubled < keep - equal or (doubled <= keep + equal and not ladder.free[side, level]):
        return ROLL
    values[0] = doubled
    return action


@inner_kernel
def in_pairs(board: NDArray[np.int8], ladder: Ladder) -> bool:
    """Whether the two-sided bear-off table knows what the game is worth: money play, few checkers left."""
    return ladder.endless and both_home(board) and own_index(board) < PAIRS and opponent_index(board) < PAIRS


@inner_kernel
def pair_worth(
    after: NDArray[np.int8], side: int, state: int, may_double: bool, ladder: Ladder, table: Bearoff
) -> float:
    """The exact worth to `side`, on roll, of a position in the table, seen by the other side, which played last."""
    pair = table.pairs[opponent_index(after), own_index(after)]
    unit = float(1 << ((state + 1) // 2))
    owner = owner_of(state, ladder)
    away: float = pair[AWAY]
    if owner == 1 - side:
        return unit * away
    keep: float = pair[SHARED] if owner == CENTRED else pair[OWNED]
    if may_double:
        keep = max(keep, min(2.0 * away, 1.0))
    return unit * keep


__all__ = ["BEAVER", "PASS", "ROLL", "TAKE", "cube_action", "in_pairs", "owner_of", "pair_worth", "turned"]
