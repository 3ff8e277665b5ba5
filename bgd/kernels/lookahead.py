"""The 21 rolls of a turn: what each comes to with its best play, and what they come to on average.

The difference is the luck of a roll, which rollouts take away. To keep it cheap, the best play is sought among the few
that the small network likes most; the luck has mean 0 all the same, since one way of looking serves all 21 rolls.
The positions after the first rolls come up in game after game of a rollout: what was found there is kept, together with
the plays made. It depends on nothing but the position, so that who looked first makes no difference.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import inner_kernel
from bgd.kernels.cubeful import CubeSpace, Ladder, efficiency_at
from bgd.kernels.decide import Space, turn_probabilities
from bgd.kernels.dice import CHANCES, ROLLS
from bgd.kernels.doubling import cube_action, in_pairs, pair_worth
from bgd.kernels.movegen import BOARD, MAX_PLAYS, flip, generate
from bgd.kernels.network import OUTPUTS, Net, evaluate_child, prepare_parent, utility_of
from bgd.kernels.prune import PruneNet, keep_best, within
from bgd.kernels.scalars import as_int

RESULTS = OUTPUTS + 1  # numbers kept of a roll, and of a game
WORTH = OUTPUTS  # the last of them: with the cube
SLOTS = 2048  # positions kept; the memory after them serves those that are not
NOBODY = -1  # no roll whose play is to be found
EVERY = ROLLS  # all of them

_PROBES = 32
_WINDOW = 0.2  # plays that the small network thinks so much worse than its best are not looked at
_NEAR = 0.08  # of what lies between a game won and lost: plays further behind cubeless are no better with the cube

# Entries of Orders.numbers.
FIRST_PLIES, FIRST_TURNS, PLIES, LOOK, TRUNCATE, CUBEFUL, BEAROFF, SEED, ROLLOUT = range(9)


class Orders(NamedTuple):
    """How games are played. Of `numbers`: plies of the first turns, how many those are, plies of the later ones; plays
    looked at for the luck of a roll, 0 to leave luck in; turns until a game is cut short, 0 for never; whether there is
    a cube; whether a game ends where the bear-off is known; the seed; a number of this rollout, no other's."""

    numbers: NDArray[np.int64]  # (9,)
    strata: NDArray[np.int64]  # see dice.strata_of
    ladder: Ladder
    weights: NDArray[np.float32]  # (states, 2, 6) utility weights that choose a play, by state of the cube and side


class Looks(NamedTuple):
    """What was found at positions before a roll, one a row; the last row is for the one that is not kept."""

    boards: NDArray[np.int8]  # (SLOTS + 1, 32) seen by the side on roll
    tags: NDArray[np.int64]  # (SLOTS + 1, 3) the rollout, side and state of the cube, plies
    means: NDArray[np.float64]  # (SLOTS + 1, 6) over the 21 rolls: five chances and worth, of the side on roll
    rolls: NDArray[np.float64]  # (SLOTS + 1, 21, 6) the same of each roll
    known: NDArray[np.uint8]  # (SLOTS + 1, 21) whether the play to be made is known; if so:
    afters: NDArray[np.int8]  # (SLOTS + 1, 21, 32) the board after it, seen by the side that made it
    probs: NDArray[np.float32]  # (SLOTS + 1, 21, 5) its chances
    others: NDArray[np.uint8]  # (MAX_PLAYS,) work: whether a play is among those the small network likes


def looks() -> Looks:
    """Fresh memory for one thread; 5 MB, of which a rollout touches what it needs."""
    return Looks(
        np.zeros((SLOTS + 1, BOARD), np.int8),
        np.zeros((SLOTS + 1, 3), np.int64),
        np.zeros((SLOTS + 1, RESULTS)),
        np.zeros((SLOTS + 1, ROLLS, RESULTS)),
        np.zeros((SLOTS + 1, ROLLS), np.uint8),
        np.zeros((SLOTS + 1, ROLLS, BOARD), np.int8),
        np.zeros((SLOTS + 1, ROLLS, OUTPUTS), np.float32),
        np.zeros(MAX_PLAYS, np.uint8),
    )


@inner_kernel
def roll_index(die1: int, die2: int) -> int:
    """The place of a roll in the order 11, 21, 22, 31, ...; die1 >= die2."""
    return die1 * (die1 - 1) // 2 + die2 - 1


@inner_kernel
def slot_of(board: NDArray[np.int8], rollout: int, cube: int, plies: int, space: Looks) -> tuple[int, bool]:
    """The row of a position, and whether this rollout has looked at it; the last row, and no, if there is no room.

    `cube`: twice the state of the cube, and the side on roll."""
    key = np.uint64(0xCBF29CE484222325) ^ np.uint64(cube)
    for k in range(26):
        key = (key ^ np.uint64(np.uint8(board[k]))) * np.uint64(0x100000001B3)
    slot = as_int((key ^ (key >> np.uint64(29))) & np.uint64(SLOTS - 1))
    for _ in range(_PROBES):
        if space.tags[slot, 0] != rollout:
            space.tags[slot, 0] = rollout
            space.tags[slot, 1] = cube
            space.tags[slot, 2] = plies
            for k in range(BOARD):
                space.boards[slot, k] = board[k]
            return slot, False
        same = space.tags[slot, 1] == cube and space.tags[slot, 2] == plies
        for k in range(26):
            same = same and space.boards[slot, k] == board[k]
        if same:
            return slot, True
        slot = (slot + 1) & (SLOTS - 1)
    return SLOTS, False


