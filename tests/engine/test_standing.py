"""What the kernel makes of a position at once is what the plain formulas make of its chances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgd.engine import Engine, cube
from bgd.engine.evaluator import Evaluator
from bgd.engine.met import MatchEquityTable
from bgd.engine.values import Chances
from bgd.engine.weights import load_weights, shipped_weights
from bgd.kernels import bearoff
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.state import Cube, GameState, Match, Money, Phase, Side
from tests.kernels.arrays import counts, random_game
from tests.kernels.test_cubeful import states

TABLE = MatchEquityTable.default()
EVALUATOR = Evaluator(*load_weights(shipped_weights())[:2], bearoff.load(), {})
ENGINE = Engine(EVALUATOR, TABLE)
BOARDS = [Board(counts(board)) for board, _, _ in random_game(41, 300)]


@settings(max_examples=300, deadline=None)
@given(states(), st.sampled_from(BOARDS))
def test_evaluations_and_cube_decisions_at_0_plies_are_the_plain_ones(state: GameState, board: Board) -> None:
    state = replace(state, board=board)
    # From a cube of 4 doubled a limit of 4,096 is in sight of the plain formulas, not of the others.
    if board.finished or ENGINE._exact(state) or state.cube.value == 4:
        return
    found = ENGINE.evaluate(state)
    chances, row = found.chances, EVALUATOR.evaluate(np.array([board.points], np.int8))[0]
    assert chances == pytest.approx(row.tolist(), abs=5e-7)  # in double precision, and in single
    expected = cube.evaluation(state, chances, 0, TABLE)
    assert (found.mwc is None) == (expected.mwc is None) == isinstance(state.terms, Money)
    assert found.equity == pytest.approx(expected.equity, abs=1e-9)
    assert found.cubeful == pytest.approx(expected.cubeful, abs=1e-9)
    decided, plainly = ENGINE.cube(state), cube.decide(state, chances, 0, TABLE)
    assert decided.no_double == pytest.approx(plainly.no_double, abs=1e-9)
    assert decided.double_take == pytest.approx(plainly.double_take, abs=1e-9)


@pytest.mark.parametrize(
    "terms", [Money(jacoby=False), Money(jacoby=True, beavers=True), Match(5, (2, 1)), Match(3, (2, 1), crawford=True)]
)
@pytest.mark.parametrize("owner", [None, Side.TOP, Side.BOTTOM])
def test_the_best_play_is_the_first_of_the_ranked_ones_at_any_stake(terms: Money | Match, owner: Side | None) -> None:
    held = Cube(1 if owner is None else 2, owner)
    for board, die1, die2 in random_game(42, 60):
        state = GameState(Board(counts(board)), Side.BOTTOM, cube=held, terms=terms).with_dice(Dice(die1, die2))
        best, ranked = ENGINE.best(state), ENGINE.rank(state)
        if ranked:
            assert best == ranked[0].board
            assert ENGINE.rank(state, top=1) == ranked[:1]
        else:
            assert best == state.board


def test_a_game_that_is_over_has_no_cube_to_turn() -> None:
    state = replace(GameState(BOARDS[5], terms=Money(jacoby=False)), phase=Phase.OVER)
    chances = Chances.of(EVALUATOR.evaluate(np.array([state.board.points], np.int8))[0].tolist())
    assert ENGINE.evaluate(state).cubeful == pytest.approx(cube.evaluation(state, chances, 0, TABLE).cubeful)
