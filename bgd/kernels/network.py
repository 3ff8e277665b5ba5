"""The network: 52 rows summed, clipped at 0 and `clip`, then 32 units and five sigmoids, the last two layers by class.

The same code serves float32 weights (training) and int16 first-layer weights (play): with int16 the first layer is an
exact integer sum, so that a position has the same bytes whether its sum was made from scratch or from its parent's.
The five numbers are the mover's chances, the opponent to roll: win, win a gammon or more, win a backgammon, lose a
gammon or more, lose a backgammon. Facts are imposed on them, not learned: what can't happen any more is 0,
what must is 1, and the numbers are nested.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff, race_probabilities
from bgd.kernels.cache import embedded_kernel, inlined_kernel, inner_kernel
from bgd.kernels.encode import (
    CLASS_MASK,
    GROUPS,
    LOSE,
    LOSE_BACKGAMMON,
    LOSE_GAMMON,
    POINTS,
    WIN,
    WIN_BACKGAMMON,
    WIN_GAMMON,
    encode,
    encode_facts,
    point_row,
)
from bgd.kernels.home import home_sets
from bgd.kernels.lanes import add_rows, at_least, at_most, blend, differing, lowest, positive, sigmoids
from bgd.kernels.movegen import BOARD
from bgd.kernels.scalars import as_int, as_single

UNITS = 32  # of the second layer
OUTPUTS = 5
NETWORK, EXACT = 0, 1  # where a value came from
_LINE = 64  # bytes that the processor fetches together
_WORD = 64  # bits


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
    parent: NDArray[np.int8]  # (32,) the board from which plays are evaluated
    parent_acc: NDArray[Any]
    parent_rows: NDArray[np.int64]
    more: NDArray[np.int64]  # (GROUPS + 1,) rows that a play brings
    less: NDArray[np.int64]  # (GROUPS + 1,) and those of the parent that it takes away
    active: NDArray[np.int64]  # (hidden + 1,) units above 0
    factors: NDArray[np.float32]  # (hidden,) sums cut off at `clip`
    signs: NDArray[np.int64]  # (hidden / 64,) the units above 0 as bits
    units: NDArray[np.float32]  # (UNITS,)
    out: NDArray[np.float32]  # (OUTPUTS,)


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """A copy that begins at a cache line, where numpy cares for 16 bytes alone: a vector across two lines is read at
    half the speed."""
    memory = np.zeros(array.nbytes + _LINE, np.uint8)
    first = -memory.ctypes.data % _LINE
    copy = memory[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def net_space(net: Net) -> NetSpace:
    """Fresh memory for one thread that evaluates with nets of this shape and type."""
    hidden = net.embed.shape[1]
    arrays = (
        np.zeros(hidden, net.embed.dtype),
        np.zeros(GROUPS, np.int64),
        np.zeros(BOARD, np.int8),
        np.zeros(hidden, net.embed.dtype),
        np.zeros(GROUPS, np.int64),
        np.zeros(GROUPS + 1, np.int64),
        np.zeros(GROUPS + 1, np.int64),
        np.zeros(hidden + 1, np.int64),
        np.zeros(hidden, np.float32),
        np.zeros(-(-hidden // _WORD), np.int64),
        np.zeros(UNITS, np.float32),
        np.zeros(OUTPUTS, np.float32),
    )
    return NetSpace(*map(aligned, arrays))


@inner_kernel
def sum_rows(rows: NDArray[np.int64], net: Net, acc: NDArray[Any]) -> None:
    """First-layer sums from scratch."""
    embed = net.embed
    done = add_rows(acc, net.bias1, embed, rows, GROUPS, rows, 0)
    for k in range(done, acc.shape[0]):
        acc[k] = net.bias1[k]
        for group in range(GROUPS):
            acc[k] += embed[rows[group], k]


@inlined_kernel
def sum_changes(board: NDArray[np.int8], net: Net, space: NetSpace) -> None:
    """First-layer sums of `board`, whose facts are in `space.rows`, from the parent's sums and the rows that differ
    from its rows."""
    embed = net.embed
    acc = space.acc
    more = space.more
    less = space.less
    changes = 0
    points = differing(board, space.parent)
    while points != 0:
        point = lowest(points)
        points &= points - 1
        more[changes] = point_row(board, point)
        less[changes] = space.parent_rows[point]
        changes += 1
    for group in range(POINTS, GROUPS):
        new = space.rows[group]
        old = space.parent_rows[group]
        more[changes] = new  # without a branch, which would be guessed wrong; the last pair may be void
        less[changes] = old
        changes += 1 if new != old else 0
    done = add_rows(acc, space.parent_acc, embed, more, changes, less, changes)
    for k in range(done, acc.shape[0]):
        acc[k] = space.parent_acc[k]
        for change in range(changes):
            acc[k] += embed[more[change], k] - embed[less[change], k]


@embedded_kernel
def _sum_units(cls: int, net: Net, space: NetSpace) -> None:
    """The second layer's sums to `space.units`. In the order that is written here, so that every kernel has the same.

    A sixth of the units are above 0 in a trained net, so that only their rows of the second layer are read."""
    acc = space.acc
    signs = space.signs
    hidden = acc.shape[0]
    clip = net.clip[0]
    for k in range(hidden):
        space.factors[k] = min(as_single(acc[k]), clip)
    words = hidden // _WORD
    for word in range(words):
        signs[word] = positive(acc, _WORD * word)
    if _WORD * words < hidden:
        signs[words] = 0
        for k in range(_WORD * words, hidden):
            signs[words] |= as_int(acc[k] > 0) << (k - _WORD * words)
    blend(space.units, net.bias2[cls], net.second[cls], space.factors, signs)


@embedded_kernel
def _finish(cls: int, net: Net, space: NetSpace) -> None:
    """The sigmoids of the second layer's sums; likewise."""
    sigmoids(space.out, net.bias3[cls], net.third[cls], space.units)


