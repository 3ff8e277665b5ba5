"""The search agrees with a plain one over the rules, gives the same bytes on any number of threads, and stops."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pytest

from bgd.engine.decide import Engine
from bgd.engine.evaluator import Evaluator
from bgd.engine.met import MatchEquityTable
from bgd.engine.search import NO_FILTER, Filter
from bgd.engine.stakes import Stakes, efficiency, play_stakes
from bgd.engine.values import Chances
from bgd.engine.weights import quantised, save_weights
from bgd.kernels.prune import random_prune_net
from bgd.rules.board import Board
from bgd.rules.cube import why_no_cube
from bgd.rules.dice import Dice
from bgd.rules.game import moment
from bgd.rules.plays import afterstates
from bgd.rules.state import Cube, GameState, Match, Money, Phase, Side
from tests.kernels.arrays import counts, random_game, small_net

Weights = tuple[float, ...]
MONEY: Weights = (-1.0, 2.0, 1.0, 1.0, -1.0, -1.0)
ROLLS = [(Dice(a, b), (1 if a == b else 2) / 36) for a, b in combinations_with_replacement(range(1, 7), 2)]
TABLE = MatchEquityTable.default()

# Few men, so that the plain search is done in seconds: a hit and an entry away, and a race on the way home.
CONTACT = Board((0, 0, 2, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0, 0, -1, 0, 1, 0))
LATE = Board((-1, 2, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, -2, 0, 0))
RACE = Board((0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, -1, 0, 0))


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small random network: these laws hold for any weights."""
    path = tmp_path_factory.mktemp("weights") / "weights.bin"
    save_weights(path, quantised(small_net()), random_prune_net(1), {})
    return path


@pytest.fixture(scope="module")
def unfiltered(weights: Path) -> Evaluator:
    return Evaluator.load(weights, limits=NO_FILTER)


@pytest.fixture(scope="module")
def single(weights: Path) -> Evaluator:
    return Evaluator.load(weights, threads=1)


@pytest.fixture(scope="module")
def double(weights: Path) -> Evaluator:
    return Evaluator.load(weights, threads=2)


