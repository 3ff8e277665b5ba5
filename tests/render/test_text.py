"""The board drawn as lines of text."""

from __future__ import annotations

import pytest
from hypothesis import given

from bgd.notation import detect
from bgd.render.text import board_lines
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.plays import legal_plays
from bgd.rules.state import (
    Cube,
    GameState,
    Match,
    Money,
    Outcome,
    Phase,
    Resignation,
    Result,
    Side,
)
from tests.strategies import states


def test_the_start() -> None:
    assert (
        "\n".join(board_lines(GameState()))
        == """\
+13-14-15-16-17-18------19-20-21-22-23-24-+  O: 0 points
| X           O    |   | O              X |     167 pips
| X           O    |   | O              X |
| X           O    |   | O                |
| X                |   | O                |
| X                |   | O                |
|                  |BAR|                  |     cube 1
| O                |   | X                |
| O                |   | X                |
| O           X    |   | X                |
| O           X    |   | X              O |
| O           X    |   | X              O |     167 pips
+12-11-10--9--8--7-------6--5--4--3--2--1-+  X: 0 points, on roll
Money play with Jacoby and beavers. X to roll."""
    )


def test_bar_off_tall_points_and_an_owned_cube() -> None:
    state = detect.decode_any("XGID=bBB--FB-------------ac--fA:2:-1:-1:42:3:1:0:5:8")
    assert (
        "\n".join(board_lines(state))
        == """\
+13-14-15-16-17-18------19-20-21-22-23-24-+  O: 1 point, on roll
|                  | O |    O  O        O |     73 pips, 3 off
|                  | O |       O        O |     cube 4
|                  |   |       O        O |
|                  |   |                O |
|                  |   |                6 |
|                  |BAR|                  |
|                  |   |    6             |
|                  |   |    X             |
|                  |   |    X             |
|                  |   | X  X        X  X |
|                  | X | X  X        X  X |     73 pips, 2 off
+12-11-10--9--8--7-------6--5--4--3--2--1-+  X: 3 points
Match to 5. O to play 42."""
    )


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (GameState(terms=Money(jacoby=False, beavers=False)), "Money play. X to roll."),
        (GameState(terms=Match(5, (4, 2), crawford=True)), "Match to 5, Crawford game. X to roll."),
        (GameState(terms=Match(5, (4, 2))), "Match to 5, after the Crawford game. X to roll."),
        (GameState(terms=Match(5), phase=Phase.OPENING), "Match to 5. The opening roll is to come."),
        (GameState(terms=Match(5), phase=Phase.DOUBLED), "Match to 5. X doubles, to 2; O is to answer."),
        (
            GameState(terms=Money(False), phase=Phase.BEAVERED),
            "Money play with beavers. O beavers, to 4; X is to answer.",
        ),
        (
            GameState(terms=Money(False), phase=Phase.RACCOONED),
            "Money play with beavers. X raccoons, to 8; O is to answer.",
        ),
        (
            GameState(terms=Match(5), resignation=Resignation(Side.TOP, Outcome.GAMMON)),
            "Match to 5. O resigns a gammon; X is to answer.",
        ),
        (
            GameState(
                terms=Match(5), phase=Phase.PLAY, dice=Dice(3, 1), played=legal_plays(Board.start(), Dice(3, 1))[0]
            ),
            "Match to 5. X plays 31: 24/23 24/21.",
        ),
        (GameState(terms=Match(5), phase=Phase.OVER), "Match to 5. The game is over."),
        (
            GameState(terms=Match(5), phase=Phase.OVER, result=Result(Side.TOP, Outcome.SINGLE, 1)),
            "Match to 5. O has won a single game, 1 point.",
        ),
    ],
)
def test_the_last_line_says_what_is_to_be_done(state: GameState, words: str) -> None:
    assert board_lines(state)[-1] == words


def test_a_cube_that_is_not_in_play_is_not_shown() -> None:
    assert any("no cube" in line for line in board_lines(GameState(cube=Cube(1, None, 1))))


@given(states())
def test_lines_are_short_ascii_and_have_no_blanks_at_the_end(state: GameState) -> None:
    lines = board_lines(state)
    assert len(lines) == 14
    for line in lines:
        assert line.isascii()
        assert len(line) < 100
        assert line == line.rstrip()