@inlined_kernel
def opinion(kind: int, net: Net, space: NetSpace) -> None:
    """The five numbers of `space.acc`, the sums of a position of this kind, to `space.out`."""
    cls = min(kind & CLASS_MASK, net.second.shape[0] - 1)
    _sum_units(cls, net, space)
    _finish(cls, net, space)
    impose(kind, space.out)


@inner_kernel
def upper_layers(cls: int, net: Net, space: NetSpace) -> int:
    """The sigmoids of `space.acc`, facts not imposed, with what training asks for besides: the second layer's units
    in `space.units`, and in `space.active` which of the first layer's are above 0; returns their number."""
    acc = space.acc
    active = space.active
    units = space.units
    count = 0
    for k in range(acc.shape[0]):
        active[count] = k
        count += 1 if acc[k] > 0 else 0
    _sum_units(cls, net, space)
    _finish(cls, net, space)
    for j in range(UNITS):
        units[j] = max(units[j], as_single(0))
    return count


@inner_kernel
def nest(out: NDArray[np.float32]) -> None:
    """Cut each number to what the one before it allows: 1, win, win a gammon; 1 - win, lose a gammon."""
    out[0] = min(out[0], as_single(1))
    out[1] = min(out[1], out[0])
    out[2] = min(out[2], out[1])
    out[3] = min(out[3], as_single(1) - out[0])
    out[4] = min(out[4], out[3])


@inner_kernel
def impose(kind: int, out: NDArray[np.float32]) -> None:
    """Make the five numbers agree with what the position makes certain, and with each other."""
    zero = as_single(0)
    if not kind & WIN:
        out[0] = zero
        out[3] = 1
        out[4] = 1
    if not kind & LOSE:
        out[0] = 1
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
    return at_least(board, 1) == 0


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


@inlined_kernel
def _known(board: NDArray[np.int8], own: int, opponent: int, table: Bearoff, out: NDArray[np.float32]) -> bool:
    """`exact_probabilities` of a board with men of either side on these points, as bits."""
    if own == 0:
        won_probabilities(board, out)
        return True
    if home_sets(own, opponent):
        race_probabilities(board, table, out)
        return True
    return False


@inner_kernel
def exact_probabilities(board: NDArray[np.int8], table: Bearoff, out: NDArray[np.float32]) -> bool:
    """Fill `out` and return True if the game is over, won by the mover, or is a race inside both home boards."""
    return _known(board, at_least(board, 1), at_most(board, -1), table, out)


@inlined_kernel
def prepare_parent(board: NDArray[np.int8], net: Net, space: NetSpace) -> None:
    """Make the sums of the board from which plays will be evaluated by `evaluate_child`."""
    for k in range(BOARD):
        space.parent[k] = board[k]
    encode(board, space.parent_rows)
    sum_rows(space.parent_rows, net, space.parent_acc)


@inlined_kernel
def evaluate_child(board: NDArray[np.int8], net: Net, table: Bearoff, space: NetSpace) -> int:
    """The five numbers of a board after a play from the prepared parent, to `space.out`; where they came from."""
    own = at_least(board, 1)
    opponent = at_most(board, -1)
    if _known(board, own, opponent, table, space.out):
        return EXACT
    kind = encode_facts(board, own, opponent, space.rows)
    sum_changes(board, net, space)
    opinion(kind, net, space)
    return NETWORK


@inner_kernel
def evaluate_board(board: NDArray[np.int8], net: Net, table: Bearoff, space: NetSpace) -> int:
    """The same from scratch."""
    if exact_probabilities(board, table, space.out):
        return EXACT
    kind = encode(board, space.rows)
    sum_rows(space.rows, net, space.acc)
    opinion(kind, net, space)
    return NETWORK


@inner_kernel
def utility_of(weights: NDArray[np.float32], out: NDArray[np.float32]) -> float:
    """`weights[0]` plus the sum of `weights[1 + k] * out[k]`: money equity for -1, 2, 1, 1, -1, -1."""
    total: float = weights[0]
    for k in range(OUTPUTS):
        total += weights[1 + k] * out[k]
    return total


def money_weights() -> NDArray[np.float32]:
    """Weights of `utility_of` that give cubeless money equity."""
    return np.array([-1, 2, 1, 1, -1, -1], np.float32)