class Plain:
    """n plies the slow way: the rules' plays, judged one by one."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.static = cache(lambda board: evaluator.evaluate(np.array([board.points], np.int8))[0].astype(float))
        self.replies = cache(self._replies)
        self.exact = cache(lambda board: evaluator.exact_money(board.points))

    def _replies(self, board: Board, weights: Weights) -> list[Board]:
        """The board after the best play of each roll by the static opinion, seen by the other side."""
        best = []
        for dice, _ in ROLLS:
            after = [Board(points).flip() for points in sorted(afterstates(board, dice)) or [board.points]]
            best.append(max(after, key=lambda other: utility(turned(self.static(other)), weights)))
        return best

    def probs(self, board: Board, weights: Weights, plies: int) -> np.ndarray:
        """The chances of the side on roll at `board`, whose utility `weights` are."""
        if plies == 0 or ended(board) or both_home(board):
            return self.static(board)
        total = np.zeros(5)
        for (_, chance), after in zip(ROLLS, self.replies(board, weights), strict=True):
            total += chance * turned(self.probs(after, opposite(weights), plies - 1))
        return total

    def roll(self, state: GameState, weights: Weights, plies: int) -> float:
        """What `state` is worth to the side on roll if it rolls: points, or match winning chances."""
        exact = self.exact(state.board) if isinstance(state.terms, Money) and not ended(state.board) else None
        if exact:
            return points(state) * exact.no_double(None if state.cube.owner is None else state.cube.owner is state.turn)
        if plies == 0 or ended(state.board):
            stakes, owner, turn = stakes_of(state, self.static(state.board)), state.cube.owner, state.turn
            idle = isinstance(state.terms, Money) and state.terms.jacoby and owner is None
            if ended(state.board):
                return points(state) * stakes.cubeless(state.cube.value, idle)
            users = (owner in (None, turn), owner in (None, turn.other))
            return points(state) * stakes.cubeful(state.cube.value, users, efficiency(state.board), idle)
        total = 0.0
        for (_, chance), after in zip(ROLLS, self.replies(state.board, weights), strict=True):
            total += chance * self.best(turn_over(state, after), opposite(weights), plies - 1)
        return 1 - total if isinstance(state.terms, Match) else -total

    def best(self, state: GameState, weights: Weights, plies: int) -> float:
        """The same if it doubles when that is better."""
        rolling, stakes, value = self.roll(state, weights, plies), stakes_of(state), state.cube.value
        if ended(state.board) or why_no_cube(state.cube, state.terms, state.turn) or not stakes.has_use(0, value):
            return rolling
        taken = self.roll(doubled(state), weights, plies)
        if isinstance(state.terms, Money) and state.terms.beavers and taken < 0:
            taken *= 2
        return max(rolling, min(taken, points(state) * stakes.players[0].worth(value)))


def ended(board: Board) -> bool:
    return not min(board.points) < 0 < max(board.points)


def both_home(board: Board) -> bool:
    return max(board.points[7:]) <= 0 <= min(board.points[:19])


def turned(probs: np.ndarray) -> np.ndarray:
    return np.array([1 - probs[0], probs[3], probs[4], probs[1], probs[2]])


def opposite(weights: Weights) -> Weights:
    constant, win, gammon, backgammon, lost_gammon, lost_backgammon = weights
    return (-constant - win, win, -lost_gammon, -lost_backgammon, -gammon, -backgammon)


def utility(probs: np.ndarray, weights: Weights) -> float:
    return weights[0] + float(probs @ np.array(weights[1:]))


def stakes_of(state: GameState, probs: np.ndarray | None = None) -> Stakes:
    chances = Chances(0.5) if probs is None else Chances.of(probs)
    return Stakes(chances, state.cube, state.turn, state.terms, TABLE)


def points(state: GameState) -> int:
    """Stakes count in units of the cube in money play."""
    return 1 if isinstance(state.terms, Match) else state.cube.value


def turn_over(state: GameState, board: Board) -> GameState:
    """The other side's turn at `board`, its own view; or the end of the game."""
    return moment(board, state.turn.other, Phase.ROLL, state.cube, None, state.terms)


def doubled(state: GameState) -> GameState:
    return replace(state, cube=Cube(2 * state.cube.value, state.turn.other))


@pytest.mark.parametrize(("board", "plies"), [(CONTACT, 1), (LATE, 1), (RACE, 1), (Board.start(), 1), (LATE, 2)])
def test_without_filters_a_position_is_worth_what_the_plain_search_says(
    unfiltered: Evaluator, board: Board, plies: int
) -> None:
    expected = Plain(unfiltered).probs(board, MONEY, plies)
    assert unfiltered.evaluate(np.array([board.points], np.int8), plies)[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("board", "plies"), [(CONTACT, 1), (LATE, 2)])
def test_without_filters_every_play_is_worth_what_the_plain_search_says(
    unfiltered: Evaluator, board: Board, plies: int
) -> None:
    plain = Plain(unfiltered)
    ranked = unfiltered.rank(board.points, 6, 1, MONEY, plies)
    assert {counts(row) for row in ranked.boards} == afterstates(board, Dice(6, 1))
    assert set(ranked.plies) == {plies}
    for after, probs in zip(ranked.boards, ranked.probs, strict=True):
        expected = turned(plain.probs(Board(counts(after)).flip(), opposite(MONEY), plies))
        assert probs == pytest.approx(expected, abs=1e-5)
    assert (np.diff(ranked.utility) <= 0).all()


