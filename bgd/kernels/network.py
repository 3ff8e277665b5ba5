"""The network: 52 rows summed, clipped at 0 and `clip`, then 32 units and five sigmoids, the last two layers by class.

The same code serves float32 weights (training) and int16 first-layer weights (play): with int16 the first layer is an
exact integer sum, so that a position has the same bytes whether its sum was made from scratch or from its parent's.
The five numbers are the mover's chances, the opponent to roll: win, win a gammon or more, win a backgammon, lose a
gammon or more, lose a backgammon. Facts are imposed on them, not learned: lost games that can't happen any more are 0,
and the numbers are nested.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff, race_probabilities
from bgd.kernels.cache import inner_float_kernel, inner_kernel
from bgd.kernels.encode import (
    CLASS_MASK,
    GROUPS,
    LOSE_BACKGAMMON,
    LOSE_GAMMON,
    WIN_BACKGAMMON,
    WIN_GAMMON,
    encode,
)
from bgd.kernels.home import both_home
from bgd.kernels.movegen import highest
from bgd.kernels.scalars import as_single

UNITS = 32  # of the second layer
OUTPUTS = 5
NETWORK, EXACT = 0, 1  # where a value came from


class Net(NamedTuple):
    """Weights. The first layer is float32, or int16 with its scale divided out of `second` and multiplied into
    `clip`. A class beyond the last of `second` uses the last."""

    embed: NDArray[Any]  # (ROWS, hidden)
    bias1: NDArray[Any]  # (hidden,)
    second: NDArray[np.float32]  # (classes, hidden, UNITS)
    bias2: NDArray[np.float32]  # (classes, UNITS)
    third: NDArray[np.float32]  # (classes, OUTPUTS, UNITS)
    bias3: NDArray[np.float32]  # (classes, OUTPUTS)
    clip: NDArray[np.float32]  # (1,)


class NetSpace(NamedTuple):
    """Memory that one thread's evaluations write to. `out` holds the five numbers of the last one."""

    acc: NDArray[Any]  # (hidden,) first-layer sums
    rows: NDArray[np.int64]  # (GROUPS,)
    parent_acc: NDArray[Any]
    parent_rows: NDArray[np.int64]
    changed: NDArray[np.int64]  # (2 * GROUPS,) pairs of new and old row
    active: NDArray[np.int64]  # (hidden + 1,) units above 0
    units: NDArray[np.float32]  # (UNITS,)
    out: NDArray[np.float32]  # (OUTPUTS,)


def net_space(net: Net) -> NetSpace:
    """Fresh memory for one thread that evaluates with nets of this shape and type."""
    hidden = net.embed.shape[1]
    return NetSpace(
        np.zeros(hidden, net.embed.dtype),
        np.zeros(GROUPS, np.int64),
        np.zeros(hidden, net.embed.dtype),
        np.zeros(GROUPS, np.int64),
        np.zeros(2 * GROUPS, np.int64),
        np.zeros(hidden + 1, np.int64),
        np.zeros(UNITS, np.float32),
        np.zeros(OUTPUTS, np.float32),
    )


@inner_float_kernel
def sum_rows(rows: NDArray[np.int64], net: Net, acc: NDArray[Any]) -> None:
    """First-layer sums from scratch."""
    embed = net.embed
    hidden = embed.shape[1]
    for k in range(hidden):
        acc[k] = net.bias1[k]
    for group in range(0, GROUPS, 4):
        r0 = embed[rows[group]]
        r1 = embed[rows[group + 1]]
        r2 = embed[rows[group + 2]]
        r3 = embed[rows[group + 3]]
        for k in range(hidden):
            acc[k] += (r0[k] + r1[k]) + (r2[k] + r3[k])


