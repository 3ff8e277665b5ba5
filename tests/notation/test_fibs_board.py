"""FIBS boards, in GNU Backgammon's reading and in FIBS's own. Replies quoted are those of GNU Backgammon 1.07."""

from __future__ import annotations

import pytest

from bgd.errors import BadDice, BadPosition, BadValue, InputError, Unsupported
from bgd.notation import fibs_board
from bgd.notation.fibs_board import FibsBoard
from bgd.rules.board import Board
from bgd.rules.state import Cube, GameState, Match, Money, Phase, Side

START = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
HIT = "-2:2:0:2:0:0:3:0:1:0:0:0:-4:5:0:0:0:-4:0:-5:0:0:0:0:2:0"
"""O has hit two checkers: X is on the bar."""

O_VIEW = Board((-2, 2, 0, 2, 0, 0, 3, 0, 1, 0, 0, 0, -4, 5, 0, 0, 0, -4, 0, -5, 0, 0, 0, 0, 2, 0))


def line(
    board: str = START,
    *,
    names: str = "A:B",
    score: str = "0:0:0",
    turn: int = 1,
    dice: str = "0:0:0:0",
    cube: str = "1:1:1",
    doubled: int = 0,
    colour: int = 1,
    direction: int = -1,
    last: str = "0:1",
) -> str:
    """A line as GNU Backgammon sends it; `score` is length and two scores, `cube` value and who may double."""
    return f"board:{names}:{score}:{board}:{turn}:{dice}:{cube}:{doubled}:{colour}:{direction}:0:25:0:0:0:0:0:0:{last}"


def read(text: str, reading: fibs_board.Reading = "gnubg") -> FibsBoard:
    return fibs_board.decode(text, reading)


@pytest.mark.parametrize(
    ("text", "asks", "decider", "reply"),
    [
        (line(dice="5:2:5:2"), "play", Side.BOTTOM, "13/8 24/22"),
        (line(turn=-1, dice="5:2:5:2"), "play", Side.TOP, "13/8 24/22"),
        (line(dice="0:0:5:2"), "play", Side.BOTTOM, "13/8 24/22"),
        (line(), "double", Side.BOTTOM, "roll"),
        (line(HIT, turn=-1), "double", Side.TOP, "roll"),
        (line(HIT), "double", Side.BOTTOM, "double"),
        (line(HIT, doubled=1), "take", Side.TOP, "drop"),
        (line(HIT, turn=-1, doubled=1), "take", Side.BOTTOM, "beaver"),
        (line(HIT, cube="1:0:0"), "take", Side.TOP, "drop"),
        (line(HIT, doubled=-1), "take", Side.TOP, "drop"),
        (line(HIT, turn=-1, dice="6:6:6:6"), "play", Side.TOP, ""),
        (line(score="5:4:2", last="0:0"), "double", Side.BOTTOM, "roll"),
        (line(score="5:2:4", last="1:1"), "double", Side.BOTTOM, "roll"),
        (line(HIT, doubled=1, dice="3:1:3:1"), "take", Side.TOP, "drop"),
    ],
)
def test_the_decision_asked_for_is_the_one_gnubg_answers(text: str, asks: str, decider: Side, reply: str) -> None:
    board = read(text)
    assert (board.asks, board.state.decider) == (asks, decider), reply


def test_the_board_is_turned_to_the_side_on_roll() -> None:
    assert read(line(HIT)).state.board == O_VIEW
    assert read(line(HIT, turn=-1)).state.board == O_VIEW.flip()


def test_while_a_double_is_pending_the_board_stays_the_doublers() -> None:
    state = read(line(HIT, doubled=1)).state
    assert (state.turn, state.board) == (Side.BOTTOM, O_VIEW)
    assert state.board_of(state.decider) == O_VIEW.flip()


def test_direction_1_means_that_you_move_up() -> None:
    # gnubg answers 52 with `19/14 19/17`: O's checkers count from the other end.
    board = read(line(direction=1, dice="5:2:5:2")).state.board
    assert (board.points[19], board.points[1]) == (5, 2)


