"""Odd races are learned by themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bgd.kernels import bearoff
from bgd.kernels.encode import CLASS_MASK, GROUPS, ODD_RACE, RACE, encode
from bgd.kernels.movegen import BOARD
from bgd.kernels.prune import random_prune_net
from bgd.kernels.selfplay import place_race, seed_dice
from bgd.rules.board import Board
from bgd.train import races
from bgd.train.nets import random_layers
from bgd.train.recipe import Races, Recipe
from tests.kernels.arrays import counts, small_net

SMALL = replace(Recipe(), races=Races(generations=2, labels=1500, epochs=20, batch=64))


def test_games_begin_with_races_of_any_shape() -> None:
    seed_dice(1)
    board, rows, met = np.zeros(BOARD, np.int8), np.zeros(GROUPS, np.int64), set()
    for _ in range(2000):
        place_race(board)
        assert not Board(counts(board)).has_contact
        met.add(encode(board, rows) & CLASS_MASK)
    assert met == {RACE, ODD_RACE}


def test_gradients_are_those_of_what_is_to_grow() -> None:
    rng = np.random.default_rng(2)
    layers = tuple(array.astype(np.float64) for array in random_layers(8, rng))
    possible = np.array([[True] * 5, [True, False, False, True, False]])
    targets = np.where(possible, rng.random((2, 5)), 0)
    lessons = races._Lessons(rng.random((2, 8)), possible, targets)

    def value() -> float:
        second, bias2, third, bias3 = layers
        found = 1 / (1 + np.exp(-(np.maximum(lessons.units @ second + bias2, 0) @ third.T + bias3)))
        entropy = np.where(possible, targets * np.log(found) + (1 - targets) * np.log(1 - found), 0).sum()
        equity = np.where(possible, targets - found, 0) @ races._WORTH
        return float(entropy - 0.5 * (equity**2).sum() / 2) / 2

    uphill, squared = races.gradients(layers, lessons, 0.5)
    assert squared > 0
    for array, gradient in zip(layers, uphill, strict=True):
        for place in [tuple(rng.integers(0, size) for size in array.shape) for _ in range(6)]:
            before = array[place]
            array[place] = before + 1e-5
            above = value()
            array[place] = before - 1e-5
            slope = (above - value()) / 2e-5
            array[place] = before
            assert abs(gradient[place] - slope) < 1e-5


def test_only_the_layers_of_odd_races_change_and_they_learn() -> None:
    net, table = small_net(), bearoff.load()
    fitted, errors = races.refit(SMALL, net, random_prune_net(1), table, 2)
    for name, before, after in zip(net._fields, net, fitted, strict=True):
        if name in ("second", "bias2", "third", "bias3"):
            assert not np.array_equal(before[ODD_RACE], after[ODD_RACE])
            before, after = np.delete(before, ODD_RACE, 0), np.delete(after, ODD_RACE, 0)
        assert np.array_equal(before, after), name
    hardly = replace(SMALL, races=replace(SMALL.races, generations=1, epochs=1))
    assert errors[0] < 0.95 * races.refit(hardly, net, random_prune_net(1), table, 2)[1][0]
