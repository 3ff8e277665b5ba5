"""What is written in the processor's vectors is what plain Python says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgd.kernels import lanes
from bgd.kernels.cache import inner_kernel
from bgd.kernels.lanes import BLOCK_BYTES, HOMEWARD, MEN_MASK, PIPS, PIPS_MASK, TIMING
from bgd.rules.board import Board
from tests.kernels.arrays import padded
from tests.strategies import boards

words = st.integers(0, 2**62)


@inner_kernel
def sets(board: np.ndarray, number: int, other: np.ndarray) -> tuple[int, int, int]:
    return lanes.at_least(board, number), lanes.at_most(board, number), lanes.differing(board, other)


@inner_kernel
def tallies(board: np.ndarray) -> tuple[int, int, int, int]:
    return (
        lanes.own_tally(board), lanes.opponent_tally(board), lanes.own_places(board), lanes.opponent_places(board)
    )  # fmt: skip


@inner_kernel
def of_bits(word: int) -> tuple[int, int, int, int]:
    return lanes.lowest(word), lanes.leading(word), lanes.reversed_bits(word), lanes.count_bits(word)


@inner_kernel
def add_rows(target: np.ndarray, base: np.ndarray, rows: np.ndarray, more: np.ndarray, less: np.ndarray) -> int:
    return lanes.add_rows(target, base, rows, more, more.shape[0], less, less.shape[0])


@inner_kernel
def positive(numbers: np.ndarray, start: int) -> int:
    return lanes.positive(numbers, start)


@inner_kernel
def positive_dot(numbers: np.ndarray, factors: np.ndarray) -> float:
    return lanes.positive_dot(numbers, factors)


@inner_kernel
def upper(units: np.ndarray, base: np.ndarray, rows: np.ndarray, factors: np.ndarray, signs: np.ndarray) -> None:
    lanes.blend(units, base, rows, factors, signs)


@inner_kernel
def sigmoids(target: np.ndarray, bias: np.ndarray, rows: np.ndarray, units: np.ndarray) -> None:
    lanes.sigmoids(target, bias, rows, units)


@settings(max_examples=200, deadline=None)
@given(boards(), st.integers(-15, 15), boards())
def test_sets_of_points_are_bits(board: Board, number: int, other: Board) -> None:
    row, another = padded(board.points), padded(other.points)
    least, most, differing = (sum(1 << p for p in range(32) if flags[p])
                              for flags in (row >= number, row <= number, row != another))  # fmt: skip
    assert sets(row, number, another) == (least, most, differing)


@settings(max_examples=200, deadline=None)
@given(boards())
def test_men_and_pips_are_those_of_the_rules(board: Board) -> None:
    own, opponent, own_places, opponent_places = tallies(padded(board.points))
    for seen, tally, places in ((board, own, own_places), (board.flip(), opponent, opponent_places)):
        men = {point: max(count, 0) for point, count in enumerate(seen.points)}
        assert tally & MEN_MASK == 15 - seen.off
        assert tally >> PIPS & PIPS_MASK == seen.pips
        assert tally >> HOMEWARD & PIPS_MASK == sum(count * max(point - 6, 0) for point, count in men.items())
        assert tally >> TIMING & PIPS_MASK == sum(count * point for point, count in men.items() if point <= 18)
        assert places & 255 == sum(men[point] for point in range(19, 26))
        assert places >> lanes.DEEP_MEN == sum(men[point] for point in (1, 2, 3))


@given(words)
def test_bits_are_counted_from_either_end(word: int) -> None:
    low = (word & -word).bit_length() - 1 if word else 64
    turned = int(f"{word & 0xFFFFFFFF:032b}"[::-1], 2)
    assert of_bits(word) == (low, 64 - word.bit_length(), turned, word.bit_count())


@pytest.mark.parametrize("kind", [np.int16, np.float32])
@pytest.mark.parametrize("blocks", [0, 1, 3])
@pytest.mark.parametrize(("more", "less"), [([], []), ([3], []), ([], [2]), ([1, 1, 4], [0]), ([5, 0], [6, 2, 3])])
def test_rows_are_added_and_taken_away(kind: type, blocks: int, more: list[int], less: list[int]) -> None:
    width = BLOCK_BYTES // np.dtype(kind).itemsize * blocks
    rng = np.random.default_rng(blocks)
    rows = rng.integers(-1000, 1000, (7, width + 5)).astype(kind)
    base, target = rng.integers(-1000, 1000, width + 5).astype(kind), np.zeros(width + 5, kind)
    assert add_rows(target, base, rows, np.array(more, np.int64), np.array(less, np.int64)) == width
    assert (target[:width] == (base + rows[more].sum(0) - rows[less].sum(0))[:width]).all()
    assert not target[width:].any()


@pytest.mark.parametrize("kind", [np.int16, np.float32])
def test_positive_numbers_are_bits(kind: type) -> None:
    numbers = np.random.default_rng(1).integers(-2, 3, 130).astype(kind)
    for start in (0, 64, 66):
        found = positive(numbers, start) & (1 << 64) - 1
        assert found == sum(1 << k for k in range(64) if numbers[start + k] > 0)


def test_products_are_summed_where_the_first_number_is_positive() -> None:
    numbers, factors = np.random.default_rng(4).standard_normal((2, 32)).astype(np.float32)
    assert positive_dot(numbers, factors) == pytest.approx(np.maximum(numbers, 0).astype(float) @ factors, abs=1e-5)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 1.0])
def test_rows_are_blended_by_their_factors(share: float) -> None:
    rng = np.random.default_rng(2)
    rows, factors = rng.standard_normal((192, 32)).astype(np.float32), rng.random(192).astype(np.float32)
    base, units = rng.standard_normal(32).astype(np.float32), np.zeros(32, np.float32)
    chosen = rng.random(192) < share
    signs = np.packbits(chosen, bitorder="little").view(np.int64)
    upper(units, base, rows, factors, signs)
    assert units == pytest.approx(base + factors[chosen].astype(float) @ rows[chosen], abs=1e-4)


def test_sigmoids_are_good_to_the_seventh_decimal() -> None:
    bias, rows, units = np.zeros(5, np.float32), np.zeros((5, 32), np.float32), np.zeros(32, np.float32)
    rows[:, 7], units[7], units[8] = 1, 1, -1
    rows[:, 8] = 100
    target = np.zeros(5, np.float32)
    for x in np.linspace(-20, 20, 401):
        bias[:] = x + np.arange(5) - 1
        sigmoids(target, bias, rows, units)
        assert target == pytest.approx(1 / (1 + np.exp(-(x + np.arange(5)))), abs=4e-7)
