"""Single game, gammon, backgammon."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from bgd.errors import BadPosition
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.outcome import is_over, outcome_of, worst_loss
from bgd.rules.plays import legal_plays
from bgd.rules.state import HouseRules, Outcome
from tests.rules.boards import board, boards, rolls

WON = [
    ("1:14", Outcome.SINGLE),  # one is off
    ("24 1:13", Outcome.SINGLE),  # one is off, though others are far back
    ("1:15", Outcome.GAMMON),
    ("18:15", Outcome.GAMMON),  # the winner's bar point is outside its home
    ("19 1:14", Outcome.BACKGAMMON),
    ("24 1:14", Outcome.BACKGAMMON),
    ("bar 1:14", Outcome.BACKGAMMON),
]


@pytest.mark.parametrize(("loser", "outcome"), WON)
def test_the_losers_checkers_say_how_a_game_was_won(loser: str, outcome: Outcome) -> None:
    finished = board(loser, "")
    assert is_over(finished)
    assert outcome_of(finished) == outcome_of(finished.flip()) == outcome


def test_a_game_with_checkers_of_both_sides_has_no_outcome_yet() -> None:
    assert not is_over(Board.start())
    with pytest.raises(BadPosition, match="finished game"):
        outcome_of(Board.start())


def test_a_backgammon_counts_2_where_that_is_agreed() -> None:
    assert HouseRules(backgammons=False).counted(Outcome.BACKGAMMON) is Outcome.GAMMON
    assert HouseRules(backgammons=False).counted(Outcome.SINGLE) is Outcome.SINGLE
    assert HouseRules().counted(Outcome.BACKGAMMON) is Outcome.BACKGAMMON


def test_no_gammon_is_lost_once_a_checker_is_off() -> None:
    assert worst_loss(board("24:2 bar 6:11", "1:2")) is Outcome.SINGLE


def test_no_backgammon_is_lost_once_all_checkers_are_safely_past() -> None:
    assert worst_loss(board("18:15", "24:2")) is Outcome.GAMMON
    assert worst_loss(board("19 18:14", "24:2")) is Outcome.BACKGAMMON
    assert worst_loss(board("18:15", "1:2")) is Outcome.BACKGAMMON  # it can still be hit


@settings(deadline=None)
@given(boards(), rolls)
def test_no_play_of_the_opponent_makes_a_loss_possible_that_was_excluded(position: Board, dice: Dice) -> None:
    worst = worst_loss(position.flip())
    for play in legal_plays(position, dice):
        assert worst_loss(play.result.flip()) <= worst
        if play.result.off == 15:
            assert outcome_of(play.result) <= worst
