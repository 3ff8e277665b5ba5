"""Fresh, wider and averaged networks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.encode import GROUPS, ODD_RACE, RACE, ROWS, encode
from bgd.kernels.network import OUTPUTS, UNITS, Net

_BOARD_ROWS = 26 * 15 + 32  # the rows of the board as it is begin larger than those of counts


def _embedding(rng: np.random.Generator, hidden: int) -> NDArray[np.float32]:
    rows = rng.standard_normal((ROWS, hidden)) * 0.09
    rows[_BOARD_ROWS:] *= 0.3
    return rows.astype(np.float32)


def random_layers(hidden: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], ...]:
    """Small random weights of one class: its second layer (hidden, UNITS) and bias, its third (OUTPUTS, UNITS) and
    bias."""
    second = (rng.standard_normal((hidden, UNITS)) / np.sqrt(hidden)).astype(np.float32)
    third = (rng.standard_normal((OUTPUTS, UNITS)) * 0.3 / np.sqrt(UNITS)).astype(np.float32)
    return second, np.full(UNITS, 0.05, np.float32), third, np.zeros(OUTPUTS, np.float32)


def random_net(hidden: int, classes: int, clip: float, seed: int) -> Net:
    """Small random weights, the same for each class."""
    rng = np.random.default_rng(seed)
    second, bias2, third, bias3 = (
        np.repeat(layer[np.newaxis], classes, axis=0) for layer in random_layers(hidden, rng)
    )
    first = _embedding(rng, hidden), np.full(hidden, 0.1, np.float32)
    return Net(*first, second, bias2, third, bias3, np.array([clip], np.float32))


def copy_net(net: Net) -> Net:
    """A copy that shares no memory."""
    return Net(*(array.copy() for array in net))


def move_towards(average: Net, net: Net, share: float) -> None:
    """Move each weight of `average` by `share` of its way to `net`, in place."""
    for old, new in zip(average, net, strict=True):
        old += np.float32(share) * (new - old)


def activity(net: Net, boards: NDArray[np.int8]) -> NDArray[np.float64]:
    """The share of the boards, each after a play, on which each first-layer unit is above 0."""
    rows = np.zeros(GROUPS, np.int64)
    active = np.zeros(net.embed.shape[1])
    for board in boards:
        encode(board, rows)
        active += net.embed[rows].sum(axis=0) + net.bias1 > 0
    return active / len(boards)


def widen(net: Net, hidden: int, classes: int, boards: NDArray[np.int8], seed: int) -> Net:
    """A larger network that computes the same: new units have no weight in the second layer yet, new classes are
    copies of the last one (that of odd races, of races), and units that are never active on `boards` begin anew."""
    rng = np.random.default_rng(seed)
    old = net.embed.shape[1]
    extra = hidden - old
    dead = activity(net, boards) < 0.004
    embed = np.concatenate([net.embed, _embedding(rng, extra)], axis=1)
    bias1 = np.concatenate([net.bias1, np.full(extra, 0.1, np.float32)])
    copies = [RACE if c == ODD_RACE else min(c, len(net.second) - 1) for c in range(classes)]
    second = np.concatenate([net.second, np.zeros((len(net.second), extra, UNITS), np.float32)], axis=1)[copies]
    embed[:, :old][:, dead] = _embedding(rng, int(dead.sum()))
    bias1[:old][dead] = 0.1
    second[:, :old][:, dead] = 0
    return Net(
        np.ascontiguousarray(embed),
        bias1,
        np.ascontiguousarray(second),
        net.bias2[copies].copy(),
        net.third[copies].copy(),
        net.bias3[copies].copy(),
        net.clip.copy(),
    )