@pytest.mark.parametrize(("turn", "direction"), [(1, -1), (1, 1), (-1, -1), (-1, 1)])
def test_being_x_and_moving_down_is_being_o_and_moving_up(turn: int, direction: int) -> None:
    # Observed: the evaluations of each pair are the same six numbers.
    board = START.replace("2", "1", 1).replace(":0:", ":-1:", 1)
    assert (
        read(line(board, turn=turn, colour=-1, direction=direction)).state.board
        == read(line(board, turn=turn, colour=1, direction=-direction)).state.board
    )


@pytest.mark.parametrize(
    ("turn", "colour", "of_the_side_on_roll"),
    [(1, 1, 0), (-1, -1, 0), (1, -1, 5), (-1, 1, 5)],
)
def test_gnubgs_first_score_is_the_opponents(turn: int, colour: int, of_the_side_on_roll: int) -> None:
    # 5:0 to 7: the side on roll has the second score when turn and colour agree, the first when they differ.
    state = read(line(score="7:5:0", turn=turn, colour=colour)).state
    assert state.terms.scores[state.turn] == of_the_side_on_roll


@pytest.mark.parametrize("turn", [1, -1])
def test_in_fibss_own_reading_the_first_score_is_yours(turn: int) -> None:
    board = read(line(score="7:5:0", turn=turn), "fibs")
    assert board.state.terms == Match(7, (0, 5))  # you are Side.BOTTOM
    assert board.names == ("B", "A")


def test_gnubg_asking_for_a_take_exchanges_names_and_scores() -> None:
    # Sent by gnubg as a client: pzero (player 0, X) leads 5-0 to 7, pone doubles; then pzero doubles.
    for turn in (1, -1):
        board = read(line(HIT, names="pone:pzero", score="7:0:5", turn=turn, doubled=1))
        assert board.names == ("pzero", "pone")
        assert board.state.terms == Match(7, (5, 0))
        assert board.state.turn is (Side.BOTTOM if turn == 1 else Side.TOP)
    roll = read(line(HIT, names="pzero:pone", score="7:5:0"))
    assert (roll.names, roll.state.terms) == (("pzero", "pone"), Match(7, (5, 0)))


@pytest.mark.parametrize("reading", ["gnubg", "fibs"])
@pytest.mark.parametrize("turn", [1, -1])
def test_the_first_may_double_is_yours_in_both_readings(reading: fibs_board.Reading, turn: int) -> None:
    assert read(line(cube="2:1:0", turn=turn), reading).state.cube == Cube(2, Side.BOTTOM)
    assert read(line(cube="2:0:1", turn=turn), reading).state.cube == Cube(2, Side.TOP)
    assert read(line(cube="2:1:1", turn=turn), reading).state.cube == Cube(2, None)


def test_a_redouble_with_both_flags_cleared_is_the_owners() -> None:
    state = read(line(cube="2:0:0", turn=-1)).state
    assert (state.phase, state.cube) == (Phase.DOUBLED, Cube(2, Side.TOP))


def test_a_double_by_the_side_that_may_not_is_refused() -> None:
    with pytest.raises(BadValue, match=r"badly formed board: .*opponent owns the cube"):
        read(line(cube="2:0:1", doubled=1))
    with pytest.raises(BadValue, match="Crawford"):
        read(line(score="5:4:2", doubled=1, last="0:0"))


@pytest.mark.parametrize("length", ["0", "9999"])
def test_an_unlimited_match_is_money_play(length: str) -> None:
    assert read(line(score=f"{length}:3:4")).state.terms == Money(scores=(3, 4))
    assert fibs_board.decode(line(), jacoby=False, beavers=False).state.terms == Money(jacoby=False, beavers=False)


@pytest.mark.parametrize(
    ("score", "last", "crawford"),
    [
        ("5:4:2", "0:0", True),
        ("5:2:4", "0:0", True),
        ("5:4:2", "0:1", False),
        ("5:4:2", "1:0", False),
        ("5:4:2", "0:3", False),
        ("5:4:4", "0:0", False),
        ("5:3:2", "0:0", False),
        ("1:0:0", "0:0", False),
    ],
)
def test_it_is_the_crawford_game_when_one_side_is_1_away_and_the_last_fields_are_0(
    score: str, last: str, crawford: bool
) -> None:
    terms = read(line(score=score, last=last)).state.terms
    assert isinstance(terms, Match)
    assert terms.crawford is crawford
    without = fibs_board.decode(line(score=score, last=last), crawford=False).state.terms
    assert isinstance(without, Match)
    assert not without.crawford


