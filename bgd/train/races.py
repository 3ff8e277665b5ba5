"""The last stage: the layers of odd races, a class of their own, are fitted; all else stays.

In the rounds a net sees those races that games come to. Others, of checkers borne off while some are far from home,
say, it may be asked about all the same, and what it would say is left to chance: Adam takes steps of full size however
small an error is, so that weights which natural races hardly use run away. After five rounds there were outputs of
-860 and 2,159 before the sigmoid, and a lost race was thought a sure win. So these have layers of their own. Games
begin with races of any shape, a label takes over all that the rest of the game found out, the luck taken off, and
weights decay. One class for all races was tried: the error of natural ones rose from .022 to .033.
"""

from __future__ import annotations

import threading
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.engine.weights import quantised
from bgd.kernels.bearoff import Bearoff
from bgd.kernels.encode import CLASS_MASK, ODD_RACE
from bgd.kernels.fit import first_layer
from bgd.kernels.network import OUTPUTS, Net, money_weights, net_space
from bgd.kernels.prune import PruneNet
from bgd.kernels.selfplay import possible
from bgd.train.iterate import labelled_games
from bgd.train.nets import copy_net, random_layers
from bgd.train.recipe import Races, Recipe

_WORTH: Final = money_weights()[1:]  # of the five chances
_DECAY1: Final = 0.9
_DECAY2: Final = 0.999
_TINY: Final = 1e-6

Layers = tuple[NDArray[np.float32], ...]
"""As bgd.train.nets.random_layers makes them."""


class _Lessons(NamedTuple):
    """Odd races after a play."""

    units: NDArray[np.float32]  # (n, hidden) of the first layer
    possible: NDArray[np.bool_]  # (n, OUTPUTS)
    targets: NDArray[np.float32]  # (n, OUTPUTS)

    def pick(self, some: NDArray[np.int64]) -> _Lessons:
        """Those at these places."""
        return _Lessons(self.units[some], self.possible[some], self.targets[some])


def _lessons(settings: Races, seed: int, net: Net, prune: PruneNet, table: Bearoff, threads: int) -> _Lessons:
    """A generation: the odd races of games played by all threads."""
    player = quantised(net)
    found: dict[int, tuple[NDArray[np.int8], NDArray[np.float32]]] = {}

    def work(number: int) -> None:
        found[number] = labelled_games(
            settings.labels // threads, 1.0, 1.0, settings.keep, settings.starts, player, prune, table, seed + number
        )

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    boards, labels = (
        np.concatenate(parts) for parts in zip(*(found[number] for number in range(threads)), strict=True)
    )
    units, kinds = np.zeros((len(boards), net.embed.shape[1]), np.float32), np.zeros(len(boards), np.int16)
    first_layer(boards, net, net_space(net), units, kinds)
    odd = kinds & CLASS_MASK == ODD_RACE
    results = np.array([[possible(int(kind), q) for q in range(OUTPUTS)] for kind in kinds[odd]])
    return _Lessons(units[odd], results, labels[odd])


def gradients(layers: Layers, lessons: _Lessons, equity_term: float) -> tuple[Layers, float]:
    """Of the layers, uphill: of minus cross entropy less `equity_term` times half the squared error of money equity, as
    in bgd.kernels.fit. And that squared error's mean."""
    second, bias2, third, bias3 = layers
    sums = lessons.units @ second + bias2
    hidden = np.maximum(sums, 0)
    found = np.where(lessons.possible, 1 / (1 + np.exp(-np.clip(hidden @ third.T + bias3, -80, 80))), 0)
    error = lessons.targets - found
    equity = error @ _WORTH
    delta = error + equity_term * equity[:, None] * _WORTH * found * (1 - found)
    delta = np.where(lessons.possible, delta, 0).astype(np.float32) / len(delta)
    back = np.where(sums > 0, delta @ third, 0)
    uphill = lessons.units.T @ back, back.sum(axis=0), delta.T @ hidden, delta.sum(axis=0)
    return uphill, float((equity**2).mean())


def _fit(layers: Layers, lessons: _Lessons, settings: Races, rng: np.random.Generator) -> tuple[Layers, float]:
    """The layers after some epochs, and the root mean square error of equity in the last one."""
    mean, square = (tuple(np.zeros_like(array) for array in layers) for _ in range(2))
    per_epoch = len(lessons.units) // settings.batch
    steps = settings.epochs * per_epoch
    loss = 0.0
    for step in range(steps):
        if step % per_epoch == 0:
            order, loss = rng.permutation(len(lessons.units)), 0.0
        some = order[step % per_epoch * settings.batch :][: settings.batch]
        uphill, squared = gradients(layers, lessons.pick(some), settings.equity_term)
        loss += squared
        rate = settings.rate_first * (settings.rate_last / settings.rate_first) ** (step / steps)
        for array, gradient, first, second in zip(layers, uphill, mean, square, strict=True):
            first += (1 - _DECAY1) * (gradient - first)
            second += (1 - _DECAY2) * (gradient**2 - second)
            unbiased = first / (1 - _DECAY1 ** (step + 1)), second / (1 - _DECAY2 ** (step + 1))
            array += rate * (unbiased[0] / (np.sqrt(unbiased[1]) + _TINY) - settings.decay * array)
    return layers, float(np.sqrt(loss / per_epoch))


def refit(recipe: Recipe, net: Net, prune: PruneNet, table: Bearoff, threads: int) -> tuple[Net, list[float]]:
    """The float32 network with other layers for odd races, and the error of each generation, in money equity."""
    settings, net = recipe.races, copy_net(net)
    rng = np.random.default_rng(recipe.seed)
    generations: list[_Lessons] = []
    errors = []
    for number in range(settings.generations):
        seed = recipe.seed * 4_000_037 + number * 1009
        generations = [*generations, _lessons(settings, seed, net, prune, table, threads)][-settings.kept :]
        lessons = _Lessons(*(np.concatenate(arrays) for arrays in zip(*generations, strict=True)))
        layers, error = _fit(random_layers(net.embed.shape[1], rng), lessons, settings, rng)
        for array, fitted in zip((net.second, net.bias2, net.third, net.bias3), layers, strict=True):
            array[ODD_RACE] = fitted
        errors.append(error)
    return net, errors
