"""The cube in the inner loops: what chances are worth with the cube where it is. The compiled twin of
`bgd.engine.stakes`, which explains the formulas (Janowski's, in their general form) and makes the `Terms`.

Sides are 0 and 1 as the caller names them; an owner is a side, or CENTRE. Levels count the turns of the cube from where
the caller found it. Worth is antisymmetric: what one side has the other lacks. In money play it is points in units of
the cube at level 0, in a match twice the match winning chances less one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.cache import inner_float_kernel, inner_kernel
from bgd.kernels.scalars import as_int

CENTRE = 2
LOST, WON = 2, 3  # columns of a single game in Terms.worth
DOUBLE_NO, DOUBLE_TAKE, DOUBLE_PASS = 0, 1, 2
JACOBY, ENDLESS = 0, 1  # entries of Terms.rules
CONTACT, RACE_BASE, RACE_RISE, RACE_LEAST, RACE_MOST = range(5)  # entries of Terms.efficiency


class Terms(NamedTuple):
    """A game's stakes at every level of the cube."""

    worth: NDArray[np.float64]  # (levels, 6) to side 0: a backgammon, gammon, single game lost; single, gammon, ... won
    use: NDArray[np.int64]  # (levels, 2) whether the side, if it had the cube at the level, might ever turn it
    free: NDArray[np.int64]  # (levels, 2) whether the side risks nothing by turning it, and so does at once
    rules: NDArray[np.int64]  # JACOBY: gammons do not count with the cube centred; ENDLESS: levels without end (money)
    efficiency: NDArray[np.float64]  # how alive the cube is: in contact; in races base, rise with pips, least and most
    weights: NDArray[np.float32]  # (levels, 3, 2, 6) by level, owner and side: utility weights that choose a play


@inner_float_kernel
def result_worth(side: int, points: int, level: int, terms: Terms) -> float:
    """What winning `points` (1 to 3, negative: losing) at the level is worth to the side."""
    signed = points if side == 0 else -points
    value: float = terms.worth[level, LOST + signed if signed > 0 else WON + signed]
    return value if side == 0 else -value


@inner_float_kernel
def game_worth(side: int, level: int, gammons: float, backgammons: float, terms: Terms) -> float:
    """The average worth to the side of a game that it wins, with these shares of gammons (or more) and backgammons."""
    return (
        (1.0 - gammons) * result_worth(side, 1, level, terms)
        + (gammons - backgammons) * result_worth(side, 2, level, terms)
        + backgammons * result_worth(side, 3, level, terms)
    )


@inner_float_kernel
def _share(part: float, whole: float) -> float:
    return min(1.0, part / whole) if whole > 0 else 0.0


@inner_float_kernel
def take_point(
    side: int, level: int, mine: float, my_more: float, theirs: float, their_more: float, terms: Terms
) -> float:
    """The chance of winning with which the side may as well take as pass a double from the level, the cube alive.

    `mine`, `my_more`: shares of gammons and backgammons in the games it wins; `theirs`, `their_more` in those it
    loses."""
    if terms.rules[ENDLESS]:
        unit = result_worth(side, 1, level, terms)
        win = game_worth(side, level, mine, my_more, terms) / unit
        lose = game_worth(1 - side, level, theirs, their_more, terms) / unit
        return max(0.0, (lose - 0.5) / (win + lose + 0.5))
    # Up to the level from which the taker would never redouble, then back: each end is the other's take point above.
    top = level
    taker = side
    while terms.use[top + 1, taker]:
        top += 1
        taker = 1 - taker
    point = 0.0
    end = 1.0
    while True:
        own = taker == side
        gammons = mine if own else theirs
        more = my_more if own else their_more
        lost = theirs if own else mine
        lost_more = their_more if own else my_more
        lose = -game_worth(1 - taker, top + 1, lost, lost_more, terms)
        dropped = result_worth(taker, -1, top, terms)
        if terms.use[top + 1, taker]:
            best = result_worth(taker, 1, top + 1, terms)
        else:
            best = game_worth(taker, top + 1, gammons, more, terms)
        point = min(1.0, max(0.0, end * (dropped - lose) / (best - lose)))
        if top == level:
            return point
        end = 1.0 - point
        top -= 1
        taker = 1 - taker


