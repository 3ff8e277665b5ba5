"""Layers of a search: from boards on roll to the best reply to each of the 21 rolls, by all threads together.

A search of n plies is n layers deep. Each layer holds distinct boards, all with the same side on roll; `expand` finds
for each of them and each roll the reply that the large network likes best among the few that the small one keeps, and
`distinct` joins equal replies into the boards of the next layer, so that no position is searched twice in a decision.
What comes of a board and a roll depends on nothing but these, the weights and what is kept: whoever does which of them,
the bytes are the same. `average` and `total` bring the values of a layer up to the one above.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.experimental import structref
from numpy.typing import NDArray

from bgd.kernels.bearoff import Bearoff
from bgd.kernels.bundle import Bundle
from bgd.kernels.cache import inner_kernel, kernel
from bgd.kernels.cubeful import CubeSpace, Ladder, answer, cube_space, worths_after
from bgd.kernels.decide import Space
from bgd.kernels.dice import CHANCES, DICE, ROLLS
from bgd.kernels.ends import KNOWN, OPEN, end_of
from bgd.kernels.movegen import BOARD, flip, generate
from bgd.kernels.network import EXACT, OUTPUTS, Net, evaluate_child, prepare_parent, utility_of
from bgd.kernels.notice import Notice, take, tell_done, what
from bgd.kernels.prune import PruneNet, keep_best, within
from bgd.kernels.scalars import as_int, as_single
from bgd.kernels.structs import StructType, address_of, borrow, struct_at


class Layer(NamedTuple):
    """Boards with the same side on roll, and what comes of each roll."""

    boards: NDArray[np.int8]  # (n, 32) seen by the side on roll
    probs: NDArray[np.float32]  # (n, 21, 5) the roller's chances after the best reply
    children: NDArray[np.int8]  # (n, 21, 32) the board after it, seen by the other side
    ends: NDArray[np.uint8]  # (n, 21) what follows: see bgd.kernels.ends
    worths: NDArray[np.float64]  # (n, 21, states) to side 0, the other side free to double; (0, 0, 0) without a cube
    links: NDArray[np.int64]  # (n, 21) which board of the next layer it is; -1 where it is not looked at further


def layer_for(boards: NDArray[np.int8], states: int) -> Layer:
    """A layer of `boards` to be filled. `states` of the cube, 0 without one."""
    count = len(boards)
    return Layer(
        boards,
        np.empty((count, ROLLS, OUTPUTS), np.float32),
        np.empty((count, ROLLS, BOARD), np.int8),
        np.empty((count, ROLLS), np.uint8),
        np.empty((count, ROLLS, states) if states else (0, 0, 0)),
        np.full((count, ROLLS), -1, np.int64),
    )


@structref.register
class TaskType(StructType):
    """numba's type of a task."""


class Task(structref.StructRefProxy):
    """A layer to be expanded: for each of its boards and each roll the best reply by `weights`, the utility of their
    side on roll, which is side `roller` of the `ladder`."""

    layer: Layer
    weights: NDArray[np.float32]  # (6,)
    ladder: Ladder
    roller: int


_define_proxy: Any = structref.define_proxy
_define_proxy(Task, TaskType, list(Task.__annotations__))
_new_task: Any = Task
_TYPE = "_numba_type_"  # where numba keeps the type of a struct


@kernel
def task_of(layer: Layer, weights: NDArray[np.float32], ladder: Ladder, roller: int) -> tuple[Task, int]:
    """Make a task, and the number by which kernels find it as long as somebody has it."""
    made: Task = _new_task(layer, weights, ladder, roller)
    return made, address_of(made)


def example_task(ladder: Ladder) -> Task:
    """A task, for the type that all of them have."""
    return task_of(layer_for(np.zeros((1, BOARD), np.int8), 1), np.zeros(6, np.float32), ladder, 0)[0]


def task_like(
    example: Task, layer: Layer, weights: NDArray[np.float32], ladder: Ladder, roller: int
) -> tuple[Task, int]:
    """`task_of`; raises TypeError if an array is of another kind than in the example: helpers, who find a task by its
    number, could not tell."""
    task, number = task_of(layer, weights, ladder, roller)
    kind, expected = (getattr(one, _TYPE) for one in (task, example))
    if kind != expected:
        raise TypeError(f"Expected arrays of these types: {expected}, got {kind}")
    return task, number


