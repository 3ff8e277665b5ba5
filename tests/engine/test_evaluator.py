"""The evaluator that everything above the kernels uses."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from bgd.engine.evaluator import Evaluator
from bgd.engine.search import Filter
from bgd.engine.weights import quantised, save_weights
from bgd.errors import Unsupported
from bgd.kernels.prune import random_prune_net
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.plays import afterstates
from tests.kernels.arrays import counts, random_game, small_net

MONEY = (-1, 2, 1, 1, -1, -1)
START = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)
STUCK = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, -5, -4, -2, -2, -2, 0, 2)


@pytest.fixture(scope="module")
def evaluator(tmp_path_factory: pytest.TempPathFactory) -> Evaluator:
    """With a small random network: these laws hold for any weights."""
    path = tmp_path_factory.mktemp("weights") / "weights.bin"
    save_weights(path, quantised(small_net()), random_prune_net(1), {})
    return Evaluator.load(path)


def test_loading_says_what_it_does(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    save_weights(path, quantised(small_net()), random_prune_net(1), {})
    told: list[str] = []
    Evaluator.load(path, told.append)
    assert told[-1] == "ready"


def test_plays_are_those_of_the_rules(evaluator: Evaluator) -> None:
    found = {counts(row) for row in evaluator.plays(START, 3, 1)}
    assert found == afterstates(Board(START), Dice(3, 1))


def test_a_roll_that_cannot_be_played_leaves_the_board_as_it_is(evaluator: Evaluator) -> None:
    assert evaluator.plays(STUCK, 6, 5).tolist() == [list(STUCK)]
    boards, probs, utility, _ = evaluator.rank(STUCK, 6, 5, MONEY)
    assert boards.tolist() == [list(STUCK)]
    assert probs.shape == (1, 5)
    assert utility.shape == (1,)


def test_ranked_plays_fall_in_utility_and_are_all_plays(evaluator: Evaluator) -> None:
    for board, die1, die2 in random_game(21, 100):
        boards, probs, utility, _ = evaluator.rank(counts(board), die1, die2, MONEY)
        assert (np.diff(utility) <= 0).all()
        assert utility == pytest.approx(probs @ np.array(MONEY[1:], np.float32) + MONEY[0], abs=1e-5)
        assert {counts(row) for row in boards} == {counts(row) for row in evaluator.plays(board, die1, die2)}


def test_the_best_play_is_the_first_of_the_ranked_ones_byte_for_byte(evaluator: Evaluator) -> None:
    for plies, turns in ((0, 100), (1, 5)):
        for board, die1, die2 in random_game(22, turns):
            boards, probs, _, _ = evaluator.rank(board, die1, die2, MONEY, plies)
            best, best_probs = evaluator.best(board, die1, die2, MONEY, plies)
            assert best.tobytes() == boards[0].tobytes()
            assert best_probs.tobytes() == probs[0].tobytes()


def test_plays_and_positions_are_judged_by_the_same_numbers(evaluator: Evaluator) -> None:
    for board, die1, die2 in random_game(23, 50):
        boards, probs, _, _ = evaluator.rank(board, die1, die2, MONEY)
        seen_by_the_other = np.ascontiguousarray(-boards[:, ::-1])
        theirs = evaluator.evaluate(seen_by_the_other)
        assert (theirs[:, 0] == 1 - probs[:, 0]).all()
        assert (theirs[:, 1:3] == probs[:, 3:5]).all()
        assert (theirs[:, 3:5] == probs[:, 1:3]).all()


def test_tuples_lists_and_arrays_of_any_width_are_the_same_board(evaluator: Evaluator) -> None:
    wide = np.zeros(32, np.int8)
    wide[:26] = START
    expected = [array.tobytes() for array in evaluator.rank(START, 6, 2, MONEY)]
    for board in (list(START), np.array(START, np.int8), np.array(START, np.int64), wide):
        assert [array.tobytes() for array in evaluator.rank(board, 6, 2, np.array(MONEY, np.float32))] == expected


def test_one_ply_looks_at_the_most_promising_plays_only(evaluator: Evaluator) -> None:
    most, _ = Filter().kept[0]
    wide, shallow = evaluator.rank(START, 4, 4, MONEY, plies=1), evaluator.rank(START, 4, 4, MONEY)
    deep = int(wide.plies.sum())
    assert wide.plies.tolist() == [1] * deep + [0] * (len(wide.plies) - deep)
    assert 1 <= deep <= most
    assert {counts(row) for row in wide.boards[:deep]} == {counts(row) for row in shallow.boards[:deep]}
    assert wide.boards[deep:].tolist() == shallow.boards[deep:].tolist()


def test_more_plies_than_there_are_is_unsupported(evaluator: Evaluator) -> None:
    for plies in (-1, evaluator.max_plies + 1):
        with pytest.raises(Unsupported, match=f"got `{plies}`"):
            evaluator.evaluate(np.array([START], np.int8), plies)


def test_a_finished_game_is_certain(evaluator: Evaluator) -> None:
    lost = [0] * 26
    lost[6] = 15
    won = [0] * 26
    won[19] = -15
    assert evaluator.evaluate(np.array([lost, won], np.int8)).tolist() == [[0, 0, 0, 1, 0], [1, 1, 0, 0, 0]]


def test_threads_get_the_same_bytes_as_one_alone(evaluator: Evaluator) -> None:
    positions = list(random_game(24, 300))

    def answers() -> list[bytes]:
        return [evaluator.best(board, die1, die2, MONEY)[1].tobytes() for board, die1, die2 in positions]

    expected = answers()
    found: list[list[bytes]] = []
    threads = [threading.Thread(target=lambda: found.append(answers())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4
