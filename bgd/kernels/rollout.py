"""Games played out from a position: what it is worth, by what becomes of it.

A block of games is one call. Each game is played by both sides, cubeless or with the cube, to its end, to the exact
bear-off, or so many turns deep. Luck is taken away as it comes: in each turn what the roll comes to, less the mean over
the 21 rolls (see lookahead). Whatever the network thinks of them, luck has mean 0; the better it thinks, the less is
left of the spread.

Side 0 is the one whose results are kept: five chances, and the worth of the game with the cube (see cubeful). Where a
double is passed, the chances are the network's at that moment, since nobody plays on.

Decisions at 0 plies are made here. For those at more a call comes back with a question (ASKS): `RollSpace.at` says what
is asked, the answer is written to the workspace, and the same call goes on from there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import inner_kernel
from bgd.kernels.cubeful import CubeSpace, Ladder, efficiency_at
from bgd.kernels.decide import Space, turn_probabilities
from bgd.kernels.dice import game_roll
from bgd.kernels.doubling import BEAVER, PASS, ROLL, cube_action, in_pairs, owner_of, pair_worth, turned
from bgd.kernels.lookahead import (
    BEAROFF,
    CUBEFUL,
    EVERY,
    FIRST_PLIES,
    FIRST_TURNS,
    LOOK,
    NOBODY,
    PLIES,
    RESULTS,
    ROLLOUT,
    SEED,
    SLOTS,
    TRUNCATE,
    WORTH,
    Looks,
    Orders,
    evaluate_some,
    look,
    looks,
    note_play,
    pick,
    roll_index,
    slot_of,
)
from bgd.kernels.movegen import BOARD, flip, generate
from bgd.kernels.network import (
    OUTPUTS,
    Net,
    exact_probabilities,
    game_over,
    prepare_parent,
    won_probabilities,
)
from bgd.kernels.prune import PruneNet
from bgd.kernels.scalars import as_int

MAX_TURNS = 4000  # a game still not over is worth what the network says; no game was seen to last 1,000
ASKS = -1  # instead of a number of games: a decision is asked for
_WHOLE = 2  # turns of which all plays of all rolls are looked at, once for all games
_KEPT = 3  # turns of which looks are kept
_WON = 4  # column of Ladder.worth: a single game

# Entries of RollSpace.at: where the game under way stands. What is asked; the place of the game in its call; turn, side
# on roll, state of the cube, whether that side may double; dice; where the look at the position is kept; plies wanted;
# the answer to A_CUBE, one of doubling's.
ASKED, GAME, TURN, SIDE, STATE, MAY_DOUBLE, DIE1, DIE2, SLOT, DEEP, ANSWER = range(11)
NOTHING, A_PLAY, A_CUBE = range(3)  # A_PLAY is answered by `after` and `probs`


class Start(NamedTuple):
    """Where every game begins."""

    board: NDArray[np.int8]  # (32,) seen by the side that played last; the other is on roll
    chances: NDArray[np.float32]  # (5,) of the side on roll, by the network
    numbers: NDArray[np.int64]  # side on roll, state of the cube, whether the side on roll may double first


class RollSpace(NamedTuple):
    """Memory of one thread's games."""

    space: Space
    looks: Looks
    at: NDArray[np.int64]  # (11,)
    board: NDArray[np.int8]  # (32,) seen by the side on roll
    after: NDArray[np.int8]  # (32,) seen by the side that played last
    chances: NDArray[np.float32]  # (5,) of the side on roll
    probs: NDArray[np.float32]  # (5,) after a play, of the side that made it
    turned: NDArray[np.float32]  # (5,) of the other side
    luck: NDArray[np.float64]  # (6,) of the roll thrown
    total: NDArray[np.float64]  # (6,) of the whole game, side 0's


def roll_space(space: Space) -> RollSpace:
    """Fresh memory for one thread, around its `space`."""
    return RollSpace(
        space,
        looks(),
        np.zeros(11, np.int64),
        np.zeros(BOARD, np.int8),
        np.zeros(BOARD, np.int8),
        np.zeros(OUTPUTS, np.float32),
        np.zeros(OUTPUTS, np.float32),
        np.zeros(OUTPUTS, np.float32),
        np.zeros(RESULTS),
        np.zeros(RESULTS),
    )


@inner_kernel
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


