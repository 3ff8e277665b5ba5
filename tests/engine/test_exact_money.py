"""Where both sides are in the two-sided bear-off table, money decisions are exact."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from bgd.engine import Engine
from bgd.engine.values import ExactMoney
from bgd.rules.board import Board
from bgd.rules.dice import ROLLS, Dice
from bgd.rules.plays import legal_plays
from bgd.rules.state import Cube, GameState, Match, Money, Side
from tests.rules.boards import by_own_points


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load()


def bearing_off(own: list[int], opponent: list[int]) -> GameState:
    """Each side's checkers by its own points; the side on roll is BOTTOM, the cube in the middle, for money."""
    return GameState(by_own_points(own, opponent), terms=Money(jacoby=False, beavers=False))


def owned(state: GameState, side: Side, value: int = 2) -> GameState:
    return replace(state, cube=replace(state.cube, value=value, owner=side))


def test_a_last_roll_that_wins_34_of_36_is_double_and_pass(engine: Engine) -> None:
    decision = engine.cube(bearing_off([3, 1], [1]))
    assert (decision.no_double, decision.double_take) == (pytest.approx(32 / 36), pytest.approx(64 / 36))
    assert decision.label == "double/pass"


def test_the_last_roll_is_taken_with_a_quarter_of_the_wins(engine: Engine) -> None:
    taken = engine.cube(bearing_off([6], [1]))
    assert taken.double_take == pytest.approx(1.0)
    assert taken.label == "double/take"


def test_two_checkers_on_the_six_points_are_a_double_and_a_take_and_no_redouble(engine: Engine) -> None:
    sixes = bearing_off([6, 6], [6, 6])
    centred, redouble = engine.cube(sixes), engine.cube(owned(sixes, Side.BOTTOM))
    assert centred.no_double == pytest.approx(0.6031238, abs=1e-6)
    assert redouble.no_double == pytest.approx(0.6217405, abs=1e-6)
    assert centred.double_take == redouble.double_take == pytest.approx(0.9612594, abs=1e-6)
    assert (centred.label, redouble.label) == ("double/take", "redouble/take")


def test_the_chances_are_exact_too(engine: Engine) -> None:
    found = engine.evaluate(bearing_off([6, 6], [6, 6]))
    assert found.chances.win == pytest.approx(410592493 / 544195584, abs=1e-6)
    assert found.cubeful == pytest.approx(0.9612594, abs=1e-6)


def test_a_cube_faced_may_not_be_turned_and_its_worth_is_known(engine: Engine) -> None:
    faced = owned(bearing_off([6, 6], [6, 6]), Side.TOP)
    assert engine.evaluate(faced).cubeful == pytest.approx(0.4806297, abs=1e-6)
    decision = engine.cube(faced)
    assert (decision.label, decision.no_double) == ("not allowed", pytest.approx(0.4806297, abs=1e-6))


def test_a_match_a_limit_near_and_more_checkers_are_not_answered_from_the_table(engine: Engine) -> None:
    sixes = bearing_off([6, 6], [6, 6])
    exact = engine.cube(sixes).double_take
    assert engine.cube(replace(sixes, cube=Cube(limit=2))).double_take != exact
    assert engine.cube(replace(sixes, terms=Match(7))).double_take != exact
    assert engine.cube(bearing_off([1] * 7, [1] * 6)).double_take != pytest.approx(exact)


def test_the_best_decision_is_the_better_of_doubling_and_not() -> None:
    exact = ExactMoney(win=0.7, centred=0.5, owned=0.6, away=0.28)
    assert exact.worth(None) == 2 * 0.28
    assert exact.worth(True) == 0.6
    assert exact.worth(False) == 0.28


# One roll before the table


class Plain:
    """The best plays and cube decisions, by trying them all down to the table. Worths are those of the side on roll,
    whose view a board is, in units of the cube; `owner`: whether it has the cube, None for nobody."""

    def __init__(self, engine: Engine) -> None:
        self.exact = cache(lambda board: engine._judge.exact_money(board.points))
        self.results = cache(lambda board, roll: {play.result.flip() for play in legal_plays(board, roll)})
        self.rolling = cache(self._rolling)
        self.standing = cache(self._standing)

    def _rolling(self, board: Board, owner: bool | None) -> float:
        """Of rolling at once."""
        exact = self.exact(board)
        if exact is not None:
            return exact.no_double(owner)
        theirs = None if owner is None else not owner
        total = 0.0
        for roll in ROLLS:
            best = max(-self.standing(after, theirs) for after in self.results(board, roll))
            total += best * (1 if roll.is_double else 2)
        return total / 36

    def _standing(self, board: Board, owner: bool | None) -> float:
        """Of the better of rolling and doubling."""
        if board.finished:
            return -1.0
        worth = self.rolling(board, owner)
        return worth if owner is False else max(worth, min(2 * self.rolling(board, False), 1.0))


@pytest.mark.parametrize(
    ("own", "opponent", "plies"),
    [
        ([1, 1, 1, 2, 2, 2, 3, 3], [1, 1, 2, 2, 4], (1, 2)),
        ([1, 1, 2, 2, 3, 3, 4], [1, 1, 1, 1, 2, 2], (1, 2)),
        ([1, 1, 1, 1, 2, 2], [1, 1, 1, 2, 2, 2, 3, 3], (2,)),
        ([1, 1, 1, 1, 1, 1, 1, 2], [1, 1, 1, 1, 1, 1, 2, 2], (2,)),
    ],
)
def test_a_search_that_ends_in_the_table_is_exact(
    engine: Engine, own: list[int], opponent: list[int], plies: tuple[int, ...]
) -> None:
    state, plain = bearing_off(own, opponent), Plain(engine)
    for depth in plies:
        for held in (state, owned(state, Side.BOTTOM), owned(state, Side.TOP)):
            decision = engine.cube(held, depth)
            mine = None if held.cube.owner is None else held.cube.owner is Side.BOTTOM
            assert decision.plies == depth
            assert decision.no_double == pytest.approx(plain.rolling(state.board, mine), abs=1e-6)
            assert decision.double_take == pytest.approx(2 * plain.rolling(state.board, False), abs=1e-6)


def test_plays_into_the_table_are_worth_what_it_says(engine: Engine) -> None:
    state = bearing_off([1, 1, 2, 4, 5, 5, 6], [1, 1, 2, 2, 4, 6])
    for held, theirs in ((state, None), (owned(state, Side.BOTTOM), False), (owned(state, Side.TOP), True)):
        for entry in engine.rank(held.with_dice(Dice(4, 2)), 0):
            exact = engine._judge.exact_money(entry.board.flip().points)
            if exact is not None:
                assert entry.equity == pytest.approx(-exact.worth(theirs), abs=1e-6)
