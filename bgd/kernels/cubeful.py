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

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import embedded_kernel, inlined_kernel, inner_kernel, plain_kernel
from bgd.kernels.ends import OVER
from bgd.kernels.home import opponent_index, own_index
from bgd.kernels.lanes import MEN_MASK, PIPS, PIPS_MASK, at_least, at_most, leading, lowest, opponent_tally, own_tally
from bgd.kernels.network import OUTPUTS, game_over
from bgd.kernels.scalars import as_int
from bgd.kernels.twosided import AWAY, OWNED, in_table
from bgd.kernels.twosided import CENTRED as SHARED

CENTRED = -1  # the owner of the cube of state 0, if it is neither side
_BEYOND = 1 << 25  # a bit above all points of the opponent's
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
    efficiency: NDArray[np.float64]  # (15,) constants: see stakes, and the numbers below


_MOST, _LESS, _RACE_WIN = range(3)  # of Ladder.efficiency; these in races
_EVEN, _WIN, _GAMMONS, _LOST_GAMMONS, _LAST, _LATE, _FREE = range(3, 10)
_ON_ROLL, _WAITING, _WIDTH, _PRIZE, _FREE_SHARE = range(10, 15)


class Aliveness(NamedTuple):
    """What the board says of how alive a side's cube is."""

    even: float  # with even chances and no gammons; 0 if it is dead whatever the chances
    win: float  # how much more for each chance of winning beyond a half
    late: float  # how much less beyond its cash point


class CubeSpace(NamedTuple):
    """Memory of one thread."""

    shares: NDArray[np.float64]  # (2, 4) of a side's wins: gammons, backgammons; of its losses
    take_points: NDArray[np.float64]  # (2, levels)
    values: NDArray[np.float64]  # (states,)
    probs: NDArray[np.float64]  # (5,)


@plain_kernel
def cube_space(levels: int) -> CubeSpace:
    """Fresh memory for ladders of so many levels."""
    return CubeSpace(np.zeros((2, 4)), np.zeros((2, levels)), np.zeros(2 * levels - 1), np.zeros(OUTPUTS))


@inner_kernel
def owner_of(state: int, ladder: Ladder) -> int:
    """Side 0, side 1 or CENTRED."""
    owner: int = ladder.owner
    return owner if state == 0 else (state + 1) % 2


@inner_kernel
def _efficiency(board: NDArray[np.int8], on_roll: int, waiting: int, constants: NDArray[np.float64]) -> Aliveness:
    """Of a side's cube, given the tallies of the side on roll and of the other."""
    rear = 63 - leading(at_least(board, 1) | 1)
    if rear > lowest(at_most(board, -1) | _BEYOND):
        return Aliveness(float(constants[_EVEN]), float(constants[_WIN]), float(constants[_LATE]))
    if waiting & MEN_MASK <= 2 and (waiting >> PIPS) & PIPS_MASK <= 3:  # surely off with the next roll
        return Aliveness(0.0, 0.0, 0.0)
    pips = max(1, (on_roll >> PIPS) & PIPS_MASK)
    even = max(0.0, constants[_MOST] - constants[_LESS] / (pips * pips))
    return Aliveness(float(even), float(constants[_RACE_WIN]), 0.0)


@inner_kernel
def efficiency_at(board: NDArray[np.int8], constants: NDArray[np.float64]) -> Aliveness:
    """How alive a side's cube is at `board`, seen by the side on roll."""
    return _efficiency(board, own_tally(board), opponent_tally(board), constants)


@inner_kernel
def efficiency_after(board: NDArray[np.int8], constants: NDArray[np.float64]) -> Aliveness:
    """The same at `board` seen by the side that played last, the other being on roll."""
    return _efficiency(board, opponent_tally(board), own_tally(board), constants)


@embedded_kernel
def _win(side: int, level: int, ladder: Ladder, space: CubeSpace) -> float:
    """The average worth of a game won by `side`."""
    worth = ladder.worth[side, level]
    gammons = space.shares[side, 0]
    backgammons = space.shares[side, 1]
    mean: float = (1 - gammons) * worth[4] + (gammons - backgammons) * worth[5] + backgammons * worth[6]
    return mean


@embedded_kernel
def _lose(side: int, level: int, ladder: Ladder, space: CubeSpace) -> float:
    """The average worth of a game lost by `side`."""
    worth = ladder.worth[side, level]
    gammons = space.shares[side, 2]
    backgammons = space.shares[side, 3]
    mean: float = (1 - gammons) * worth[2] + (gammons - backgammons) * worth[1] + backgammons * worth[0]
    return mean


@embedded_kernel
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
        level = as_int(0)
        for side in range(2):
            win = _win(side, level, ladder, space)
            lose = -_lose(side, level, ladder, space)
            take_point = max(0.0, (lose - 0.5) / (win + lose + 0.5))
            for each in range(levels):
                points[side, each] = take_point
        return
    for raised in range(levels - 1, 0, -1):
        level = raised - 1
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


