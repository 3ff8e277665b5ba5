"""The inputs say what they claim to say: compared with counts made by playing every roll out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgd.kernels.encode import (
    AGAINST_BACKGAME,
    AHEAD,
    BACKGAME,
    BAR,
    BEAR_OFF,
    BEHIND,
    CLASS_MASK,
    CLASS_NAMES,
    CLASSES,
    CONTACT,
    GROUPS,
    LOSE,
    LOSE_BACKGAMMON,
    LOSE_GAMMON,
    ODD_RACE,
    PASSING,
    RACE,
    ROWS,
    WIN,
    WIN_BACKGAMMON,
    WIN_GAMMON,
    encode,
    hitting_rolls,
)
from bgd.kernels.selfplay import START
from bgd.rules.board import Board
from tests.kernels.arrays import padded
from tests.strategies import boards


def kind_of(points: dict[int, int]) -> int:
    return encode(padded([points.get(point, 0) for point in range(26)]), np.zeros(GROUPS, np.int64))


@settings(max_examples=300, deadline=None)
@given(boards().filter(lambda board: any(men > 0 for men in board.points) and any(men < 0 for men in board.points)))
def test_every_board_has_one_row_in_each_group(board: Board) -> None:
    rows = np.full(GROUPS, -1, np.int64)
    encode(padded(board.points), rows)
    assert (rows >= 0).all()
    assert (rows < ROWS).all()
    assert (np.diff(rows) > 0).all(), "each group has rows of its own, in order"


def hits_by_hand(men: set[int], on_bar: int, blocked: set[int], blots: set[int]) -> int:
    """Rolls that hit, by trying every order of steps; men move upwards from point 0, the bar."""

    def hit_from(where: tuple[int, ...], left: tuple[int, ...]) -> bool:
        for i, die in enumerate(left):
            rest = left[:i] + left[i + 1 :]
            for source in {min(where)} if min(where) == 0 else set(where):
                target = source + die
                if target > 24 or target in blocked:
                    continue
                if target in blots:
                    return True
                moved = list(where)
                moved.remove(source)
                if hit_from((*moved, target), rest):
                    return True
        return False

    start = tuple(sorted(men) + [0] * on_bar)
    return sum(
        (1 if die1 == die2 else 2) * hit_from(start, (die1,) * 4 if die1 == die2 else (die1, die2))
        for die1 in range(1, 7)
        for die2 in range(1, die1 + 1)
        if start
    )


def bits(points: set[int]) -> int:
    return sum(1 << point for point in points)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["man", "block", "blot", "free", "free", "free"]), min_size=24, max_size=24),
       st.integers(0, 5))  # fmt: skip
def test_hitting_rolls_are_those_found_by_playing_every_roll(points: list[str], on_bar: int) -> None:
    men, blocked, blots = ({p + 1 for p in range(24) if points[p] == name} for name in ("man", "block", "blot"))
    men = set(sorted(men)[:4])
    found = hitting_rolls(bits(men) | (on_bar > 0), on_bar, bits(blocked), bits(blots), 0)
    assert found & 63 == hits_by_hand(men, on_bar, blocked, blots)


def test_far_blots_are_counted_apart() -> None:
    # A man on 1, blots 6 and 20 away; only the nearer one is "far" here: 6 away is hit by 17 rolls.
    both = hitting_rolls(bits({1}), 0, 0, bits({7, 21}), bits({7}))
    assert both >> 6 == 17
    assert both & 63 == 17 + 1  # and 20 away by 5-5 alone


def test_the_opening_position_is_contact_with_every_loss_possible() -> None:
    rows = np.zeros(GROUPS, np.int64)
    assert encode(START, rows) == CONTACT + WIN + LOSE + WIN_GAMMON + WIN_BACKGAMMON + LOSE_GAMMON + LOSE_BACKGAMMON


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ({24: 2, 22: 2, 6: 11, 19: -15}, BACKGAME),
        ({6: 15, 1: -2, 3: -2, 19: -11}, AGAINST_BACKGAME),
        ({24: 2, 22: 2, 6: 11, 1: -2, 3: -2, 19: -11}, BACKGAME),  # both: the mover's counts
        ({24: 2, 13: 2, 6: 11, 1: -1, 19: -14}, CONTACT),
        ({24: 2, 6: 12, 1: -1, 19: -14}, BEAR_OFF),
        ({24: 2, 6: 12, 25: 1, 1: -1, 19: -14}, BAR),
        ({24: 2, 6: 13, 0: -1, 19: -14}, BAR),
        ({24: 2, 6: 13, 19: -15}, BEHIND),
        ({6: 15, 1: -2, 19: -13}, AHEAD),
        ({13: 2, 6: 13, 10: -2, 19: -13}, PASSING),
        ({6: 14, 19: -14}, RACE),
        ({8: 1, 6: 13, 19: -15}, ODD_RACE),  # a checker off before all are home
        ({6: 15, 19: -13, 17: -1}, ODD_RACE),
        ({9: 15, 19: -15}, ODD_RACE),  # 135 pips
        ({1: 15, 19: -15}, ODD_RACE),  # 75 pips apart
    ],
)
def test_what_stands_where_decides_the_class(points: dict[int, int], expected: int) -> None:
    assert kind_of(points) & CLASS_MASK == expected


def test_each_class_has_a_name() -> None:
    assert CLASSES == len(CLASS_NAMES) == ODD_RACE + 1 <= CLASS_MASK + 1


def test_sides_that_have_passed_each_other_are_a_race() -> None:
    assert kind_of({6: 15, 19: -15}) & CLASS_MASK == RACE
    assert kind_of({6: 15, 7: -15}) & CLASS_MASK == ODD_RACE
    assert kind_of({8: 15, 7: -15}) & CLASS_MASK == PASSING


@pytest.mark.parametrize(
    ("points", "possible"),
    [
        ({6: 14, 19: -15}, WIN_GAMMON),  # own checker off: only the opponent may still lose a gammon
        ({6: 15, 19: -14}, LOSE_GAMMON),
        ({6: 14, 19: -14}, 0),
        ({3: 14, 5: -2, 19: -13}, WIN_GAMMON + WIN_BACKGAMMON),  # a race, with two left behind in the mover's home
        ({24: 1, 6: 13, 19: -15}, WIN_GAMMON + WIN_BACKGAMMON),
    ],
)
def test_lost_games_that_cannot_happen_any_more_are_known(points: dict[int, int], possible: int) -> None:
    assert kind_of(points) & ~CLASS_MASK == WIN + LOSE + possible
