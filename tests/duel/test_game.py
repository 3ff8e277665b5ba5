"""One game and a pair of games at the table of a duel."""

from __future__ import annotations

from itertools import islice

import pytest

from bgd.duel.game import FAULT_POINTS, Call, Seat, Turn, dice_of, play_game, play_pair
from bgd.duel.players import Player
from bgd.rules.board import Board
from bgd.rules.plays import legal_plays
from bgd.rules.state import GameState
from tests.duel.players import Cheat, Crasher, FirstPlay, LastPlay, Mute, Racer, Staller


def seats(a: Player, b: Player) -> dict[Seat, Player]:
    return {"a": a, "b": b}


def test_the_opening_roll_is_no_double() -> None:
    openings = [next(dice_of(seed=1, pair=pair)) for pair in range(300)]
    assert not any(dice.is_double for dice in openings)
    assert len({(dice.high, dice.low) for dice in openings}) == 15


def test_the_same_seed_and_pair_give_the_same_dice_and_others_give_others() -> None:
    assert list(islice(dice_of(3, 7), 50)) == list(islice(dice_of(3, 7), 50))
    assert list(islice(dice_of(3, 7), 50)) != list(islice(dice_of(3, 8), 50))
    assert list(islice(dice_of(3, 7), 50)) != list(islice(dice_of(4, 7), 50))


def test_a_player_against_itself_wins_with_one_seat_what_it_loses_with_the_other() -> None:
    for pair in range(20):
        (first, _), (second, _) = play_pair(seats(FirstPlay(), FirstPlay()), seed=1, pair=pair)
        assert first.points == -second.points != 0
        assert first.turns == second.turns


def test_both_games_of_a_pair_are_played_with_the_same_dice() -> None:
    games = play_pair(seats(FirstPlay(), LastPlay()), seed=1, pair=0)
    first, second = ([turn.dice for turn in turns] for _, turns in games)
    shared = min(len(first), len(second))
    assert first[:shared] == second[:shared]
    assert [record.first for record, _ in games] == ["a", "b"]


def test_a_gammon_counts_two() -> None:
    """The points are those of the last board: no checker off, none behind, is a gammon."""
    found = set()
    for pair in range(60):
        record, turns = play_game(seats(FirstPlay(), LastPlay()), "a", dice_of(2, pair))
        loser = turns[-1].play.result.flip()
        back = any(count > 0 for count in loser.points[19:])
        expected = 1 if loser.off else 3 if back else 2
        assert abs(record.points) == expected
        assert (record.points > 0) == (turns[-1].seat == "a")
        found.add(expected)
    assert found >= {1, 2}


def test_an_illegal_play_loses_a_backgammon() -> None:
    record, turns = play_game(seats(FirstPlay(), Cheat()), "a", dice_of(1, 0))
    assert (record.points, record.faulty) == (FAULT_POINTS, "b")
    assert "No legal play" in record.fault
    assert len(turns) == 1


def test_staying_put_is_an_illegal_play_where_something_can_be_played() -> None:
    record, _ = play_game(seats(Staller(), FirstPlay()), "a", dice_of(1, 0))
    assert (record.points, record.faulty) == (-FAULT_POINTS, "a")


def test_a_crash_loses_a_backgammon_and_the_next_game_is_played() -> None:
    (first, _), (second, turns) = play_pair(seats(Crasher(), FirstPlay()), seed=1, pair=0)
    assert (first.points, first.faulty, first.fault) == (-FAULT_POINTS, "a", "the end of its output")
    assert second.faulty == "a"
    assert len(turns) > 0


def test_luck_is_signed_by_seat_and_told_of_the_opening() -> None:
    asked = []

    def luck(state: GameState, opening: bool) -> float:
        asked.append(opening)
        return 1.0

    record, turns = play_game(seats(FirstPlay(), FirstPlay()), "a", dice_of(1, 3), luck)
    assert asked == [True, *[False] * (len(turns) - 1)]
    assert record.luck == pytest.approx(len(turns) % 2)


def test_every_turn_recorded_is_a_legal_play() -> None:
    _, turns = play_game(seats(FirstPlay(), LastPlay()), "b", dice_of(1, 5))
    board = Board.start()
    for turn in turns:
        assert turn.play in legal_plays(board, turn.dice) or (not turn.play.moves and not legal_plays(board, turn.dice))
        board = turn.play.result.flip()


def test_a_cube_that_nobody_turns_changes_nothing() -> None:
    for pair in range(5):
        table = seats(FirstPlay(), LastPlay())
        assert play_pair(table, 4, pair) == play_pair(table, 4, pair, cube=True)


def test_the_cube_goes_to_who_takes_and_a_pass_costs_what_it_stood_at() -> None:
    ended, turned = set(), 0
    for pair in range(40):
        for record, steps in play_pair(seats(Racer(), Racer()), 5, pair, cube=True):
            value, owner = 1, None
            for number, step in enumerate(steps):
                if isinstance(step, Turn):
                    continue
                before = steps[number - 1]
                if step.said == "double":
                    assert isinstance(before, Turn)
                    assert before.seat != step.seat
                    assert owner in (None, step.seat)
                    assert step.value == 2 * value
                else:
                    assert isinstance(before, Call)
                    assert before.said == "double"
                    assert before.seat != step.seat
                if step.said == "take":
                    value, owner = step.value, step.seat
                    turned += 1
            last = steps[-1]
            assert record.cube == value
            assert record.passed is (isinstance(last, Call) and last.said == "pass")
            winner = steps[-2].seat if record.passed else last.seat
            assert (record.points > 0) is (winner == "a")
            assert abs(record.points) in ({value} if record.passed else {value, 2 * value, 3 * value})
            ended.add((record.passed, abs(record.points) // value))
    assert turned > 40
    assert ended >= {(True, 1), (False, 1), (False, 2)}


def test_who_has_no_word_for_the_cube_loses_a_backgammon_of_it() -> None:
    faults = set()
    for pair in range(40):
        record, _ = play_game(seats(Racer(), Mute()), "a", dice_of(6, pair), cube=True)
        if record.faulty:
            assert (record.faulty, record.fault, record.points) == ("b", "silence", FAULT_POINTS * record.cube)
            faults.add(record.cube)
    assert faults == {1}
