"""Noise on an evaluation that is always the same for the same position: for weaker opponents and for tests."""

from __future__ import annotations

import math
from hashlib import blake2b

from bgd.engine.values import Chances
from bgd.rules.board import Board


def deviate(board: Board) -> float:
    """A standard normal deviate that depends on the position alone (Box and Muller's transform of its hash)."""
    digest = blake2b(bytes(count & 0xFF for count in board.points), digest_size=16).digest()
    first = (int.from_bytes(digest[:8], "little") + 1) / (2**64 + 1)
    second = int.from_bytes(digest[8:], "little") / 2**64
    return math.sqrt(-2 * math.log(first)) * math.cos(2 * math.pi * second)


def disturbed(chances: Chances, board: Board, deviation: float) -> Chances:
    """`chances` with noise of standard deviation `deviation` in their equity, as far as chances stay between 0 and 1.

    The probability of winning moves by half of it; gammons keep their shares of games won and lost."""
    won = min(1.0, max(0.0, chances.win + deviation * deviate(board) / 2))
    wins = won / chances.win if chances.win > 0 else 0.0
    losses = (1 - won) / (1 - chances.win) if chances.win < 1 else 0.0
    gammon, lost_gammon = min(won, chances.win_gammon * wins), min(1 - won, chances.lose_gammon * losses)
    return Chances(
        won,
        gammon,
        min(gammon, chances.win_backgammon * wins),
        lost_gammon,
        min(lost_gammon, chances.lose_backgammon * losses),
    )
