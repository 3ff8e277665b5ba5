"""A decision takes the play of most utility; one ply is the mean over the opponent's best replies."""

from __future__ import annotations

import numpy as np
import pytest

from bgd.engine.ladder import ladder_of
from bgd.engine.met import MatchEquityTable
from bgd.engine.weights import quantised
from bgd.kernels import bearoff
from bgd.kernels.case import judge
from bgd.kernels.decide import (
    best_play_pruned,
    evaluate_on_roll,
    one_ply,
    space_for,
    turn_probabilities,
    turn_weights,
)
from bgd.kernels.movegen import flip, generate, play_space
from bgd.kernels.network import evaluate_board, money_weights, net_space, utility_of
from bgd.kernels.prune import keep_best, learn_score, prune_space, random_prune_net
from bgd.kernels.selfplay import START
from bgd.kernels.spaces import Workplace
from bgd.rules.state import Cube, Money, Side
from tests.kernels.arrays import random_game, small_net

NET = quantised(small_net())
PRUNE = random_prune_net(3)
LADDER = ladder_of(Cube(), Side.TOP, Money(), MatchEquityTable.default(), plies=0)
MATCH = np.array([0.1, 0.7, 0.3, 0.0, -0.2, -0.05], np.float32)


@pytest.fixture(scope="module")
def table() -> bearoff.Bearoff:
    return bearoff.load()


@pytest.mark.parametrize("weights", [money_weights(), MATCH])
def test_the_best_play_has_the_most_utility_and_is_the_first_of_equals(
    weights: np.ndarray, table: bearoff.Bearoff
) -> None:
    here, other, plays = Workplace(NET, table), net_space(NET), play_space()
    space = here.space
    for board, die1, die2 in random_game(7, 100):
        index, count = _best_play(board, die1, die2, weights, here)
        assert count == generate(board, die1, die2, plays)
        values = []
        for i in range(count):
            evaluate_board(plays.boards[i], NET, table, other)
            values.append(utility_of(weights, other.out))
        assert index == int(np.argmax(values))
        assert space.probs[index].tobytes() == _probs(plays.boards[index], table).tobytes()


def _best_play(board: np.ndarray, die1: int, die2: int, weights: np.ndarray, here: Workplace) -> tuple[int, int]:
    here.board[:] = board
    return judge(die1, die2, False, here.case(LADDER, weights))


def _probs(board: np.ndarray, table: bearoff.Bearoff) -> np.ndarray:
    space = net_space(NET)
    evaluate_board(board, NET, table, space)
    return space.out


def test_pruning_away_nothing_changes_nothing(table: bearoff.Bearoff) -> None:
    here, other, weights = Workplace(NET, table), space_for(NET), money_weights()
    for board, die1, die2 in random_game(8, 100):
        index, count = _best_play(board, die1, die2, weights, here)
        pruned = best_play_pruned(board, die1, die2, 4000, money_weights(), NET, PRUNE, table, other)
        assert pruned == (index, count, count)


def test_the_plays_kept_are_the_best_by_the_small_network_best_first() -> None:
    plays, space = play_space(), prune_space()
    for board, die1, die2 in random_game(9, 100):
        count = generate(board, die1, die2, plays)
        if count <= 5:
            continue
        assert keep_best(board, count, 5, PRUNE, plays, space) == 5
        best = np.sort(space.scores[:count])[::-1][:5]
        assert space.scores[space.kept[:5]].tolist() == best.tolist()


def test_the_small_network_learns_a_score() -> None:
    net, space = random_prune_net(1), prune_space()
    errors = [learn_score(START, 0.7, 0.01, net, space) for _ in range(300)]
    assert abs(errors[-1]) < 0.01 < abs(errors[0])


def test_one_ply_is_the_mean_over_the_rolls_of_the_best_replies(table: bearoff.Bearoff) -> None:
    space, plays = space_for(NET), play_space()
    turned, out = np.zeros(32, np.int8), np.zeros(5, np.float32)
    theirs = np.zeros(6, np.float32)
    few = 0
    for weights in (money_weights(), MATCH):
        turn_weights(weights, theirs)
        # Positions of random games have few enough replies for pruning to matter: a filter that keeps eight is
        # compared here only where no roll has more.
        for board, _, _ in random_game(10, 400):
            flip(board, turned)
            if turned[1:26].max() <= 0 or board[1:26].max() <= 0:
                continue
            most = 0
            expected = np.zeros(5)
            for die1 in range(1, 7):
                for die2 in range(1, die1 + 1):
                    count = generate(turned, die1, die2, plays)
                    most = max(most, count)
                    if most > 8:
                        break
                    replies = np.array([_probs(plays.boards[i], table).copy() for i in range(count)])
                    best = replies[int(np.argmax(replies @ theirs[1:]))]
                    mine = np.zeros(5, np.float32)
                    turn_probabilities(best, mine)
                    expected += mine * ((1 if die1 == die2 else 2) / 36)
            if most > 8:
                continue
            few += 1
            one_ply(board, weights, NET, PRUNE, table, space, out)
            assert out == pytest.approx(expected, abs=2e-5)
    assert few > 10


def test_weights_turned_give_the_other_side_the_opposite_utility() -> None:
    probs = np.array([0.6, 0.2, 0.05, 0.1, 0.01], np.float32)
    turned, theirs = np.zeros(5, np.float32), np.zeros(6, np.float32)
    turn_probabilities(probs, turned)
    turn_weights(MATCH, theirs)
    assert utility_of(theirs, turned) == pytest.approx(-utility_of(MATCH, probs), abs=1e-6)


def test_a_board_before_the_roll_is_the_other_sides_board_after_its_play(table: bearoff.Bearoff) -> None:
    boards = np.array([board for board, _, _ in random_game(11, 50)], np.int8)
    probs = np.zeros((len(boards), 5), np.float32)
    evaluate_on_roll(boards, 0, money_weights(), NET, PRUNE, table, space_for(NET), probs)
    turned, mine = np.zeros(32, np.int8), np.zeros(5, np.float32)
    for board, found in zip(boards, probs, strict=True):
        flip(board, turned)
        turn_probabilities(_probs(turned, table), mine)
        assert found.tolist() == mine.tolist()
