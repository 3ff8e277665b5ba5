"""All legal plays of a roll, as distinct boards after the play, seen by the mover.

The plain twin is `bgd.rules.plays.legal_plays`. The rules that shape this code: both dice are played if any order
allows it; else one die, the larger if either could be; a checker on the bar enters first; bearing off needs all
checkers home, and a die larger than needed only takes a checker from the highest occupied point. A roll that can't be
played has one result, the unchanged board.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.cache import inner_kernel
from bgd.kernels.scalars import as_int

BOARD = 32  # int8 entries of a board row; 26 are used
# A double is a way of giving 4 steps to 15 checkers: C(18, 4) = 3,060 at most. Mixed dice: 2 * 15 * 15 = 450.
MAX_PLAYS = 3072
_TABLE = 2048  # slots of the table that finds duplicates: a power of two, over four times 450
_ILLEGAL, _MOVED, _HIT, _OFF = 0, 1, 2, 3
_ANY_FIRST_DIE, _STAMP = 0, 1  # entries of PlaySpace.state

# One random 64-bit number for a checker of each side on each point; a position's key is their sum. Two of at most 450
# positions share a key by chance once in 10^14 rolls.
_KEYS = np.random.default_rng(20250101).integers(0, 2**63 - 1, size=(2, 26), dtype=np.int64)


class PlaySpace(NamedTuple):
    """Memory that one thread's calls of `generate` write to; `boards[:n]` holds the result until the next call."""

    boards: NDArray[np.int8]  # (MAX_PLAYS, 32)
    keys: NDArray[np.int64]  # (MAX_PLAYS,)
    table: NDArray[np.int64]  # (_TABLE, 2): stamp of the call that used the slot, index into boards
    work: NDArray[np.int8]  # (32,)
    state: NDArray[np.int64]  # (2,)
    path: NDArray[np.int64]  # (4, 5) of a double, by depth: sources, what happened, highest points, whether it went on


def play_space() -> PlaySpace:
    """Fresh memory for one thread."""
    return PlaySpace(
        np.zeros((MAX_PLAYS, BOARD), np.int8),
        np.zeros(MAX_PLAYS, np.int64),
        np.zeros((_TABLE, 2), np.int64),
        np.zeros(BOARD, np.int8),
        np.zeros(2, np.int64),
        np.zeros((4, 5), np.int64),
    )


@inner_kernel
def flip(source: NDArray[np.int8], target: NDArray[np.int8]) -> None:
    """Write to `target` the board `source` as the other side sees it."""
    for point in range(26):
        target[point] = -source[25 - point]
    for point in range(26, BOARD):
        target[point] = 0


@inner_kernel
def highest(board: NDArray[np.int8], start: int) -> int:
    """The mover's highest occupied point at or below `start` (25 is the bar), 0 if there is none."""
    point = start
    while point > 0 and board[point] <= 0:
        point -= 1
    return point


@inner_kernel
def _step(board: NDArray[np.int8], source: int, die: int, top: int) -> int:
    """Move one checker in place if the rules allow it, and say what happened. `top` is the highest own point."""
    if board[source] <= 0:
        return _ILLEGAL
    target = source - die
    if target >= 1:
        there = board[target]
        if there <= -2:
            return _ILLEGAL
        board[source] -= 1
        if there == -1:
            board[target] = 1
            board[0] -= 1
            return _HIT
        board[target] = there + 1
        return _MOVED
    if top > 6 or (target < 0 and top > source):
        return _ILLEGAL
    board[source] -= 1
    return _OFF


@inner_kernel
def _take_back(board: NDArray[np.int8], source: int, die: int, what: int) -> None:
    """Undo a step that `_step` reported as `what`."""
    board[source] += 1
    if what == _MOVED:
        board[source - die] -= 1
    elif what == _HIT:
        board[source - die] = -1
        board[0] += 1


@inner_kernel
def _key_change(source: int, die: int, what: int) -> int:
    """What a step adds to the position's key."""
    if what == _OFF:
        change: int = -_KEYS[0, source]
        return change
    change = _KEYS[0, source - die] - _KEYS[0, source]
    if what == _HIT:
        change += _KEYS[1, 0] - _KEYS[1, source - die]
    return change


@inner_kernel
def _add_distinct(board: NDArray[np.int8], key: int, count: int, space: PlaySpace) -> int:
    """Append the board unless this call has it already; return the new count."""
    stamp = space.state[_STAMP]
    slot = (key ^ (key >> 29)) & (_TABLE - 1)
    while space.table[slot, 0] == stamp:
        if space.keys[space.table[slot, 1]] == key:
            return count
        slot = (slot + 1) & (_TABLE - 1)
    space.table[slot, 0] = stamp
    space.table[slot, 1] = count
    space.keys[count] = key
    for k in range(BOARD):
        space.boards[count, k] = board[k]
    return count + 1


