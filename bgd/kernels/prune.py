"""A small network that ranks plays, so that the large one need look at only a few of them.

32 units on the point states alone, with a linear output that stands for money equity: about 15 times cheaper than the
large network. It learns beside it in training, from its values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.cache import inner_kernel
from bgd.kernels.encode import POINT_ROWS
from bgd.kernels.lanes import differing, lowest, positive_dot
from bgd.kernels.movegen import MAX_PLAYS, PlaySpace
from bgd.kernels.scalars import as_int, as_single

WIDTH = 32
_PADDING = 26  # a point where boards never differ


class PruneNet(NamedTuple):
    """Weights, float32."""

    embed: NDArray[np.float32]  # (POINT_ROWS, WIDTH)
    bias: NDArray[np.float32]  # (WIDTH,)
    out: NDArray[np.float32]  # (WIDTH,)
    out_bias: NDArray[np.float32]  # (1,)


class PruneSpace(NamedTuple):
    """Memory of one thread. `kept[:n]` holds the indices of the plays chosen last, best first."""

    parent: NDArray[np.float32]  # (WIDTH,)
    acc: NDArray[np.float32]  # (WIDTH,)
    rows: NDArray[np.int64]  # (27,) rows of the parent's points, and of the padding
    scores: NDArray[np.float32]  # (MAX_PLAYS,)
    kept: NDArray[np.int64]  # (MAX_PLAYS,)


def prune_space() -> PruneSpace:
    """Fresh memory for one thread."""
    return PruneSpace(
        np.zeros(WIDTH, np.float32),
        np.zeros(WIDTH, np.float32),
        np.zeros(27, np.int64),
        np.zeros(MAX_PLAYS, np.float32),
        np.zeros(MAX_PLAYS, np.int64),
    )


def random_prune_net(seed: int) -> PruneNet:
    """Small random weights from which training starts."""
    rng = np.random.default_rng(seed)
    return PruneNet(
        (rng.standard_normal((POINT_ROWS, WIDTH)) * 0.1).astype(np.float32),
        np.full(WIDTH, 0.3, np.float32),
        (rng.standard_normal(WIDTH) * 0.15).astype(np.float32),
        np.zeros(1, np.float32),
    )


@inner_kernel
def _row(board: NDArray[np.int8], point: int) -> int:
    return point * 15 + min(max(as_int(board[point]), -7), 7) + 7


@inner_kernel
def _sum_all(board: NDArray[np.int8], net: PruneNet, acc: NDArray[np.float32]) -> None:
    for k in range(WIDTH):
        acc[k] = net.bias[k]
    for point in range(26):
        row = net.embed[_row(board, point)]
        for k in range(WIDTH):
            acc[k] += row[k]


@inner_kernel
def _output(acc: NDArray[np.float32], net: PruneNet) -> float:
    total: float = net.out_bias[0] + positive_dot(acc, net.out)
    return total


@inner_kernel
def _child_row(board: NDArray[np.int8], point: int) -> int:
    """The same; of the padding the last row, which the parent has there too."""
    return min(_row(board, point), POINT_ROWS - 1)


@inner_kernel
def _score_child(board: NDArray[np.int8], child: NDArray[np.int8], net: PruneNet, space: PruneSpace) -> float:
    """The output for a play of `board`, from `space.parent` and the points that differ, four at a time.

    All in one loop for up to four, which most plays change: twice as fast as a loop for each point."""
    acc = space.parent
    points = differing(board, child)
    while True:
        p0 = min(lowest(points), _PADDING)
        points &= points - 1
        p1 = min(lowest(points), _PADDING)
        points &= points - 1
        p2 = min(lowest(points), _PADDING)
        points &= points - 1
        p3 = min(lowest(points), _PADDING)
        points &= points - 1
        n0 = net.embed[_child_row(child, p0)]
        n1 = net.embed[_child_row(child, p1)]
        n2 = net.embed[_child_row(child, p2)]
        n3 = net.embed[_child_row(child, p3)]
        o0 = net.embed[space.rows[p0]]
        o1 = net.embed[space.rows[p1]]
        o2 = net.embed[space.rows[p2]]
        o3 = net.embed[space.rows[p3]]
        for k in range(WIDTH):
            space.acc[k] = acc[k] + ((n0[k] - o0[k]) + (n1[k] - o1[k])) + ((n2[k] - o2[k]) + (n3[k] - o3[k]))
        acc = space.acc
        if points == 0:
            return _output(acc, net)


@inner_kernel
def keep_best(
    board: NDArray[np.int8], count: int, keep: int, net: PruneNet, plays: PlaySpace, space: PruneSpace
) -> int:
    """Put the indices of the `keep` most promising of `plays.boards[:count]`, plays of `board`, into `space.kept`.

    Returns how many there are. With count <= keep all are kept, in the order of generation and without a look."""
    kept = space.kept
    if count <= keep:
        for i in range(count):
            kept[i] = i
        return count
    _sum_all(board, net, space.parent)
    for point in range(26):
        space.rows[point] = _row(board, point)
    space.rows[_PADDING] = POINT_ROWS - 1
    found = 0
    for i in range(count):
        score = _score_child(board, plays.boards[i], net, space)
        space.scores[i] = score
        if found < keep:
            place = found
            found += 1
        elif score > space.scores[kept[keep - 1]]:
            place = keep - 1
        else:
            continue
        while place > 0 and space.scores[kept[place - 1]] < score:
            kept[place] = kept[place - 1]
            place -= 1
        kept[place] = i
    return found


@inner_kernel
def within(kept: int, window: float, space: PruneSpace) -> int:
    """How many of the plays that `keep_best` chose are not worse than the best by more than `window`."""
    least = space.scores[space.kept[0]] - as_single(window)
    while space.scores[space.kept[kept - 1]] < least:
        kept -= 1
    return kept


@inner_kernel
def learn_score(board: NDArray[np.int8], target: float, rate: float, net: PruneNet, space: PruneSpace) -> float:
    """One gradient step of the small network towards `target`; returns the error before it."""
    acc = space.acc
    _sum_all(board, net, acc)
    error = target - _output(acc, net)
    step = as_single(rate * error)
    for k in range(WIDTH):
        value = acc[k]
        if value > 0:
            acc[k] = step * net.out[k]
            net.out[k] += step * value
        else:
            acc[k] = 0
    net.out_bias[0] += step
    for k in range(WIDTH):
        net.bias[k] += acc[k]
    for point in range(26):
        row = net.embed[_row(board, point)]
        for k in range(WIDTH):
            row[k] += acc[k]
    return error