@embedded_kernel
def _cubeless(mover: int, level: int, idle: bool, win: float, ladder: Ladder, space: CubeSpace) -> float:
    if idle:
        worth = ladder.worth[mover, level]
        mean: float = win * worth[_POINTS + 1] + (1 - win) * worth[_POINTS - 1]
        return mean
    return win * _win(mover, level, ladder, space) + (1 - win) * _lose(mover, level, ladder, space)


@inner_kernel
def _lateness(beyond: float, prize: float, on_roll: bool, constants: NDArray[np.float64]) -> float:
    """See stakes."""
    margin = constants[_ON_ROLL] if on_roll else constants[_WAITING]
    late = float(min(1.0, max(0.0, beyond + margin) / constants[_WIDTH]))
    return late * float(min(1.0, max(0.0, prize) / constants[_PRIZE]))


@embedded_kernel
def _alive(
    side: int, win: float, late: float, last: bool, efficiency: Aliveness, ladder: Ladder, space: CubeSpace
) -> float:
    """How alive the cube of `side` is, which has these chances of winning. `last`: it alone may turn it, and nobody
    after that."""
    constants = ladder.efficiency
    alive = efficiency.even + efficiency.win * (win - 0.5) - efficiency.late * late
    alive += float(constants[_LOST_GAMMONS] * space.shares[side, 2] - constants[_GAMMONS] * space.shares[side, 0])
    if last:
        alive -= float(constants[_LAST])
    return min(1.0, max(0.0, alive))


@embedded_kernel
def _reach(point: float, gain: float, slope: float, alive: float) -> float:
    """See stakes."""
    rise = (1 - alive) * slope * point + alive * gain
    reach: float = min(1.0, point * gain / rise) if rise > 0 else point
    return reach


@embedded_kernel
def worth_in(mover: int, state: int, win: float, efficiency: Aliveness, ladder: Ladder, space: CubeSpace) -> float:
    """The worth to `mover`, the side on roll, with the cube in `state`, after `prepare` for its chances."""
    level = (state + 1) // 2
    owner = owner_of(state, ladder)
    idle = ladder.idle and state == 0
    other = 1 - mover
    mine = owner in (CENTRED, mover) and ladder.usable[mover, level]
    theirs = owner in (CENTRED, other) and ladder.usable[other, level]
    free = theirs and ladder.free[other, level]
    last = mine != theirs and not ladder.endless and not ladder.usable[other if mine else mover, level + 1]
    if not (mine or theirs) or (efficiency.even == 0 and not free):
        return _cubeless(mover, level, idle, win, ladder, space)
    worth = ladder.worth[mover, level]
    dropped = worth[_POINTS - 1]
    cashed = worth[_POINTS + 1]
    lost = dropped if idle else _lose(mover, level, ladder, space)
    won = cashed if idle else _win(mover, level, ladder, space)
    constants = ladder.efficiency
    left = 0.0
    low = lost
    take_point = 0.0
    held = 0.0
    if theirs:
        take_point = space.take_points[mover, level]
        if efficiency.even > 0:
            late = _lateness(take_point - win, (dropped - lost) / (cashed - dropped), False, constants)
            held = _alive(other, 1.0 - win, late, last, efficiency, ladder, space)
        left = 1.0 - _reach(1.0 - take_point, won - dropped, won - lost, 1.0 if free else held)
        low = dropped
    right = 1.0
    high = won
    cash_point = 1.0
    if mine:
        cash_point = 1.0 - space.take_points[other, level]
        late = _lateness(win - cash_point, (won - cashed) / (cashed - dropped), True, constants)
        if free:
            alive = 1.0
        elif ladder.free[mover, level]:
            alive = max(0.0, constants[_FREE] - constants[_FREE_SHARE] * efficiency.late * late)
        else:
            alive = _alive(mover, win, late, last, efficiency, ladder, space)
        right = _reach(cash_point, cashed - lost, won - lost, alive)
        high = cashed
    if left >= right:
        left = (left + right) / 2
        take_point = left
        cash_point = left
        slope = 0.0
        if win >= left:
            low = high
    else:
        slope = (high - low) / (right - left)
    if win < take_point:
        below = lost + (low + slope * (take_point - left) - lost) * win / take_point
        if free:
            dead = _cubeless(mover, level, idle, win, ladder, space)
            below = min(dropped, held * below + (1.0 - held) * dead)
        return below
    if win > cash_point:
        corner = low + slope * (cash_point - left)
        return corner + (won - corner) * (win - cash_point) / (1.0 - cash_point)
    return low + slope * (win - left)


@inner_kernel
def answer(values: NDArray[np.float64], side: int, ladder: Ladder) -> None:
    """Turn worths of rolling, in each state, into those of the better of rolling and doubling for `side`, in place."""
    levels = ladder.usable.shape[1]
    sign = 1.0 if side == 0 else -1.0
    offset = 0.0 if side == 0 else ladder.total
    for state in range(2 * levels - 2):
        level = (state + 1) // 2
        owner = owner_of(state, ladder)
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
def in_pairs(board: NDArray[np.int8], ladder: Ladder) -> bool:
    """Whether the two-sided bear-off table knows what the game is worth: money play, few checkers left."""
    return ladder.endless and in_table(board)


