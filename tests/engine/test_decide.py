"""The engine's facade, with a judge that stands in for the network."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgd.engine import MAX_PLIES, Engine
from bgd.engine.noise import deviate, disturbed
from bgd.engine.values import Chances, CubeDecision, RolloutPlan
from bgd.errors import BadArgument, BadValue, IllegalAction, MissingContext, Unsupported
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.plays import legal_plays
from bgd.rules.state import GameState, Match, Phase
from tests.engine.fakes import DEEPLY, FakeJudge, fake_engine

START = GameState().with_dice(Dice(3, 1))
ON_THE_BAR = Board((0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 1, 1))


def test_importing_the_engine_loads_neither_numpy_nor_numba() -> None:
    code = "import sys, bgd.engine; sys.exit(bool({'numpy', 'numba'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_best_play_is_the_first_of_the_ranking() -> None:
    engine = fake_engine()
    assert engine.best(START) == engine.rank(START)[0].board


def test_a_ranking_holds_every_legal_play_once_best_first() -> None:
    ranked = fake_engine().rank(START)
    assert {entry.board for entry in ranked} == {play.result for play in legal_plays(START.board, Dice(3, 1))}
    assert len(ranked) == 16
    equities = [entry.equity for entry in ranked]
    assert equities == sorted(equities, reverse=True)


def test_a_ranking_can_be_cut_short() -> None:
    engine = fake_engine()
    assert engine.rank(START, top=3) == engine.rank(START)[:3]


def test_with_no_legal_play_the_ranking_is_empty_and_the_board_stays() -> None:
    stuck = GameState(board=ON_THE_BAR).with_dice(Dice(6, 6))
    assert fake_engine().rank(stuck) == []
    assert fake_engine().best(stuck) == ON_THE_BAR


def test_plays_not_looked_at_deeply_follow_with_their_value_at_0_plies() -> None:
    ranked = fake_engine().rank(START, plies=1)
    assert [entry.plies for entry in ranked] == [1] * DEEPLY + [0] * (16 - DEEPLY)
    assert len({entry.board for entry in ranked}) == 16


def test_deeper_than_there_is_is_refused_by_name() -> None:
    with pytest.raises(Unsupported, match=f"0 to {MAX_PLIES} plies, got `{MAX_PLIES + 1}`"):
        fake_engine().rank(START, plies=MAX_PLIES + 1)
    with pytest.raises(Unsupported):
        fake_engine().evaluate(START, plies=MAX_PLIES + 1)


@pytest.mark.parametrize("plies", [-1, MAX_PLIES + 1])
def test_levels_that_are_not_there_are_refused_of_rollouts_too(plies: int) -> None:
    with pytest.raises((BadValue, Unsupported)):
        fake_engine().rollout(START, RolloutPlan(trials=36, plies=plies))
    with pytest.raises((BadValue, Unsupported)):
        fake_engine().rollout(START, RolloutPlan(trials=36, first_plies=plies, first_turns=1))


@pytest.mark.parametrize("wrong", [
    {"trials": 0}, {"truncate": -1}, {"seed": -1}, {"seed": 2**63}, {"first_turns": -1}, {"error": math.nan},
    {"error": -0.1}, {"apart": math.inf}, {"apart": -1.0},
])  # fmt: skip
def test_a_plan_for_a_rollout_says_which_of_its_numbers_is_wrong(wrong: dict[str, float]) -> None:
    with pytest.raises(BadValue, match=f"`{next(iter(wrong))}`"):
        RolloutPlan(**wrong)  # type: ignore[arg-type]


def test_no_plays_no_threads_and_blocks_that_are_not_there_are_refused() -> None:
    engine, plan = fake_engine(), RolloutPlan(trials=72)
    with pytest.raises(BadArgument, match="at least one play"):
        engine.rollout(START, plan, [])
    with pytest.raises(BadValue, match="one thread"):
        engine.rollout(START, plan, threads=0)
    for blocks in (range(0, 2, 2), range(-1, 1), range(1, 3), range(2, 1)):
        with pytest.raises(BadValue, match="from 0 to 2"):
            engine.rollout_part(START, plan, None, blocks)
    assert len(engine.rollout_part(START, plan, None, range(2, 2)).games[0]) == 0


def test_a_game_that_is_over_is_not_rolled_out() -> None:
    over = GameState(phase=Phase.OVER)
    with pytest.raises(IllegalAction, match="over"):
        fake_engine().rollout(over)
    with pytest.raises(IllegalAction, match="over"):
        fake_engine().rollout_part(over, RolloutPlan(), None, range(1))


def test_the_opening_roll_whose_luck_is_asked_for_is_no_double() -> None:
    with pytest.raises(BadValue, match="opening roll"):
        fake_engine().luck(GameState().with_dice(Dice(1, 1)), opening=True)


def test_fewer_plays_than_none_are_refused() -> None:
    with pytest.raises(BadValue, match="from 0 up"):
        fake_engine().rank(START, top=-1)


def test_how_close_a_cube_decision_is_is_what_the_other_answers_cost() -> None:
    def gains(no_double: float, double_take: float, response: str) -> tuple[float, float]:
        found = CubeDecision(no_double, double_take, 1.0, "", False, response)
        return pytest.approx(found.gain), pytest.approx(found.take_gain)

    assert gains(0.5, 0.6, "take") == (0.1, 0.4)
    assert gains(0.7, 1.3, "pass") == (0.3, -0.3)
    assert gains(1.2, 1.3, "pass") == (-0.2, -0.3)
    assert gains(0.1, -0.2, "beaver") == (-0.5, 1.2)


def test_a_play_needs_dice() -> None:
    with pytest.raises(MissingContext):
        fake_engine().best(GameState())


def test_money_equity_of_a_play_is_that_of_its_chances() -> None:
    for entry in fake_engine().rank(START):
        assert entry.equity == pytest.approx(entry.chances.equity, abs=1e-6)
        assert entry.mwc is None


def test_in_a_match_plays_carry_match_winning_chances() -> None:
    state = GameState(terms=Match(3, (2, 2))).with_dice(Dice(3, 1))
    for entry in fake_engine().rank(state):
        assert entry.mwc == pytest.approx(entry.chances.win, abs=1e-6)
        assert entry.equity == pytest.approx(2 * entry.chances.win - 1, abs=1e-6)


def test_levels_reach_the_judge() -> None:
    judge = FakeJudge()
    engine = Engine(judge)
    engine.evaluate(START, 1)
    engine.cube(START, 1)
    engine.best(START, 1)
    assert judge.levels == [1, 1, 1]


def test_noise_is_the_same_each_time_and_gone_at_zero() -> None:
    engine = fake_engine()
    plain, noisy = engine.evaluate(START), engine.evaluate(START, noise=0.05)
    assert noisy == engine.evaluate(START, noise=0.05) != plain
    assert engine.evaluate(START, noise=0.0) == plain


def test_noise_has_the_deviation_asked_for() -> None:
    boards = [Board.unchecked((*range(-12, 13), count)) for count in range(2000)]
    values = [deviate(board) for board in boards]
    mean = sum(values) / len(values)
    assert abs(mean) < 0.1
    assert math.sqrt(sum((value - mean) ** 2 for value in values) / len(values)) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("gammons", [0.0, 0.3, 0.8])
def test_noise_in_the_equity_has_it_too_however_many_gammons_there_are(gammons: float) -> None:
    before = Chances(0.6, 0.6 * gammons, 0.6 * gammons / 2, 0.4 * gammons, 0.0)
    boards = [Board.unchecked((*range(-12, 13), count)) for count in range(2000)]
    errors = [disturbed(before, board, 0.05).equity - before.equity for board in boards]
    assert math.sqrt(sum(error * error for error in errors) / len(errors)) == pytest.approx(0.05, rel=0.05)


@pytest.mark.parametrize("deviation", [-0.1, 4.0, math.nan, math.inf])
def test_noise_that_is_none_is_refused(deviation: float) -> None:
    with pytest.raises(BadValue, match="noise"):
        fake_engine().evaluate(START, noise=deviation)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_disturbed_chances_are_chances(win: float, share: float, deviation: float) -> None:
    before = Chances(win, win * share, win * share**2, (1 - win) * share, (1 - win) * share**2)
    after = disturbed(before, Board.start(), deviation)
    assert 0 <= after.win_backgammon <= after.win_gammon <= after.win <= 1
    assert 0 <= after.lose_backgammon <= after.lose_gammon <= 1 - after.win + 1e-12
