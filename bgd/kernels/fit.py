"""Fitting the network to a ring of lessons: minibatches and Adam, with rows of the first layer that a batch does not
touch left alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.cache import kernel, learning_kernel
from bgd.kernels.encode import CLASS_MASK, GROUPS, ROWS, encode
from bgd.kernels.network import OUTPUTS, UNITS, Net, NetSpace, sum_rows, upper_layers
from bgd.kernels.scalars import as_int, as_single
from bgd.kernels.selfplay import possible

_DECAY1 = 0.9
_DECAY2 = 0.999
_TINY = 1e-8


class Adam(NamedTuple):
    """The optimiser's memory, in the network's shapes."""

    gradient: Net
    mean: Net
    square: Net
    touched: NDArray[np.int8]  # (ROWS,) 1 for rows with a gradient in this batch
    listed: NDArray[np.int64]  # (ROWS,) which these are


def adam_for(net: Net) -> Adam:
    """Fresh memory."""

    def zeros() -> Net:
        return Net(*(np.zeros_like(array) for array in net))

    return Adam(zeros(), zeros(), zeros(), np.zeros(ROWS, np.int8), np.zeros(ROWS, np.int64))


@learning_kernel
def _update(
    weights: NDArray[np.float32],
    gradient: NDArray[np.float32],
    mean: NDArray[np.float32],
    square: NDArray[np.float32],
    rate: float,
) -> None:
    """One step of Adam up the gradient, which is cleared."""
    keep1 = as_single(_DECAY1)
    keep2 = as_single(_DECAY2)
    one = as_single(1)
    step = as_single(rate)
    for k in range(weights.shape[0]):
        g = gradient[k]
        mean[k] = keep1 * mean[k] + (one - keep1) * g
        square[k] = keep2 * square[k] + (one - keep2) * g * g
        weights[k] += step * mean[k] / (np.sqrt(square[k]) + as_single(_TINY))
        gradient[k] = 0


@learning_kernel
def _lesson(
    rows: NDArray[np.int64],
    kind: int,
    target: NDArray[np.float32],
    scale: float,
    equity_term: float,
    net: Net,
    gradient: Net,
    space: NetSpace,
    back: NDArray[np.float32],
    first: NDArray[np.float32],
) -> float:
    """Add one lesson's gradient of cross entropy plus `equity_term` times half the squared error of money equity;
    leaves the first layer's in `first`. Returns the squared error of equity."""
    zero = as_single(0)
    cls = min(kind & CLASS_MASK, net.second.shape[0] - 1)
    sum_rows(rows, net, space.acc)
    count = upper_layers(cls, net, space)
    out = space.out
    for q in range(1, OUTPUTS):
        if not possible(kind, q):
            out[q] = 0
    error: float = (
        as_single(2) * (target[0] - out[0])
        + target[1]
        - out[1]
        + target[2]
        - out[2]
        - target[3]
        + out[3]
        - target[4]
        + out[4]
    )
    for j in range(UNITS):
        back[j] = zero
    for q in range(OUTPUTS):
        if not possible(kind, q):
            continue
        worth = as_single(2) if q == 0 else (as_single(1) if q < 3 else as_single(-1))
        delta = as_single(scale) * (
            (target[q] - out[q]) + as_single(equity_term) * error * worth * out[q] * (as_single(1) - out[q])
        )
        weights = net.third[cls, q]
        slopes = gradient.third[cls, q]
        for j in range(UNITS):
            back[j] += delta * weights[j]
        for j in range(UNITS):
            slopes[j] += delta * space.units[j]
        gradient.bias3[cls, q] += delta
    for j in range(UNITS):
        back[j] = back[j] if space.units[j] > zero else zero
        gradient.bias2[cls, j] += back[j]
    for k in range(first.shape[0]):
        first[k] = zero
    clip = net.clip[0]
    for i in range(count):
        k = space.active[i]
        value = min(space.acc[k], clip)
        weights = net.second[cls, k]
        slopes = gradient.second[cls, k]
        total = zero
        for j in range(UNITS):
            total += back[j] * weights[j]
        first[k] = total if value < clip else zero
        for j in range(UNITS):
            slopes[j] += value * back[j]
    return error * error


@kernel
def first_layer(
    boards: NDArray[np.int8], net: Net, space: NetSpace, out: NDArray[np.float32], kinds: NDArray[np.int16]
) -> None:
    """The first layer's units (n, hidden), cut off, of boards after a play, and their kinds (n,). `net` is float32."""
    zero = as_single(0)
    for i in range(boards.shape[0]):
        kinds[i] = encode(boards[i], space.rows)
        sum_rows(space.rows, net, space.acc)
        for k in range(out.shape[1]):
            out[i, k] = min(max(space.acc[k], zero), net.clip[0])


@learning_kernel
def fit_batches(
    batches: int,
    batch: int,
    filled: int,
    rate: float,
    steps_before: int,
    equity_term: float,
    ring_rows: NDArray[np.int16],
    ring_kinds: NDArray[np.int16],
    ring_targets: NDArray[np.float32],
    net: Net,
    adam: Adam,
    space: NetSpace,
) -> float:
    """Learn from random lessons among the first `filled` of the ring; returns the mean squared error of equity."""
    gradient = adam.gradient
    hidden = net.embed.shape[1]
    rows = np.zeros(GROUPS, np.int64)
    back = np.zeros(UNITS, np.float32)
    first = np.zeros(hidden, np.float32)
    scale = 1.0 / batch
    loss = 0.0
    for step in range(batches):
        listed = 0
        for _ in range(batch):
            at = np.random.randint(0, filled)
            for group in range(GROUPS):
                rows[group] = ring_rows[at, group]
            kind = as_int(ring_kinds[at])
            loss += _lesson(rows, kind, ring_targets[at], scale, equity_term, net, gradient, space, back, first)
            for k in range(hidden):
                gradient.bias1[k] += first[k]
            for group in range(GROUPS):
                row = rows[group]
                slopes = gradient.embed[row]
                for k in range(hidden):
                    slopes[k] += first[k]
                if adam.touched[row] == 0:
                    adam.touched[row] = 1
                    adam.listed[listed] = row
                    listed += 1
        time = steps_before + step + 1
        now = rate * np.sqrt(1.0 - _DECAY2**time) / (1.0 - _DECAY1**time)
        for i in range(listed):
            row = adam.listed[i]
            adam.touched[row] = 0
            _update(net.embed[row], gradient.embed[row], adam.mean.embed[row], adam.square.embed[row], now)
        _update(net.bias1, gradient.bias1, adam.mean.bias1, adam.square.bias1, now)
        for cls in range(net.second.shape[0]):
            for k in range(hidden):
                _update(
                    net.second[cls, k],
                    gradient.second[cls, k],
                    adam.mean.second[cls, k],
                    adam.square.second[cls, k],
                    now,
                )
            _update(net.bias2[cls], gradient.bias2[cls], adam.mean.bias2[cls], adam.square.bias2[cls], now)
            for q in range(OUTPUTS):
                _update(
                    net.third[cls, q], gradient.third[cls, q], adam.mean.third[cls, q], adam.square.third[cls, q], now
                )
            _update(net.bias3[cls], gradient.bias3[cls], adam.mean.bias3[cls], adam.square.bias3[cls], now)
    return loss / (batches * batch)
