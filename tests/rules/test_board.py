"""Where checkers can stand."""

from __future__ import annotations

import pytest
from hypothesis import given

from bgd.errors import BadPosition
from bgd.rules.board import Board
from tests.rules.boards import board, boards


@given(boards())
def test_flipped_twice_a_board_is_itself(position: Board) -> None:
    assert position.flip().flip() == position


@given(boards())
def test_the_other_side_sees_the_same_checkers(position: Board) -> None:
    other = position.flip()
    assert Board(other.points) == other
    assert (other.off, other.bar, other.pips) == (position.opponent_off, position.opponent_bar, position.opponent_pips)
    assert other.has_contact == position.has_contact


@given(boards())
def test_a_board_is_pasted_back_from_its_repr(position: Board) -> None:
    assert eval(repr(position), {"Board": Board}) == position


def test_each_side_starts_with_167_pips() -> None:
    assert Board.start().pips == Board.start().opponent_pips == 167
    assert Board.start() == Board.start().flip()


def test_a_checker_on_the_bar_counts_25_pips() -> None:
    assert board("bar 1", "2").pips == 26


def test_sides_that_have_passed_each_other_have_no_contact() -> None:
    assert not board("6:15", "7:15").has_contact
    assert board("8 6:14", "7:15").has_contact
    assert board("6:14 bar", "7:15").has_contact
    assert board("6:15", "bar 7:14").has_contact


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ((0,) * 25, "26 counts"),
        ((1, *(0,) * 24, 1), "bar"),
        ((0, 1, *(0,) * 23, -1), "bar"),
        ((0, 16, *(0,) * 22, -1, 0), "15 checkers"),
        ((0, 1, *(0,) * 22, -16, 0), "15 checkers"),
        ((0,) * 26, "none on either side"),
    ],
)
def test_impossible_boards_are_refused(points: tuple[int, ...], said: str) -> None:
    with pytest.raises(BadPosition, match=said):
        Board(points)


def test_two_closed_boards_with_both_sides_on_the_bar_are_refused() -> None:
    with pytest.raises(BadPosition, match="closed"):
        board("bar 1:2 2:2 3:2 4:2 5:2 6:2", "bar 19:2 20:2 21:2 22:2 23:2 24:2")
    assert board("bar 1:2 2:2 3:2 4:2 5:2 6:2", "19:2 20:2 21:2 22:2 23:2 24:2").bar == 1
