"""The compiled move generator agrees with the rules, board for board."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from bgd.kernels.movegen import MAX_PLAYS, flip, generate, perft, play_space
from bgd.kernels.selfplay import START
from bgd.notation.position_id import decode
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.plays import afterstates
from tests.kernels.arrays import counts, padded, random_game
from tests.strategies import boards, dice

DATA = Path(__file__).parent.parent / "data"
SPACE = play_space()
RANDOM_PAIRS = 100_000  # about 15 s, nearly all of it the plain twin's


def expected(board: Board, roll: Dice) -> set[tuple[int, ...]]:
    """What the rules allow; the board as it is when nothing can be played."""
    return set(afterstates(board, roll)) or {board.points}


def generated(board: Board, roll: Dice) -> list[tuple[int, ...]]:
    count = generate(padded(board.points), roll.first, roll.second, SPACE)
    assert not SPACE.boards[:count, 26:].any()
    return [counts(row) for row in SPACE.boards[:count]]


@settings(max_examples=300, deadline=None)
@given(boards(), dice())
def test_any_board_has_the_plays_that_the_rules_allow_each_once(board: Board, roll: Dice) -> None:
    found = generated(board, roll)
    assert len(found) == len(set(found))
    assert set(found) == expected(board, roll)


@pytest.mark.parametrize("part", range(4))
def test_random_games_have_the_plays_that_the_rules_allow(part: int) -> None:
    for board, die1, die2 in random_game(part, RANDOM_PAIRS // 4):
        count = generate(board, die1, die2, SPACE)
        found = {counts(row) for row in SPACE.boards[:count]}
        assert len(found) == count
        points = counts(board)
        assert found == expected(Board.unchecked(points), Dice(die1, die2)), (points, die1, die2)


@settings(max_examples=100, deadline=None)
@given(boards(), dice())
def test_the_order_of_the_dice_does_not_matter(board: Board, roll: Dice) -> None:
    assert set(generated(board, roll)) == set(generated(board, Dice(roll.second, roll.first)))


@given(boards())
def test_turning_the_board_twice_changes_nothing(board: Board) -> None:
    once, twice = np.zeros(32, np.int8), np.zeros(32, np.int8)
    flip(padded(board.points), once)
    flip(once, twice)
    assert counts(twice) == board.points


def test_the_start_has_447_plays_and_183632_after_them() -> None:
    assert perft(START, 1) == (447, 406)
    assert perft(START, 2) == (183_632, 163_706)


with (DATA / "play_counts.csv").open() as rows:
    PLAY_COUNTS = [(row["position_id"], int(row["die1"]), int(row["die2"]), int(row["legal_plays"]))
                   for row in csv.DictReader(rows)]  # fmt: skip


@pytest.mark.parametrize(("position_id", "die1", "die2", "plays"), PLAY_COUNTS)
def test_known_positions_have_their_known_number_of_plays(position_id: str, die1: int, die2: int, plays: int) -> None:
    board = decode(position_id)
    found = generated(board, Dice(die1, die2))
    assert (0 if found == [board.points] else len(found)) == plays
    assert plays <= MAX_PLAYS


@pytest.mark.parametrize(("kind", "doubles", "mixed"), [("contact", 218_356, 185_957), ("race", 140_720, 122_570)])
def test_a_thousand_positions_have_their_known_total_of_plays(kind: str, doubles: int, mixed: int) -> None:
    found = {True: 0, False: 0}
    for line in (DATA / f"positions_{kind}_1000.txt").read_text().split():
        board = padded(decode(line).points)
        for die1 in range(1, 7):
            for die2 in range(1, die1 + 1):
                found[die1 == die2] += generate(board, die1, die2, SPACE)
    assert found == {True: doubles, False: mixed}
