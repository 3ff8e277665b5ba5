"""How luck is measured: what must hold whatever the engine's opinion is."""

from __future__ import annotations

import pytest

from bgd.duel.luck import LuckMeter
from bgd.duel.players import TERMS
from bgd.engine.evaluator import Evaluator
from bgd.rules.board import Board
from bgd.rules.dice import ROLLS, Dice
from bgd.rules.state import Cube, GameState, Side

BOARDS = [
    Board.start(),
    Board((-1, 4, 2, 2, 3, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, -8, -3, 1)),
    Board((0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0)),
]


CENTRED = Cube()


def rolled(board: Board, dice: Dice, cube: Cube = CENTRED) -> GameState:
    return GameState(board, Side.BOTTOM, cube=cube, terms=TERMS).with_dice(dice)


@pytest.fixture(scope="module")
def luck() -> LuckMeter:
    return LuckMeter(Evaluator.load(), cube=False)


@pytest.mark.parametrize("board", BOARDS)
def test_luck_is_zero_on_average_over_all_rolls(luck: LuckMeter, board: Board) -> None:
    total = sum(luck(rolled(board, roll), False) * (1 if roll.is_double else 2) for roll in ROLLS)
    assert total == pytest.approx(0, abs=1e-9)


def test_luck_of_the_opening_is_zero_on_average_over_rolls_that_are_no_doubles(luck: LuckMeter) -> None:
    total = sum(luck(rolled(Board.start(), roll), True) for roll in ROLLS if not roll.is_double)
    assert total == pytest.approx(0, abs=1e-9)


def test_the_order_of_the_dice_makes_no_luck(luck: LuckMeter) -> None:
    assert luck(rolled(Board.start(), Dice(3, 1)), False) == luck(rolled(Board.start(), Dice(1, 3)), False)


def test_31_is_a_lucky_opening_and_41_is_not(luck: LuckMeter) -> None:
    assert luck(rolled(Board.start(), Dice(3, 1)), True) > 0 > luck(rolled(Board.start(), Dice(4, 1)), True)


def test_a_roll_that_every_other_roll_equals_is_no_luck(luck: LuckMeter) -> None:
    """Two checkers on the one point: whatever is rolled bears both off."""
    assert luck(rolled(BOARDS[2], Dice(2, 1)), False) == pytest.approx(0, abs=1e-6)


def test_with_a_cube_luck_is_zero_on_average_too_and_in_points() -> None:
    luck = LuckMeter(Evaluator.load(), cube=True)
    for cube in (CENTRED, Cube(2, Side.BOTTOM), Cube(4, Side.TOP)):
        total = sum(luck(rolled(Board.start(), roll, cube), False) * (1 if roll.is_double else 2) for roll in ROLLS)
        assert total == pytest.approx(0, abs=1e-8)
    last_roll = Board(
        (0, 2, *[0] * 4, 1, *[0] * 17, -2, 0)
    )  # three checkers, one on the 6 point: doubles win, and more
    points = [luck(rolled(last_roll, Dice(6, 6), Cube(value, Side.TOP)), False) for value in (2, 8)]
    assert points[1] == pytest.approx(4 * points[0])
    assert points[0] > 0
