"""Search of n plies: which plays are looked at how deeply, and when to stop. The inner loops are in bgd.kernels.search.

Plies are counted as gnubg counts them: a position looked at n plies deep is the mean over n rolls in a row, each
answered by the best play by the network's own opinion. The tree is searched a layer at a time, so that a level that is
complete answers before the next is begun, equal positions of a layer are searched once, and a layer's boards can be
shared among threads in any way: the same question has the same bytes.

Of the plays of a roll ever fewer are looked at ever deeper; Filter says how many.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgd.engine.values import Stop, never
from bgd.kernels.case import judge
from bgd.kernels.cubeful import Ladder
from bgd.kernels.decide import turn_weights
from bgd.kernels.dice import ROLLS
from bgd.kernels.ends import KNOWN, OPEN, SOLVED, ends_of
from bgd.kernels.movegen import BOARD, MAX_PLAYS
from bgd.kernels.network import OUTPUTS
from bgd.kernels.notice import Notice
from bgd.kernels.prune import PruneNet
from bgd.kernels.search import Layer, average, distinct, example_task, expand, layer_for, task_like, total
from bgd.kernels.spaces import Workplace
from bgd.kernels.team import Team

MAX_DEPTH: Final = 4


class Filter(NamedTuple):
    """What is left out of a search."""

    kept: tuple[tuple[int, float], ...] = ((8, 0.16), (5, 0.08), (3, 0.05), (2, 0.04))
    """For each level from 1 on: so many plays are looked at, and no more than this below the best of the level before,
    in units of a single game at stake.

    Measured over 200 decisions at 2 plies against (24, 0.6) and (12, 0.3): 199 the same plays, 0.00001 equity lost a
    play; with (4, 0.06) at level 2 198 and 0.00001, and a fifth less time."""

    replies: int = 16
    """Replies to each roll that the large network looks at, those that the small one likes best."""

    window: float = 0.4
    """And no more than this money equity below the best of them, by the small network. With 8 and 0.2 the errors
    against rolled-out contact positions are .0260 at 1 ply and .0219 at 2; with these .0257 and .0216, for a third more
    time; with 24 and 1.0 they are no less."""


NO_FILTER: Final = Filter(((MAX_PLAYS, np.inf),) * MAX_DEPTH, MAX_PLAYS, np.inf)
"""Everything is looked at: slow, for comparison."""


class Ranked(NamedTuple):
    """Plays, those looked at most deeply first and of these the best."""

    boards: NDArray[np.int8]  # (n, 26), the mover's view
    probs: NDArray[np.float32]  # (n, 5), the mover's
    utility: NDArray[np.float64]  # (n,) or, if the cube was in play, the worth to the mover
    plies: NDArray[np.int64]  # (n,) how deeply each was looked at


class Look(NamedTuple):
    """What a position is worth to the side on roll."""

    probs: NDArray[np.float64]  # (5,)
    worths: NDArray[np.float64] | None  # (states,) of rolling, by state of the cube: see bgd.kernels.cubeful
    plies: int  # how deeply it was looked at; at 0 there are no worths


def _last_end(ladder: Ladder) -> int:
    """How far a search with this cube looks: also at what follows a race whose chances are known, for the cube's sake,
    but where its worth with the cube is known too."""
    return KNOWN if ladder.endless else SOLVED


class Searcher:
    """Searches with one network. Thread safe: each thread has a workspace of its own."""

    def __init__(
        self,
        prune: PruneNet,
        ladder: Ladder,
        here: Workplace,
        threads: int,
        limits: Filter | None = None,
    ) -> None:
        """`ladder`: any, for what is asked without a cube. `threads` share a search."""
        self._ladder = ladder
        self._filter = limits = limits or Filter()
        self._here = here
        self._example = example = cache(partial(example_task, ladder))

        def work(notice: Notice, most: int, looks: int) -> None:
            expand(notice, most, looks, example(), limits.replies, limits.window, prune, here.bundle)

        self._team = Team(threads, work)
        self.at_work = self._team.at_work

    def rank(
        self,
        board: NDArray[np.int8],
        die1: int,
        die2: int,
        weights: NDArray[np.float32],
        ladder: Ladder | None,
        plies: int,
        stop: Stop = never,
    ) -> Ranked:
        """All plays of `board` (32,), the best of them looked at `plies` deep, or less deep when `stop` said so.

        With a `ladder`, in which the opponent comes first, they are ranked by what they are worth with the cube in
        play, otherwise by the utility `weights`; these choose the replies in any case."""
        here = self._here
        here.board[:] = board
        space = here.space
        _, count = judge(die1, die2, ladder is not None, here.case(ladder or self._ladder, weights))
        utility = (space.utility if ladder is None else here.worths)[:count].astype(np.float64)
        boards, probs = space.plays.boards[:count].copy(), space.probs[:count].copy()
        order = np.argsort(-utility, kind="stable")
        levels = np.zeros(count, np.int64)
        if plies:
            self._deepen(boards, probs, utility, levels, order, weights, ladder, plies, stop)
        return Ranked(boards[order, :26], probs[order], utility[order], levels[order])

    def _deepen(
        self,
        boards: NDArray[np.int8],
        probs: NDArray[np.float32],
        utility: NDArray[np.float64],
        levels: NDArray[np.int64],
        order: NDArray[np.int64],
        weights: NDArray[np.float32],
        ladder: Ladder | None,
        plies: int,
        stop: Stop,
    ) -> None:
        """Search the most promising plays, level after level, and put what is found, and their new order, in place."""
        ends = np.empty(len(boards), np.uint8)
        ends_of(boards, ends)
        theirs = np.empty_like(weights)
        turn_weights(weights, theirs)
        turned = np.zeros((len(boards), BOARD), np.int8)
        turned[:, :26] = -boards[:, 25::-1]
        last_end = OPEN if ladder is None else _last_end(ladder)
        row = np.empty(len(boards), np.int64)
        tree: Tree | None = None
        kept = len(boards)
        for level, (most, window) in enumerate(self._filter.kept[:plies], 1):
            first = order[: min(kept, most)]
            kept = int((utility[first] >= utility[order[0]] - window * weights[1] / 2).sum())
            first = order[:kept].copy()
            searched = np.sort(first[ends[first] <= last_end])
            if tree is None:
                row[searched] = np.arange(len(searched))
                tree = Tree(self, turned[searched], theirs, last_end, ladder)
            rows = row[searched]
            if not tree.grow(rows, stop):
                return
            means = tree.average()[rows]
            found = np.column_stack((1 - means[:, 0], means[:, 3:], means[:, 1:3]))
            probs[searched] = found
            if ladder is None:
                utility[searched] = found @ weights[1:] + weights[0]
            else:
                utility[searched] = ladder.total - tree.worths(ladder, True)[rows, 0]
            levels[first] = level
            order[:kept] = first[np.argsort(-utility[first], kind="stable")]

    def evaluate(self, boards: NDArray[np.int8], weights: NDArray[np.float32], plies: int) -> NDArray[np.float64]:
        """The chances (n, 5) of the side on roll before its roll, for `boards` (n, 32) seen by it, none of them of a
        game that is over, by a search of `plies` (1 or more)."""
        tree = Tree(self, boards, weights, OPEN, None)
        for _ in range(plies):
            tree.grow(np.arange(len(boards)), never)
        return tree.average()

    def look(
        self,
        board: NDArray[np.int8],
        weights: NDArray[np.float32],
        ladder: Ladder,
        plies: int,
        stop: Stop = never,
    ) -> Look | None:
        """A game that goes on, at `board` (32,), seen by the side on roll before its roll, with a cube in play, looked
        at `plies` (1 or more) deep, or less deep when `stop` said so; None when it said so before the first level."""
        tree = Tree(self, board.reshape(1, BOARD), weights, _last_end(ladder), ladder)
        root = np.zeros(1, np.int64)
        level = 0
        while level < plies and tree.grow(root, stop):
            level += 1
        return Look(tree.average()[0], tree.worths(ladder, False)[0], level) if level else None

    def expand(
        self, boards: NDArray[np.int8], weights: NDArray[np.float32], ladder: Ladder | None, roller: int, stop: Stop
    ) -> Layer | None:
        """A layer of `boards`, `weights` being the utility of their side on roll, which is side `roller` of the ladder,
        if there is a cube. None when stopped."""
        stakes = ladder or self._ladder
        layer = layer_for(boards, 0 if ladder is None else 2 * stakes.usable.shape[1] - 1)
        task, number = task_like(self._example(), layer, weights, stakes, roller)
        done = self._team.share(number, ROLLS * len(boards), stop)
        del task  # nobody works on it any more
        return layer if done else None


class Tree:
    """The layers under some boards, all with the same side on roll, whose utility `weights` are.

    `last_end`: the last of the ends whose boards are looked at further. `ladder`: of the cube, if there is one, that
    side coming first."""

    def __init__(
        self,
        searcher: Searcher,
        roots: NDArray[np.int8],
        weights: NDArray[np.float32],
        last_end: int,
        ladder: Ladder | None,
    ) -> None:
        theirs = np.empty_like(weights)
        turn_weights(weights, theirs)
        self._searcher = searcher
        self._roots = roots
        self._weights = (weights, theirs)
        self._last_end = last_end
        self._ladder = ladder
        self._layers: list[Layer] = []

    def grow(self, rows: NDArray[np.int64], stop: Stop) -> bool:
        """Add a layer under the roots `rows`, which must be among those of the growth before. Returns False, the tree
        being as it was, when stopped."""
        layers = self._layers
        if not layers:
            boards = self._roots
        else:
            for layer in layers[:-1]:
                below = layer.links[rows]
                rows = np.unique(below[below >= 0])
            last = layers[-1]
            boards, index = distinct(
                last.children[rows].reshape(-1, BOARD), last.ends[rows].reshape(-1), self._last_end
            )
        roller = len(layers) % 2
        added = self._searcher.expand(boards, self._weights[roller], self._ladder, roller, stop)
        if added is None:
            return False
        if layers:
            layers[-1].links[rows] = index.reshape(-1, ROLLS)
        layers.append(added)
        return True

    def average(self) -> NDArray[np.float64]:
        """The chances (n, 5) of the side on roll at each root, by all the layers there are."""
        means = np.empty((0, OUTPUTS))
        for layer in reversed(self._layers):
            upper = np.empty((len(layer.boards), OUTPUTS))
            average(layer.probs, layer.links, means, upper)
            means = upper
        return means

    def worths(self, ladder: Ladder, doubles: bool) -> NDArray[np.float64]:
        """The worths (n, states) to the side on roll at the roots, by state of the cube, by all the layers there are.

        `ladder`: the tree's. `doubles`: it may double before its roll; it may later in any case."""
        states = self._layers[0].worths.shape[2]
        below = np.empty((0, states))
        for depth, layer in reversed(list(enumerate(self._layers))):
            upper = np.empty((len(layer.boards), states))
            total(layer.worths, layer.links, below, depth % 2, doubles or depth > 0, ladder, upper)
            below = upper
        return below
