"""Money play from game to game: the Jacoby rule, automatic doubles and the running score."""

from __future__ import annotations

from dataclasses import replace

from bgd.rules.state import Cube, Money, Outcome, Result


def counted(outcome: Outcome, cube: Cube, money: Money) -> Outcome:
    """What a win counts for. With the Jacoby rule gammons and backgammons are single games until a double has been
    taken: while the cube is centred, automatically doubled or not."""
    return Outcome.SINGLE if money.jacoby and cube.owner is None else outcome


def after_tie(cube: Cube, money: Money) -> Cube:
    """The cube after equal dice in the opening: turned automatically, and left in the centre, as often as agreed."""
    if cube.exponent < money.automatic_doubles and cube.value < cube.limit:
        return replace(cube, value=cube.value * 2)
    return cube


def after_game(money: Money, result: Result) -> Money:
    """The running totals with a game's result counted."""
    scores = list(money.scores)
    scores[result.winner] += result.points
    return replace(money, scores=(scores[0], scores[1]))
