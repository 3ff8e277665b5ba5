"""Layers of a search: from boards on roll to the best reply to each of the 21 rolls, many boards a call.

A search of n plies is n layers deep. Each layer holds distinct boards, all with the same side on roll; `expand` finds
for each of them and each roll the reply that the large network likes best among the few that the small one keeps, and
`distinct` joins equal replies into the boards of the next layer, so that no position is searched twice in a decision.
What a board expands to depends on nothing but the board, the weights and `keep`: any split of a layer over calls and
threads gives the same bytes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.bundle import Bundle
from bgd.kernels.cache import float_kernel, inner_float_kernel, inner_kernel
from bgd.kernels.decide import Space
from bgd.kernels.home import both_home
from bgd.kernels.movegen import BOARD, flip, generate
from bgd.kernels.network import EXACT, OUTPUTS, Net, evaluate_child, game_over, prepare_parent, utility_of
from bgd.kernels.prune import PruneNet, PruneSpace, keep_best
from bgd.kernels.scalars import as_int, as_single
from bgd.kernels.twosided import in_table

ROLLS = 21
# What follows a reply: more play of unknown value; a race inside both home boards, whose chances are known; one of few
# men, whose worth in money play is known with the cube besides; nothing.
OPEN, KNOWN, SOLVED, OVER = 0, 1, 2, 3

CHANCES: NDArray[np.float64] = np.array(
    [(1.0 if die1 == die2 else 2.0) / 36.0 for die1 in range(1, 7) for die2 in range(1, die1 + 1)]
)
"""The chance of each roll, in the order of `expand`: 11, 21, 22, 31, ..."""


@inner_float_kernel
def within(kept: int, window: float, space: PruneSpace) -> int:
    """How many of the plays that `keep_best` chose are not worse than the best by more than `window`."""
    least = space.scores[space.kept[0]] - as_single(window)
    while space.scores[space.kept[kept - 1]] < least:
        kept -= 1
    return kept


@inner_kernel
def _end_of(board: NDArray[np.int8]) -> int:
    """What follows `board`, after a play of the side that sees it."""
    if game_over(board):
        return OVER
    if not both_home(board):
        return OPEN
    return SOLVED if in_table(board) else KNOWN


@inner_float_kernel
def expand(
    boards: NDArray[np.int8],
    keep: int,
    window: float,
    weights: NDArray[np.float32],
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    space: Space,
    probs: NDArray[np.float32],
    children: NDArray[np.int8],
    ends: NDArray[np.uint8],
) -> None:
    """For each of `boards` (n, 32), seen by the side on roll, and each roll, the best reply by `weights`, that side's.

    Writes the roller's chances after it to `probs` (n, 21, 5), the board, seen by the other side, to `children`
    (n, 21, 32), and what follows to `ends` (n, 21). About 0.1 ms a board."""
    for i in range(boards.shape[0]):
        board = boards[i]
        prepare_parent(board, net, space.net)
        roll = 0
        for die1 in range(1, 7):
            for die2 in range(1, die1 + 1):
                count = generate(board, die1, die2, space.plays)
                kept = keep_best(board, count, keep, prune, space.plays, space.prune)
                if kept < count:
                    kept = within(kept, window, space.prune)
                best = 0
                end = OPEN
                top = as_single(0)
                for q in range(kept):
                    play = space.prune.kept[q]
                    source = evaluate_child(space.plays.boards[play], net, table, space.net)
                    value = utility_of(weights, space.net.out)
                    if q == 0 or value > top:
                        top = value
                        best = play
                        end = KNOWN if source == EXACT else OPEN
                        for k in range(OUTPUTS):
                            probs[i, roll, k] = space.net.out[k]
                if end == KNOWN:
                    end = _end_of(space.plays.boards[best])
                flip(space.plays.boards[best], children[i, roll])
                ends[i, roll] = end
                roll += 1


@inner_kernel
def ends_of(boards: NDArray[np.int8], ends: NDArray[np.uint8]) -> None:
    """What follows `boards` (n, 32), each after a play of the side that sees it."""
    for i in range(boards.shape[0]):
        ends[i] = _end_of(boards[i])


@float_kernel
def expand_of(
    boards: NDArray[np.int8],
    keep: int,
    window: float,
    weights: NDArray[np.float32],
    prune: PruneNet,
    everything: Bundle,
    probs: NDArray[np.float32],
    children: NDArray[np.int8],
    ends: NDArray[np.uint8],
) -> None:
    """`expand` with a bundle."""
    net, table, space = everything.net, everything.table, everything.space
    expand(boards, keep, window, weights, net, prune, table, space, probs, children, ends)


@inner_kernel
def _hash(board: NDArray[np.int8]) -> int:
    """The FNV-1a hash of the 26 entries, mixed once more and never negative."""
    key = np.uint64(0xCBF29CE484222325)
    for k in range(26):
        key = (key ^ np.uint64(np.uint8(board[k]))) * np.uint64(0x100000001B3)
    key ^= key >> np.uint64(29)
    return as_int(key >> np.uint64(1))


@inner_kernel
def _distinct(
    boards: NDArray[np.int8],
    ends: NDArray[np.uint8],
    last_end: int,
    table: NDArray[np.int64],
    out: NDArray[np.int8],
    index: NDArray[np.int64],
) -> int:
    """`distinct` into memory of the caller: `table` has a power of two of entries, at least 2 n, all -1."""
    mask = table.shape[0] - 1
    count = 0
    for i in range(boards.shape[0]):
        index[i] = -1
        if ends[i] > last_end:
            continue
        slot = _hash(boards[i]) & mask
        while index[i] < 0:
            there = table[slot]
            if there < 0:
                table[slot] = count
                for k in range(BOARD):
                    out[count, k] = boards[i, k]
                index[i] = count
                count += 1
            else:
                same = True
                for k in range(26):
                    same = same and out[there, k] == boards[i, k]
                if same:
                    index[i] = there
                slot = (slot + 1) & mask
    return count


def distinct(
    boards: NDArray[np.int8], ends: NDArray[np.uint8], last_end: int
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The different ones of `boards` (n, 32) whose end is at most `last_end`, in order of their first appearance, and
    for each board its place among them, -1 if it was left out."""
    count = len(boards)
    table = np.full(1 << max(4, (2 * count - 1).bit_length()), -1, np.int64)
    out = np.empty((count, BOARD), np.int8)
    index = np.empty(count, np.int64)
    found = _distinct(boards, ends, last_end, table, out, index)
    return out[:found], index


@inner_kernel
def average(
    probs: NDArray[np.float32], index: NDArray[np.int64], below: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """The chances (n, 5) of the side on roll before its roll, to `out`.

    A roll counts with the chances `below`, the other side's, of the board of the next layer that `index` (n, 21) names,
    or where it names none with `probs` (n, 21, 5), the roller's after the reply."""
    for i in range(probs.shape[0]):
        for k in range(OUTPUTS):
            out[i, k] = 0.0
        for roll in range(ROLLS):
            chance = CHANCES[roll]
            there = index[i, roll]
            if there < 0:
                for k in range(OUTPUTS):
                    out[i, k] += chance * probs[i, roll, k]
            else:
                out[i, 0] += chance * (1.0 - below[there, 0])
                out[i, 1] += chance * below[there, 3]
                out[i, 2] += chance * below[there, 4]
                out[i, 3] += chance * below[there, 1]
                out[i, 4] += chance * below[there, 2]