@inner_kernel
def _finish(
    side: int,
    chances: NDArray[np.float32],
    worth: float,
    ladder: Ladder,
    rolls: RollSpace,
    result: NDArray[np.float64],
) -> bool:
    """Write what the game came to, without its luck; `chances` and `worth` are of `side`."""
    if side == 0:
        for k in range(OUTPUTS):
            result[k] = chances[k] - rolls.total[k]
        result[WORTH] = worth - rolls.total[WORTH]
        return True
    turn_probabilities(chances, rolls.turned)
    for k in range(OUTPUTS):
        result[k] = rolls.turned[k] - rolls.total[k]
    result[WORTH] = ladder.total - worth - rolls.total[WORTH]
    return True


@inner_kernel
def _won_worth(side: int, state: int, probs: NDArray[np.float32], ladder: Ladder) -> float:
    """What a game that the side has won, as `probs` say, is worth to it."""
    points = 1
    if not (ladder.idle and state == 0):
        points += (1 if probs[1] > 0 else 0) + (1 if probs[2] > 0 else 0)
    worth: float = ladder.worth[side, (state + 1) // 2, 3 + points]
    return worth


@inner_kernel
def _may_turn(side: int, state: int, ladder: Ladder) -> bool:
    """Whether `side` might turn the cube."""
    level = (state + 1) // 2
    held = owner_of(state, ladder) != 1 - side
    return held and level + 1 < ladder.usable.shape[1] and bool(ladder.usable[side, level])


@inner_kernel
def _choose(
    die1: int,
    die2: int,
    side: int,
    state: int,
    orders: Orders,
    net: Net,
    table: Bearoff,
    rolls: RollSpace,
    cube: CubeSpace,
) -> None:
    """Make the best play at 0 plies: the board after it to `rolls.after`, its chances to `rolls.probs`."""
    space = rolls.space
    count = generate(rolls.board, die1, die2, space.plays)
    for i in range(count):
        space.prune.kept[i] = i
    prepare_parent(rolls.board, net, space.net)
    evaluate_some(0, count, orders.weights[state, side], net, table, space)
    best, _ = pick(count, side, state, orders, table, space, cube)
    for k in range(BOARD):
        rolls.after[k] = space.plays.boards[best, k]
    for k in range(OUTPUTS):
        rolls.probs[k] = space.probs[best, k]


@inner_kernel
def _begin(start: Start, rolls: RollSpace) -> None:
    at = rolls.at
    at[TURN] = 0
    at[SIDE] = start.numbers[0]
    at[STATE] = start.numbers[1]
    at[MAY_DOUBLE] = start.numbers[2]
    for k in range(BOARD):
        rolls.after[k] = start.board[k]
    for k in range(OUTPUTS):
        rolls.chances[k] = start.chances[k]
    for k in range(RESULTS):
        rolls.total[k] = 0.0


@inner_kernel
def _throw(
    game: int,
    plies: int,
    orders: Orders,
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    rolls: RollSpace,
    cube: CubeSpace,
) -> bool:
    """Throw the dice, take their luck away and make the play at 0 plies; False if it is asked for at more."""
    at = rolls.at
    numbers = orders.numbers
    found = rolls.looks
    turn, side, state = at[TURN], at[SIDE], at[STATE]
    roll = game_roll(numbers[SEED], game, turn, orders.strata)
    at[DIE1] = max(roll // 6, roll % 6) + 1
    at[DIE2] = min(roll // 6, roll % 6) + 1
    thrown = roll_index(at[DIE1], at[DIE2])
    slot = -1
    if numbers[LOOK]:
        slot = SLOTS
        seen = False
        if turn < _KEPT:
            slot, seen = slot_of(rolls.board, numbers[ROLLOUT], 2 * state + side, plies, found)
        if not seen:
            wanted = NOBODY
            if plies == 0:
                wanted = EVERY if turn < _WHOLE else thrown
            look(rolls.board, slot, side, state, wanted, orders, net, prune, table, rolls.space, cube, found)
        for k in range(RESULTS):
            rolls.luck[k] = found.rolls[slot, thrown, k] - found.means[slot, k]
        _add_luck(side, rolls)
        if found.known[slot, thrown]:
            for k in range(BOARD):
                rolls.after[k] = found.afters[slot, thrown, k]
            for k in range(OUTPUTS):
                rolls.probs[k] = found.probs[slot, thrown, k]
            return True
    at[SLOT] = slot
    if plies > 0:
        at[ASKED] = A_PLAY
        at[DEEP] = plies
        return False
    _choose(at[DIE1], at[DIE2], side, state, orders, net, table, rolls, cube)
    if slot >= 0:
        note_play(slot, thrown, rolls.after, rolls.probs, found)
    return True


@inner_kernel
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
    """Play one game, or go on with it after an answer, and write what it came to; False if it was stopped, or asks."""
    numbers = orders.numbers
    ladder = orders.ladder
    cubeful = numbers[CUBEFUL] != 0
    bearoff = numbers[BEAROFF] != 0
    at = rolls.at
    after = rolls.after
    chances = rolls.chances
    asked = at[ASKED]
    at[ASKED] = NOTHING
    if asked == NOTHING:
        _begin(start, rolls)
    while stop[0] == 0:
        turn, side, state = at[TURN], at[SIDE], at[STATE]
        plies = numbers[FIRST_PLIES] if turn < numbers[FIRST_TURNS] else numbers[PLIES]
        if asked == A_PLAY:
            asked = NOTHING
            if at[SLOT] >= 0:
                note_play(at[SLOT], roll_index(at[DIE1], at[DIE2]), after, rolls.probs, rolls.looks)
        else:
            worth = 0.0
            if game_over(after):
                won_probabilities(after, rolls.probs)
                won = _won_worth(1 - side, state, rolls.probs, ladder)
                return _finish(1 - side, rolls.probs, won, ladder, rolls, result)
            if bearoff and not cubeful and exact_probabilities(after, table, rolls.probs):
                return _finish(1 - side, rolls.probs, worth, ladder, rolls, result)
            flip(after, rolls.board)
            if cubeful:
                may_double = at[MAY_DOUBLE] != 0
                if bearoff and in_pairs(after, ladder):
                    worth = pair_worth(after, side, state, may_double, ladder, table)
                    return _finish(side, chances, worth, ladder, rolls, result)
                action = ROLL
                if may_double:
                    efficiency = efficiency_at(rolls.board, ladder.efficiency)
                    action = cube_action(side, state, chances, efficiency, ladder, cube)
                    worth = cube.values[0]
                if asked == A_CUBE:
                    asked = NOTHING
                    action = at[ANSWER]
                elif plies > 0 and may_double and _may_turn(side, state, ladder):
                    at[ASKED] = A_CUBE
                    at[DEEP] = plies
                    return False
                if action == PASS:
                    worth = ladder.worth[side, (state + 1) // 2, _WON]
                    return _finish(side, chances, worth, ladder, rolls, result)
                if action != ROLL:
                    state = turned(side, state, 2 if action == BEAVER else 1)
                    at[STATE] = state
            if turn > 0 and (turn == numbers[TRUNCATE] or turn == MAX_TURNS):
                return _finish(side, chances, worth, ladder, rolls, result)
            if not _throw(game, plies, orders, net, prune, table, rolls, cube):
                return False
        turn_probabilities(rolls.probs, chances)
        at[SIDE] = 1 - side
        at[MAY_DOUBLE] = 1
        at[TURN] = turn + 1
    return False


@inner_kernel
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
    ASKS when a decision above 0 plies is needed: answer it, as `rolls.at` says, and call again. Before the first call
    `rolls.at[ASKED]` is to be NOTHING.

    Games are independent of each other: the same number gives the same row, in any call."""
    i = as_int(0)
    if rolls.at[ASKED] != NOTHING:
        i = as_int(rolls.at[GAME])
    while i < results.shape[0]:
        if not _play_game(first + i, start, orders, net, prune, table, rolls, cube, stop, results[i]):
            rolls.at[GAME] = i
            return i if rolls.at[ASKED] == NOTHING else ASKS
        i += 1
    return i


__all__ = [
    "ANSWER",
    "ASKED",
    "ASKS",
    "A_CUBE",
    "A_PLAY",
    "DEEP",
    "DIE1",
    "DIE2",
    "MAX_TURNS",
    "NOTHING",
    "RESULTS",
    "SIDE",
    "STATE",
    "WORTH",
    "Orders",
    "RollSpace",
    "Start",
    "play_games",
    "roll_space",
]
