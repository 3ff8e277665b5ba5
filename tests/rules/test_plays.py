"""Which plays a roll allows."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings

from bgd.errors import IllegalPlay
from bgd.notation import position_id
from bgd.rules.board import Board
from bgd.rules.dice import ROLLS, Dice
from bgd.rules.plays import CheckerMove, afterstates, legal_plays, play_between
from tests.rules.boards import board, boards, brute_force, moves, rolls

DATA = Path(__file__).parent.parent / "data"


def plays(position: Board, dice: str) -> set[str]:
    return {str(play) for play in legal_plays(position, Dice.parse(dice))}


# Laws


@settings(max_examples=300, deadline=None)
@given(boards(), rolls)
def test_a_play_is_legal_exactly_when_trying_everything_reaches_it(position: Board, dice: Dice) -> None:
    assert afterstates(position, dice) == brute_force(position, dice)


@settings(max_examples=200, deadline=None)
@given(boards(), rolls)
def test_every_board_is_reached_by_one_spelling_and_the_spelling_leads_there(position: Board, dice: Dice) -> None:
    legal = legal_plays(position, dice)
    assert {play.result.points for play in legal} == afterstates(position, dice)
    assert len({play.result for play in legal}) == len({play.moves for play in legal}) == len(legal)
    for play in legal:
        points = list(position.points)
        for move in play.moves:
            assert points[move.source] > 0
            assert move.hit == (move.destination > 0 and points[move.destination] == -1)
            points[move.source] -= 1
            if move.hit:
                points[move.destination] = 0
                points[0] -= 1
            if move.destination > 0:
                assert points[move.destination] >= 0
                points[move.destination] += 1
        assert tuple(points) == play.result.points


@settings(max_examples=200, deadline=None)
@given(boards(), rolls)
def test_no_checker_is_lost_and_the_opponent_only_moves_to_the_bar(position: Board, dice: Dice) -> None:
    for play in legal_plays(position, dice):
        after = play.result
        assert Board(after.points) == after
        assert sum(count for count in after.points if count < 0) == sum(c for c in position.points if c < 0)
        assert after.off - position.off == sum(move.destination == 0 for move in play.moves)
        assert after.opponent_bar - position.opponent_bar == sum(move.hit for move in play.moves)
        assert after.pips < position.pips


@settings(max_examples=200, deadline=None)
@given(boards(), rolls)
def test_the_play_between_two_boards_is_the_legal_play_that_leads_from_one_to_the_other(
    position: Board, dice: Dice
) -> None:
    for play in legal_plays(position, dice):
        assert play_between(position, dice, play.result) == play


@given(boards(), boards(), rolls)
def test_there_is_no_play_between_boards_that_no_legal_play_joins(start: Board, end: Board, dice: Dice) -> None:
    if end.points not in afterstates(start, dice) and end != start:
        with pytest.raises(IllegalPlay) as caught:
            play_between(start, dice, end)
        assert caught.value.rule == "unreachable"


@given(boards(), rolls)
def test_the_order_of_the_dice_makes_no_difference(position: Board, dice: Dice) -> None:
    assert legal_plays(position, dice) == legal_plays(position, Dice(dice.second, dice.first))


# Counts


def test_the_start_position_has_447_plays_over_the_21_rolls() -> None:
    expected = {
        "11": 42, "21": 15, "31": 16, "41": 14, "51": 8, "61": 10, "22": 75, "32": 17, "42": 18, "52": 8, "62": 14,
        "33": 73, "43": 17, "53": 9, "63": 14, "44": 52, "54": 9, "64": 14, "55": 4, "65": 7, "66": 11,
    }  # fmt: skip
    assert {roll: len(legal_plays(Board.start(), Dice.parse(roll))) for roll in expected} == expected
    assert sum(expected.values()) == 447


def test_two_rolls_deep_the_406_distinct_positions_have_183632_plays() -> None:
    after_one = {points for dice in ROLLS for points in afterstates(Board.start(), dice)}
    assert len(after_one) == 406
    replies = [reply for points in after_one for dice in ROLLS for reply in afterstates(Board(points).flip(), dice)]
    assert len(replies) == 183_632
    assert len(set(replies)) == 163_706


with (DATA / "play_counts.csv").open() as rows:
    PLAY_COUNTS = [tuple(row.values()) for row in csv.DictReader(rows)]


@pytest.mark.parametrize(("identifier", "die1", "die2", "count"), PLAY_COUNTS)
def test_known_positions_have_the_known_number_of_plays(identifier: str, die1: str, die2: str, count: str) -> None:
    assert len(legal_plays(position_id.decode(identifier), Dice(int(die1), int(die2)))) == int(count)


def test_two_aces_in_the_hardest_position_make_2220_plays() -> None:
    assert len(legal_plays(position_id.decode("AACAkCRJqqoAAA"), Dice(1, 1))) == 2220


@pytest.mark.parametrize(("kind", "mixed", "doubles"), [("contact", 185_957, 218_356), ("race", 122_570, 140_720)])
def test_a_thousand_positions_have_the_known_number_of_plays(kind: str, mixed: int, doubles: int) -> None:
    positions = [position_id.decode(line) for line in (DATA / f"positions_{kind}_1000.txt").read_text().split()]
    assert len(positions) == 1000
    totals = {False: 0, True: 0}
    for position in positions:
        for dice in ROLLS:
            totals[dice.is_double] += len(afterstates(position, dice)) or 1
    assert totals == {False: mixed, True: doubles}


# Entering from the bar


def test_nobody_enters_against_a_closed_point() -> None:
    assert plays(board("bar:2 10:2", "22:2 20:2"), "53") == set()


def test_a_second_checker_on_the_bar_stays_there_when_only_one_number_enters() -> None:
    assert plays(board("bar:2 10:2", "22:2"), "53") == {"bar/20"}


def test_a_fan_is_no_play_at_all() -> None:
    position = position_id.decode("4HPwATDgc/ABUA")
    assert legal_plays(position, Dice(6, 6)) == ()
    assert str(play_between(position, Dice(6, 6), position)) == "no play"


def test_no_play_is_refused_where_something_can_be_played() -> None:
    with pytest.raises(IllegalPlay):
        play_between(Board.start(), Dice(3, 1), Board.start())


def test_either_number_enters_but_not_both_so_the_larger_must() -> None:
    assert plays(board("bar", "20:2"), "32") == {"bar/22"}
    assert plays(position_id.decode("MAAAAAAACAAAAA"), "32") == {"bar/22"}


def test_the_smaller_number_enters_when_that_is_the_only_way_to_play_both() -> None:
    assert plays(board("bar 12", "20:2 10:2"), "32") == {"bar/23 12/9"}
    assert plays(position_id.decode("MAADAAABQAAAAA"), "32") == {"bar/23 12/9"}


def test_the_larger_number_enters_when_that_is_the_only_way_to_play_both() -> None:
    assert plays(board("bar 12", "20:2 9:2"), "32") == {"bar/22 12/10"}


def test_all_four_checkers_enter_with_a_double() -> None:
    assert plays(board("bar:4", "22:2 20:2"), "44") == {"bar/21(4)"}


def test_two_enter_with_a_double_hit_once_and_then_are_stopped() -> None:
    assert plays(board("bar:2", "22 19:2"), "33") == {"bar/22*(2)"}
    (play,) = legal_plays(board("bar:2", "22 19:2"), Dice(3, 3))
    assert play.moves == (CheckerMove(25, 22, hit=True), CheckerMove(25, 22))


def test_after_the_only_checker_on_the_bar_has_entered_any_checker_may_move() -> None:
    assert plays(board("bar 24 13", "1:2"), "21") == {
        "bar/23 23/22", "bar/24 13/11", "bar/23 24/23", "bar/23 13/12",
    }  # fmt: skip


# Both dice, or the larger


def test_the_larger_die_must_be_played_when_only_one_can_be() -> None:
    assert plays(board("7:2", "2:2"), "52") == {"7/5"}  # the 5 is blocked from 7: 7/5 leaves no 5 either
    assert plays(board("20", "13:2"), "43") == {"20/16"}


def test_hits_on_the_way_make_another_play() -> None:
    assert plays(board("20", "16:3"), "43") == {"20/17 17/13"}
    assert plays(board("20", "16"), "43") == {"20/16* 16/13", "20/17 17/13"}


def test_a_checker_that_hits_nothing_passes_by_the_larger_die_first() -> None:
    assert "13/7 7/6" in plays(Board.start(), "61")
    assert plays(board("24", "18:2"), "61") == {"24/23 23/17"}


def test_two_checkers_may_need_each_other_to_play_both_numbers() -> None:
    assert plays(board("7 6:3", "2:2"), "54") == {"7/3 6/1"}


def test_a_double_is_one_play_of_four_moves() -> None:
    assert plays(board("1:15", "24:15"), "11") == {"1/off(4)"}


def test_a_double_stops_when_the_last_checker_is_off() -> None:
    assert plays(board("1:3", "24:15"), "11") == {"1/off(3)"}


# Bearing off


def test_the_last_checker_outside_comes_home_and_then_one_is_borne_off() -> None:
    assert plays(board("9 5:3 3:2", "1:2 24:13"), "64") == {"9/5 5/off"}
    assert plays(board("8 4:3", "1:2 24:13"), "43") == {"8/5 4/off"}


def test_a_die_too_large_bears_off_from_the_highest_point() -> None:
    assert plays(board("4 2:4", "1 24"), "64") == {"4/off 2/off"}
    assert plays(position_id.decode("9gsWhAELAAAAAA"), "55") == {"2/off 1/off(2)"}


def test_both_numbers_are_played_also_when_one_would_do() -> None:
    assert plays(board("2 1:5", "24:15"), "61") == {"2/off 1/off", "2/1 1/off"}
    assert plays(board("2", "24:15"), "61") == {"2/1 1/off"}
    assert plays(board("1", "24:15"), "61") == {"1/off"}


def test_counts_of_bear_offs_that_programs_have_got_wrong() -> None:
    assert len(plays(position_id.decode("fwAAAP+1CQAAAA"), "61")) == 5
    assert len(plays(position_id.decode("/+YAASD+2xQAAA"), "61")) == 6
    assert plays(position_id.decode("/z0AADDeaxsAAA"), "55") == {"7/2(2) 5/off(2)"}


def test_every_play_of_a_side_on_the_bar_enters() -> None:
    position = position_id.decode("Np7BQSCYZ/AAWA")
    assert len(plays(position, "53")) == 5
    assert all(play.startswith("bar/20") for play in plays(position, "53"))


# Spelling


def test_plays_are_spelled_from_the_rear() -> None:
    assert {"8/5 6/5"} < plays(Board.start(), "31")
    assert {"24/18(2) 13/7(2)"} < plays(Board.start(), "66")
    assert {"13/11 13/10", "24/21 13/11"} < plays(Board.start(), "32")


def test_the_short_notation_of_these_tests_reads_what_plays_write() -> None:
    for dice in ROLLS:
        for play in legal_plays(Board.start(), dice):
            assert moves(str(play)) == play.moves
