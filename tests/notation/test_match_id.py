"""GNU Match IDs, alone and in a pair with a Position ID."""

from __future__ import annotations

import pytest

from bgd.errors import BadPosition, BadValue
from bgd.notation import match_id
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.state import Cube, GameState, Match, Money, Outcome, Phase, Resignation, Side

START = Board.start()


def read(text: str) -> GameState:
    return match_id.decode(text, START)


def test_the_manuals_example() -> None:
    # 9 points, player 0 has 2 and owns a 2-cube, player 1 has 4 and rolled 52.
    state = read("QYkqASAAIAAA")
    assert state.terms == Match(9, (2, 4))
    assert state.cube == Cube(2, Side.TOP)
    assert (state.turn, state.phase, state.dice) == (Side.BOTTOM, Phase.PLAY, Dice(5, 2))


def test_dice_may_come_small_first() -> None:
    assert read("cIgUAAAAAAAA").dice == Dice(1, 5)


def test_game_state_none_reads_as_a_game_being_played() -> None:
    assert read("8IhuACAACAAE") == read("8IluACAACAAE")


def test_owner_2_reads_as_centred() -> None:
    # `cAkA` has owner 3 (bits 4 and 5 of 0x70); 0x60 has owner 2.
    assert read("YAkAAAAAAAAE") == read("cAkAAAAAAAAE")


def test_a_cube_at_1_is_centred_whoever_the_id_says_owns_it() -> None:
    assert read("UAkAAAAAAAAE").cube == Cube()


def test_a_match_takes_no_notice_of_jacobys_bit() -> None:
    assert read("cAngAEAAEAAE") == read("cAngAEAAEAAA")


@pytest.mark.parametrize(
    ("text", "phase", "decider"),
    [
        ("cBEAAAAAAAAA", Phase.DOUBLED, Side.TOP),
        ("QRkAAAAAAAAA", Phase.BEAVERED, Side.BOTTOM),
        ("QhEAAAAAAAAA", Phase.RACCOONED, Side.TOP),
    ],
)
def test_gnubgs_ids_of_a_double_a_beaver_and_a_raccoon(text: str, phase: Phase, decider: Side) -> None:
    # As gnubg 1.07 printed them one after the other: bottom doubled a centred cube.
    state = read(text)
    assert (state.turn, state.phase, state.decider) == (Side.BOTTOM, phase, decider)
    assert state.cube == Cube()
    assert match_id.encode(state) == text


def test_a_double_by_the_side_that_does_not_own_the_cube_is_refused() -> None:
    offered = match_id.encode(GameState(phase=Phase.DOUBLED, cube=Cube(2, Side.BOTTOM), terms=Match(7)))
    state = match_id.decode(offered, START)
    assert state.decider is Side.TOP
    stolen = "QRHgAAAAAAAE"  # the same with bits 4 and 5 zero: top owns the cube
    assert offered == "URHgAAAAAAAE"
    with pytest.raises(BadValue, match="contradicts"):
        read(stolen)


def test_a_resignation_is_the_doing_of_the_side_that_does_not_decide() -> None:
    for side in Side:
        state = GameState(resignation=Resignation(side, Outcome.GAMMON))
        read_back = match_id.decode(match_id.encode(state), START)
        assert read_back.resignation == Resignation(side, Outcome.GAMMON)
        assert read_back.decider is side.other


def test_a_resignation_while_a_beaver_is_pending_has_no_id() -> None:
    with pytest.raises(BadValue, match="resignation"):
        match_id.encode(GameState(phase=Phase.BEAVERED, resignation=Resignation(Side.TOP, Outcome.SINGLE)))


def test_a_finished_match_may_be_written_with_its_winners_score_at_the_length() -> None:
    state = GameState(phase=Phase.OVER, terms=Match(3, (4, 1)))
    assert match_id.decode(match_id.encode(state), START).terms == Match(3, (3, 1))


@pytest.mark.parametrize("scores", [(-1, 0), (0, 32768)])
def test_scores_that_do_not_fit_are_refused(scores: tuple[int, int]) -> None:
    with pytest.raises(BadValue, match="32767"):
        match_id.encode(GameState(terms=Money(scores=scores)))


def test_one_position_id_with_two_match_ids_is_two_positions() -> None:
    top, bottom = (match_id.decode_pair(f"ewMAAD4gAAAAAA:{text}") for text in ("AQGqAAAAAAAE", "UQmqAAAAAAAE"))
    assert top.board == bottom.board
    assert top.board_of(Side.BOTTOM) == bottom.board_of(Side.TOP) != bottom.board_of(Side.BOTTOM)


def test_a_pair_is_joined_by_a_colon() -> None:
    with pytest.raises(BadPosition, match="joined by a colon"):
        match_id.decode_pair("4HPwATDgc/ABMA")
    with pytest.raises(BadValue, match="12 characters"):
        match_id.decode_pair("4HPwATDgc/ABMA:cAkA")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("cAkAAAAAAAA", "12 characters"),
        ("cAkAAAAAAAAE ", "12 characters"),
        ("cAkAAAAAAAAI", "bits 67 to 71"),
        ("cA4AAAAAAAAE", "game state from 0 to 4"),
        ("cAEAAAAAAAAE", "side on roll to decide"),
        ("cJkKAAAAAAAE", "no dice while a double"),
        ("cAngAGAAQAAE", "scores up to the length"),
        ("cAkgCAAAAAAE", "from 1 to 64"),
    ],
)
def test_contradictions_are_refused(text: str, why: str) -> None:
    with pytest.raises(BadValue, match=why):
        read(text)
