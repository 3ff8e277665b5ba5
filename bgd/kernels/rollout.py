"""Games played out from a position: what it is worth, by what becomes of it.

A block of games is one call. Each game is played at 0 plies (or 1) by both sides, cubeless or with the cube, to its
end, to the exact bear-off, or so many turns deep. Luck is taken away as it comes: in each turn the value of the roll's
play, by the network, less the mean over the 21 rolls. Whatever that value is, its luck has mean 0; the better it is,
the less is left of the spread. To keep it cheap it is the best of the few plays that the small network likes most.

Side 0 is the one whose results are kept: five chances, and the worth of the game with the cube (see cubeful). Plays
are chosen cubeless, by utility weights that depend on the state of the cube. Where a double is passed, the chances are
the network's at that moment, since nobody plays on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import inner_float_kernel
from bgd.kernels.cubeful import CubeSpace, Ladder, efficiency_at
from bgd.kernels.decide import Space, best_play, one_ply, turn_probabilities
from bgd.kernels.dice import game_roll
from bgd.kernels.doubling import BEAVER, PASS, ROLL, cube_action, in_pairs, pair_worth, turned
from bgd.kernels.movegen import BOARD, flip, generate
from bgd.kernels.network import (
    OUTPUTS,
    Net,
    evaluate_child,
    exact_probabilities,
    game_over,
    prepare_parent,
    utility_of,
    won_probabilities,
)
from bgd.kernels.prune import PruneNet, keep_best

RESULTS = OUTPUTS + 1  # numbers kept of a game
WORTH = OUTPUTS  # the last of them
MAX_TURNS = 4000  # a game still not over is worth what the network says; no game was seen to last 1,000
_DEEPER = 6  # plays looked at one ply deep

# Entries of Orders.numbers.
FIRST_PLIES, FIRST_TURNS, PLIES, LOOK, TRUNCATE, CUBEFUL, BEAROFF, SEED = range(8)


class Start(NamedTuple):
    """Where every game begins."""

    board: NDArray[np.int8]  # (32,) seen by the side that played last; the other is on roll
    chances: NDArray[np.float32]  # (5,) of the side on roll, by the network
    numbers: NDArray[np.int64]  # side on roll, state of the cube, whether the side on roll may double first


class Orders(NamedTuple):
    """How games are played. Of `numbers`: plies of the first turns, how many those are, plies of the later ones; plays
    looked at for the luck of a roll, 0 to leave luck in; turns until a game is cut short, 0 for never; whether there is
    a cube; whether a game ends where the bear-off is known; the seed."""

    numbers: NDArray[np.int64]  # (8,)
    strata: NDArray[np.int64]  # see dice.strata_of
    ladder: Ladder
    weights: NDArray[np.float32]  # (states, 2, 6) utility weights that choose a play, by state of the cube and side


class RollSpace(NamedTuple):
    """Memory of one thread's games."""

    space: Space
    board: NDArray[np.int8]  # (32,) seen by the side on roll
    after: NDArray[np.int8]  # (32,) seen by the side that played last
    deeper: NDArray[np.int8]  # (_DEEPER, 32)
    chances: NDArray[np.float32]  # (5,) of the side on roll
    probs: NDArray[np.float32]  # (5,) after a play, of the side that made it
    turned: NDArray[np.float32]  # (5,) the same, of the other side
    mean: NDArray[np.float64]  # (6,) over the 21 rolls: five chances and worth, of the side on roll
    luck: NDArray[np.float64]  # (6,) of the roll thrown; then of the whole game, side 0's
    total: NDArray[np.float64]  # (6,)


def roll_space(space: Space) -> RollSpace:
    """Fresh memory for one thread, around its `space`."""
    return RollSpace(
        space,
        np.zeros(BOARD, np.int8),
        np.zeros(BOARD, np.int8),
        np.zeros((_DEEPER, BOARD), np.int8),
        np.zeros(OUTPUTS, np.float32),
        np.zeros(OUTPUTS, np.float32),
        np.zeros(OUTPUTS, np.float32),
        np.zeros(RESULTS),
        np.zeros(RESULTS),
        np.zeros(RESULTS),
    )


