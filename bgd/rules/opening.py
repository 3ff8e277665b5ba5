"""The opening throw: one die each, the higher begins and plays both; equal dice are thrown again."""

from __future__ import annotations

from bgd.rules.dice import Dice
from bgd.rules.state import Side


def beginner(top: int, bottom: int) -> Side | None:
    """The side that threw the higher die, None for equal dice. Raises BadDice for what is no die."""
    Dice(top, bottom)
    if top == bottom:
        return None
    return Side.TOP if top > bottom else Side.BOTTOM


def first_roll(top: int, bottom: int) -> Dice:
    """The beginner's first roll, its own die first."""
    return Dice(max(top, bottom), min(top, bottom))
