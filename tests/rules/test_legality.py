"""Whether one play is legal, and which rule it breaks if not."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgd.errors import BadPlay, IllegalPlay
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.legality import check_play, not_hit
from bgd.rules.plays import CheckerMove, afterstates, legal_plays
from tests.rules.boards import board, boards, moves, rolls

START = Board.start()
RULES = {
    "no-checker", "bar-first", "backwards", "wrong-die", "blocked", "hit-on-the-way", "bear-off-not-home",
    "bear-off-higher-point", "both-dice", "larger-die", "all-of-double", "must-play", "nothing-playable",
}  # fmt: skip


def check(position: Board, dice: str, text: str) -> str:
    return str(check_play(position, Dice.parse(dice), moves(text)))


def refusal(position: Board, dice: str, text: str) -> tuple[str, str]:
    with pytest.raises(IllegalPlay) as caught:
        check(position, dice, text)
    return caught.value.rule, caught.value.message


# Laws


@settings(max_examples=200, deadline=None)
@given(boards(), rolls, st.data())
def test_every_legal_play_passes_in_any_order_without_hit_marks_and_as_a_board(
    position: Board, dice: Dice, data: st.DataObject
) -> None:
    legal = legal_plays(position, dice)
    if not legal:
        assert check_play(position, dice, ()).moves == check_play(position, dice, position).moves == ()
        return
    play = data.draw(st.sampled_from(legal))
    for order in permutations(play.moves):
        assert check_play(position, dice, order) == play
    assert check_play(position, dice, [CheckerMove(m.source, m.destination) for m in play.moves]) == play
    assert check_play(position, dice, play.result) == play


@settings(max_examples=200, deadline=None)
@given(boards(), rolls, st.data())
def test_hits_that_are_marked_and_not_made_are_told_and_no_others(
    position: Board, dice: Dice, data: st.DataObject
) -> None:
    legal = legal_plays(position, dice)
    play = data.draw(st.sampled_from(legal)) if legal else check_play(position, dice, ())
    assert not_hit(position, play.moves, play) == ()
    assert not_hit(position, [CheckerMove(m.source, m.destination) for m in play.moves], play) == ()
    hit = {move.destination for move in play.moves if move.hit}
    all_marked = [CheckerMove(m.source, m.destination, hit=True) for m in play.moves]
    assert set(not_hit(position, all_marked, play)) == {move.destination for move in play.moves} - hit


@settings(max_examples=300, deadline=None)
@given(boards(), rolls, st.data())
def test_a_legal_play_passes_however_short_it_is_written_where_it_hits_nothing_on_the_way(
    position: Board, dice: Dice, data: st.DataObject
) -> None:
    legal = legal_plays(position, dice)
    play = data.draw(st.sampled_from(legal)) if legal else check_play(position, dice, ())
    written = list(play.moves)
    while joints := [
        (first, second)
        for first in written
        for second in written
        if first.destination == second.source and not first.hit
    ]:
        first, second = data.draw(st.sampled_from(joints))
        written.remove(first)
        written.remove(second)
        written.append(CheckerMove(first.source, second.destination, second.hit))
    assert check_play(position, dice, written) == play


any_moves = st.lists(st.builds(CheckerMove, st.integers(1, 25), st.integers(0, 24)), max_size=4)


@settings(max_examples=500, deadline=None)
@given(boards(), rolls, any_moves)
def test_whatever_is_written_the_answer_is_a_legal_play_or_a_rule(
    position: Board, dice: Dice, written: list[CheckerMove]
) -> None:
    try:
        result = check_play(position, dice, written).result.points
    except IllegalPlay as refused:
        result = None
        rule = refused.rule
    if result is None:
        assert rule in RULES
    else:
        assert result in (afterstates(position, dice) or {position.points})


@given(boards(), boards(), rolls)
def test_a_board_that_no_legal_play_leads_to_is_refused(start: Board, end: Board, dice: Dice) -> None:
    if end.points not in afterstates(start, dice) and end != start:
        with pytest.raises(IllegalPlay):
            check_play(start, dice, end)


# Ways to write a play


def test_the_order_of_the_moves_and_of_the_dice_is_free() -> None:
    assert check(START, "31", "6/5 8/5") == check(START, "13", "8/5 6/5") == "8/5 6/5"


def test_a_checker_may_be_written_from_start_to_end() -> None:
    assert check(START, "64", "24/14") == "24/18 18/14"
    assert check(START, "55", "13/3(2)") == "13/8(2) 8/3(2)"
    assert check(START, "55", "13/3 13/8 8/3") == "13/8(2) 8/3(2)"
    assert check(board("8 7:2", "24:2"), "44", "8/off 7/3(2)") == "8/4 7/3(2) 4/off"


def test_a_short_move_passes_only_over_open_points() -> None:
    assert check(board("24", "18:2"), "61", "24/17") == "24/23 23/17"
    assert refusal(board("24", "18:2 23:2 1"), "61", "24/17")[0] == "nothing-playable"


def test_a_short_move_never_hits_on_its_way() -> None:
    assert check(board("11", "5"), "61", "11/4") == "11/10 10/4"
    assert check(board("11", "5"), "61", "11/5* 5/4") == "11/5* 5/4"
    rule, message = refusal(board("11", "5 10:2"), "61", "11/4")
    assert rule == "hit-on-the-way"
    assert "11/5*" in message


def test_a_short_move_passes_a_point_where_another_checker_hits() -> None:
    assert check(board("13:2 6", "8 24"), "55", "13/8* 13/3 6/1") == "13/8*(2) 8/3 6/1"


def test_a_hit_at_the_end_needs_no_mark() -> None:
    assert check(board("24 13", "18"), "61", "24/18 13/12") == "24/18* 13/12"


def test_the_last_checker_off_may_be_written_with_one_die() -> None:
    assert check(board("2", "24:15"), "61", "2/off") == "2/1 1/off"


# The rules that a play may break


def test_all_four_of_a_double_must_be_played_when_they_can_be() -> None:
    assert refusal(START, "66", "24/18 13/7") == (
        "all-of-double",
        "Four 6s can be played and must be; 24/18 13/7 plays two. Legal for instance: 24/18(2) 13/7(2)",
    )


def test_three_of_a_double_must_be_played_when_a_fourth_cannot() -> None:
    assert check(board("20:3 1:2", "8:2 2:2"), "66", "20/14(3)") == "20/14(3)"
    assert refusal(board("20:3 1:2", "8:2 2:2"), "66", "20/14(2)") == (
        "all-of-double",
        "Three 6s can be played and must be; 20/14(2) plays two. Legal for instance: 20/14(3)",
    )


def test_both_numbers_must_be_played_when_they_can_be() -> None:
    assert refusal(START, "65", "24/18") == (
        "both-dice",
        "Both 6 and 5 can be played and must be; 24/18 plays one. Legal for instance: 24/18 18/13",
    )
    assert refusal(board("bar 12", "20:2 10:2"), "32", "bar/22") == (
        "both-dice",
        "Both 3 and 2 can be played and must be; bar/22 plays one. Legal for instance: bar/23 12/9",
    )


def test_the_larger_number_must_be_played_when_only_one_can_be() -> None:
    assert refusal(board("20", "13:2"), "43", "20/17") == (
        "larger-die",
        "Only one of 4 and 3 can be played and it must be the larger, the 4. Legal for instance: 20/16",
    )


def test_something_must_be_played_when_it_can_be() -> None:
    assert refusal(START, "65", "")[0] == "must-play"


def test_nothing_passes_when_nothing_can_be_played() -> None:
    fan = board("bar:2 10:2", "22:2 20:2")
    assert check(fan, "53", "") == "no play"
    assert refusal(fan, "53", "10/5")[0] == "nothing-playable"


def test_a_checker_on_the_bar_enters_first() -> None:
    rule, message = refusal(board("bar 13:2", "1:2"), "31", "13/10 13/12")
    assert rule == "bar-first"
    assert message.startswith("A checker is on the bar and must enter before any other moves. Legal for instance: bar/")
    assert refusal(board("bar:2 13:2", "1:2"), "31", "bar/22 13/12")[0] == "bar-first"


def test_nobody_enters_from_an_empty_bar() -> None:
    assert refusal(START, "51", "bar/20 6/5")[:1] == ("no-checker",)
    assert "on the bar" in refusal(START, "51", "bar/20 6/5")[1]


def test_a_checker_moves_only_from_where_one_is() -> None:
    rule, message = refusal(START, "31", "9/6 6/5")
    assert rule == "no-checker"
    assert message.startswith("There is no checker on 9 to move")
    assert refusal(START, "31", "24/21 24/23 5/4")[0] == "no-checker"


def test_none_moves_once_the_last_one_is_off() -> None:
    assert refusal(board("1", "2:15"), "11", "1/off 1/off")[0] == "no-checker"


def test_a_point_that_the_opponent_holds_is_blocked() -> None:
    rule, message = refusal(START, "51", "24/19 6/5")
    assert rule == "blocked"
    assert message.startswith("19 is blocked: the opponent has 5 checkers there")


def test_checkers_do_not_go_back() -> None:
    assert refusal(START, "31", "8/11 6/5")[0] == "backwards"


def test_the_dice_must_make_the_moves() -> None:
    assert refusal(START, "52", "24/20") == (
        "wrong-die",
        "24/20 is 4 pips; 52 makes 2, 5 or 7. Legal for instance: 24/22 13/8",
    )
    assert refusal(START, "31", "8/5 6/3")[0] == "wrong-die"
    assert refusal(START, "31", "8/5 6/5 24/23")[0] == "wrong-die"
    assert refusal(START, "11", "8/7(2) 6/5(2) 24/23")[0] == "wrong-die"


def test_nothing_is_borne_off_while_a_checker_is_outside() -> None:
    rule, message = refusal(board("8 6:3 5", "24:2"), "61", "6/off 8/7")
    assert rule == "bear-off-not-home"
    assert message.startswith("Checkers are borne off once all are home; one is on 7")


def test_a_larger_die_bears_off_from_the_highest_point_only() -> None:
    rule, message = refusal(board("5 3:2", "24:2"), "41", "3/off 3/2")
    assert rule == "bear-off-higher-point"
    assert message.startswith("A 4 cannot bear off from 3 while a checker is on 5")


def test_points_of_no_board_are_a_bad_play() -> None:
    for move in (CheckerMove(26, 20), CheckerMove(0, 0), CheckerMove(6, -1), CheckerMove(25, 25)):
        with pytest.raises(BadPlay):
            check_play(START, Dice(6, 5), [move])


@pytest.mark.parametrize(
    ("dice", "text", "unhit"),
    [
        ("31", "24/20*", (20,)),
        ("31", "24/21* 21/20*", (20, 21)),
        ("31", "8/5* 6/5*", (5,)),
        ("11", "24/23*(2) 6/5(2)", (23,)),
        ("31", "8/5 6/5", ()),
    ],
)
def test_where_nothing_stands_nothing_is_hit_however_it_is_marked(dice: str, text: str, unhit: tuple[int, ...]) -> None:
    written = moves(text)
    assert not_hit(START, written, check_play(START, Dice.parse(dice), written)) == unhit


@pytest.mark.parametrize("text", ["24/20*", "24/23 23/20*", "24/21 21/20*", "24/20"])
def test_a_hit_at_the_end_counts_by_whichever_way_it_is_reached(text: str) -> None:
    position = board("24:2 13:5 8:3 6:5", "20 12:5 1:2")
    written = moves(text)
    assert not_hit(position, written, check_play(position, Dice(3, 1), written)) == ()