@pytest.mark.parametrize(
    "state",
    [
        GameState(CONTACT, terms=Money(jacoby=False, beavers=False)),
        GameState(CONTACT, terms=Money(jacoby=True, beavers=True)),
        GameState(CONTACT, cube=Cube(2, Side.BOTTOM), terms=Money(jacoby=True)),
        GameState(RACE, cube=Cube(2, Side.TOP), terms=Money()),
        GameState(CONTACT, cube=Cube(2, Side.BOTTOM), terms=Match(7, (3, 2))),
        GameState(RACE, terms=Match(5, (4, 2))),
        GameState(CONTACT, turn=Side.TOP, terms=Match(5, (4, 2), crawford=True)),
        GameState(LATE, terms=Match(3, (1, 1))),
    ],
)
def test_without_filters_the_cube_is_worth_what_the_plain_search_says(unfiltered: Evaluator, state: GameState) -> None:
    engine, plain = Engine(unfiltered, TABLE), Plain(unfiltered)
    weights = play_stakes(state.cube, state.turn, state.terms, TABLE)
    for plies in (1, 2) if state.board is LATE else (1,):
        found = engine.cube(state, plies)
        assert found.plies == plies
        for equity, what in ((found.no_double, state), (found.double_take, doubled(state))):
            expected = stakes_of(state).equity(plain.roll(what, weights, plies) / points(state))
            assert equity == pytest.approx(expected, abs=1e-5)
        cubeful = stakes_of(state).equity(plain.best(state, weights, plies) / points(state))
        assert engine.evaluate(state, plies).cubeful == pytest.approx(cubeful, abs=1e-5)


@pytest.mark.parametrize(
    "state",
    [
        GameState(CONTACT, terms=Money(jacoby=False, beavers=False)),
        GameState(Board.start(), terms=Money(jacoby=True)),
        GameState(RACE, cube=Cube(2, Side.BOTTOM), terms=Money()),
        GameState(LATE, cube=Cube(2, Side.TOP), terms=Match(7, (3, 2))),
        GameState(Board((0, 1, 1, *[0] * 19, -1, 0, -1, 0)), terms=Money(jacoby=True)),
    ],
)
def test_plays_are_worth_what_the_plain_search_says_with_the_cube_in_play(
    unfiltered: Evaluator, state: GameState
) -> None:
    engine, plain = Engine(unfiltered, TABLE), Plain(unfiltered)
    weights = opposite(play_stakes(state.cube, state.turn, state.terms, TABLE))
    rolled = state.with_dice(Dice(6, 2))
    for plies in (0, 1):
        ranked = engine.rank(rolled, plies)
        assert engine.best(rolled, plies) == ranked[0].board
        assert [entry.equity for entry in ranked] == sorted((entry.equity for entry in ranked), reverse=True)
        for entry in ranked:
            after = turn_over(state, entry.board.flip())
            theirs = stakes_of(after).equity(plain.best(after, weights, plies) / points(state))
            assert (entry.plies, entry.equity) == (plies, pytest.approx(-theirs, abs=1e-5))


def test_two_threads_give_the_same_bytes_as_one(single: Evaluator, double: Evaluator) -> None:
    for board, die1, die2 in random_game(31, 6):
        for plies in (1, 2):
            first, second = (which.rank(counts(board), die1, die2, MONEY, plies) for which in (single, double))
            assert [array.tobytes() for array in first] == [array.tobytes() for array in second]
    boards = np.array([board[:26] for board, _, _ in random_game(32, 6)])
    assert single.evaluate(boards, 2).tobytes() == double.evaluate(boards, 2).tobytes()
    state = GameState(terms=Match(5, (2, 1)))
    assert Engine(single, TABLE).cube(state, 2) == Engine(double, TABLE).cube(state, 2)


def test_many_may_ask_at_once(single: Evaluator, double: Evaluator) -> None:
    states = [GameState(Board(counts(board))).with_dice(Dice(*dice)) for board, *dice in random_game(33, 8)]
    alone, shared = Engine(single, TABLE), Engine(double, TABLE)
    with ThreadPoolExecutor(4) as askers:
        found = list(askers.map(partial(shared.rank, plies=2), states))
    assert found == [alone.rank(state, 2) for state in states]