@inner_kernel
def worth_after(
    after: NDArray[np.int8],
    side: int,
    state: int,
    probs: NDArray[np.float32],
    orders: Orders,
    table: Bearoff,
    space: Space,
    cube: CubeSpace,
) -> float:
    """What a position after a play of `side` is worth to it with the cube; `probs` are its chances."""
    ladder = orders.ladder
    if in_pairs(after, ladder):
        return ladder.total - pair_worth(after, 1 - side, state, True, ladder, table)
    theirs = space.best
    turn_probabilities(probs, theirs)
    turned_board = space.turned
    flip(after, turned_board)
    cube_action(1 - side, state, theirs, efficiency_at(turned_board, ladder.efficiency), ladder, cube)
    worth: float = cube.values[0]
    return ladder.total - worth


@inner_kernel
def evaluate_some(first: int, last: int, weights: NDArray[np.float32], net: Net, table: Bearoff, space: Space) -> None:
    """Evaluate the plays `space.prune.kept[first:last]` of the parent that is prepared."""
    for q in range(first, last):
        i = space.prune.kept[q]
        evaluate_child(space.plays.boards[i], net, table, space.net)
        space.utility[i] = utility_of(weights, space.net.out)
        for k in range(OUTPUTS):
            space.probs[i, k] = space.net.out[k]


@inner_kernel
def pick(
    kept: int, side: int, state: int, orders: Orders, table: Bearoff, space: Space, cube: CubeSpace
) -> tuple[int, float]:
    """The best of the plays `space.prune.kept[:kept]`, which have been evaluated, of equals the first generated; and
    its worth with the cube, 0 without one."""
    best = -1
    for q in range(kept):
        i = space.prune.kept[q]
        value = space.utility[i]
        if best < 0 or value > space.utility[best] or (value == space.utility[best] and i < best):
            best = i
    if not orders.numbers[CUBEFUL]:
        return best, 0.0
    least = space.utility[best] - _NEAR * orders.weights[state, side, 1]
    found = -1
    top = 0.0
    for q in range(kept):
        i = space.prune.kept[q]
        if space.utility[i] >= least:
            worth = worth_after(space.plays.boards[i], side, state, space.probs[i], orders, table, space, cube)
            if found < 0 or worth > top or (worth == top and i < found):
                found = i
                top = worth
    return found, top


@inner_kernel
def look(
    board: NDArray[np.int8],
    slot: int,
    side: int,
    state: int,
    wanted: int,
    orders: Orders,
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    space: Space,
    cube: CubeSpace,
    found: Looks,
) -> None:
    """Look at the 21 rolls of `side`, on roll at `board`, and write to the row `slot` of `found` what each comes to.

    `wanted`: the roll whose best play of all is to be found, too; or EVERY, with all plays looked at; or NOBODY."""
    weights = orders.weights[state, side]
    means = found.means[slot]
    for k in range(RESULTS):
        means[k] = 0.0
    prepare_parent(board, net, space.net)
    roll = 0
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            count = generate(board, die1, die2, space.plays)
            keep = count if wanted == EVERY else orders.numbers[LOOK]
            kept = keep_best(board, count, keep, prune, space.plays, space.prune)
            if kept < count:
                kept = within(kept, _WINDOW, space.prune)
            evaluate_some(0, kept, weights, net, table, space)
            best, worth = pick(kept, side, state, orders, table, space, cube)
            here = found.rolls[slot, roll]
            for k in range(OUTPUTS):
                here[k] = space.probs[best, k]
            here[WORTH] = worth
            for k in range(RESULTS):
                means[k] += CHANCES[roll] * here[k]
            found.known[slot, roll] = 0
            if wanted in (roll, EVERY):
                if kept < count:
                    for i in range(count):
                        found.others[i] = 1
                    for q in range(kept):
                        found.others[space.prune.kept[q]] = 0
                    place = kept
                    for i in range(count):
                        space.prune.kept[place] = i
                        place += found.others[i]
                    evaluate_some(kept, count, weights, net, table, space)
                    best, _ = pick(count, side, state, orders, table, space, cube)
                note_play(slot, roll, space.plays.boards[best], space.probs[best], found)
            roll += 1


@inner_kernel
def note_play(slot: int, roll: int, after: NDArray[np.int8], probs: NDArray[np.float32], found: Looks) -> None:
    """Keep the play made with a roll."""
    for k in range(BOARD):
        found.afters[slot, roll, k] = after[k]
    for k in range(OUTPUTS):
        found.probs[slot, roll, k] = probs[k]
    found.known[slot, roll] = 1


__all__ = [
    "BEAROFF",
    "CUBEFUL",
    "EVERY",
    "FIRST_PLIES",
    "FIRST_TURNS",
    "LOOK",
    "NOBODY",
    "PLIES",
    "RESULTS",
    "ROLLOUT",
    "SEED",
    "SLOTS",
    "TRUNCATE",
    "WORTH",
    "Looks",
    "Orders",
    "evaluate_some",
    "look",
    "looks",
    "note_play",
    "pick",
    "roll_index",
    "slot_of",
    "worth_after",
]
