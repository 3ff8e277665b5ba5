"""The score of a match and its Crawford game."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgd.errors import BadValue
from bgd.rules.match import after_game
from bgd.rules.state import Match, Outcome, Result, Side


def won(side: Side, points: int) -> Result:
    return Result(side, Outcome.SINGLE, points)


def test_no_game_is_the_crawford_game_where_the_rule_is_not_played() -> None:
    assert after_game(Match(5, (2, 1)), won(Side.TOP, 2), crawford_rule=False) == Match(5, (4, 1))


def test_points_go_to_the_winner() -> None:
    assert after_game(Match(7), won(Side.BOTTOM, 2)) == Match(7, (0, 2))


def test_points_beyond_the_length_are_not_counted() -> None:
    over = after_game(Match(7, (0, 5)), won(Side.BOTTOM, 8))
    assert over == Match(7, (0, 7))
    assert over.winner is Side.BOTTOM


def test_the_first_game_with_a_side_one_point_away_is_the_crawford_game() -> None:
    assert after_game(Match(5, (2, 1)), won(Side.TOP, 2)) == Match(5, (4, 1), crawford=True)


def test_there_is_one_crawford_game_only() -> None:
    crawford = Match(5, (4, 1), crawford=True)
    after = after_game(crawford, won(Side.BOTTOM, 1))
    assert after == Match(5, (4, 2))
    assert after.post_crawford
    assert not after_game(after, won(Side.BOTTOM, 1)).crawford


def test_the_last_game_at_one_point_each_is_no_crawford_game() -> None:
    assert after_game(Match(3, (2, 0), crawford=True), won(Side.BOTTOM, 2)) == Match(3, (2, 2))
    assert not Match(1).crawford
    assert not Match(3, (2, 2)).post_crawford


def test_a_side_that_leaps_over_the_last_point_but_one_leaves_no_crawford_game() -> None:
    assert not after_game(Match(5, (3, 1)), won(Side.TOP, 2)).crawford


@pytest.mark.parametrize("scores", [(0, 0), (4, 4), (5, 2)])
def test_the_crawford_flag_belongs_to_scores_with_exactly_one_side_one_away(scores: tuple[int, int]) -> None:
    with pytest.raises(BadValue):
        Match(5, scores, crawford=True)


@given(st.integers(1, 64), st.lists(st.tuples(st.sampled_from(Side), st.sampled_from([1, 2, 3, 4, 8])), min_size=64))
def test_a_match_from_the_start_has_at_most_one_crawford_game_and_it_is_the_first_that_can_be(
    length: int, games: list[tuple[Side, int]]
) -> None:
    match, history = Match(length), []
    for side, points in games:
        history.append(match)
        match = after_game(match, won(side, points))
        if match.winner is not None:
            break
    one_away = [m for m in history if [m.away(side) for side in Side].count(1) == 1]
    both_first = history[0].length == 1
    assert [m.crawford for m in one_away] == (
        [] if both_first else [True, *[False] * (len(one_away) - 1)][: len(one_away)]
    )
    assert not any(m.crawford for m in history if m not in one_away)
    assert max(match.scores) <= length
