"""Rollouts: right where the answer is known, honest about their errors, the same however many threads play."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bgd.engine import Engine
from bgd.engine.cube import Searched, decide, evaluation
from bgd.engine.evaluator import Evaluator
from bgd.engine.ladder import ladder_of
from bgd.engine.met import MatchEquityTable
from bgd.engine.rollout import BLOCK, play_part, roll_out
from bgd.engine.stakes import Stakes, play_stakes
from bgd.engine.values import Chances, CubeDecision, Rollout, RolloutPlan
from bgd.errors import BadArgument, TimedOut, Unsupported
from bgd.kernels.dice import game_roll, strata_of
from bgd.kernels.rollout import WORTH
from bgd.rules.board import Board
from bgd.rules.cube import why_no_cube
from bgd.rules.dice import ROLLS, Dice
from bgd.rules.outcome import outcome_of
from bgd.rules.plays import legal_plays
from bgd.rules.state import Cube, GameState, Match, Money, Side
from tests.rules.boards import by_own_points

MONEY = Money(jacoby=False, beavers=False)
MET = MatchEquityTable.default()


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return Evaluator.load()


@pytest.fixture(scope="module")
def engine(evaluator: Evaluator) -> Engine:
    return Engine(evaluator)


SIXES = by_own_points([6, 6], [6, 6])
SHORT_RACE = by_own_points([6, 5, 4, 3, 2, 1, 1], [6, 5, 5, 3, 2, 2])
LONG_RACE = by_own_points([6, 6, 5, 5, 4, 4, 3, 9], [6, 6, 5, 5, 4, 4, 8, 8])
MIDGAME = Board((0, 0, 0, -1, -2, 3, 3, 4, 0, 0, 0, 0, -2, 3, 0, 0, 0, 0, 0, -2, -3, 0, 0, -3, 1, 1))


class PlainGames:
    """The plain twin: one game of a rollout at a time, by rules, evaluator and cube decisions. Luck is left in, and all
    games are played to their end or to where `plan` truncates them."""

    def __init__(self, evaluator: Evaluator, state: GameState, plan: RolloutPlan) -> None:
        self.evaluator, self.state, self.plan = evaluator, state, plan
        self.strata = strata_of(plan.seed)
        self.stakes = Stakes(Chances(0.5), state.cube, state.turn, state.terms, MET)

    def plies(self, turn: int) -> int:
        early = self.plan.first_plies is not None and turn < self.plan.first_turns
        return self.plan.first_plies or 0 if early else self.plan.plies

    def weights(self, state: GameState) -> NDArray[np.float32]:
        return np.array(play_stakes(state.cube, state.turn, state.terms, MET), np.float32)

    def cube(self, state: GameState, chances: Chances, plies: int) -> CubeDecision:
        if not plies or why_no_cube(state.cube, state.terms, state.turn):
            return decide(state, chances, 0, MET)
        ladder = ladder_of(state.cube, state.turn, state.terms, MET, plies)
        found = self.evaluator.look(state.board.points, self.weights(state), ladder, plies)
        assert found.worths is not None
        searched = Searched(found.worths[0], found.worths[2])
        return decide(state, Chances.of(found.probs.tolist()), plies, MET, searched)

    def play(self, state: GameState, roll: int, plies: int) -> tuple[Board, Chances]:
        """The board after the best play, and the mover's chances."""
        ladder = ladder_of(state.cube, state.turn.other, state.terms, MET, plies) if self.plan.cubeful else None
        dice = roll // 6 + 1, roll % 6 + 1
        plies = plies if len(legal_plays(state.board, Dice(*dice))) > 1 else 0
        found = self.evaluator.rank(state.board.points, *dice, self.weights(state), plies, ladder=ladder)
        return Board.unchecked(tuple(found.boards[0].tolist())), Chances.of(found.probs[0].tolist())

    def worth(self, game: int) -> float:
        """What the game brings the side on roll, as Stakes counts it; it does not double at first."""
        state, first, turn = self.state, self.state.turn, 0
        worth = self.stakes.players[0].worth
        chances = Chances.of(self.evaluator.evaluate(np.array([state.board.points], np.int8))[0].tolist())
        while True:
            sign = 1 if state.turn is first else -1
            plies = self.plies(turn)
            decision = self.cube(state, chances, plies) if self.plan.cubeful and turn else None
            value = evaluation(state, chances, 0, MET)
            if decision is not None and decision.double and decision.response == "pass":
                return worth(sign * state.cube.value)
            if decision is not None and decision.double:
                state = replace(state, cube=replace(state.cube, value=2 * state.cube.value, owner=state.turn.other))
            if self.plan.truncate and turn == self.plan.truncate:
                return sign * (value.cubeful * self.state.cube.value if self.plan.cubeful else value.equity)
            roll = game_roll(self.plan.seed, game, turn, self.strata)
            board, after = self.play(state, roll, plies)
            if board.off == 15:
                return worth(sign * int(outcome_of(board)) * state.cube.value)
            state, chances = replace(state, board=board.flip(), turn=state.turn.other), after.flip()
            turn += 1


