"""Noise on an evaluation that is always the same for the same position: for weaker opponents and for tests."""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import Final

from bgd.engine.values import Chances
from bgd.errors import BadValue
from bgd.rules.board import Board

MAX_DEVIATION: Final = 3.0
"""As large as equities are."""


def deviate(board: Board) -> float:
    """A standard normal deviate that depends on the position alone (Box and Muller's transform of its hash)."""
    digest = blake2b(bytes(count & 0xFF for count in board.points), digest_size=16).digest()
    first = (int.from_bytes(digest[:8], "little") + 1) / (2**64 + 1)
    second = int.from_bytes(digest[8:], "little") / 2**64
    return math.sqrt(-2 * math.log(first)) * math.cos(2 * math.pi * second)


def disturbed(chances: Chances, board: Board, deviation: float) -> Chances:
    """`chances` with noise of standard deviation `deviation` in their cubeless money equity, as far as chances stay
    between 0 and 1. Raises BadValue for a deviation that is none, or more than equities are.

    The probability of winning moves; gammons keep their shares of games won and lost, and so move the equity, too."""
    if not 0 <= deviation <= MAX_DEVIATION:
        raise BadValue(f"Expected noise from 0 to {MAX_DEVIATION}, got `{deviation}`")
    win, lose = chances.win, 1 - chances.win
    slope = 2.0  # of the equity, by the probability of winning
    if win > 0:
        slope += (chances.win_gammon + chances.win_backgammon) / win
    if lose > 0:
        slope += (chances.lose_gammon + chances.lose_backgammon) / lose
    won = min(1.0, max(0.0, win + deviation * deviate(board) / slope))
    wins = won / win if win > 0 else 0.0
    losses = (1 - won) / lose if lose > 0 else 0.0
    gammon, lost_gammon = min(won, chances.win_gammon * wins), min(1 - won, chances.lose_gammon * losses)
    return Chances(
        won,
        gammon,
        min(gammon, chances.win_backgammon * wins),
        lost_gammon,
        min(lost_gammon, chances.lose_backgammon * losses),
    )
