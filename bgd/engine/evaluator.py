"""The engine's face to the kernels: legal plays, probabilities and ranked plays, on plain arrays.

Boards are 26 integers seen by the side on roll (or, after a play, by the side that made it): 1..24 points, own
checkers positive and moving 24 to 1, 25 own bar (>= 0), 0 the opponent's bar (<= 0). The five probabilities are, in
order: win, win a gammon or more, win a backgammon, lose a gammon or more, lose a backgammon; always nested.
"Plies" are counted as gnubg counts them: 0 is the network's own opinion. The caller has checked boards and dice.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgd.engine.deeper import Deeper
from bgd.engine.ladder import ladder_of
from bgd.engine.met import MatchEquityTable
from bgd.engine.rollout import roll_out
from bgd.engine.search import MAX_DEPTH, Filter, Look, Ranked, Searcher
from bgd.engine.values import Chances, ExactMoney, RolloutPlan, Standing, Stop, never
from bgd.engine.weights import load_weights, shipped_weights
from bgd.errors import Unsupported
from bgd.kernels import bearoff
from bgd.kernels.bearoff import Bearoff
from bgd.kernels.case import judge
from bgd.kernels.cubeful import Ladder, cube_space
from bgd.kernels.decide import static_on_roll
from bgd.kernels.ends import OPEN, OVER, ends_of
from bgd.kernels.home import both_home, opponent_index, own_index
from bgd.kernels.movegen import BOARD, generate
from bgd.kernels.network import OUTPUTS, Net, aligned, money_weights
from bgd.kernels.prune import PruneNet
from bgd.kernels.rollout import ASKED, ASKS, NOTHING, Orders, Start, play_games
from bgd.kernels.spaces import RollSpaces, Workplace
from bgd.kernels.team import cores
from bgd.kernels.twosided import PAIRS
from bgd.rules.state import Cube, GameState, Money, Side

Board = Sequence[int] | NDArray[np.int8]

_TOGETHER = 64  # boards that are searched at once: enough to share, not too many to keep in memory
_START = (0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0)
_POINTS = struct.Struct("26b")
_PLAYED = struct.Struct("6d")
_STANDING = struct.Struct("9d")


class Evaluator:
    """Thread safe: each thread has a workspace of its own. The same input gives the same bytes."""

    max_plies: int = MAX_DEPTH

    def __init__(
        self,
        net: Net,
        prune: PruneNet,
        table: Bearoff,
        header: dict[str, Any],
        threads: int | None = None,
        limits: Filter | None = None,
    ) -> None:
        """`threads` share one search or rollout, as many as there are cores unless given; `limits` say what a search
        leaves out."""
        self.header = header
        net, prune = Net(*map(aligned, net)), PruneNet(*map(aligned, prune))
        self._net = net
        self._prune = prune
        self._table = table
        self._money = money_weights()
        self._arrays = lru_cache(maxsize=256)(partial(np.array, dtype=np.float32))
        # The stakes of what is asked without any: a case always has some.
        self._ladder = ladder_of(Cube(), Side.TOP, Money(), MatchEquityTable.default(), plies=0)
        self._here = Workplace(net, table)
        self._roll_spaces = RollSpaces(net)
        self.threads = threads or cores()
        self._searcher = Searcher(prune, self._ladder, self._here, self.threads, limits)

    @classmethod
    def load(
        cls,
        weights: Path | None = None,
        progress: Callable[[str], None] | None = None,
        threads: int | None = None,
        limits: Filter | None = None,
    ) -> Evaluator:
        """Read the weights (those of the package unless a file is given) and the bear-off table, and make ready what
        answers at 0 plies. Takes a fraction of a second, or some ten when kernels must be compiled and the tables made.

        `progress` is told in a few words what is going on. Raises WeightsError for a wrong file."""
        tell = progress or (lambda _: None)
        net, prune, header = load_weights(weights or shipped_weights())
        tell("loading the bear-off table")
        evaluator = cls(net, prune, bearoff.load(tell), header, threads, limits)
        tell("preparing 0-ply decisions")
        evaluator.best(_START, 3, 1, evaluator._money)
        tell("ready")
        return evaluator

    def complete(self, progress: Callable[[str], None] | None = None) -> None:
        """Make ready what the first search and the first rollout would otherwise wait for, each alone: a fraction of a
        second, or half a minute when their kernels must be compiled. Another thread may ask meanwhile at 0 plies."""
        tell = progress or (lambda _: None)
        tell("preparing evaluation")
        self.plays(_START, 3, 1)
        self.evaluate(np.array([_START], np.int8), plies=0)
        tell("preparing search")
        self.evaluate(np.array([_START], np.int8), plies=2)
        ladder = ladder_of(Cube(), Side.TOP, Money(), MatchEquityTable.default(), plies=1)
        self.rank(_START, 2, 1, self._money, plies=1, ladder=ladder)
        self.look(_START, self._money, ladder, plies=1)
        tell("preparing rollouts")
        roll_out(self, GameState(), RolloutPlan(trials=1, truncate=1), None, MatchEquityTable.default(), 1)
        tell("all is ready")

    def _check_plies(self, plies: int) -> None:
        if not 0 <= plies <= self.max_plies:
            raise Unsupported(f"plies: expected 0 to {self.max_plies}, got `{plies}`")

    def _put(self, board: Board) -> Workplace:
        """Copy the board into this thread's padded one."""
        here = self._here
        if isinstance(board, np.ndarray):
            here.board[:26] = board[:26]
        else:
            here.board_bytes[:] = _POINTS.pack(*board)
        return here

    def _array(self, weights6: Sequence[float] | NDArray[np.float32]) -> NDArray[np.float32]:
        """Utility weights as the kernels take them, the same array for the same list."""
        return weights6 if isinstance(weights6, np.ndarray) else self._arrays(tuple(weights6))

    def evaluate(self, boards: NDArray[np.int8], plies: int = 0) -> NDArray[np.float32]:
        """Probabilities (n, 5) of the side on roll, before its roll, for boards (n, 26) seen by it.

        Above 0 plies the best replies are chosen by money equity. Cost: about 0.5 us a board at 0 plies, 0.1 ms at 1,
        2 ms at 2, 20 times more each ply deeper."""
        self._check_plies(plies)
        here = self._here
        padded = np.zeros((len(boards), BOARD), np.int8)
        padded[:, :26] = boards
        probs = np.zeros((len(boards), OUTPUTS), np.float32)
        static_on_roll(padded, self._net, self._table, here.space, probs)
        if plies:
            turned = np.zeros_like(padded)
            turned[:, :26] = -padded[:, 25::-1]
            ends = np.empty(len(boards), np.uint8)
            ends_of(turned, ends)
            searched = np.flatnonzero(ends == OPEN)
            for first in range(0, len(searched), _TOGETHER):
                some = searched[first : first + _TOGETHER]
                probs[some] = self._searcher.evaluate(padded[some], self._money, plies)
        return probs

    def look(self, board: Board, weights6: NDArray[np.float32], ladder: Ladder, plies: int, stop: Stop = never) -> Look:
        """What a board is worth to the side on roll, before its roll, with the cube of `ladder` in play.

        `weights6`, float32, choose the plays: that side's utility. As deep as `plies`, or less when `stop` said so."""
        self._check_plies(plies)
        here = self._put(board)
        padded = here.board.reshape(1, BOARD).copy()
        turned = np.zeros_like(padded)
        turned[:, :26] = -padded[:, 25::-1]
        ends = np.empty(2, np.uint8)
        ends_of(np.concatenate([padded, turned]), ends)
        if plies and OVER not in ends:
            found = self._searcher.look(padded[0], weights6, ladder, plies, stop)
            if found is not None:
                return found
        probs = np.zeros((1, OUTPUTS), np.float32)
        static_on_roll(padded, self._net, self._table, here.space, probs)
        return Look(probs[0].astype(np.float64), None, 0)

    def exact_money(self, board: Board) -> ExactMoney | None:
        """What the two-sided bear-off table knows of the side on roll; None for a position that is not in it."""
        padded = self._put(board).board
        if not both_home(padded):
            return None
        mine, theirs = own_index(padded), opponent_index(padded)
        if mine >= PAIRS or theirs >= PAIRS:
            return None
        return ExactMoney(*self._table.pairs[mine, theirs].tolist())

    def plays(self, board: Board, d1: int, d2: int) -> NDArray[np.int8]:
        """The distinct boards (n, 26) after each legal play, the mover's view; the unchanged board if there is none."""
        here = self._put(board)
        count = generate(here.board, d1, d2, here.space.plays)
        return here.space.plays.boards[:count, :26].copy()

    def rank(
        self,
        board: Board,
        d1: int,
        d2: int,
        weights6: Sequence[float] | NDArray[np.float32],
        plies: int = 0,
        stop: Stop = never,
        ladder: Ladder | None = None,
    ) -> Ranked:
        """All plays with the mover's probabilities and utilities, the best first among those looked at most deeply.

        The utility is `weights6[0] + sum(weights6[1 + k] * probs[k])`; money equity for (-1, 2, 1, 1, -1, -1). With a
        `ladder`, in which the opponent comes first, it is what the play is worth with the cube in play. Above 0 plies
        only the best are looked at so deeply, and less deeply when `stop` said so: `plies` of the answer tells. Equals:
        in order of generation."""
        self._check_plies(plies)
        return self._searcher.rank(self._put(board).board, d1, d2, self._array(weights6), ladder, plies, stop)

    def best(
        self, board: Board, d1: int, d2: int, weights6: Sequence[float] | NDArray[np.float32], plies: int = 0
    ) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
        """The board (26,) after the best play and the mover's probabilities (5,): the first of `rank`, faster."""
        after, chances, _ = self.choose(board, d1, d2, self._array(weights6), plies)
        return np.array(after, np.int8), np.array(chances, np.float32)

    def choose(
        self,
        board: Board,
        d1: int,
        d2: int,
        weights6: NDArray[np.float32],
        plies: int = 0,
        stop: Stop = never,
        ladder: Ladder | None = None,
    ) -> tuple[tuple[int, ...], Sequence[float], float]:
        """The first of `rank`, faster: its board, five chances and utility. The same arrays for the same stakes, since
        what was made ready for them is found again by these.

        A play that is the only one is not looked at deeply: its numbers are those of 0 plies."""
        here = self._put(board)
        if plies and generate(here.board, d1, d2, here.space.plays) > 1:
            ranked = self.rank(board, d1, d2, weights6, plies, stop, ladder)
            return tuple(ranked.boards[0].tolist()), ranked.probs[0].tolist(), float(ranked.utility[0])
        judge(d1, d2, ladder is not None, here.case(ladder or self._ladder, weights6))
        found = _PLAYED.unpack_from(here.found_bytes)
        return _POINTS.unpack(here.after_bytes), found[:OUTPUTS], found[OUTPUTS]

    def stand(self, board: Board, ladder: Ladder) -> Standing:
        """What a board is worth to the side on roll, before its roll, at 0 plies, that side being the first of the
        ladder."""
        here = self._put(board)
        judge(0, 0, True, here.case(ladder, self._money))
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon, cubeless, no_double, double_take, best = (
            _STANDING.unpack_from(here.found_bytes)
        )
        chances = Chances(win, win_gammon, win_backgammon, lose_gammon, lose_backgammon)
        return chances, cubeless, no_double, double_take, best

    def games(
        self,
        first: int,
        start: Start,
        orders: Orders,
        stop: NDArray[np.uint8],
        results: NDArray[np.float64],
        deeper: Deeper | None = None,
    ) -> int:
        """Play out games from number `first` on, one a row of `results` (n, 6), until `stop[0]` is set by any thread;
        returns how many ended. See bgd.kernels.rollout. `deeper` answers what is asked above 0 plies."""
        net, prune, table = self._net, self._prune, self._table
        cube = cube_space(orders.ladder.usable.shape[1])
        with self._roll_spaces.lent() as rolls, self._searcher.at_work():
            rolls.at[ASKED] = NOTHING
            while True:
                ended = play_games(first, start, orders, net, prune, table, rolls, cube, stop, results)
                if ended != ASKS:
                    return ended
                if deeper is None:
                    raise Unsupported("Expected somebody to answer in games played at more than 0 plies, got nobody")
                deeper(self, rolls, stop)