def agree(evaluator: Evaluator, state: GameState, plan: RolloutPlan, count: int) -> None:
    """Assert that the first games are those of the plain twin."""
    plan = replace(plan, reduce_variance=False, bearoff=False, doubled=False)
    found = play_part(evaluator, state, plan, None, MET, range(1)).games[0]
    plain = PlainGames(evaluator, state, plan)
    for game, (*chances, worth) in enumerate(found[:count]):
        expected = plain.worth(game)
        assert (worth if plan.cubeful else Chances.of(chances).equity) == pytest.approx(expected, abs=1e-6), game


@pytest.mark.parametrize("board", [SIXES, LONG_RACE, MIDGAME], ids=["bear-off", "race", "contact"])
@pytest.mark.parametrize("cubeful", [False, True])
def test_games_are_those_of_the_plain_twin(evaluator: Evaluator, board: Board, cubeful: bool) -> None:
    agree(evaluator, GameState(board, terms=MONEY), RolloutPlan(seed=11, cubeful=cubeful), 24)


@pytest.mark.parametrize("match", [Match(5, (4, 2)), Match(5, (2, 4)), Match(4, (1, 2)), Match(7, (6, 6))], ids=repr)
def test_games_of_a_match_are_those_of_the_plain_twin(evaluator: Evaluator, match: Match) -> None:
    agree(evaluator, GameState(MIDGAME, terms=match), RolloutPlan(seed=12), 24)


@pytest.mark.parametrize("cubeful", [False, True])
@pytest.mark.parametrize("plies", [1, 2])
def test_games_at_more_plies_are_those_of_the_plain_twin(evaluator: Evaluator, cubeful: bool, plies: int) -> None:
    state = GameState(SHORT_RACE, terms=MONEY, cube=Cube(2, Side.BOTTOM) if plies == 2 else Cube())
    agree(evaluator, state, RolloutPlan(seed=13, plies=plies, cubeful=cubeful, truncate=6 if plies == 2 else 0), 8)


@pytest.mark.parametrize("cubeful", [False, True])
def test_first_turns_at_more_plies_are_those_of_the_plain_twin(evaluator: Evaluator, cubeful: bool) -> None:
    plan = RolloutPlan(seed=14, first_plies=2, first_turns=2, plies=1, truncate=3, cubeful=cubeful)
    agree(evaluator, GameState(MIDGAME, terms=MONEY), plan, 4)


def test_a_position_of_the_two_sided_table_is_known_without_error(engine: Engine) -> None:
    found = engine.rollout(GameState(SIXES, terms=MONEY), RolloutPlan(trials=36), threads=1)
    rolled, doubled = found.lines
    assert (rolled.action, doubled.action) == ("no double", "double/take")
    assert (rolled.cubeful, rolled.cubeful_error) == (pytest.approx(0.6031238, abs=1e-6), pytest.approx(0, abs=1e-12))
    assert doubled.cubeful == pytest.approx(0.9612594, abs=1e-6)
    assert found.decision is not None
    assert found.decision.label == "double/take"


@pytest.mark.parametrize("reduce_variance", [True, False])
def test_games_played_to_the_end_come_to_the_exact_values(engine: Engine, reduce_variance: bool) -> None:
    plan = RolloutPlan(trials=7200, bearoff=False, reduce_variance=reduce_variance, cubeful=False)
    state = GameState(by_own_points([6, 5, 4], [6, 5, 5]), terms=MONEY)
    exact = 2 * engine.evaluate(state).chances.win - 1
    found = engine.rollout(state, plan).lines[0]
    assert abs(found.equity - exact) <= 3.5 * found.equity_error + 1e-6
    assert found.equity_error < (1e-3 if reduce_variance else 0.015)


