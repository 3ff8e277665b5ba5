"""Known values of the bear-off, each to a millionth: expected rolls, chances of a race, cube decisions of last rolls.

Numbers of rolls and fractions are computed anew here, by the plain rules, from nothing but the dice.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from bgd.engine import Engine
from bgd.kernels import bearoff
from bgd.kernels.bearoff import Bearoff
from bgd.kernels.home import own_index
from bgd.rules.dice import ROLLS, Dice
from bgd.rules.plays import legal_plays
from bgd.rules.state import GameState, Money, Outcome
from tests.kernels.arrays import padded
from tests.rules.boards import by_own_points

TWO_CHECKERS = {
    (1, 1): 36, (2, 1): 36, (2, 2): 26, (3, 1): 34, (3, 2): 25, (3, 3): 17, (4, 1): 29, (4, 2): 23, (4, 3): 17,
    (4, 4): 11, (5, 1): 23, (5, 2): 19, (5, 3): 14, (5, 4): 10, (5, 5): 6, (6, 1): 15, (6, 2): 13, (6, 3): 10,
    (6, 4): 8, (6, 5): 6, (6, 6): 4,
}  # fmt: skip
"""Rolls of 36 that bear off two checkers (the classic table)."""

ONE_CHECKER = {1: 36, 2: 36, 3: 36, 4: 34, 5: 31, 6: 27}


@pytest.fixture(scope="module")
def table() -> Bearoff:
    return bearoff.load()


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load()


def race(own: list[int], opponent: list[int]) -> GameState:
    """Each side's checkers by its own points; BOTTOM on roll, for money."""
    return GameState(by_own_points(own, opponent), terms=Money(jacoby=False, beavers=False))


def chance(dice: Dice) -> Fraction:
    return Fraction(1 if dice.is_double else 2, 36)


@cache
def left(aces: int, dice: Dice) -> int:
    """Checkers left of a stack on the ace point after a roll."""
    return legal_plays(race([1] * aces, [6]).board, dice)[0].result.points[1]


@cache
def ace_race(mine: int, theirs: int) -> Fraction:
    """The chance of the side on roll when all checkers are on the ace points."""
    if mine == 0 or theirs == 0:
        return Fraction(int(mine == 0))
    return sum((chance(dice) * (1 - ace_race(theirs, left(mine, dice))) for dice in ROLLS), Fraction(0))


@cache
def double_last(mine: int, theirs: int) -> Fraction:
    """The chance that the last throw of that race is a double."""
    found = Fraction(0)
    for dice in ROLLS:
        after = left(mine, dice)
        found += chance(dice) * (double_last(theirs, after) if after else int(dice.is_double))
    return found


@cache
def double_last_alone(aces: int) -> Fraction:
    """The same of one side bearing off on its own."""
    found = Fraction(0)
    for dice in ROLLS:
        after = left(aces, dice)
        found += chance(dice) * (double_last_alone(after) if after else int(dice.is_double))
    return found


def off_at_once(checkers: list[int], table: Bearoff) -> float:
    return float(table.off[own_index(padded(race(checkers, [1]).board.points)), 1])


def test_one_roll_bears_off_one_checker_and_two_as_often_as_known(table: Bearoff) -> None:
    for point, rolls in ONE_CHECKER.items():
        assert off_at_once([point], table) == pytest.approx(rolls / 36, abs=1e-6), point
    for points, rolls in TWO_CHECKERS.items():
        assert off_at_once(list(points), table) == pytest.approx(rolls / 36, abs=1e-6), points


@pytest.mark.parametrize(
    ("own", "opponent", "win"),
    [
        ([1] * 8, [1] * 6, ace_race(8, 6)),
        ([6, 6], [6, 6], Fraction(410592493, 544195584)),
        ([3, 1], [1], Fraction(34, 36)),
        ([6], [1], Fraction(27, 36)),
    ],
)
def test_chances_of_races(own: list[int], opponent: list[int], win: Fraction, engine: Engine) -> None:
    for plies in (0, 1, 2):
        assert engine.evaluate(race(own, opponent), plies).chances.win == pytest.approx(float(win), abs=1e-6)


def test_eight_aces_against_six_win_as_often_as_published() -> None:
    assert float(ace_race(8, 6)) == pytest.approx(0.301055, abs=5e-7)


@pytest.mark.parametrize(("own", "opponent"), [(15, 8), (15, 9), (8, 4)])
def test_nobody_resigns_a_race_that_doubles_might_win(own: int, opponent: int, engine: Engine) -> None:
    assert 0 < ace_race(own, opponent) < 0.03
    assert engine.resign(race([1] * own, [1] * opponent)).offer is None


@pytest.mark.parametrize(("own", "opponent"), [(15, 6), (13, 5), (9, 4), (5, 2)])
def test_what_no_dice_can_win_any_more_is_resigned(own: int, opponent: int, engine: Engine) -> None:
    assert ace_race(own, opponent) == 0
    assert engine.resign(race([1] * own, [1] * opponent)).offer is Outcome.SINGLE


def test_the_last_throw_of_stacks_of_aces_is_a_double_as_often_as_published() -> None:
    for n in range(1, 8):
        assert double_last_alone(2 * n - 1) == double_last_alone(2 * n) == (2 + 5 * Fraction(-1, 6) ** n) / 7
    assert float(double_last(15, 15)) == pytest.approx(0.3417, abs=5e-5)


def test_last_rolls_are_doubled_and_answered_exactly_at_any_level(engine: Engine) -> None:
    for plies in (0, 1, 2):
        sure, even = engine.cube(race([3, 1], [1]), plies), engine.cube(race([6], [1]), plies)
        assert (sure.no_double, sure.double_take) == pytest.approx((32 / 36, 64 / 36), abs=1e-6)
        assert sure.label == "double/pass"
        assert (even.no_double, even.double_take) == pytest.approx((0.5, 1.0), abs=1e-6)
        assert even.label == "double/take"
