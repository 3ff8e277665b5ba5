"""What a game is worth with a cube in play: at the leaves of a search, and at each roll and double above them.

The cube's states are the level it stands at, counted in doublings from now, and who may turn it. State 0 is the cube as
it is; 2j - 1 and 2j are the cube at level j > 0 in the hands of side 0 and of side 1. Side 0 is the side on roll at the
root of the search, and all worths here are its own: points in units of the cube as it is, or match winning chances.

`static` is the compiled twin of `bgd.engine.stakes.Stakes.cubeful`, which says how it is meant; the two must agree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bundle import Bundle
from bgd.kernels.cache import float_kernel, inner_kernel
from bgd.kernels.decide import best_play
from bgd.kernels.movegen import flip, highest
from bgd.kernels.network import OUTPUTS, game_over
from bgd.kernels.scalars import as_int
from bgd.kernels.search import CHANCES, OPEN, OVER, ROLLS

CENTRED = -1  # the owner of the cube of state 0, if it is neither side
_POINTS = 3  # worth[.., _POINTS + n] is that of n times the cube, -3 to 3


class Ladder(NamedTuple):
    """The stakes of a game, level by level, each side's own view. At the last level nobody has any use of the cube,
    unless it goes on for ever (`endless`)."""

    worth: NDArray[np.float64]  # (2, levels, 7) of results by points, -3 to 3 times the cube
    usable: NDArray[np.bool_]  # (2, levels) whether the side might ever turn the cube, if it held it
    free: NDArray[np.bool_]  # (2, levels) whether it risks nothing by that, and does so at once
    owner: int  # of state 0: side 0, side 1 or CENTRED
    total: float  # what the worths of both sides add up to: 0, or 1 for match winning chances
    endless: bool  # take points have their closed form: money, without limit
    idle: bool  # gammons don't count while the cube is as it is (Jacoby)
    beavers: bool
    efficiency: NDArray[np.float64]  # (5,) contact; race: base, rise a pip, least, most


class CubeSpace(NamedTuple):
    """Memory of one thread."""

    shares: NDArray[np.float64]  # (2, 4) of a side's wins: gammons, backgammons; of its losses
    take_points: NDArray[np.float64]  # (2, levels)
    values: NDArray[np.float64]  # (states,)
    probs: NDArray[np.float64]  # (5,)


def cube_space(levels: int) -> CubeSpace:
    """Fresh memory for ladders of so many levels."""
    return CubeSpace(np.zeros((2, 4)), np.zeros((2, levels)), np.zeros(2 * levels - 1), np.zeros(OUTPUTS))


@inner_kernel
def efficiency_at(board: NDArray[np.int8], constants: NDArray[np.float64]) -> float:
    """How alive the cube is at `board`, seen by the side on roll."""
    opponent_front = 0
    while opponent_front < 25 and board[opponent_front] >= 0:
        opponent_front += 1
    if highest(board, 25) > opponent_front:
        return float(constants[0])
    pips = as_int(0)
    opponent_pips = as_int(0)
    opponent_men = as_int(0)
    for point in range(26):
        men = as_int(board[point])
        pips += max(men, 0) * point
        opponent_pips -= min(men, 0) * (25 - point)
        opponent_men -= min(men, 0)
    if opponent_men <= 2 and opponent_pips <= 3:  # surely off with the next roll
        return 0.0
    return float(min(max(constants[1] + constants[2] * pips, constants[3]), constants[4]))


@inner_kernel
def _win(side: int, level: int, ladder: Ladder, space: CubeSpace) -> float:
    """The average worth of a game won by `side`."""
    worth = ladder.worth[side, level]
    gammons = space.shares[side, 0]
    backgammons = space.shares[side, 1]
    mean: float = (1 - gammons) * worth[4] + (gammons - backgammons) * worth[5] + backgammons * worth[6]
    return mean


@inner_kernel
def _lose(side: int, level: int, ladder: Ladder, space: CubeSpace) -> float:
    """The average worth of a game lost by `side`."""
    worth = ladder.worth[side, level]
    gammons = space.shares[side, 2]
    backgammons = space.shares[side, 3]
    mean: float = (1 - gammons) * worth[2] + (gammons - backgammons) * worth[1] + backgammons * worth[0]
    return mean


@inner_kernel
def prepare(mover: int, probs: NDArray[np.float64], ladder: Ladder, space: CubeSpace) -> None:
    """Fill the shares of gammons and the take points for the chances of `mover`, the side on roll."""
    other = 1 - mover
    shares = space.shares
    won = probs[0]
    lost = 1.0 - won
    shares[mover, 0] = min(1.0, probs[1] / won) if won > 0 else 0.0
    shares[mover, 1] = min(shares[mover, 0], probs[2] / won) if won > 0 else 0.0
    shares[mover, 2] = min(1.0, probs[3] / lost) if lost > 0 else 0.0
    shares[mover, 3] = min(shares[mover, 2], probs[4] / lost) if lost > 0 else 0.0
    for k in range(4):
        shares[other, k] = shares[mover, (k + 2) % 4]
    points = space.take_points
    levels = points.shape[1]
    if ladder.endless:
        for side in range(2):
            win = _win(side, 0, ladder, space)
            lose = -_lose(side, 0, ladder, space)
            for level in range(levels):
                points[side, level] = max(0.0, (lose - 0.5) / (win + lose + 0.5))
        return
    for level in range(levels - 2, -1, -1):
        raised = level + 1
        for side in range(2):
            lose = _lose(side, raised, ladder, space)
            dropped = ladder.worth[side, level, _POINTS - 1]
            if ladder.usable[side, raised]:
                end = 1.0 - points[1 - side, raised]
                best = ladder.worth[side, raised, _POINTS + 1]
            else:
                end = 1.0
                best = _win(side, raised, ladder, space)
            points[side, level] = min(1.0, max(0.0, end * (dropped - lose) / (best - lose)))


@inner_kernel
def _cubeless(mover: int, level: int, idle: bool, win: float, ladder: Ladder, space: CubeSpace) -> float:
    if idle:
        worth = ladder.worth[mover, level]
        mean: float = win * worth[_POINTS + 1] + (1 - win) * worth[_POINTS - 1]
        return mean
    return win * _win(mover, level, ladder, space) + (1 - win) * _lose(mover, level, ladder, space)


@inner_kernel
def worth_in(mover: int, state: int, win: float, efficiency: float, ladder: Ladder, space: CubeSpace) -> float:
    """The worth to `mover`, the side on roll, with the cube in `state`, after `prepare` for its chances."""
    level = (state + 1) // 2
    owner = ladder.owner if state == 0 else (state + 1) % 2
    idle = ladder.idle and state == 0
    dead = _cubeless(mover, level, idle, win, ladder, space)
    other = 1 - mover
    mine = owner in (CENTRED, mover) and ladder.usable[mover, level]
    theirs = owner in (CENTRED, other) and ladder.usable[other, level]
    if not (mine or theirs):
        return dead
    worth = ladder.worth[mover, level]
    dropped = worth[_POINTS - 1]
    cashed = worth[_POINTS + 1]
    left = 0.0
    low = dropped if idle else _lose(mover, level, ladder, space)
    right = 1.0
    high = cashed if idle else _win(mover, level, ladder, space)
    if theirs:
        take_point = space.take_points[mover, level]
        if win < take_point:
            right = take_point
            high = dropped
        else:
            left = take_point
            low = dropped
    if mine and right == 1.0:
        cash_point = max(left, 1.0 - space.take_points[other, level])
        if win < cash_point:
            right = cash_point
            high = cashed
        else:
            left = cash_point
            low = cashed
    live = low + (high - low) * (win - left) / (right - left) if right > left else low
    if theirs and ladder.free[other, level]:
        return live
    return efficiency * live + (1 - efficiency) * dead


@inner_kernel
def answer(values: NDArray[np.float64], side: int, ladder: Ladder) -> None:
    """Turn worths of rolling, in each state, into those of the better of rolling and doubling for `side`, in place."""
    levels = ladder.usable.shape[1]
    sign = 1.0 if side == 0 else -1.0
    offset = 0.0 if side == 0 else ladder.total
    for state in range(2 * levels - 2):
        level = (state + 1) // 2
        owner = ladder.owner if state == 0 else (state + 1) % 2
        raised = level + 1
        if (owner != CENTRED and owner != side) or not ladder.usable[side, level] or raised >= levels:
            continue
        taken = offset + sign * values[2 * raised - (1 if side == 1 else 0)]
        if ladder.beavers and taken < 0 and ladder.usable[1 - side, raised]:
            taken *= 2
        doubled = min(taken, ladder.worth[side, level, _POINTS + 1])
        if doubled > offset + sign * values[state]:
            values[state] = sign * (doubled - offset)


@inner_kernel
def static(board: NDArray[np.int8], mover: int, probs: NDArray[np.float64], ladder: Ladder, space: CubeSpace) -> None:
    """Worths to side 0, in each state of the cube, of `board` before the roll of `mover`, whose view and chances are
    given, to `space.values`. Doubling at once is left out."""
    prepare(mover, probs, ladder, space)
    efficiency = efficiency_at(board, ladder.efficiency)
    for state in range(space.values.shape[0]):
        if ladder.endless and state > 2:
            space.values[state] = 2 * space.values[state - 2]
            continue
        worth = worth_in(mover, state, probs[0], efficiency, ladder, space)
        space.values[state] = worth if mover == 0 else ladder.total - worth


@inner_kernel
def _after(
    board: NDArray[np.int8],
    probs: NDArray[np.float32],
    end: int,
    roller: int,
    ladder: Ladder,
    space: CubeSpace,
) -> None:
    """Worths to side 0, by state of the cube, after a play of `roller`, to `space.values`.

    `board` is seen by the other side, who may double; `probs` are the roller's chances."""
    numbers = space.probs
    other = 1 - roller
    if end == OVER:
        for k in range(OUTPUTS):
            numbers[k] = probs[k]
        prepare(roller, numbers, ladder, space)
        for state in range(space.values.shape[0]):
            worth = _cubeless(roller, (state + 1) // 2, ladder.idle and state == 0, 1.0, ladder, space)
            space.values[state] = worth if roller == 0 else ladder.total - worth
        return
    numbers[0] = 1.0 - probs[0]
    numbers[1] = probs[3]
    numbers[2] = probs[4]
    numbers[3] = probs[1]
    numbers[4] = probs[2]
    static(board, other, numbers, ladder, space)
    answer(space.values, other, ladder)


@inner_kernel
def worths(
    children: NDArray[np.int8],
    probs: NDArray[np.float32],
    ends: NDArray[np.uint8],
    index: NDArray[np.int64],
    below: NDArray[np.float64],
    roller: int,
    doubles: bool,
    ladder: Ladder,
    space: CubeSpace,
    out: NDArray[np.float64],
) -> None:
    """Worths to side 0, by state of the cube, of the boards of a layer, `roller` being on roll: to `out` (n, states).

    The first three are what `expand` made of the layer. A roll counts with its worths `below` in the next layer where
    `index` (n, 21) names them, else with those of its board as it stands, the other side being free to double there.
    `doubles`: the roller may double before the roll."""
    states = out.shape[1]
    for i in range(out.shape[0]):
        for state in range(states):
            out[i, state] = 0.0
        for roll in range(ROLLS):
            there = index[i, roll]
            if there >= 0:
                for state in range(states):
                    out[i, state] += CHANCES[roll] * below[there, state]
            else:
                _after(children[i, roll], probs[i, roll], ends[i, roll], roller, ladder, space)
                for state in range(states):
                    out[i, state] += CHANCES[roll] * space.values[state]
        if doubles:
            answer(out[i], roller, ladder)


@float_kernel
def best_play_cubeful(
    board: NDArray[np.int8],
    die1: int,
    die2: int,
    weights: NDArray[np.float32],
    everything: Bundle,
    ladder: Ladder,
    cube: CubeSpace,
    out: NDArray[np.float64],
) -> tuple[int, int]:
    """`decide.best_play` with the cube in play: side 1 is on roll, side 0 may double next.

    Worths to side 1, the cube in state 0, go to `out`, with the other numbers in the bundle's space."""
    space = everything.space
    best, count = best_play(board, die1, die2, weights, everything.net, everything.table, space)
    for i in range(count):
        flip(space.plays.boards[i], space.turned)
        end = OVER if game_over(space.plays.boards[i]) else OPEN
        _after(space.turned, space.probs[i], end, 1, ladder, cube)
        out[i] = ladder.total - cube.values[0]
        if i == 0 or out[i] > out[best]:
            best = i
    return best, count
