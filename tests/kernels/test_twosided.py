"""The two-sided bear-off table agrees with exact fractions, with cube and without."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bgd.kernels import twosided
from bgd.kernels.home import home_boards, own_index
from bgd.kernels.movegen import BOARD
from bgd.kernels.twosided import AWAY, CENTRED, CHECKERS, OWNED, PAIRS, WIN
from bgd.rules.board import Board
from bgd.rules.dice import ROLLS
from bgd.rules.plays import legal_plays

Home = tuple[int, ...]


@pytest.fixture(scope="module")
def table() -> np.ndarray:
    return twosided.load()


def home(*points: int) -> Home:
    """Checkers on the points 1 to 6."""
    return tuple(points.count(point) for point in range(1, 7))


def index(held: Home) -> int:
    board = np.zeros(BOARD, np.int8)
    board[1:7] = held
    return own_index(board)


@cache
def results(held: Home) -> list[tuple[Fraction, list[Home]]]:
    """Chance and results of each roll, by the plain rules."""
    board = Board((0, *held, *[0] * 17, -1, 0))
    return [
        (
            Fraction(1 if roll.is_double else 2, 36),
            [play.result.points[1:7] for play in legal_plays(board, roll)],
        )
        for roll in ROLLS
    ]


@cache
def solved(mine: Home, theirs: Home) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """The plain twin: chance of winning, and equities of not doubling, cube centred, owned, and away."""
    if not sum(theirs):
        return Fraction(0), Fraction(-1), Fraction(-1), Fraction(-1)
    if not sum(mine):
        return Fraction(1), Fraction(1), Fraction(1), Fraction(1)
    win = centred = owned = away = Fraction(0)
    for chance, after in results(mine):
        answers = [solved(theirs, left) for left in after]
        win += chance * max(1 - answer[WIN] for answer in answers)
        centred += chance * max(-max(answer[CENTRED], doubled(answer)) for answer in answers)
        owned += chance * max(-answer[AWAY] for answer in answers)
        away += chance * max(-max(answer[OWNED], doubled(answer)) for answer in answers)
    return win, centred, owned, away


def doubled(values: Sequence[Fraction]) -> Fraction:
    """What doubling is worth against the better answer."""
    return min(2 * values[AWAY], Fraction(1))


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (home(6, 6), home(6, 6)),
        (home(5, 2), home(4, 1)),
        (home(6, 5, 2), home(6, 4)),
        (home(6), home(3, 3, 3)),
        (home(1, 1, 1, 1, 1), home(2, 2, 2, 2)),
        (home(6, 5, 4), home(5, 5, 3)),
    ],
)
def test_chances_and_equities_are_the_exact_fractions(mine: Home, theirs: Home, table: np.ndarray) -> None:
    exact = [float(value) for value in solved(mine, theirs)]
    assert table[index(mine), index(theirs)].tolist() == pytest.approx(exact, abs=1e-6)


def test_published_values(table: np.ndarray) -> None:
    two_sixes = table[index(home(6, 6)), index(home(6, 6))]
    assert two_sixes[WIN] == pytest.approx(410592493 / 544195584, abs=1e-6)
    last_roll = table[index(home(3, 1)), index(home(1))]
    assert last_roll.tolist() == pytest.approx([34 / 36, 32 / 36, 32 / 36, 32 / 36], abs=1e-6)


def test_six_checkers_at_most_give_924_arrangements_in_the_order_of_their_index() -> None:
    boards = home_boards(CHECKERS)
    assert len(boards) == PAIRS
    assert [own_index(board) for board in boards] == list(range(PAIRS))


def test_owning_the_cube_is_never_worse_than_sharing_it_nor_sharing_it_than_facing_it(table: np.ndarray) -> None:
    assert (table[:, :, OWNED] >= table[:, :, CENTRED] - 1e-6).all()
    assert (table[:, :, CENTRED] >= table[:, :, AWAY] - 1e-6).all()


def test_a_cube_owned_is_worth_no_less_than_none_and_one_faced_no_more(table: np.ndarray) -> None:
    cubeless = 2 * table[:, :, WIN] - 1
    assert (np.maximum(table[:, :, OWNED], np.minimum(2 * table[:, :, AWAY], 1)) >= cubeless - 1e-6).all()
    assert (table[:, :, AWAY] <= cubeless + 1e-6).all()


def test_no_double_is_ever_beavered(table: np.ndarray) -> None:
    doubles = np.minimum(2 * table[:, :, AWAY], 1) > table[:, :, CENTRED] + 1e-6
    assert (table[:, :, AWAY][doubles] > 0).all()


def test_a_damaged_table_is_made_again(tmp_path: Path, table: np.ndarray) -> None:
    path = tmp_path / "table.bin"
    told: list[str] = []
    twosided.load(told.append, path)
    damaged = bytearray(path.read_bytes())
    damaged[123_456] ^= 1
    path.write_bytes(damaged)
    again = twosided.load(told.append, path)
    assert len(told) == 2
    assert (again == table).all()
    twosided.load(told.append, path)
    assert len(told) == 2