def test_the_same_bytes_on_one_thread_and_on_two(evaluator: Evaluator) -> None:
    state = GameState(MIDGAME, terms=MONEY)
    for plan in (RolloutPlan(trials=72), RolloutPlan(trials=720, truncate=4, error=0.05)):
        one, two = (roll_out(evaluator, state, plan, None, MET, threads) for threads in (1, 2))
        assert one == two
        assert repr(one) == repr(two)


def test_an_evaluator_of_so_many_threads_rolls_out_on_as_many_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pools: list[int] = []

    def pool(threads: int) -> ThreadPoolExecutor:
        pools.append(threads)
        return ThreadPoolExecutor(threads)

    monkeypatch.setattr("bgd.engine.rollout.ThreadPoolExecutor", pool)
    engine = Engine(Evaluator.load(threads=3))
    for threads in (None, 1):
        engine.rollout(GameState(MIDGAME, terms=MONEY), RolloutPlan(trials=36, truncate=1), threads=threads)
    assert pools == [3, 1]


def test_another_seed_agrees_within_the_errors(engine: Engine) -> None:
    state = GameState(MIDGAME, terms=MONEY)
    first, second = (engine.rollout(state, RolloutPlan(trials=144, seed=seed)) for seed in (1, 2))
    assert first != second
    for one, other in zip(first.lines, second.lines, strict=True):
        joint = (one.equity_error**2 + other.equity_error**2) ** 0.5
        assert abs(one.equity - other.equity) < 4 * joint


@pytest.mark.parametrize(("trials", "seeds"), [(144, 48), (1296, 24)])
def test_the_standard_error_is_the_spread_of_many_rollouts(engine: Engine, trials: int, seeds: int) -> None:
    state = GameState(MIDGAME, terms=MONEY)
    plan = RolloutPlan(trials=trials, cubeful=False, reduce_variance=False)
    many = [engine.rollout(state, replace(plan, seed=seed)).lines[0] for seed in range(seeds)]
    spread = np.std([line.equity for line in many], ddof=1)
    told = np.sqrt(np.mean([line.equity_error**2 for line in many]))
    # A spread measured 48 times is right within 10 %; strata of later rolls make it a little smaller than told, and
    # in a race, where little but the sum of the rolls counts, nearly half.
    assert 0.65 < spread / told < 1.3


@pytest.mark.parametrize("cubeful", [False, True])
def test_two_seeds_agree_within_two_joint_errors_in_about_nineteen_of_twenty_pairs(
    engine: Engine, cubeful: bool
) -> None:
    state = GameState(MIDGAME, terms=MONEY)
    plan = RolloutPlan(trials=144, truncate=7, cubeful=cubeful, doubled=False)
    lines = [engine.rollout(state, replace(plan, seed=seed)).lines[0] for seed in range(40)]
    errors = [line.equity_error if line.cubeful_error is None else line.cubeful_error for line in lines]
    pairs = zip(lines[::2], lines[1::2], errors[::2], errors[1::2], strict=True)
    agreeing = sum(abs(one.value - two.value) <= 2 * (e1**2 + e2**2) ** 0.5 for one, two, e1, e2 in pairs)
    assert agreeing >= 17  # 19 are to be expected, and chance leaves fewer than 17 once in 80 times


def test_taking_luck_away_leaves_the_mean_and_little_of_the_spread(engine: Engine) -> None:
    state = GameState(MIDGAME, terms=MONEY)
    plan = RolloutPlan(trials=360, cubeful=False)
    without = engine.rollout(state, plan).lines[0]
    with_luck = engine.rollout(state, replace(plan, reduce_variance=False)).lines[0]
    assert without.equity_error < with_luck.equity_error / 3
    assert abs(without.equity - with_luck.equity) < 4 * with_luck.equity_error


def test_plays_are_rolled_out_side_by_side_best_first(engine: Engine) -> None:
    state = GameState(terms=MONEY).with_dice(Dice(3, 1))
    ranked = engine.rank(state)
    plays = [ranked[-1].board, ranked[0].board]
    found = engine.rollout(state, RolloutPlan(trials=72), plays)
    assert [line.board for line in found.lines] == [ranked[0].board, ranked[-1].board]
    best, worst = found.lines
    assert (best.behind, best.behind_error) == (0, 0)
    assert worst.behind == pytest.approx(best.value - worst.value)
    assert 0 < worst.behind_error < best.cubeful_error + worst.cubeful_error


