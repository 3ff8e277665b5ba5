"""The Jacoby rule, automatic doubles and running totals."""

from __future__ import annotations

from bgd.rules.money import after_game, after_tie, counted
from bgd.rules.state import Cube, Money, Outcome, Result, Side


def test_gammons_count_single_under_jacoby_until_a_double_is_taken() -> None:
    assert counted(Outcome.GAMMON, Cube(), Money(jacoby=True)) is Outcome.SINGLE
    assert counted(Outcome.BACKGAMMON, Cube(), Money(jacoby=True)) is Outcome.SINGLE
    assert counted(Outcome.GAMMON, Cube(2, Side.TOP), Money(jacoby=True)) is Outcome.GAMMON


def test_gammons_always_count_without_jacoby() -> None:
    assert counted(Outcome.BACKGAMMON, Cube(), Money(jacoby=False)) is Outcome.BACKGAMMON


def test_an_automatic_double_is_no_double_taken() -> None:
    assert counted(Outcome.GAMMON, Cube(2), Money(jacoby=True)) is Outcome.SINGLE


def test_equal_dice_turn_the_cube_as_often_as_agreed() -> None:
    money = Money(automatic_doubles=2)
    assert after_tie(Cube(), money) == Cube(2)
    assert after_tie(Cube(2), money) == Cube(4)
    assert after_tie(Cube(4), money) == Cube(4)
    assert after_tie(Cube(), Money()) == Cube()


def test_automatic_doubles_stop_at_the_limit_of_the_cube() -> None:
    assert after_tie(Cube(2, limit=2), Money(automatic_doubles=5)) == Cube(2, limit=2)


def test_totals_run_on() -> None:
    assert after_game(Money(scores=(3, 1)), Result(Side.BOTTOM, Outcome.GAMMON, 4)).scores == (3, 5)
