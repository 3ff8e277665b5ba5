"""OGIDs: absolute too, with White moving up."""

from __future__ import annotations

import pytest

from bgd.errors import BadDice, BadPosition, BadValue, InputError, Unsupported
from bgd.notation import ogid
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.state import Cube, GameState, Match, Money, Phase, Side

START = "11ccccchhhjjjjj:66666888dddddoo"


def test_three_fields_are_a_position_and_a_cube() -> None:
    assert ogid.decode(f"{START}:N0N") == GameState()


def test_checkers_may_come_in_any_order_and_go_out_in_rising_order() -> None:
    state = ogid.decode("OGID=11jjjjjhhhccccc:ooddddd88866666:N0N::W:IW:0:0:1:0")
    assert state.board == Board.start()
    assert ogid.encode(state) == f"{START}:N0N::W::0:0:1"


def test_the_colour_is_the_side_that_reached_the_position() -> None:
    assert ogid.decode(f"{START}:N0N:31:W").turn is Side.BOTTOM
    assert ogid.decode(f"{START}:N0N:31:B").turn is Side.TOP


def test_at_a_pending_double_the_colour_is_the_doubler() -> None:
    state = ogid.decode("cccccgghhhjjjjj:112233666777dll:N0O::B:D:0:0:3:11")
    assert (state.phase, state.turn, state.decider) == (Phase.DOUBLED, Side.BOTTOM, Side.TOP)


def test_white_is_to_play_a_61() -> None:
    state = ogid.decode("99cchhiijjjkkmm:223334455666ddo:N0N:16:B:R:2:1:3C:13")
    assert (state.turn, state.dice, state.terms) == (Side.TOP, Dice(1, 6), Match(3, (2, 1), crawford=True))
    assert (state.board.points[7], state.board.points[6], state.board.points[1]) == (2, 3, -1)


def test_bars_and_checkers_off() -> None:
    state = ogid.decode("013cccchhhhjjjq:66666888ddddop:W1N")
    board = state.board_of(Side.BOTTOM)
    assert (board.opponent_bar, board.bar, board.opponent_off, board.off) == (1, 1, 1, 1)
    assert state.cube == Cube(2, Side.TOP)


def test_the_match_length_says_crawford() -> None:
    for text, terms in (
        ("7", Match(7, (6, 5))),
        ("7C", Match(7, (6, 5), crawford=True)),
        ("7L", Match(7, (6, 5))),
        ("7G15", Match(7, (6, 5))),
        ("0", Money(scores=(6, 5))),
        ("", Money(scores=(6, 5))),
    ):
        assert ogid.decode(f"{START}:N0N:65:W::6:5:{text}").terms == terms
    assert ogid.encode(GameState(terms=Match(7, (6, 5)))).endswith(":6:5:7L")


def test_a_dead_cube_is_one_at_its_limit() -> None:
    assert ogid.decode(f"{START}:D1N").cube == Cube(2, None, 2)


def test_a_passed_double_ends_the_game() -> None:
    assert ogid.decode(f"{START}:N0P::W:P").phase is Phase.OVER


@pytest.mark.parametrize(
    ("text", "error", "why"),
    [
        ("11cc:66", BadPosition, "3 to 11 fields"),
        (START + ":N0N" + ":" * 9, BadPosition, "3 to 11 fields"),
        ("16:66:N0N", BadPosition, "6 point"),
        ("p:6:N0N", BadPosition, "own bar"),
        ("1:z:N0N", BadPosition, "got `z`"),
        ("1" * 16 + ":6:N0N", BadPosition, "at most 15"),
        (f"{START}:X0N", BadValue, "field 3"),
        (f"{START}:N0", BadValue, "field 3"),
        (f"{START}:?1N", BadValue, "known owner"),
        (f"{START}:N0N:3", BadDice, "field 4"),
        (f"{START}:N0N:07", BadDice, "field 4"),
        (f"{START}:N0N::X", BadValue, "field 5"),
        (f"{START}:N0N::W:x1", BadValue, "field 6"),
        (f"{START}:N0N::W::a", BadValue, "field 7"),
        (f"{START}:N0N::W::0:0:7X", BadValue, "field 9"),
        (f"{START}:N0N::W::0:0:C", BadValue, "field 9"),
        (f"{START}:N0N::W::0:0:0C", BadValue, "Crawford"),
        (f"{START}:N0N::W::0:0:65", BadValue, "field 9"),
        (f"{START}:N0N::W::7:0:7", BadValue, "scores"),
        (f"{START}:N0O:31:W", BadValue, "no dice"),
        (f"{START}:W1O::B", BadValue, "opponent owns"),
        (f"{START}:N0N::W::0:0:7::3", Unsupported, "15 checkers"),
    ],
)
def test_each_field_is_held_to_its_bounds(text: str, error: type[InputError], why: str) -> None:
    with pytest.raises(error, match=why):
        ogid.decode(text)


def test_a_beaver_and_a_cube_over_512_have_no_ogid() -> None:
    with pytest.raises(Unsupported, match="beavered"):
        ogid.encode(GameState(phase=Phase.BEAVERED))
    with pytest.raises(Unsupported, match="512"):
        ogid.encode(GameState(cube=Cube(1024, Side.TOP)))
