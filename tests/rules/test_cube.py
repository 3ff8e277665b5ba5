"""Who may turn the cube, and what it is worth."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bgd.errors import BadValue
from bgd.rules.cube import (
    NoCube,
    is_dead,
    offered,
    passed,
    taken,
    why_no_beaver,
    why_no_cube,
    why_no_double,
    why_no_raccoon,
)
from bgd.rules.dice import Dice
from bgd.rules.state import Cube, GameState, Match, Money, Phase, Side

ON_ROLL = GameState()


def test_a_centred_cube_may_be_turned_by_either_side() -> None:
    assert why_no_double(ON_ROLL) is None
    assert why_no_double(replace(ON_ROLL, turn=Side.TOP)) is None


def test_an_owned_cube_may_be_turned_by_its_owner_only() -> None:
    owned = Cube(2, Side.TOP)
    assert why_no_cube(owned, Money(), Side.TOP) is None
    assert why_no_cube(owned, Money(), Side.BOTTOM) is NoCube.OPPONENT_OWNS


def test_nobody_doubles_in_the_crawford_game() -> None:
    terms = Match(5, (4, 2), crawford=True)
    assert {why_no_cube(Cube(), terms, side) for side in Side} == {NoCube.CRAWFORD}


def test_the_trailer_may_double_after_the_crawford_game() -> None:
    assert why_no_cube(Cube(), Match(5, (4, 2)), Side.BOTTOM) is None


def test_nobody_doubles_beyond_the_limit() -> None:
    assert why_no_cube(Cube(64, Side.TOP, limit=64), Money(), Side.TOP) is NoCube.LIMIT
    assert why_no_cube(Cube(1, limit=1), Money(), Side.TOP) is NoCube.LIMIT
    assert why_no_cube(Cube(32, Side.TOP, limit=64), Money(), Side.TOP) is None


def test_nobody_doubles_after_the_roll_or_twice_or_when_the_game_is_over() -> None:
    assert why_no_double(ON_ROLL.with_dice(Dice(3, 1))) is NoCube.NOT_BEFORE_ROLL
    assert why_no_double(replace(ON_ROLL, phase=Phase.DOUBLED)) is NoCube.NOT_BEFORE_ROLL
    assert why_no_double(replace(ON_ROLL, phase=Phase.OPENING)) is NoCube.NOT_BEFORE_ROLL
    assert why_no_double(replace(ON_ROLL, phase=Phase.OVER)) is NoCube.GAME_OVER


def test_each_turn_doubles_what_is_on_offer_and_a_pass_costs_the_value_before() -> None:
    for phase, value in ((Phase.DOUBLED, 2), (Phase.BEAVERED, 4), (Phase.RACCOONED, 8)):
        state = replace(ON_ROLL, phase=phase)
        assert (offered(state), passed(state)) == (value, value // 2)
        assert taken(state) == Cube(value, Side.TOP)
    assert offered(ON_ROLL) == 1


def test_beavers_are_for_money_play_by_agreement_and_up_to_the_limit() -> None:
    doubled = replace(ON_ROLL, phase=Phase.DOUBLED)
    assert why_no_beaver(doubled) is None
    assert why_no_beaver(replace(doubled, terms=Match(7))) is NoCube.MATCH_PLAY
    assert why_no_beaver(replace(doubled, terms=Money(beavers=False))) is NoCube.NOT_AGREED
    assert why_no_beaver(replace(doubled, cube=Cube(limit=2))) is NoCube.LIMIT
    assert why_no_beaver(replace(doubled, cube=Cube(limit=4))) is None
    assert why_no_beaver(ON_ROLL) is NoCube.NOTHING_TO_BEAVER


def test_a_raccoon_answers_a_beaver() -> None:
    beavered = replace(ON_ROLL, phase=Phase.BEAVERED)
    assert why_no_raccoon(beavered) is None
    assert why_no_raccoon(replace(beavered, cube=Cube(limit=4))) is NoCube.LIMIT
    assert why_no_raccoon(replace(ON_ROLL, phase=Phase.DOUBLED)) is NoCube.NOTHING_TO_RACCOON


def test_a_cube_is_dead_for_a_side_that_wins_the_match_without_turning_it() -> None:
    match = Match(7, (5, 3))
    assert is_dead(Cube(2), match, Side.TOP)
    assert not is_dead(Cube(2), match, Side.BOTTOM)
    assert is_dead(Cube(4), match, Side.BOTTOM)
    assert not is_dead(Cube(64), Money(), Side.TOP)


def test_a_dead_cube_may_be_turned_all_the_same() -> None:
    assert why_no_cube(Cube(2, Side.TOP), Match(7, (5, 3)), Side.TOP) is None


@pytest.mark.parametrize("value", [0, 3, -2, 2**16])
def test_a_cube_shows_powers_of_two(value: int) -> None:
    with pytest.raises(BadValue, match="power of two"):
        Cube(value)


def test_a_cube_seen_by_the_other_side_has_the_other_owner() -> None:
    assert Cube(4).flip() == Cube(4)
    assert Cube(4, Side.TOP, 64).flip() == Cube(4, Side.BOTTOM, 64)