@inner_kernel
def _both_dice(first: int, second: int, count: int, space: PlaySpace) -> int:
    """Append every play of `first` then `second`; note in the state whether `first` could be played at all."""
    board = space.work
    top = highest(board, 25)
    source = top
    while source >= 1:
        what = _step(board, source, first, top)
        if what != _ILLEGAL:
            space.state[_ANY_FIRST_DIE] = 1
            key = _key_change(source, first, what)
            new_top = highest(board, top)
            other = new_top
            while other >= 1:
                what_other = _step(board, other, second, new_top)
                if what_other != _ILLEGAL:
                    count = _add_distinct(board, key + _key_change(other, second, what_other), count, space)
                    _take_back(board, other, second, what_other)
                if other == 25:
                    break
                other -= 1
            _take_back(board, source, first, what)
        if source == 25:
            break
        source -= 1
    return count


@inner_kernel
def _one_die(die: int, space: PlaySpace) -> int:
    """Every play of a single die; distinct by nature."""
    board = space.work
    top = highest(board, 25)
    source = top
    count = 0
    while source >= 1:
        what = _step(board, source, die, top)
        if what != _ILLEGAL:
            for k in range(BOARD):
                space.boards[count, k] = board[k]
            count += 1
            _take_back(board, source, die, what)
        if source == 25:
            break
        source -= 1
    return count


@inner_kernel
def _double(die: int, space: PlaySpace) -> int:
    """Every play of a double that uses as many dice as any can.

    Sources never rise along a play, so that each set of steps, and with it each resulting board, comes up once."""
    board = space.work
    sources = space.path[0]
    whats = space.path[1]
    tops = space.path[2]
    moved = space.path[3]
    most = 0
    count = 0
    depth = 0
    moved[0] = 0
    tops[0] = highest(board, 25)
    source = tops[0]
    while True:
        what = _ILLEGAL
        if depth < 4:
            while source >= 1:
                what = _step(board, source, die, tops[depth])
                if what != _ILLEGAL:
                    break
                source = 0 if source == 25 else source - 1
        if what != _ILLEGAL:
            moved[depth] = 1
            sources[depth] = source
            whats[depth] = what
            tops[depth + 1] = highest(board, tops[depth])
            depth += 1
            moved[depth] = 0
            source = min(source, tops[depth])
            continue
        if moved[depth] == 0 and depth > 0:
            if depth > most:
                most = depth
                count = 0
            if depth == most:
                for k in range(BOARD):
                    space.boards[count, k] = board[k]
                count += 1
        if depth == 0:
            return count
        depth -= 1
        _take_back(board, sources[depth], die, whats[depth])
        source = 0 if sources[depth] == 25 else sources[depth] - 1


@inner_kernel
def generate(board: NDArray[np.int8], die1: int, die2: int, space: PlaySpace) -> int:
    """Write the distinct boards after every legal play to `space.boards` and return how many there are (>= 1)."""
    for k in range(BOARD):
        space.work[k] = board[k]
    if die1 == die2:
        count = _double(die1, space)
    else:
        high = max(die1, die2)
        low = min(die1, die2)
        space.state[_STAMP] += 1
        space.state[_ANY_FIRST_DIE] = 0
        count = _both_dice(high, low, as_int(0), space)
        high_possible = space.state[_ANY_FIRST_DIE]
        space.state[_ANY_FIRST_DIE] = 0
        count = _both_dice(low, high, count, space)
        if count == 0:
            if high_possible:
                count = _one_die(high, space)
            elif space.state[_ANY_FIRST_DIE]:
                count = _one_die(low, space)
    if count == 0:
        for k in range(BOARD):
            space.boards[0, k] = board[k]
        count = 1
    return count


@inner_kernel
def _expand(positions: NDArray[np.int8], out: NDArray[np.int8], space: PlaySpace) -> int:
    """Append to `out` the boards, seen by the other side, after every play of each of the 21 rolls; their number."""
    total = 0
    for i in range(positions.shape[0]):
        for die1 in range(1, 7):
            for die2 in range(1, die1 + 1):
                count = generate(positions[i], die1, die2, space)
                for k in range(count):
                    flip(space.boards[k], out[total + k])
                total += count
    return total


def perft(board: NDArray[np.int8], depth: int) -> tuple[int, int]:
    """Plays and distinct positions `depth` plays deep: each distinct position one play higher is expanded by the 21
    rolls, once. (Memory: 32 bytes a play, and a third play from the start has about 90 million.)"""
    space = play_space()
    positions = np.ascontiguousarray(board.reshape(1, BOARD))
    total = 0
    for _ in range(depth):
        chunks = []
        total = 0
        for first in range(0, len(positions), 64):
            some = positions[first : first + 64]
            out = np.zeros((len(some) * 21 * MAX_PLAYS, BOARD), np.int8)
            count = _expand(some, out, space)
            total += count
            chunks.append(np.unique(out[:count].view("V32")))
        positions = np.unique(np.concatenate(chunks)).view(np.int8).reshape(-1, BOARD)
    return total, len(positions)