def after(questions: int) -> Callable[[], bool]:
    """A `stop` that says yes after so many questions."""
    numbers = iter(range(questions))
    return lambda: next(numbers, None) is None


def test_a_search_stopped_at_once_answers_with_the_static_opinion(single: Evaluator) -> None:
    engine, state = Engine(single, TABLE), GameState().with_dice(Dice(3, 1))
    assert engine.rank(state, 2, stop=after(0)) == engine.rank(state, 0)
    assert engine.best(state, 4, stop=after(0)) == engine.best(state, 0)
    assert engine.evaluate(state, 2, stop=after(0)) == engine.evaluate(state, 0)
    assert engine.cube(state, 2, stop=after(0)) == engine.cube(state, 0)


def test_a_search_stopped_later_answers_with_the_deepest_complete_level(single: Evaluator) -> None:
    engine, state = Engine(single, TABLE), GameState().with_dice(Dice(3, 1))
    asked = 0

    def count() -> bool:
        nonlocal asked
        asked += 1
        return False

    engine.rank(state, 2, stop=count)
    levels = []
    for questions in (*range(0, asked, asked // 10), asked):
        ranked = engine.rank(state, 2, stop=after(questions))
        levels.append(ranked[0].plies)
        assert ranked == engine.rank(state, levels[-1])
    assert levels == sorted(levels)
    assert set(levels) == {0, 1, 2}
    found = {engine.cube(state, 3, stop=after(questions)) for questions in range(0, 60, 3)}
    assert found <= {engine.cube(state, plies) for plies in range(4)}
    assert len(found) > 1


def test_on_two_threads_it_answers_with_a_complete_level_too(double: Evaluator) -> None:
    engine, state = Engine(double, TABLE), GameState().with_dice(Dice(3, 1))
    levels = [engine.rank(state, level) for level in range(3)]
    for questions in range(12):
        ranked = engine.rank(state, 2, stop=after(questions))
        assert ranked == levels[ranked[0].plies]
    assert engine.rank(state, 2, stop=after(0)) == levels[0]


@pytest.mark.parametrize("threads", ["single", "double"])
def test_a_stop_is_heard_within_50_ms(threads: str, request: pytest.FixtureRequest) -> None:
    """The first search warms up; a deep one then has to end when its time is over."""
    state = GameState().with_dice(Dice(2, 1))
    engine = Engine(request.getfixturevalue(threads), TABLE)
    late = []
    for _ in range(5):
        end = time.monotonic() + 0.1
        assert engine.rank(state, 4, stop=lambda end=end: time.monotonic() > end)[0].plies < 4
        engine.cube(state, 4, stop=lambda end=end: time.monotonic() > end)
        late.append(time.monotonic() - end)
    assert min(late) < 0.05


def test_ever_fewer_plays_are_looked_at_ever_deeper(weights: Path) -> None:
    evaluator = Evaluator.load(weights, limits=Filter(kept=((5, np.inf), (2, np.inf), (1, 0.0), (1, 0.0))))
    levels = evaluator.rank(Board.start().points, 6, 5, MONEY, 2).plies.tolist()
    assert levels == [2] * 2 + [1] * 3 + [0] * (len(levels) - 5)


def test_a_play_that_ends_the_game_is_exact_at_any_level(single: Evaluator) -> None:
    board = Board((0, 1, 1, *[0] * 21, -1, 0))
    ranked = single.rank(board.points, 2, 1, MONEY, 2)
    assert ranked.probs[0].tolist() == [1, 0, 0, 0, 0]
    assert ranked.plies[0] == 2
    assert (
        single.evaluate(np.array([board.points], np.int8), 2).tolist()
        == single.evaluate(np.array([board.points], np.int8)).tolist()
    )