@inner_kernel
def _replies(
    first: int,
    last: int,
    task: Task,
    keep: int,
    window: float,
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    space: Space,
) -> None:
    """Fill in what comes of the rolls from number `first` to before `last`, board by board."""
    layer = borrow(task, "layer")
    weights = borrow(task, "weights")
    for i in range(first // ROLLS, (last + ROLLS - 1) // ROLLS):
        board = layer.boards[i]
        prepare_parent(board, net, space.net)
        for roll in range(max(first - ROLLS * i, 0), min(last - ROLLS * i, ROLLS)):
            count = generate(board, DICE[roll, 0], DICE[roll, 1], space.plays)
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
                        layer.probs[i, roll, k] = space.net.out[k]
            if end == KNOWN:
                end = end_of(space.plays.boards[best])
            flip(space.plays.boards[best], layer.children[i, roll])
            layer.ends[i, roll] = end


@inner_kernel
def _stakes(first: int, last: int, task: Task, table: Bearoff, cube: CubeSpace) -> None:
    """What is worth what with the cube in play, if there is one, after the replies to these rolls."""
    layer = borrow(task, "layer")
    roller = borrow(task, "roller")
    ladder = borrow(task, "ladder")
    if layer.worths.shape[0] == 0:
        return
    for part in range(first, last):
        i = part // ROLLS
        roll = part % ROLLS
        worths_after(layer.children[i, roll], layer.probs[i, roll], layer.ends[i, roll], roller, ladder, table, cube)
        for state in range(layer.worths.shape[2]):
            layer.worths[i, roll, state] = cube.values[state]


@inner_kernel
def _levels(number: int, example: Task) -> int:
    """Of the ladder of the task with this number."""
    ladder = borrow(struct_at(number, example), "ladder")
    levels: int = ladder.usable.shape[1]
    return levels


@inner_kernel
def _expand(
    first: int,
    last: int,
    number: int,
    example: Task,
    keep: int,
    window: float,
    net: Net,
    prune: PruneNet,
    table: Bearoff,
    space: Space,
    cube: CubeSpace,
) -> None:
    """Some rolls of the task with this number."""
    task = struct_at(number, example)
    _replies(first, last, task, keep, window, net, prune, table, space)
    _stakes(first, last, task, table, cube)


@kernel
def expand(
    notice: Notice,
    most: int,
    looks: int,
    example: Task,
    keep: int,
    window: float,
    prune: PruneNet,
    everything: Bundle,
) -> None:
    """Expand layers, by those parts of the tasks on the `notice` that this thread takes, until `most` are done or none
    came in so many `looks`. A part is a board and a roll, board by board, of 5 us or so.

    The reply is one of `keep` plays that the small network likes best, and by it no more than `window` behind the
    first. `example`: any task, for its type."""
    net, table, space = everything.net, everything.table, everything.space
    cube = cube_space(1)
    done = 0
    while done < most:
        first, last = take(notice, looks)
        if first == last:
            return
        number = what(notice)
        levels = _levels(number, example)
        if levels != cube.take_points.shape[1]:
            cube = cube_space(levels)
        _expand(first, last, number, example, keep, window, net, prune, table, space, cube)
        tell_done(notice, last - first)
        done += last - first


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
    probs: NDArray[np.float32], links: NDArray[np.int64], below: NDArray[np.float64], out: NDArray[np.float64]
) -> None:
    """The chances (n, 5) of the side on roll before its roll, to `out`.

    A roll counts with the chances `below`, the other side's, of the board of the next layer that `links` (n, 21) names,
    or where it names none with `probs` (n, 21, 5), the roller's after the reply."""
    for i in range(probs.shape[0]):
        for k in range(OUTPUTS):
            out[i, k] = 0.0
        for roll in range(ROLLS):
            chance = CHANCES[roll]
            there = links[i, roll]
            if there < 0:
                for k in range(OUTPUTS):
                    out[i, k] += chance * probs[i, roll, k]
            else:
                out[i, 0] += chance * (1.0 - below[there, 0])
                out[i, 1] += chance * below[there, 3]
                out[i, 2] += chance * below[there, 4]
                out[i, 3] += chance * below[there, 1]
                out[i, 4] += chance * below[there, 2]


@inner_kernel
def total(
    leaves: NDArray[np.float64],
    links: NDArray[np.int64],
    below: NDArray[np.float64],
    roller: int,
    doubles: bool,
    ladder: Ladder,
    out: NDArray[np.float64],
) -> None:
    """Worths to side 0, by state of the cube, of the boards of a layer, `roller` being on roll: to `out` (n, states).

    A roll counts with its worths `below` in the next layer where `links` (n, 21) names them, else with those of
    `leaves` (n, 21, states). `doubles`: the roller may double before the roll."""
    for i in range(out.shape[0]):
        worths = out[i]
        for state in range(out.shape[1]):
            worths[state] = 0.0
        for roll in range(ROLLS):
            there = links[i, roll]
            some = leaves[i, roll] if there < 0 else below[there]
            for state in range(out.shape[1]):
                worths[state] += CHANCES[roll] * some[state]
        if doubles:
            answer(worths, roller, ladder)