@inner_float_kernel
def sum_changes(net: Net, space: NetSpace) -> None:
    """First-layer sums of `space.rows` from the parent's sums and the rows that differ from its rows."""
    embed = net.embed
    hidden = embed.shape[1]
    acc = space.acc
    changed = space.changed
    pairs = 0
    for group in range(GROUPS):
        new = space.rows[group]
        old = space.parent_rows[group]
        changed[2 * pairs] = new  # without a branch, which would be guessed wrong; the last pair may be void
        changed[2 * pairs + 1] = old
        pairs += 1 if new != old else 0
    if 2 * pairs > GROUPS:
        sum_rows(space.rows, net, acc)
        return
    for k in range(hidden):
        acc[k] = space.parent_acc[k]
    i = 0
    while i + 1 < pairs:
        new0 = embed[changed[2 * i]]
        old0 = embed[changed[2 * i + 1]]
        new1 = embed[changed[2 * i + 2]]
        old1 = embed[changed[2 * i + 3]]
        for k in range(hidden):
            acc[k] += (new0[k] - old0[k]) + (new1[k] - old1[k])
        i += 2
    if i < pairs:
        new0 = embed[changed[2 * i]]
        old0 = embed[changed[2 * i + 1]]
        for k in range(hidden):
            acc[k] += new0[k] - old0[k]


@inner_float_kernel
def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)), as half of 1 + tanh(x / 2) by a rational approximation good to 3e-7 (that of the Eigen
    library); five at once cost less than one exponential. Flat beyond 15.8, where 2e-7 is left."""
    half = min(max(as_single(0.5) * x, as_single(-7.9)), as_single(7.9))
    square = half * half
    top = as_single(-2.76076847742355e-16)
    top = top * square + as_single(2.00018790482477e-13)
    top = top * square + as_single(-8.60467152213735e-11)
    top = top * square + as_single(5.12229709037114e-08)
    top = top * square + as_single(1.48572235717979e-05)
    top = top * square + as_single(6.37261928875436e-04)
    top = top * square + as_single(4.89352455891786e-03)
    bottom = as_single(1.19825839466702e-06)
    bottom = bottom * square + as_single(1.18534705686654e-04)
    bottom = bottom * square + as_single(2.26843463243900e-03)
    bottom = bottom * square + as_single(4.89352518554385e-03)
    return as_single(0.5) + as_single(0.5) * (half * top / bottom)


@inner_float_kernel
def upper_layers(cls: int, net: Net, space: NetSpace) -> int:
    """The sigmoids of `space.acc`, facts not imposed; returns the number of active units. A fifth of the units are
    active in a trained net, so that only their rows of the second layer are read."""
    second = net.second[cls]
    clip = net.clip[0]
    acc = space.acc
    active = space.active
    units = space.units
    zero = as_single(0)
    count = 0
    for k in range(second.shape[0]):
        active[count] = k
        count += 1 if acc[k] > 0 else 0
    for j in range(UNITS):
        units[j] = net.bias2[cls, j]
    i = 0
    while i + 3 < count:
        k0 = active[i]
        k1 = active[i + 1]
        k2 = active[i + 2]
        k3 = active[i + 3]
        a0 = min(as_single(acc[k0]), clip)
        a1 = min(as_single(acc[k1]), clip)
        a2 = min(as_single(acc[k2]), clip)
        a3 = min(as_single(acc[k3]), clip)
        w0 = second[k0]
        w1 = second[k1]
        w2 = second[k2]
        w3 = second[k3]
        for j in range(UNITS):
            units[j] += (a0 * w0[j] + a1 * w1[j]) + (a2 * w2[j] + a3 * w3[j])
        i += 4
    while i < count:
        a0 = min(as_single(acc[active[i]]), clip)
        w0 = second[active[i]]
        for j in range(UNITS):
            units[j] += a0 * w0[j]
        i += 1
    for j in range(UNITS):
        units[j] = max(units[j], zero)
    for q in range(OUTPUTS):
        total = net.bias3[cls, q]
        weights = net.third[cls, q]
        for j in range(UNITS):
            total += units[j] * weights[j]
        space.out[q] = total
    for q in range(OUTPUTS):
        space.out[q] = sigmoid(space.out[q])
    return count


@inner_float_kernel
def nest(out: NDArray[np.float32]) -> None:
    """Cut each number to what the one before it allows: 1, win, win a gammon; 1 - win, lose a gammon."""
    out[0] = min(out[0], as_single(1))
    out[1] = min(out[1], out[0])
    out[2] = min(out[2], out[1])
    out[3] = min(out[3], as_single(1) - out[0])
    out[4] = min(out[4], out[3])


@inner_float_kernel
def impose(kind: int, out: NDArray[np.float32]) -> None:
    """Make the five numbers agree with what the position makes certain, and with each other."""
    zero = as_single(0)
    if not kind & WIN_GAMMON:
        out[1] = zero
    if not kind & WIN_BACKGAMMON:
        out[2] = zero
    if not kind & LOSE_GAMMON:
        out[3] = zero
    if not kind & LOSE_BACKGAMMON:
        out[4] = zero
    nest(out)


@inner_kernel
def game_over(board: NDArray[np.int8]) -> bool:
    """True if the mover has borne off all his checkers."""
    return highest(board, 25) == 0


@inner_kernel
def won_probabilities(board: NDArray[np.int8], out: NDArray[np.float32]) -> None:
    """The five numbers of a game that the mover has won: gammon if the opponent has borne off no checker, backgammon
    if he has one on the bar or in the mover's home board besides."""
    men = 0
    far = 0
    for point in range(25):
        men -= board[point]
        if point <= 6:
            far -= board[point]
    out[0] = 1
    out[1] = 1 if men == 15 else 0
    out[2] = 1 if men == 15 and far > 0 else 0
    out[3] = 0
    out[4] = 0