@inner_float_kernel
def cubeful_worth(
    side: int, level: int, owner: int, chances: NDArray[np.float32], efficiency: float, terms: Terms
) -> float:
    """What `chances`, the five of `side`, are worth to it with the cube at the level, `owner`'s to turn."""
    win: float = min(max(chances[0] * 1.0, 0.0), 1.0)
    mine = _share(chances[1], win)
    my_more = min(mine, _share(chances[2], win))
    theirs = _share(chances[3], 1.0 - win)
    their_more = min(theirs, _share(chances[4], 1.0 - win))
    won = result_worth(side, 1, level, terms)
    lost = result_worth(side, -1, level, terms)
    if terms.rules[JACOBY] and owner == CENTRE:
        most = won
        least = lost
    else:
        most = game_worth(side, level, mine, my_more, terms)
        least = -game_worth(1 - side, level, theirs, their_more, terms)
    dead = win * most + (1.0 - win) * least
    i_may = owner != 1 - side and terms.use[level, side] != 0
    other_may = owner != side and terms.use[level, 1 - side] != 0
    if not (i_may or other_may):
        return dead
    left = 0.0
    right = 1.0
    low = least
    high = most
    if other_may:
        point = take_point(side, level, mine, my_more, theirs, their_more, terms)
        if win < point:
            right = point
            high = lost
        else:
            left = point
            low = lost
    if i_may and right == 1.0:
        point = max(left, 1.0 - take_point(1 - side, level, theirs, their_more, mine, my_more, terms))
        if win < point:
            right = point
            high = won
        else:
            left = point
            low = won
    live = low
    if right > left:
        live = low + (high - low) * (win - left) / (right - left)
    if other_may and terms.free[level, 1 - side]:
        return live
    return efficiency * live + (1.0 - efficiency) * dead


@inner_kernel
def _race_left(board: NDArray[np.int8]) -> tuple[int, int, int]:
    """Of a board after a play: pips of the other side, which is on roll; pips and checkers of the side that played.
    The first is -1 if there is contact."""
    own_pips = 0
    own_men = 0
    pips = 0
    rear = 0
    front = 25
    for point in range(26):
        men = as_int(board[point])
        if men > 0:
            own_pips += men * point
            own_men += men
            rear = point
        elif men < 0:
            pips -= men * (25 - point)
            front = min(front, point)
    return (-1 if rear > front else pips), own_pips, own_men


@inner_float_kernel
def efficiency_after(board: NDArray[np.int8], terms: Terms) -> float:
    """How alive the cube is, 0..1, for the side on roll, the board seen by the other, which has just played."""
    pips, other_pips, other_men = _race_left(board)
    if pips < 0:
        contact: float = terms.efficiency[CONTACT]
        return contact
    if other_men <= 2 and other_pips <= 3:
        return 0.0  # its last roll: the other surely bears off everything with the next one
    rising: float = terms.efficiency[RACE_BASE] + terms.efficiency[RACE_RISE] * pips
    least: float = terms.efficiency[RACE_LEAST]
    most: float = terms.efficiency[RACE_MOST]
    return min(most, max(least, rising))


@inner_float_kernel
def cube_action(
    side: int, level: int, owner: int, chances: NDArray[np.float32], efficiency: float, terms: Terms
) -> tuple[int, float]:
    """What the side on roll does with the cube before its roll, and the other with a double; and what it is then worth
    to the side. Equals as in bgd.engine.cube: within a millionth no double, and a take."""
    keep = cubeful_worth(side, level, owner, chances, efficiency, terms)
    if owner == 1 - side or not terms.use[level, side]:
        return DOUBLE_NO, keep
    won = result_worth(side, 1, level, terms)
    equal = 1e-6 * 0.5 * (won - result_worth(side, -1, level, terms))
    take = cubeful_worth(side, level + 1, 1 - side, chances, efficiency, terms)
    if min(take, won) <= keep + equal:
        return DOUBLE_NO, keep
    if take <= won + equal:
        return DOUBLE_TAKE, take
    return DOUBLE_PASS, won


__all__ = [
    "CENTRE",
    "DOUBLE_NO",
    "DOUBLE_PASS",
    "DOUBLE_TAKE",
    "ENDLESS",
    "JACOBY",
    "Terms",
    "cube_action",
    "cubeful_worth",
    "efficiency_after",
    "result_worth",
    "take_point",
]