@inner_float_kernel
def _worth_after(
    after: NDArray[np.int8],
    side: int,
    state: int,
    probs: NDArray[np.float32],
    orders: Orders,
    table: Bearoff,
    rolls: RollSpace,
    cube: CubeSpace,
) -> float:
    """What a position after a play of `side` is worth to it with the cube; `probs` are its chances."""
    ladder = orders.ladder
    if orders.numbers[BEAROFF] and in_pairs(after, ladder):
        return ladder.total - pair_worth(after, 1 - side, state, True, ladder, table)
    turn_probabilities(probs, rolls.turned)
    turned_board = rolls.space.turned
    flip(after, turned_board)
    cube_action(1 - side, state, rolls.turned, efficiency_at(turned_board, ladder.efficiency), ladder, cube)
    worth: float = cube.values[0]
    return ladder.total - worth


@inner_float_kernel
def _look_ahead(
    side: int,
    state: int,
    thrown1: int,
    thrown2: int,
    orders: Orders,
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    rolls: RollSpace,
    cube: CubeSpace,
) -> None:
    """The luck of the roll thrown, of the side on roll, to `rolls.luck`: five chances and worth."""
    space = rolls.space
    board = rolls.board
    mean = rolls.mean
    luck = rolls.luck
    weights = orders.weights[state, side]
    look = orders.numbers[LOOK]
    cubeful = orders.numbers[CUBEFUL] != 0
    for k in range(RESULTS):
        mean[k] = 0.0
    prepare_parent(board, net, space.net)
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            count = generate(board, die1, die2, space.plays)
            kept = keep_best(board, count, look, prune, space.plays, space.prune)
            best = -1
            top = 0.0
            for q in range(kept):
                i = space.prune.kept[q]
                evaluate_child(space.plays.boards[i], net, table, space.net)
                value = utility_of(weights, space.net.out)
                if best < 0 or value > top:
                    best = i
                    top = value
                    for k in range(OUTPUTS):
                        rolls.probs[k] = space.net.out[k]
            worth = 0.0
            if cubeful:
                worth = _worth_after(space.plays.boards[best], side, state, rolls.probs, orders, table, rolls, cube)
            chance = (1.0 if die1 == die2 else 2.0) / 36.0
            for k in range(OUTPUTS):
                mean[k] += chance * rolls.probs[k]
            mean[WORTH] += chance * worth
            if die1 == thrown1 and die2 == thrown2:
                for k in range(OUTPUTS):
                    luck[k] = rolls.probs[k]
                luck[WORTH] = worth
    for k in range(RESULTS):
        luck[k] -= mean[k]


@inner_float_kernel
def _choose(
    die1: int,
    die2: int,
    plies: int,
    weights: NDArray[np.float32],
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    rolls: RollSpace,
) -> None:
    """Make the best play: the board after it to `rolls.after`, its chances to `rolls.probs`."""
    space = rolls.space
    best, count = best_play(rolls.board, die1, die2, weights, net, table, space)
    if plies == 0 or count == 1:
        for k in range(BOARD):
            rolls.after[k] = space.plays.boards[best, k]
        for k in range(OUTPUTS):
            rolls.probs[k] = space.probs[best, k]
        return
    deeper = min(count, _DEEPER)
    for place in range(deeper):
        best = 0
        for i in range(1, count):
            if space.utility[i] > space.utility[best]:
                best = i
        for k in range(BOARD):
            rolls.deeper[place, k] = space.plays.boards[best, k]
        space.utility[best] = -np.inf
    top = 0.0
    for place in range(deeper):
        one_ply(rolls.deeper[place], weights, net, prune, table, space, rolls.turned)
        value = utility_of(weights, rolls.turned)
        if place == 0 or value > top:
            top = value
            for k in range(BOARD):
                rolls.after[k] = rolls.deeper[place, k]
            for k in range(OUTPUTS):
                rolls.probs[k] = rolls.turned[k]


@inner_float_kernel
def _add_luck(side: int, rolls: RollSpace) -> None:
    """Add the turn's luck to the game's, as side 0 sees it."""
    luck = rolls.luck
    total = rolls.total
    if side == 0:
        for k in range(RESULTS):
            total[k] += luck[k]
        return
    total[0] -= luck[0]
    total[1] += luck[3]
    total[2] += luck[4]
    total[3] += luck[1]
    total[4] += luck[2]
    total[WORTH] -= luck[WORTH]