@embedded_kernel
def worth_of_pair(
    mine: int, theirs: int, side: int, state: int, may_double: bool, ladder: Ladder, table: Bearoff
) -> float:
    """The exact worth to `side`, on roll, of the home boards with these indices, its own and the other's."""
    pair = table.pairs[mine, theirs]
    unit = float(1 << ((state + 1) // 2))
    owner = owner_of(state, ladder)
    away: float = pair[AWAY]
    if owner == 1 - side:
        return unit * away
    keep: float = pair[SHARED] if owner == CENTRED else pair[OWNED]
    if may_double:
        keep = max(keep, min(2.0 * away, 1.0))
    return unit * keep


@embedded_kernel
def pair_worth(
    after: NDArray[np.int8], side: int, state: int, may_double: bool, ladder: Ladder, table: Bearoff
) -> float:
    """The exact worth to `side`, on roll, of a position in the table, seen by the other side, which played last."""
    return worth_of_pair(opponent_index(after), own_index(after), side, state, may_double, ladder, table)


@inner_kernel
def turn_chances(source: NDArray[np.float32], target: NDArray[np.float64]) -> None:
    """The five numbers as the other side sees them, in double precision."""
    target[0] = 1.0 - source[0]
    target[1] = source[3]
    target[2] = source[4]
    target[3] = source[1]
    target[4] = source[2]


@inlined_kernel
def best_action(rolling: float, taken: float, ladder: Ladder) -> float:
    """The worth to side 0, on roll, of the better of rolling and of a double that would be worth `taken`, the cube in
    state 0; `answer` for that state alone."""
    if ladder.owner == 1 or not ladder.usable[0, 0]:
        return rolling
    if ladder.beavers and taken < 0 and ladder.usable[1, 1]:
        taken *= 2
    return max(rolling, min(taken, float(ladder.worth[0, 0, _POINTS + 1])))


@inlined_kernel
def worth_after_play(
    after: NDArray[np.int8], probs: NDArray[np.float32], ladder: Ladder, table: Bearoff, space: CubeSpace
) -> float:
    """The worth to side 1 of `after`, a board after its play, the cube in state 0: side 0 may double next. `probs` are
    side 1's chances."""
    numbers = space.probs
    on_roll = as_int(0)
    state = as_int(0)
    if game_over(after):
        for k in range(OUTPUTS):
            numbers[k] = probs[k]
        prepare(1 - on_roll, numbers, ladder, space)
        return _cubeless(1 - on_roll, state, ladder.idle, numbers[0], ladder, space)
    may_double = ladder.owner != 1 and ladder.usable[0, 0]
    if in_pairs(after, ladder):
        return ladder.total - pair_worth(after, on_roll, state, may_double, ladder, table)
    turn_chances(probs, numbers)
    prepare(on_roll, numbers, ladder, space)
    efficiency = efficiency_after(after, ladder.efficiency)
    worth = worth_in(on_roll, state, numbers[0], efficiency, ladder, space)
    if may_double:
        taken = worth_in(on_roll, state + 2, numbers[0], efficiency, ladder, space)
        worth = best_action(worth, taken, ladder)
    return ladder.total - worth


@inner_kernel
def cubeless_worth(win: float, ladder: Ladder, space: CubeSpace) -> float:
    """The worth to side 0 of the game played out at the cube as it is, after `prepare` for its chances."""
    return _cubeless(as_int(0), as_int(0), win < 0, win, ladder, space)


@inner_kernel
def worths_after(
    board: NDArray[np.int8],
    probs: NDArray[np.float32],
    end: int,
    roller: int,
    ladder: Ladder,
    table: Bearoff,
    space: CubeSpace,
) -> None:
    """Worths to side 0, by state of the cube, after a play of `roller`, to `space.values`.

    `board` is seen by the other side, who may double; `probs` are the roller's chances."""
    numbers = space.probs
    other = 1 - roller
    if end != OVER and in_pairs(board, ladder):
        mine = own_index(board)
        theirs = opponent_index(board)
        for state in range(space.values.shape[0]):
            worth = worth_of_pair(mine, theirs, other, state, True, ladder, table)
            space.values[state] = worth if other == 0 else ladder.total - worth
        return
    if end == OVER:
        for k in range(OUTPUTS):
            numbers[k] = probs[k]
        prepare(roller, numbers, ladder, space)
        for state in range(space.values.shape[0]):
            worth = _cubeless(roller, (state + 1) // 2, ladder.idle and state == 0, 1.0, ladder, space)
            space.values[state] = worth if roller == 0 else ladder.total - worth
        return
    turn_chances(probs, numbers)
    static(board, other, numbers, ladder, space)
    answer(space.values, other, ladder)