def test_a_play_far_behind_is_played_no_further(engine: Engine) -> None:
    state = GameState(terms=MONEY).with_dice(Dice(3, 1))
    ranked = engine.rank(state)
    plan = RolloutPlan(trials=1296, truncate=8, apart=4.0)
    found = engine.rollout(state, plan, [ranked[0].board, ranked[-1].board])
    assert found.ended == "apart"
    assert found.lines[0].trials == found.lines[1].trials == 324


def test_a_small_error_ends_a_rollout_early(engine: Engine) -> None:
    found = engine.rollout(GameState(MIDGAME, terms=MONEY), RolloutPlan(trials=3600, truncate=4, error=0.05))
    assert found.ended == "error"
    assert found.lines[0].trials == 324


def test_trials_are_whole_blocks(engine: Engine) -> None:
    found = engine.rollout(GameState(SIXES, terms=MONEY), RolloutPlan(trials=37))
    assert [line.trials for line in found.lines] == [2 * BLOCK] * 2


def test_a_play_that_ends_the_game_is_worth_what_it_wins(engine: Engine) -> None:
    state = GameState(by_own_points([1], [6] * 15), terms=MONEY).with_dice(Dice(2, 1))
    after = legal_plays(state.board, Dice(2, 1))[0].result
    line = engine.rollout(state, RolloutPlan(trials=36), [after]).lines[0]
    assert (line.equity, line.cubeful, line.cubeful_error) == (2, 2, 0)
    jacoby = replace(state, terms=Money(jacoby=True))
    assert engine.rollout(jacoby, RolloutPlan(trials=36), [after]).lines[0].cubeful == 1


def test_in_a_match_the_worth_is_match_winning_chances(engine: Engine) -> None:
    state = GameState(MIDGAME, terms=Match(5, (3, 3)))
    found = engine.rollout(state, RolloutPlan(trials=72, truncate=10))
    rolled, doubled = found.lines
    assert found.decision is not None
    assert found.decision.mwc_no_double == rolled.mwc
    assert found.decision.mwc_double_take == doubled.mwc
    assert found.decision.mwc_double_pass == pytest.approx(MET.win(1, 2, False))
    for line in found.lines:
        assert line.mwc is not None
        assert 0 < line.mwc < 1


def test_at_the_last_point_only_winning_counts(engine: Engine) -> None:
    state = GameState(MIDGAME, terms=Match(1))
    line = engine.rollout(state, RolloutPlan(trials=72)).lines[0]
    assert line.mwc == pytest.approx(line.chances.win, abs=1e-3)


def test_where_the_cube_may_not_be_turned_there_is_no_double(engine: Engine) -> None:
    state = GameState(SIXES, terms=MONEY, cube=Cube(2, Side.TOP))
    found = engine.rollout(state, RolloutPlan(trials=36))
    assert [line.action for line in found.lines] == ["no double"]
    assert found.decision is None
    crawford = GameState(MIDGAME, terms=Match(3, (2, 0), crawford=True))
    assert len(engine.rollout(crawford, RolloutPlan(trials=36, truncate=2)).lines) == 1


def test_plies_are_looked_ahead_for_the_first_plays_only_if_so_wished(engine: Engine) -> None:
    state = GameState(MIDGAME, terms=MONEY)
    plan = RolloutPlan(trials=36, truncate=3, cubeful=False)
    deeper = engine.rollout(state, replace(plan, first_plies=1, first_turns=1))
    assert deeper == engine.rollout(state, replace(plan, first_plies=1, first_turns=1), threads=2)
    assert deeper != engine.rollout(state, replace(plan, plies=1))
    with pytest.raises(Unsupported, match="0 to 4 plies"):
        engine.rollout(state, replace(plan, plies=5))


def test_a_search_in_the_middle_of_a_game_is_stopped_too(engine: Engine) -> None:
    state = GameState(MIDGAME, terms=MONEY)
    with pytest.raises(TimedOut):
        engine.rollout(state, RolloutPlan(trials=36, plies=4), stop=lambda: True)


