"""The network's numbers obey the rules of the game, and do not depend on how the sums were made."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from bgd.engine.weights import quantised
from bgd.kernels import bearoff
from bgd.kernels.bearoff import Bearoff
from bgd.kernels.encode import (
    CLASS_MASK,
    CLASSES,
    GROUPS,
    LOSE,
    LOSE_BACKGAMMON,
    LOSE_GAMMON,
    WIN,
    WIN_BACKGAMMON,
    WIN_GAMMON,
    encode,
)
from bgd.kernels.movegen import generate, play_space
from bgd.kernels.network import (
    EXACT,
    NETWORK,
    Net,
    evaluate_board,
    evaluate_child,
    impose,
    net_space,
    prepare_parent,
    sum_rows,
    upper_layers,
)
from bgd.rules.board import Board
from bgd.rules.outcome import Outcome
from bgd.train.nets import random_net
from tests.kernels.arrays import padded, random_game, small_net
from tests.strategies import boards

FLOAT_NET = small_net()
NET = quantised(FLOAT_NET)


@pytest.fixture(scope="module")
def table() -> Bearoff:
    return bearoff.load()


def plain_sigmoids(net: Net, rows: np.ndarray, cls: int) -> np.ndarray:
    """The network as its definition says, in double precision."""
    first = np.clip(net.embed[rows].astype(float).sum(axis=0) + net.bias1, 0, float(net.clip[0]))
    second = np.maximum(first @ net.second[cls] + net.bias2[cls], 0)
    return 1 / (1 + np.exp(-(net.third[cls] @ second + net.bias3[cls])))


def wide_net() -> Net:
    """Blocks of both kinds of sums, and a rest of either."""
    net = random_net(256 + 5, CLASSES, 4.0, 3)
    rng = np.random.default_rng(3)
    net.second[...] += 0.05 * rng.standard_normal(net.second.shape).astype(np.float32)
    return net


@pytest.mark.parametrize("net", [FLOAT_NET, NET, wide_net(), quantised(wide_net())])
def test_the_layers_compute_what_their_definition_says(net: Net, table: Bearoff) -> None:
    rows, space = np.zeros(GROUPS, np.int64), net_space(net)
    for board, _, _ in random_game(1, 100):
        kind = encode(board, rows)
        expected = plain_sigmoids(net, rows, kind & CLASS_MASK)
        sum_rows(rows, net, space.acc)
        active = upper_layers(kind & CLASS_MASK, net, space)
        assert space.out == pytest.approx(expected, abs=1e-5)
        assert space.active[:active].tolist() == np.flatnonzero(space.acc > 0).tolist()
        if evaluate_board(board, net, table, space) == NETWORK:
            impose(kind, found := expected.astype(np.float32))
            assert space.out == pytest.approx(found, abs=1e-5)


def test_sums_from_the_parent_and_from_scratch_give_the_same_bytes(table: Bearoff) -> None:
    plays, one, other = play_space(), net_space(NET), net_space(NET)
    for board, die1, die2 in random_game(2, 300):
        prepare_parent(board, NET, one)
        for i in range(generate(board, die1, die2, plays)):
            source = evaluate_child(plays.boards[i], NET, table, one)
            assert evaluate_board(plays.boards[i], NET, table, other) == source
            assert one.out.tobytes() == other.out.tobytes()


@settings(max_examples=300, deadline=None)
@given(boards())
def test_a_win_is_at_least_as_likely_as_a_gammon_and_that_as_a_backgammon(board: Board) -> None:
    space = net_space(NET)
    evaluate_board(padded(board.points), NET, bearoff_table(), space)
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = (float(p) for p in space.out)
    assert 0 <= win_backgammon <= win_gammon <= win <= 1
    assert 0 <= lose_backgammon <= lose_gammon <= 1 - win + 1e-7
    if sum(men for men in board.points if men > 0) < 15:
        assert lose_gammon == 0
    if sum(men for men in board.points if men < 0) > -15:
        assert win_gammon == 0


_TABLE: list[Bearoff] = []


def bearoff_table() -> Bearoff:
    """Hypothesis does not like fixtures of a module."""
    if not _TABLE:
        _TABLE.append(bearoff.load())
    return _TABLE[0]


@pytest.mark.parametrize(
    ("left", "outcome"),
    [
        ({24: -1}, Outcome.SINGLE),
        ({24: -15}, Outcome.GAMMON),
        ({7: -1, 20: -14}, Outcome.GAMMON),
        ({6: -1, 20: -14}, Outcome.BACKGAMMON),
        ({0: -1, 20: -14}, Outcome.BACKGAMMON),
        ({0: -1, 20: -13}, Outcome.SINGLE),
    ],
)
def test_a_finished_game_is_worth_what_the_rules_say(left: dict[int, int], outcome: Outcome, table: Bearoff) -> None:
    space = net_space(NET)
    assert evaluate_board(padded([left.get(point, 0) for point in range(26)]), NET, table, space) == EXACT
    assert int(space.out[:3].sum()) == int(outcome)
    assert not space.out[3:].any()


def test_races_inside_both_homes_come_from_the_table_and_others_from_the_network(table: Bearoff) -> None:
    space = net_space(NET)
    inside = {1: 3, 20: -4}
    assert evaluate_board(padded([inside.get(point, 0) for point in range(26)]), NET, table, space) == EXACT
    outside = {7: 3, 20: -4}
    assert evaluate_board(padded([outside.get(point, 0) for point in range(26)]), NET, table, space) == NETWORK


def test_impossible_losses_are_zero_and_numbers_are_nested() -> None:
    out = np.array([0.5, 0.6, 0.7, 0.8, 0.9], np.float32)
    impose(WIN + LOSE + WIN_GAMMON + WIN_BACKGAMMON + LOSE_GAMMON + LOSE_BACKGAMMON, out)
    assert out.tolist() == [0.5, 0.5, 0.5, 0.5, 0.5]
    out = np.array([0.9, 0.6, 0.5, 0.8, 0.9], np.float32)
    impose(WIN + LOSE + WIN_GAMMON, out)
    assert out[:3].tolist() == pytest.approx([0.9, 0.6, 0.0])
    assert not out[3:].any()


@pytest.mark.parametrize(
    ("points", "chances"),
    [
        ({2: 14, 1: -1}, None),  # contact
        ({7: 14, 24: -1}, (0, 0, 0, 0, 0)),  # the opponent is off with any roll
        ({7: 15, 23: -1, 24: -1}, (0, 0, 0, 1, 0)),
        ({2: 14, 19: 1, 22: -1}, (0, 0, 0, 1, 1)),
        ({7: 14, 21: -1}, None),  # but not from his 4 point
        ({3: 1, 17: -5}, (1, 0, 0, 0, 0)),  # five men are not off in one roll
        ({1: 2, 10: -2, 11: -1}, (1, 0, 0, 0, 0)),  # nor three from so far away
        ({1: 2, 17: -3}, None),
    ],
)
def test_what_the_next_roll_decides_is_certain(
    points: dict[int, int], chances: tuple[float, ...] | None, table: Bearoff
) -> None:
    space = net_space(NET)
    assert evaluate_board(padded([points.get(point, 0) for point in range(26)]), NET, table, space) == NETWORK
    certain = space.out[0] in (0, 1)
    assert (tuple(space.out) if certain else None) == chances
