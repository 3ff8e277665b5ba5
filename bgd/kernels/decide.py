"""One kernel call a decision: generate the plays, evaluate each, take the best by a linear utility.

"Plies" are counted as gnubg counts them: 0 is the network itself, 1 the mean over the opponent's 21 rolls of his best
reply by the network. The opponent's utility is the mover's with the sign changed; the weights say how.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.cache import inlined_kernel, inner_kernel, kernel
from bgd.kernels.movegen import BOARD, MAX_PLAYS, PlaySpace, flip, generate, play_space
from bgd.kernels.network import (
    EXACT,
    OUTPUTS,
    Net,
    NetSpace,
    evaluate_board,
    evaluate_child,
    exact_probabilities,
    game_over,
    nest,
    net_space,
    prepare_parent,
    utility_of,
    won_probabilities,
)
from bgd.kernels.prune import PruneNet, PruneSpace, keep_best, prune_space
from bgd.kernels.scalars import as_single

REPLIES_KEPT = 8  # replies that the large network looks at for each roll of the opponent in a 1-ply evaluation


class Space(NamedTuple):
    """All memory of one thread."""

    plays: PlaySpace
    net: NetSpace
    prune: PruneSpace
    probs: NDArray[np.float32]  # (MAX_PLAYS, OUTPUTS) of the plays looked at
    utility: NDArray[np.float32]  # (MAX_PLAYS,)
    best: NDArray[np.float32]  # (OUTPUTS,) of the best reply
    turned: NDArray[np.int8]  # (32,) a board seen by the other side
    theirs: NDArray[np.float32]  # (6,) utility weights of the other side


def space_for(net: Net) -> Space:
    """Fresh memory for one thread."""
    return Space(
        play_space(),
        net_space(net),
        prune_space(),
        np.zeros((MAX_PLAYS, OUTPUTS), np.float32),
        np.zeros(MAX_PLAYS, np.float32),
        np.zeros(OUTPUTS, np.float32),
        np.zeros(BOARD, np.int8),
        np.zeros(6, np.float32),
    )


@inner_kernel
def turn_probabilities(source: NDArray[np.float32], target: NDArray[np.float32]) -> None:
    """The five numbers as the other side sees them."""
    win = source[0]
    win_gammon = source[1]
    win_backgammon = source[2]
    target[0] = as_single(1) - win
    target[1] = source[3]
    target[2] = source[4]
    target[3] = win_gammon
    target[4] = win_backgammon


@inner_kernel
def turn_weights(source: NDArray[np.float32], target: NDArray[np.float32]) -> None:
    """Weights such that their utility of the opponent's numbers is minus `source`'s utility of the mover's."""
    constant = source[0]
    win = source[1]
    win_gammon = source[2]
    win_backgammon = source[3]
    target[0] = -constant - win
    target[1] = win
    target[2] = -source[4]
    target[3] = -source[5]
    target[4] = -win_gammon
    target[5] = -win_backgammon


@inlined_kernel
def evaluate_kept(
    board: NDArray[np.int8], kept: int, weights: NDArray[np.float32], net: Net, table: Bearoff, space: Space
) -> int:
    """Evaluate the plays `space.prune.kept[:kept]` of `board`; returns the index of the best, of equals the first."""
    prepare_parent(board, net, space.net)
    best = -1
    for q in range(kept):
        i = space.prune.kept[q]
        evaluate_child(space.plays.boards[i], net, table, space.net)
        value = utility_of(weights, space.net.out)
        space.utility[i] = value
        for k in range(OUTPUTS):
            space.probs[i, k] = space.net.out[k]
        if best < 0 or value > space.utility[best]:
            best = i
    return best


@inner_kernel
def best_play_pruned(
    board: NDArray[np.int8],
    die1: int,
    die2: int,
    keep: int,
    weights: NDArray[np.float32],
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    space: Space,
) -> tuple[int, int, int]:
    """The best at 0 plies of the `keep` plays that the small network likes best: its index, the number of plays, and
    of those looked at, which are left in `space` with their values."""
    count = generate(board, die1, die2, space.plays)
    kept = keep_best(board, count, keep, prune, space.plays, space.prune)
    return evaluate_kept(board, kept, weights, net, table, space), count, kept


@inner_kernel
def one_ply(
    board: NDArray[np.int8],
    weights: NDArray[np.float32],
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    space: Space,
    out: NDArray[np.float32],
) -> None:
    """The five numbers of a board after the mover's play, by the opponent's best reply to each roll, to `out`.

    `weights` are the mover's. Overwrites `space`; the board must not lie in it."""
    if exact_probabilities(board, table, out):
        return
    theirs = space.theirs
    turn_weights(weights, theirs)
    turned = space.turned
    flip(board, turned)
    prepare_parent(turned, net, space.net)
    for k in range(OUTPUTS):
        out[k] = 0
    best = space.best
    for die1 in range(1, 7):
        for die2 in range(1, die1 + 1):
            count = generate(turned, die1, die2, space.plays)
            kept = keep_best(turned, count, REPLIES_KEPT, prune, space.plays, space.prune)
            top = as_single(0)
            for q in range(kept):
                evaluate_child(space.plays.boards[space.prune.kept[q]], net, table, space.net)
                value = utility_of(theirs, space.net.out)
                if q == 0 or value > top:
                    top = value
                    for k in range(OUTPUTS):
                        best[k] = space.net.out[k]
            chance = as_single((1.0 if die1 == die2 else 2.0) / 36.0)
            out[0] += chance * (as_single(1) - best[0])
            out[1] += chance * best[3]
            out[2] += chance * best[4]
            out[3] += chance * best[1]
            out[4] += chance * best[2]
    nest(out)  # sums of 21 products are rounded


@inner_kernel
def static_on_roll(
    boards: NDArray[np.int8], net: Net, table: Bearoff, space: Space, probs: NDArray[np.float32]
) -> None:
    """The network's five numbers of the side on roll of boards before its roll, seen by it."""
    turned = space.turned
    for i in range(boards.shape[0]):
        if game_over(boards[i]):  # won by the side "on roll": no turned board to ask
            won_probabilities(boards[i], probs[i])
            continue
        flip(boards[i], turned)
        evaluate_board(turned, net, table, space.net)
        turn_probabilities(space.net.out, probs[i])


@kernel
def evaluate_on_roll(
    boards: NDArray[np.int8],
    plies: int,
    weights: NDArray[np.float32],
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    space: Space,
    probs: NDArray[np.float32],
) -> None:
    """The five numbers of the side on roll of boards before its roll, seen by it. `weights` are its own."""
    static_on_roll(boards, net, table, space, probs)
    if plies == 0:
        return
    turned = np.zeros(BOARD, np.int8)
    out = np.zeros(OUTPUTS, np.float32)
    theirs = np.zeros(6, np.float32)
    turn_weights(weights, theirs)
    for i in range(boards.shape[0]):
        if not game_over(boards[i]):
            flip(boards[i], turned)
            one_ply(turned, theirs, net, prune, table, space, out)
            turn_probabilities(out, probs[i])


__all__ = [
    "EXACT",
    "REPLIES_KEPT",
    "Space",
    "best_play_pruned",
    "evaluate_kept",
    "evaluate_on_roll",
    "one_ply",
    "space_for",
    "static_on_roll",
    "turn_probabilities",
    "turn_weights",
]