@pytest.mark.parametrize("plays", [None, 2], ids=["position", "plays"])
def test_parts_played_anywhere_merge_to_the_same_bytes_as_the_whole(engine: Engine, plays: int | None) -> None:
    state = GameState(MIDGAME, terms=MONEY)
    boards = None
    if plays:
        state = state.with_dice(Dice(3, 1))
        boards = [play.board for play in engine.rank(state, top=plays)]
    for plan in (RolloutPlan(trials=1332, truncate=2), RolloutPlan(trials=648, truncate=4, error=0.05)):
        blocks = -(-plan.trials // BLOCK)
        cuts = (0, blocks // 2, blocks)
        parts = [engine.rollout_part(state, plan, boards, range(*cut)) for cut in pairwise(cuts)]
        whole = engine.rollout(state, plan, boards)
        merged = engine.merge_rollout(state, plan, boards, parts[::-1])
        assert merged == whole
        assert repr(merged) == repr(whole)
        with pytest.raises(BadArgument, match="from block 0 on"):
            engine.merge_rollout(state, plan, boards, parts[1:])


def test_progress_is_told_after_each_block_and_stopping_keeps_what_was_played(engine: Engine) -> None:
    told: list[Rollout] = []
    state = GameState(MIDGAME, terms=MONEY)
    found = engine.rollout(
        state, RolloutPlan(trials=3600, truncate=8), progress=told.append, stop=lambda: len(told) >= 3, threads=2
    )
    assert [so_far.lines[0].trials for so_far in told] == [36, 72, 108]
    assert (found.lines, found.ended) == (told[-1].lines, "time")
    whole = engine.rollout(state, RolloutPlan(trials=108, truncate=8))
    assert found.lines == whole.lines


def test_a_rollout_stopped_early_knows_as_much_of_every_play(evaluator: Evaluator, engine: Engine) -> None:
    state = GameState(MIDGAME, terms=MONEY).with_dice(Dice(3, 1))
    plays = [play.board for play in engine.rank(state, top=6)]
    plan = RolloutPlan(trials=360, plies=1, truncate=6)
    begun: list[int] = []

    class Watched:
        """Plays as the evaluator does, and is watched."""

        evaluate = staticmethod(evaluator.evaluate)

        @staticmethod
        def games(first: int, *how: Any) -> int:
            begun.append(first)
            return evaluator.games(first, *how)

    found = roll_out(Watched(), state, plan, plays, MET, threads=2, stop_now=lambda: len(begun) >= 15)
    played = {line.trials for line in found.lines}
    assert found.ended == "time"
    assert len(found.lines) == len(plays)
    assert len(played) == 1
    (trials,) = played
    assert 2 <= trials < BLOCK
    whole = play_part(evaluator, state, plan, plays, MET, range(1))
    for line in found.lines:
        games = whole.games[plays.index(line.board)][:trials]
        assert line.cubeful == pytest.approx(games[:, WORTH].mean())


def test_no_time_at_all_is_told(engine: Engine) -> None:
    with pytest.raises(TimedOut):
        engine.rollout(GameState(MIDGAME, terms=MONEY), stop=lambda: True)


def test_luck_is_none_on_average(engine: Engine) -> None:
    for terms in (MONEY, Match(7, (2, 4))):
        state = GameState(MIDGAME, terms=terms)
        lucks = {roll: engine.luck(state.with_dice(roll)) for roll in ROLLS}
        assert sum((1 if roll.is_double else 2) * luck.luck for roll, luck in lucks.items()) == pytest.approx(0)
        some = lucks[Dice(3, 1)]
        assert some.luck == pytest.approx(some.equity - some.mean)
        assert (some.mwc is None) == (terms is MONEY)


def test_luck_is_the_worth_of_the_best_play_less_the_mean(engine: Engine) -> None:
    state = GameState(terms=MONEY).with_dice(Dice(6, 6))
    assert engine.luck(state).equity == pytest.approx(engine.rank(state)[0].equity)


@pytest.mark.parametrize("terms", [MONEY, Match(7, (2, 4))], ids=repr)
def test_a_turn_of_a_rollout_without_its_luck_is_the_mean_that_luck_is_measured_from(
    engine: Engine, terms: Money | Match
) -> None:
    state = GameState(MIDGAME, terms=terms)
    line = engine.rollout(state, RolloutPlan(trials=36, truncate=1, doubled=False)).lines[0]
    assert line.cubeful == pytest.approx(engine.luck(state.with_dice(Dice(3, 1))).mean, abs=1e-6)
    assert line.cubeful_error == pytest.approx(0, abs=1e-6)


def test_the_opening_roll_is_no_double(engine: Engine) -> None:
    opening = GameState(terms=MONEY)
    lucks = [engine.luck(opening.with_dice(roll), opening=True).luck for roll in ROLLS if not roll.is_double]
    assert sum(lucks) == pytest.approx(0)
