"""The one-sided table gives the published and exactly computed values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from bgd.kernels import bearoff
from bgd.kernels.bearoff import (
    ARRANGEMENTS,
    FULL,
    Bearoff,
    both_home,
    opponent_index,
    own_index,
    race_probabilities,
)
from bgd.kernels.movegen import flip
from tests.kernels.arrays import padded

# Rolls of 36 that bear off two checkers (the classic table).
TWO_CHECKERS = {
    (1, 1): 36, (2, 1): 36, (2, 2): 26, (3, 1): 34, (3, 2): 25, (3, 3): 17, (4, 1): 29, (4, 2): 23, (4, 3): 17,
    (4, 4): 11, (5, 1): 23, (5, 2): 19, (5, 3): 14, (5, 4): 10, (5, 5): 6, (6, 1): 15, (6, 2): 13, (6, 3): 10,
    (6, 4): 8, (6, 5): 6, (6, 6): 4,
}  # fmt: skip


@pytest.fixture(scope="module")
def table() -> Bearoff:
    return bearoff.load()


def home(own: Sequence[int], opponent: Sequence[int] = ()) -> np.ndarray:
    """A board of single checkers on points, each side's by its own numbering."""
    points = [0] * 26
    for point in own:
        points[point] += 1
    for point in opponent:
        points[25 - point] -= 1
    return padded(points)


def win_on_roll(own: Sequence[int], opponent: Sequence[int], table: Bearoff) -> float:
    """The chance of the side on roll: of the opponent's after his play, turned."""
    after, out = np.zeros(32, np.int8), np.zeros(5, np.float32)
    flip(home(own, opponent), after)
    race_probabilities(after, table, out)
    return 1.0 - float(out[0])


@pytest.mark.parametrize(
    ("checkers", "mean"),
    [
        ([6], Fraction(5, 4)),
        ([5, 2], Fraction(239, 162)),
        ([6, 6], Fraction(49213, 23328)),
        ([1] * 3, Fraction(11, 6)),
        ([1] * 4, Fraction(11, 6)),
        ([6] * 4, Fraction(9087294539, 2448880128)),
        ([1] * 15, Fraction(1953839, 279936)),
    ],
)
def test_mean_rolls_are_the_exact_fractions(checkers: list[int], mean: Fraction, table: Bearoff) -> None:
    assert table.mean_rolls(own_index(home(checkers))) == pytest.approx(float(mean), abs=1e-6)


def test_one_roll_bears_off_two_checkers_as_often_as_the_classic_table_says(table: Bearoff) -> None:
    for points, rolls in TWO_CHECKERS.items():
        assert table.off[own_index(home(points)), 1] * 36 == pytest.approx(rolls, abs=1e-4), points


def test_one_checker_is_borne_off_at_once_as_often_as_known(table: Bearoff) -> None:
    found = [round(float(table.off[own_index(home([point])), 1]) * 36) for point in range(1, 7)]
    assert found == [36, 36, 36, 34, 31, 27]


def test_races_of_two_sides_have_their_known_chances(table: Bearoff) -> None:
    assert win_on_roll([1] * 8, [1] * 6, table) == pytest.approx(0.301055, abs=1e-5)
    assert win_on_roll([6, 6], [6, 6], table) == pytest.approx(410592493 / 544195584, abs=1e-6)
    assert win_on_roll([3, 1], [1], table) == pytest.approx(34 / 36, abs=1e-6)


def test_a_gammon_is_lost_only_with_fifteen_checkers_and_only_until_the_first_is_off(table: Bearoff) -> None:
    out = np.zeros(5, np.float32)
    race_probabilities(home([1] * 4, [6] * 15), table, out)
    assert out[0] > 0.999
    # Off in one roll only with a double, and the opponent bears one off in his first with any six or double.
    race_probabilities(home([1] * 2, [5] * 15), table, out)
    no_first = Fraction(36 - 20 - 1, 36)  # no five or six, and not 4-4, which only moves down: counted by the table
    assert 0 < out[1] <= float(no_first) + 0.05
    race_probabilities(home([1] * 2, [6] * 14), table, out)
    assert out[1] == 0


def test_indices_count_all_arrangements_and_fall_with_every_step() -> None:
    assert own_index(home([])) == 0
    assert own_index(home([6] * 15)) == ARRANGEMENTS - 1
    assert own_index(home([1] * 15)) == FULL
    assert own_index(home([5, 3])) > own_index(home([5, 2])) > own_index(home([5]))


def test_both_sides_are_indexed_alike() -> None:
    assert opponent_index(home([], [6, 5, 1])) == own_index(home([6, 5, 1]))


def test_a_checker_outside_its_home_is_no_matter_for_the_table() -> None:
    assert both_home(home([1, 6], [2, 5]))
    assert not both_home(home([7], [2]))
    assert not both_home(home([1], [7]))
    assert not both_home(home([25], [1]))


def test_chances_never_fall_with_more_rolls_and_end_at_one(table: Bearoff) -> None:
    for chances in (table.off, table.first_off):
        assert (np.diff(chances, axis=1) >= 0).all()
        assert chances[:, -1] == pytest.approx(1.0, abs=1e-6)


def test_a_damaged_table_is_made_again(tmp_path: Path, table: Bearoff) -> None:
    path = tmp_path / "table.bin"
    told: list[str] = []
    bearoff.load(told.append, path)
    damaged = bytearray(path.read_bytes())
    damaged[5000] ^= 1
    path.write_bytes(damaged)
    again = bearoff.load(told.append, path)
    assert len(told) == 2
    assert (again.off == table.off).all()
    bearoff.load(told.append, path)
    assert len(told) == 2