@inner_float_kernel
def exact_probabilities(board: NDArray[np.int8], table: Bearoff, out: NDArray[np.float32]) -> bool:
    """Fill `out` and return True if the game is over, won by the mover, or is a race inside both home boards."""
    if game_over(board):
        won_probabilities(board, out)
        return True
    if both_home(board):
        race_probabilities(board, table, out)
        return True
    return False


@inner_float_kernel
def prepare_parent(board: NDArray[np.int8], net: Net, space: NetSpace) -> None:
    """Make the sums of the board from which plays will be evaluated by `evaluate_child`."""
    encode(board, space.parent_rows)
    sum_rows(space.parent_rows, net, space.parent_acc)


@inner_float_kernel
def evaluate_child(board: NDArray[np.int8], net: Net, table: Bearoff, space: NetSpace) -> int:
    """The five numbers of a board after a play from the prepared parent, to `space.out`; where they came from."""
    if exact_probabilities(board, table, space.out):
        return EXACT
    kind = encode(board, space.rows)
    sum_changes(net, space)
    upper_layers(min(kind & CLASS_MASK, net.second.shape[0] - 1), net, space)
    impose(kind, space.out)
    return NETWORK


@inner_float_kernel
def evaluate_board(board: NDArray[np.int8], net: Net, table: Bearoff, space: NetSpace) -> int:
    """The same from scratch."""
    if exact_probabilities(board, table, space.out):
        return EXACT
    kind = encode(board, space.rows)
    sum_rows(space.rows, net, space.acc)
    upper_layers(min(kind & CLASS_MASK, net.second.shape[0] - 1), net, space)
    impose(kind, space.out)
    return NETWORK


@inner_float_kernel
def utility_of(weights: NDArray[np.float32], out: NDArray[np.float32]) -> float:
    """`weights[0]` plus the sum of `weights[1 + k] * out[k]`: money equity for -1, 2, 1, 1, -1, -1."""
    total: float = weights[0]
    for k in range(OUTPUTS):
        total += weights[1 + k] * out[k]
    return total


def money_weights() -> NDArray[np.float32]:
    """Weights of `utility_of` that give cubeless money equity."""
    return np.array([-1, 2, 1, 1, -1, -1], np.float32)
