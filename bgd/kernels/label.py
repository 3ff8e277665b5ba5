"""Games whose positions are labelled by a look one ply ahead, and whose plays are chosen by it: the teacher's lessons.

A label is what the network should have said of a position after a play: the mean, over the opponent's 21 rolls, of its
own opinion after his best reply. Every look that chooses a play also gives labels, so that none is wasted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import float_kernel, kernel
from bgd.kernels.decide import Space, best_play_pruned, one_ply
from bgd.kernels.encode import CLASS_MASK, DEEP, GROUPS, encode
from bgd.kernels.movegen import BOARD, MAX_PLAYS, flip, generate
from bgd.kernels.network import OUTPUTS, Net, exact_probabilities, utility_of
from bgd.kernels.prune import PruneNet, learn_score
from bgd.kernels.scalars import as_single
from bgd.kernels.selfplay import MAX_TURNS, Hard, Starts, begin_game, remember_if_hard

CANDIDATES = 3  # plays of one decision that are labelled: the best by the network's opinion
_MARGIN = 0.25  # and not worse than the best by more than this equity
_SPARE = 16  # labels that may come on top of those wanted, from the last decision


@float_kernel
def _candidates(best: int, kept: int, space: Space, boards: NDArray[np.int8], most: int) -> int:
    """Copy the boards of the best few plays of the decision in `space` to `boards`, best first; their number."""
    margin = space.utility[best] - as_single(_MARGIN)
    found = 0
    while found < most:
        top = -1
        for q in range(kept):
            i = space.prune.kept[q]
            if space.utility[i] >= margin and (top < 0 or space.utility[i] > space.utility[top]):
                top = i
        if top < 0:
            break
        for k in range(BOARD):
            boards[found, k] = space.plays.boards[top, k]
        space.utility[top] = -100
        found += 1
    return found


@float_kernel
def label_games(
    wanted: int,
    share: float,
    share_hard: float,
    keep: int,
    look_at_all: float,
    prune_rate: float,
    start: NDArray[np.int8],
    starts: Starts,
    hard: Hard,
    weights: NDArray[np.float32],
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    space: Space,
    boards: NDArray[np.int8],
    labels: NDArray[np.float32],
) -> int:
    """Fill `boards` (wanted + 16, 32), positions after a play, and `labels` (.., 5); returns how many there are.

    In a share of the decisions, another one in hard positions, the best few plays are labelled and the best of them by
    its label is played; in the others the best by the network's opinion is played."""
    board = np.zeros(BOARD, np.int8)
    few = np.zeros((CANDIDATES, BOARD), np.int8)
    out = np.zeros(OUTPUTS, np.float32)
    rows = np.zeros(GROUPS, np.int64)
    done = 0
    while done < wanted:
        die1 = np.random.randint(1, 7)
        die2 = np.random.randint(1, 7)
        while die1 == die2:
            die2 = np.random.randint(1, 7)
        random_plays, natural = begin_game(board, start, starts, hard)
        wander = 0.0
        if np.random.random() < starts.wandering:
            wander = np.random.random() * starts.wander_rate
        for turn in range(MAX_TURNS):
            if done >= wanted:
                break
            found = 0
            if turn < random_plays or np.random.random() < wander:
                count = generate(board, die1, die2, space.plays)
                chosen = np.random.randint(0, count)
                for k in range(BOARD):
                    few[0, k] = space.plays.boards[chosen, k]
                if turn >= random_plays or np.random.random() < 0.2:
                    found = 1 if np.random.random() < 0.2 else 0
            else:
                all_plays = np.random.random() < look_at_all
                best, count, kept = best_play_pruned(
                    board, die1, die2, MAX_PLAYS if all_plays else keep, weights, net, prune, table, space
                )
                if all_plays and count > keep:
                    for q in range(4):
                        i = best if q == 0 else np.random.randint(0, count)
                        learn_score(space.plays.boards[i], space.utility[i], prune_rate, prune, space.prune)
                deep = encode(space.plays.boards[best], rows) & CLASS_MASK == DEEP
                look = np.random.random() < (share_hard if deep else share)
                found = _candidates(best, kept, space, few, CANDIDATES if look else 1)
                if not look:
                    found = 0
            top = as_single(-100)
            play = 0
            for c in range(found):
                if exact_probabilities(few[c], table, out):
                    value = utility_of(weights, out)
                else:
                    one_ply(few[c], weights, net, prune, table, space, out)
                    value = utility_of(weights, out)
                    for k in range(BOARD):
                        boards[done, k] = few[c, k]
                    for k in range(OUTPUTS):
                        labels[done, k] = out[k]
                    done += 1
                if value > top:
                    top = value
                    play = c
            if exact_probabilities(few[play], table, out):
                break
            flip(few[play], board)
            if natural:
                remember_if_hard(board, encode(few[play], rows), hard)
            die1 = np.random.randint(1, 7)
            die2 = np.random.randint(1, 7)
    return done


@kernel
def store_labels(
    boards: NDArray[np.int8],
    labels: NDArray[np.float32],
    count: int,
    place: int,
    rows: NDArray[np.int16],
    kinds: NDArray[np.int16],
    targets: NDArray[np.float32],
) -> None:
    """Encode `count` labelled boards into a ring of lessons, from `place` on, over the oldest."""
    size = rows.shape[0]
    active = np.zeros(GROUPS, np.int64)
    for i in range(count):
        at = (place + i) % size
        kinds[at] = encode(boards[i], active)
        for group in range(GROUPS):
            rows[at, group] = active[group]
        for k in range(OUTPUTS):
            targets[at, k] = labels[i, k]
