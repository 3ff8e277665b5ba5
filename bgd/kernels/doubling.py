"""Who turns the cube, and what for: one decision of the side on roll, by Janowski's formula or by the bear-off table.

States of the cube and worths are those of `cubeful`; the decision is that of `bgd.engine.cube` at 0 plies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.cache import inner_kernel
from bgd.kernels.cubeful import Aliveness, CubeSpace, Ladder, in_pairs, owner_of, pair_worth, prepare, worth_in
from bgd.kernels.network import OUTPUTS

ROLL, TAKE, PASS, BEAVER = 0, 1, 2, 3  # no double; a double, and the answer
_EQUAL = 5e-7  # of what lies between a game won and lost: equals are a take, and no double unless it is free of risk
_LOST, _WON = 2, 4  # columns of Ladder.worth: a single game


@inner_kernel
def turned(side: int, state: int, times: int) -> int:
    """The state when `side` has turned the cube `times` times, or it and the other have, and the other holds it."""
    return 2 * ((state + 1) // 2 + times) - side


@inner_kernel
def cube_action(
    side: int, state: int, chances: NDArray[np.float32], efficiency: Aliveness, ladder: Ladder, space: CubeSpace
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


__all__ = ["BEAVER", "PASS", "ROLL", "TAKE", "cube_action", "in_pairs", "owner_of", "pair_worth", "turned"]
