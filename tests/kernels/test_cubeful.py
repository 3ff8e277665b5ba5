"""The compiled cube agrees with the plain one, and a double is made when it is worth more than rolling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgd.engine.ladder import ladder_of
from bgd.engine.met import MatchEquityTable
from bgd.engine.stakes import Stakes, efficiency
from bgd.engine.values import Chances
from bgd.kernels.cubeful import answer, cube_space, static
from bgd.rules.board import Board
from bgd.rules.state import Cube, GameState, Match, Money, Side
from tests.kernels.arrays import padded

TABLE = MatchEquityTable.default()
CONTACT = Board.start()
RACE = Board((0, *[0] * 5, 7, 6, 2, *[0] * 6, -3, -6, 0, 0, -6, *[0] * 6))
SHORT = Board((0, 1, 2, 0, 3, *[0] * 13, -1, -1, -2, -1, 0, -1, -1, 0))
NEARLY_OFF = Board((0, 2, *[0] * 19, -1, -1, -1, -1, 0))
LAST_ROLL = Board((0, 2, 0, 3, *[0] * 20, -1, 0))

units = st.floats(0, 1)


@st.composite
def chances(draw: st.DrawFn) -> Chances:
    win = draw(units)
    gammon, lost = win * draw(units), (1 - win) * draw(units)
    return Chances(win, gammon, gammon * draw(units), lost, lost * draw(units))


@st.composite
def states(draw: st.DrawFn) -> GameState:
    terms: Money | Match
    if draw(st.booleans()):
        terms = Money(jacoby=draw(st.booleans()), beavers=draw(st.booleans()))
    else:
        length = draw(st.sampled_from((1, 2, 3, 4, 5, 7, 11)))
        terms = Match(length, (draw(st.integers(0, length - 1)), draw(st.integers(0, length - 1))))
        if terms.post_crawford and draw(st.booleans()):
            terms = Match(length, terms.scores, crawford=True)
    crawford = isinstance(terms, Match) and terms.crawford
    value = 1 if crawford else draw(st.sampled_from((1, 2, 4)))
    owner = None if value == 1 else draw(st.sampled_from(tuple(Side)))
    limit = draw(st.sampled_from((8, 4096)))
    board = draw(st.sampled_from((CONTACT, RACE, SHORT, NEARLY_OFF, LAST_ROLL)))
    return GameState(board, draw(st.sampled_from(tuple(Side))), cube=Cube(value, owner, limit), terms=terms)


@settings(max_examples=400, deadline=None)
@given(states(), chances())
def test_the_compiled_cube_is_the_plain_one(state: GameState, found: Chances) -> None:
    ladder = ladder_of(state.cube, state.turn, state.terms, TABLE, plies=2)
    levels = ladder.usable.shape[1]
    space = cube_space(levels)
    row = np.array([found.win, found.win_gammon, found.win_backgammon, found.lose_gammon, found.lose_backgammon])
    static(padded(state.board.points), 0, row, ladder, space)
    stakes = Stakes(found, state.cube, state.turn, state.terms, TABLE)
    alive, owner = efficiency(state.board), state.cube.owner
    idle = isinstance(state.terms, Money) and state.terms.jacoby and owner is None
    users = (owner in (None, state.turn), owner in (None, state.turn.other))
    expected = [stakes.cubeful(state.cube.value, users, alive, idle)]
    for level in range(1, levels):
        expected += [stakes.cubeful(state.cube.value << level, who, alive) for who in ((True, False), (False, True))]
    # Beyond a cube of 4 the plain one sees the limit of 4,096 coming, the endless ladder does not.
    same = [not ladder.endless or state.cube.value << (number + 1) // 2 <= 4 for number in range(len(expected))]
    assert space.values[same] == pytest.approx(np.array(expected)[same], abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(states(), chances())
def test_both_sides_see_one_game(state: GameState, found: Chances) -> None:
    ladder = ladder_of(state.cube, state.turn, state.terms, TABLE, plies=2)
    other = ladder_of(state.cube, state.turn.other, state.terms, TABLE, plies=2)
    first, second = cube_space(ladder.usable.shape[1]), cube_space(ladder.usable.shape[1])
    row = np.array([found.win, found.win_gammon, found.win_backgammon, found.lose_gammon, found.lose_backgammon])
    static(padded(state.board.points), 0, row, ladder, first)
    static(padded(state.board.points), 1, row, other, second)
    for own, theirs in [(0, 0)] + [(2 * j - 1, 2 * j) for j in range(1, ladder.usable.shape[1])]:
        assert first.values[own] == pytest.approx(ladder.total - second.values[theirs], abs=1e-9)


def test_a_double_is_made_when_it_is_worth_more_and_passed_when_that_costs_less() -> None:
    ladder = ladder_of(Cube(), Side.TOP, Money(jacoby=False, beavers=False), TABLE, plies=2)
    for rolling, taken, expected in ((0.5, 0.4, 0.5), (0.5, 0.7, 0.7), (0.5, 1.3, 1.0), (1.2, 1.3, 1.2)):
        values = np.zeros(2 * ladder.usable.shape[1] - 1)
        values[0], values[2] = rolling, taken
        answer(values, 0, ladder)
        assert values[0] == expected
        values[0], values[1] = -rolling, -taken
        answer(values, 1, ladder)
        assert values[0] == -expected


def test_a_bad_double_is_beavered_where_that_is_allowed() -> None:
    for beavers, expected in ((False, -0.4), (True, -0.7)):
        ladder = ladder_of(Cube(), Side.TOP, Money(jacoby=False, beavers=beavers), TABLE, plies=2)
        values = np.zeros(2 * ladder.usable.shape[1] - 1)
        values[0], values[2] = -0.7, -0.4
        answer(values, 0, ladder)
        assert values[0] == expected


def test_nobody_doubles_in_the_crawford_game() -> None:
    ladder = ladder_of(Cube(), Side.TOP, Match(5, (4, 2), crawford=True), TABLE, plies=2)
    values = np.array([0.3, 0.9, 0.9])
    answer(values, 0, ladder)
    answer(values, 1, ladder)
    assert values.tolist() == [0.3, 0.9, 0.9]
