"""Dice as a function of (seed, game, turn): the same on any number of threads and machines, in any order.

A roll is 0 to 35, of equal chances: `roll // 6 + 1` and `roll % 6 + 1`. The numbers are those of SplitMix64 (G. Steele,
D. Lea, C. Flood, 2014), applied to the seed and game, then to that and the turn;
36 equal parts of 2**32 are unequal by a hundred-millionth.

The first rolls of games 0, 1, 2, ... are stratified: of every 36 games each of the 36 first rolls begins one, and each
second roll follows one; of every 1,296 each pair begins one, and each third roll follows 36; of 46,656 each triple
begins one. Which game gets which is shuffled by the seed, so that a single game's rolls are still of equal chances.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bgd.kernels.cache import inner_kernel
from bgd.kernels.scalars import as_int

STRATA = 36
STRATIFIED_TURNS = 3

ROLLS = 21
DICE: NDArray[np.int64] = np.array([(die1, die2) for die1 in range(1, 7) for die2 in range(1, die1 + 1)])
"""The distinct rolls, in the order that all kernels have them: 11, 21, 22, 31, ..."""

CHANCES: NDArray[np.float64] = np.array([(1.0 if die1 == die2 else 2.0) / 36.0 for die1, die2 in DICE.tolist()])
"""The chance of each."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31, _32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)


@inner_kernel
def _mix(state: np.uint64) -> np.uint64:
    """SplitMix64's next number from a state."""
    z = state + _GOLDEN
    z = (z ^ (z >> _30)) * _MIX1
    z = (z ^ (z >> _27)) * _MIX2
    return z ^ (z >> _31)


@inner_kernel
def _random(seed: int, game: int, turn: int) -> int:
    """32 random bits that depend on nothing but the three numbers."""
    return as_int(_mix(_mix(_mix(np.uint64(seed)) + np.uint64(game)) + np.uint64(turn)) >> _32)


@inner_kernel
def random_roll(seed: int, game: int, turn: int) -> int:
    """A roll, 0 to 35, that depends on nothing but the three numbers."""
    return _random(seed, game, turn) * STRATA >> 32


@inner_kernel
def game_roll(seed: int, game: int, turn: int, strata: NDArray[np.int64]) -> int:
    """The roll, 0 to 35, of a game's turn (from 0): from the strata for the first turns, then at random."""
    if turn >= strata.shape[0]:
        return random_roll(seed, game, turn)
    first = game % STRATA
    second = game // STRATA % STRATA
    slot = first
    if turn == 1:
        slot = first + second
    elif turn == 2:
        slot = 5 * first + second + game // (STRATA * STRATA)
    roll: int = strata[turn, slot % STRATA]
    return roll


def strata_of(seed: int) -> NDArray[np.int64]:
    """For each of the first turns the order in which games get the 36 rolls: shuffled by the seed."""
    strata = np.tile(np.arange(STRATA), (STRATIFIED_TURNS, 1))
    for turn, order in enumerate(strata):
        for last in range(STRATA - 1, 0, -1):
            # Games are not negative: these numbers are none of theirs.
            other = _random(seed, -1 - turn, last) % (last + 1)
            order[last], order[other] = order[other], order[last]
    return strata
