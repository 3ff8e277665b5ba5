"""Plays as text. The spellings themselves are in protocol/vectors/play_spellings.jsonl."""

from __future__ import annotations

import pytest
from hypothesis import given

from bgd.errors import BadPlay
from bgd.notation import plays
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.legality import check_play
from bgd.rules.plays import CheckerMove, Play, legal_plays
from tests.strategies import boards, dice

START = Board.start()


@given(boards(), dice())
def test_every_legal_play_reads_back_in_both_spellings(board: Board, roll: Dice) -> None:
    for play in legal_plays(board, roll)[:50]:
        for text in (plays.encode(play), plays.encode_gnubg_plain(play)):
            moves = plays.decode(text)
            assert [(move.source, move.destination) for move in moves] == [
                (move.source, move.destination) for move in play.moves
            ]
            assert check_play(board, roll, moves) == play


@pytest.mark.parametrize(
    ("moves", "people", "gnubg"),
    [
        ((), "no play", ""),
        (((13, 8, False), (24, 22, False)), "13/8 24/22", "13/8 24/22 "),
        (((25, 22, True),), "bar/22*", "25/22* "),
        (((6, 0, False), (5, 0, False)), "6/off 5/off", "6/0 5/0 "),
        (((6, 1, True), (6, 1, False)), "6/1*(2)", "6/1* 6/1 "),
        (((13, 8, False),) * 4, "13/8(4)", "13/8 13/8 13/8 13/8"),
    ],
)
def test_the_canonical_spelling_and_gnubgs(moves: tuple[tuple[int, int, bool], ...], people: str, gnubg: str) -> None:
    play = Play(tuple(CheckerMove(*move) for move in moves), START)
    assert plays.encode(play) == people
    assert plays.encode_gnubg_plain(play) == gnubg


@pytest.mark.parametrize(
    ("roll", "text"),
    [
        ("31", "8-5, 6-5"),
        ("31", "6 5 8 5"),
        ("61", "13/7 8/7"),
        ("65", "24/13"),
        ("65", "24/18/13"),
        ("66", "24/18(2) 13/7(2)"),
        ("44", "24/16(2)"),
        ("44", "24/20/16(2)"),
        ("55", "13/3(2)"),
    ],
)
def test_spellings_of_openings_mean_legal_plays(roll: str, text: str) -> None:
    check_play(START, Dice.parse(roll), plays.decode(text))


def test_long_text_is_no_play() -> None:
    with pytest.raises(BadPlay, match="at most 200 characters"):
        plays.decode("8/5 " * 51)