@pytest.mark.parametrize(
    ("score", "scores"), [("99:3:90", (0, 55)), ("99:98:35", (63, 0)), ("99:40:34", (5, 0)), ("65:0:64", (0, 63))]
)
def test_a_match_over_64_points_keeps_the_points_to_go(score: str, scores: tuple[int, int]) -> None:
    assert read(line(score=score, last="0:1")).state.terms == Match(64, scores)


def test_names_may_be_quoted_and_the_rest_of_the_line_is_spaced_as_it_likes() -> None:
    assert read(line(names='"A B":C')).names == ("A B", "C")
    assert read(line(names="'A:B':c_1")).names == ("A:B", "c_1")
    assert read("  BOARD:" + line().removeprefix("board:") + " \r\n") == read(line())
    assert read(line().removeprefix("board:")) == read(line())


def test_derived_fields_and_signs_of_the_bar_are_not_looked_at() -> None:
    assert read(line(HIT).replace(":0:25:0:0:0:0:0:0:", ":25:0:3:4:7:7:2:1:")) == read(line(HIT))
    assert read(line(HIT.replace("-2:2", "2:2", 1))) == read(line(HIT))


@pytest.mark.parametrize(
    ("text", "error", "why"),
    [
        (line(turn=0), BadValue, "turn to be 1 or -1"),
        (line(turn=5), BadValue, "turn to be 1 or -1"),
        (line(colour=0), BadValue, "colour to be 1 or -1"),
        (line(direction=0), BadValue, "direction to be 1 or -1"),
        (line(score="5:6:0"), BadValue, "scores"),
        (line(score="5:5:0"), BadValue, "scores"),
        (line(score="5:-1:0"), BadValue, "scores from 0 up"),
        (line(score="-5:0:0"), BadValue, "match length"),
        (line(score="99:99:0"), BadValue, "match length"),
        (line(dice="9:9:9:9"), BadDice, "99"),
        (line(dice="1:0:1:0"), BadDice, "10"),
        (line(START.replace("5", "6", 1)), BadPosition, "at most 15"),
        (line(cube="3:1:1"), BadValue, "power of two"),
        (line(cube="0:1:1"), BadValue, "power of two"),
        (line(names="A B:C"), BadPosition, "two names"),
        (line(names=":C"), BadPosition, "two names"),
        ("board:A:B:0:0:0:0:-2", BadPosition, "52 fields, got 7"),
        (line().replace(":25:", ":25.0:"), BadValue, "whole number in field 45"),
        (line().replace(":25:", ": 25:"), BadValue, "whole number in field 45"),
        (line().replace(":25:", "::"), BadValue, "whole number in field 45"),
        (line().replace(":25:", ":2_5:"), BadValue, "whole number in field 45"),
        (line() + " flurb", BadValue, "whole number in field 53"),
        ("", BadPosition, "two names"),
    ],
)
def test_a_board_that_cannot_be_is_badly_formed(text: str, error: type[InputError], why: str) -> None:
    with pytest.raises(error, match=f"^badly formed board: .*{why}"):
        read(text)


def test_too_many_fields_are_refused_in_gnubgs_words() -> None:
    with pytest.raises(BadPosition, match=r"^Invalid board\. Maximum number of elements is 52$"):
        read(line() + ":1:2:3")


def test_lines_are_written_as_gnubg_writes_them() -> None:
    # Captured from gnubg as a client, but for the checkers off and on the bar, which it leaves at 0.
    sent = "board:pzero:pone:7:5:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:3:5:3:5:2:0:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"  # noqa: E501
    board = read(sent)
    assert board.state.cube == Cube(2, Side.TOP)
    assert fibs_board.encode(board.state, board.names) == sent
    take = line(names="pone:pzero", score="7:0:5", cube="2:1:0", doubled=1)
    board = read(take)
    assert fibs_board.encode(board.state, board.names) == take


def test_a_beaver_and_a_finished_game_have_no_line() -> None:
    for phase in (Phase.BEAVERED, Phase.RACCOONED, Phase.OVER):
        with pytest.raises(Unsupported, match=phase.value):
            fibs_board.encode(GameState(phase=phase))
