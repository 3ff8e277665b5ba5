"""Dice, and where they come from."""

from __future__ import annotations

import pytest

from bgd.errors import BadDice
from bgd.rules.dice import ROLLS, Dice, ScriptedDice


@pytest.mark.parametrize("text", ["31", "3-1", "3 1", "3,1", " 31 "])
def test_a_roll_is_written_in_any_usual_way(text: str) -> None:
    assert Dice.parse(text) == Dice(3, 1)


@pytest.mark.parametrize("text", ["77", "0 1", "3", "311", "", "3x", "²1", "１２"])
def test_what_is_no_two_dice_is_refused(text: str) -> None:
    with pytest.raises(BadDice, match="two dice from 1 to 6"):
        Dice.parse(text)


def test_a_double_is_played_four_times_and_two_numbers_the_larger_first() -> None:
    assert Dice(4, 4).faces == (4, 4, 4, 4)
    assert Dice(1, 6).faces == (6, 1)
    assert str(Dice(1, 6)) == "16"


def test_there_are_21_rolls_of_36() -> None:
    assert len(set(ROLLS)) == 21
    assert sum(1 if dice.is_double else 2 for dice in ROLLS) == 36


def test_scripted_dice_come_as_written_and_then_run_out() -> None:
    dice = ScriptedDice("3 1 31 66")
    assert (dice.die(), dice.die(), dice.roll(), dice.roll()) == (3, 1, Dice(3, 1), Dice(6, 6))
    with pytest.raises(BadDice, match="end of the scripted dice"):
        dice.roll()


def test_scripted_dice_notice_a_die_asked_for_where_a_roll_is_next() -> None:
    with pytest.raises(BadDice, match="one die"):
        ScriptedDice("31").die()
    with pytest.raises(BadDice, match="two dice"):
        ScriptedDice("3").roll()