@inner_float_kernel
def _finish(
    side: int,
    chances: NDArray[np.float32],
    worth: float,
    ladder: Ladder,
    rolls: RollSpace,
    result: NDArray[np.float64],
) -> None:
    """Write what the game came to, without its luck; `chances` and `worth` are of `side`."""
    if side == 0:
        for k in range(OUTPUTS):
            result[k] = chances[k] - rolls.total[k]
        result[WORTH] = worth - rolls.total[WORTH]
        return
    turn_probabilities(chances, rolls.turned)
    for k in range(OUTPUTS):
        result[k] = rolls.turned[k] - rolls.total[k]
    result[WORTH] = ladder.total - worth - rolls.total[WORTH]


@inner_float_kernel
def _won_worth(side: int, state: int, probs: NDArray[np.float32], ladder: Ladder) -> float:
    """What a game that the side has won, as `probs` say, is worth to it."""
    points = 1
    if not (ladder.idle and state == 0):
        points += (1 if probs[1] > 0 else 0) + (1 if probs[2] > 0 else 0)
    worth: float = ladder.worth[side, (state + 1) // 2, 3 + points]
    return worth


@inner_float_kernel
def _play_game(
    game: int,
    start: Start,
    orders: Orders,
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    rolls: RollSpace,
    cube: CubeSpace,
    stop: NDArray[np.uint8],
    result: NDArray[np.float64],
) -> bool:
    """Play one game and write what it came to; False if it was stopped."""
    numbers = orders.numbers
    ladder = orders.ladder
    cubeful = numbers[CUBEFUL] != 0
    bearoff = numbers[BEAROFF] != 0
    side = start.numbers[0]
    state = start.numbers[1]
    may_double = start.numbers[2] != 0
    after = rolls.after
    board = rolls.board
    chances = rolls.chances
    for k in range(BOARD):
        after[k] = start.board[k]
    for k in range(OUTPUTS):
        chances[k] = start.chances[k]
    for k in range(RESULTS):
        rolls.total[k] = 0.0
        rolls.luck[k] = 0.0
    turn = 0
    while stop[0] == 0:
        worth = 0.0
        if game_over(after):
            won_probabilities(after, rolls.probs)
            _finish(1 - side, rolls.probs, _won_worth(1 - side, state, rolls.probs, ladder), ladder, rolls, result)
            return True
        if bearoff and not cubeful and exact_probabilities(after, table, rolls.probs):
            _finish(1 - side, rolls.probs, worth, ladder, rolls, result)
            return True
        flip(after, board)
        if cubeful:
            if bearoff and in_pairs(after, ladder):
                worth = pair_worth(after, side, state, may_double, ladder, table)
                _finish(side, chances, worth, ladder, rolls, result)
                return True
            action = ROLL
            if may_double:
                action = cube_action(side, state, chances, efficiency_at(board, ladder.efficiency), ladder, cube)
                worth = cube.values[0]
            if action == PASS:
                _finish(side, chances, worth, ladder, rolls, result)
                return True
            if action != ROLL:
                state = turned(side, state, 2 if action == BEAVER else 1)
        if turn > 0 and (turn == numbers[TRUNCATE] or turn == MAX_TURNS):
            _finish(side, chances, worth, ladder, rolls, result)
            return True
        roll = game_roll(numbers[SEED], game, turn, orders.strata)
        die1 = max(roll // 6, roll % 6) + 1
        die2 = min(roll // 6, roll % 6) + 1
        if numbers[LOOK]:
            _look_ahead(side, state, die1, die2, orders, net, prune, table, rolls, cube)
            _add_luck(side, rolls)
        plies = numbers[FIRST_PLIES] if turn < numbers[FIRST_TURNS] else numbers[PLIES]
        _choose(die1, die2, plies, orders.weights[state, side], net, prune, table, rolls)
        turn_probabilities(rolls.probs, chances)
        side = 1 - side
        may_double = True
        turn += 1
    return False


@inner_float_kernel
def play_games(
    first: int,
    start: Start,
    orders: Orders,
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    rolls: RollSpace,
    cube: CubeSpace,
    stop: NDArray[np.uint8],
    results: NDArray[np.float64],
) -> int:
    """Play the games from number `first` on, one a row of `results` (n, 6), until `stop[0]` is not 0; how many ended.

    Games are independent of each other: the same number gives the same row, in any call."""
    for i in range(results.shape[0]):
        if not _play_game(first + i, start, orders, net, prune, table, rolls, cube, stop, results[i]):
            return i
    return len(results)


__all__ = ["MAX_TURNS", "RESULTS", "WORTH", "Orders", "RollSpace", "Start", "play_games", "roll_space"]
