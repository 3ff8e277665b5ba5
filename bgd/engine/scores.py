"""What the games of a rollout say: means, their standard errors, and whether enough has been played.

A game is six numbers of the side whose decision it is: five chances, and the worth of the game with the cube (see
bgd.kernels.cubeful). Errors are those of a mean stratified by the first roll, and by the second where all pairs have
come up equally often (in 1,296 games): games with the same two rolls, in which 31 and 13 are the same, tell how much is
left to chance. The strata of the third roll make that a little too large. Differences between contenders are taken game
by game, which takes out the luck they share.

A cube rolled out on both sides asks two questions: to double or not, and what to answer. A double is worth there what
it is with the proper answer, by the games so far: one that should be passed the pass, however much more it would be if
it were taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bgd.engine.met import MatchEquityTable
from bgd.engine.stakes import Stakes
from bgd.engine.values import Chances, RolledOut, Rollout, RolloutPlan
from bgd.errors import TimedOut
from bgd.kernels.cubeful import Ladder
from bgd.kernels.dice import STRATA, game_roll, strata_of
from bgd.kernels.rollout import WORTH
from bgd.rules.board import Board
from bgd.rules.state import GameState

Games: TypeAlias = NDArray[np.float64]
"""(n, 6), one game a row, in order of their numbers."""

BLOCK: Final = STRATA
FEWEST: Final = 9 * BLOCK
"""Games before a rollout may end by its errors, which are not to be trusted earlier."""

_ALL_PAIRS: Final = STRATA * STRATA

_FEW_BLOCKS: Final = 4
"""With fewer blocks the spread within a first roll is not measured well: all games are then taken as one stratum."""


@dataclass(frozen=True, slots=True)
class Contender:
    """What is played out: `board` is the mover's after a play, or that of the side on roll, which then takes `action`.

    `state` is that of the cube then, as bgd.kernels.cubeful counts them; side 0 is the side whose decision it is."""

    board: Board
    action: Literal["play", "no double", "double/take"]
    state: int


class Scores:
    """The games counted so far. `live` are the contenders still played: its list never changes but by shrinking."""

    def __init__(
        self,
        state: GameState,
        plan: RolloutPlan,
        entered: Sequence[Contender],
        ladder: Ladder,
        table: MatchEquityTable,
    ) -> None:
        self._plan = plan
        self._entered = entered
        self._stakes = Stakes(Chances(0.5), state.cube, state.turn, state.terms, table)
        self._cubeless = [_cubeless(ladder.worth[0, (contender.state + 1) // 2]) for contender in entered]
        self._games: list[list[Games]] = [[] for _ in entered]
        self._counts = [0] * len(entered)
        self._about_cube = entered[-1].action == "double/take"
        self._beavers = self._stakes.beavers and 4 * state.cube.value <= state.cube.limit
        self._ends: Literal["trials", "error", "apart", "time"] = "time"
        self._pairs = _pairs_of(plan.seed)
        self.live = list(range(len(entered)))
        self.rounds = 0

    @property
    def contenders(self) -> int:
        """How many were entered."""
        return len(self._entered)

    def add(self, contender: int, games: Games) -> None:
        """Count the next games of a contender, a block or a part of one; they come in order."""
        self._games[contender].append(games)
        self._counts[contender] += len(games)
        self.rounds = min(self._counts[contender] for contender in self.live) // BLOCK

    @property
    def worth_a_look(self) -> bool:
        """Whether all contenders have had the same number of blocks, and some more than at the last look: a look takes
        the longer the more there are, and is not to take a share that grows."""
        whole = all(self._counts[contender] == self.rounds * BLOCK > 0 for contender in self.live)
        return whole and (self.rounds % max(1, self.rounds // 32) == 0 or self.rounds * BLOCK >= self._plan.trials)

    def settle(self) -> bool:
        """After a round: drop the plays that are too far behind, and say whether enough was played. Of a cube decision
        both sides are played until neither question is open."""
        plan = self._plan
        if self.rounds * BLOCK >= plan.trials:
            self._ends = "trials"
            return True
        if self.rounds * BLOCK < FEWEST:
            return False
        values = [self._values(contender) for contender in self.live]
        if plan.error is not None and all(self._error(value) <= plan.error for value in values):
            self._ends = "error"
            return True
        if plan.apart is not None and self._about_cube:
            if all(abs(_mean(gap)) > plan.apart * self._error(gap) for gap in self._gaps(*values)):
                self._ends = "apart"
                return True
        elif plan.apart is not None and len(self.live) > 1:
            best = max(values, key=_mean)
            kept = [
                contender
                for contender, value in zip(self.live, values, strict=True)
                if value is best or _mean(best - value) <= plan.apart * self._error(best - value)
            ]
            self.live[:] = kept
            if len(kept) == 1:
                self._ends = "apart"
                return True
        return False

    def result(self) -> Rollout:
        """What has been found so far: plays best first, those dropped last. Raises TimedOut without two games of each
        contender."""
        values = [self._values(contender) for contender in range(len(self._entered))]
        if min(map(len, values)) < 2:
            raise TimedOut("Expected time for two games of each contender at least, got less")
        worths = [*values[:-1], self._answered(values[-1])] if self._about_cube else values
        best = max((worths[contender] for contender in self.live), key=_mean)  # those dropped were behind already
        lines = [self._line(contender, *both, best) for contender, both in enumerate(zip(values, worths, strict=True))]
        order = list(range(len(lines)))
        if not self._about_cube:
            order.sort(key=lambda contender: (contender not in self.live, lines[contender].behind))
        return Rollout(tuple(lines[contender] for contender in order), self._ends)

    def _counted(self, contender: int) -> Games:
        """The games of a contender that count: whole rounds, or what all have of the first."""
        counted = self.rounds * BLOCK or min(self._counts)
        return np.concatenate([np.zeros((0, WORTH + 1)), *self._games[contender]])[:counted]

    def _answered(self, taken: NDArray[np.float64]) -> NDArray[np.float64]:
        """What a double is worth, game by game, with the answer that leaves least of it; `taken`: if it is taken."""
        mean = _mean(taken)
        if mean > 1:
            return np.ones_like(taken)
        return 2 * taken if self._beavers and mean < 0 else taken

    def _gaps(self, rolled: NDArray[np.float64], taken: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """What lies between the actions that a cube decision is about, game by game: doubling and not, taking and
        passing, beavering and taking."""
        gaps = [self._answered(taken) - rolled, taken - 1]
        return [*gaps, taken] if self._beavers else gaps

    def _values(self, contender: int) -> NDArray[np.float64]:
        """What contenders are compared by: equities, with the cube if there is one, game by game."""
        games = self._counted(contender)
        return self._equities(games[:, WORTH] if self._plan.cubeful else self._cubeless_worth(contender, games))

    def _cubeless_worth(self, contender: int, games: Games) -> NDArray[np.float64]:
        constant, *slopes = self._cubeless[contender]
        worth: NDArray[np.float64] = games[:, :WORTH] @ np.array(slopes) + constant
        return worth

    def _equities(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._stakes.match is None:
            return worth
        zero = self._stakes.equity(0.0)
        return zero + (self._stakes.equity(1.0) - zero) * worth

    def _error(self, values: NDArray[np.float64]) -> float:
        """The standard error of the mean of games in their order."""
        whole = len(values) - len(values) % _ALL_PAIRS
        return float(np.sqrt(_squares_by_pairs(values[:whole], self._pairs) + _squares(values[whole:])) / len(values))

    def _line(
        self, contender: int, value: NDArray[np.float64], worth: NDArray[np.float64], best: NDArray[np.float64]
    ) -> RolledOut:
        """`value` is what the contender's games came to, `worth` what its action is worth."""
        games, plan = self._counted(contender), self._plan
        cubeless = self._cubeless_worth(contender, games)
        equities = self._equities(cubeless)
        mwc = None if self._stakes.match is None else games[:, WORTH] if plan.cubeful else cubeless
        shared = min(len(worth), len(best))
        lead = best[:shared] - worth[:shared]
        columns = [games[:, k] for k in range(WORTH)]
        return RolledOut(
            board=self._entered[contender].board,
            action=self._entered[contender].action,
            trials=len(games),
            chances=_nested(*map(_mean, columns)),
            chances_error=Chances(*map(self._error, columns)),
            equity=_mean(equities),
            equity_error=self._error(equities),
            cubeful=_mean(value) if plan.cubeful else None,
            cubeful_error=self._error(value) if plan.cubeful else None,
            mwc=None if mwc is None else _mean(mwc),
            mwc_error=None if mwc is None else self._error(mwc),
            behind=_mean(lead),
            behind_error=self._error(lead),
        )


def _pairs_of(seed: int) -> NDArray[np.int64]:
    """For each of 1,296 games a number for its first two rolls, 31 and 13 being the same roll."""
    strata = strata_of(seed)
    rolls = np.array([[game_roll(seed, game, turn, strata) for turn in (0, 1)] for game in range(_ALL_PAIRS)])
    high, low = np.divmod(rolls, 6)
    first, second = (np.maximum(high, low) * 6 + np.minimum(high, low)).T
    _, pairs = np.unique(first * STRATA + second, return_inverse=True)
    return pairs.astype(np.int64)


def _cubeless(worth: NDArray[np.float64]) -> tuple[float, ...]:
    """A constant, and a weight for each of the five chances, that give the worth of a game without a cube."""
    lost3, lost2, lost1, _, won1, won2, won3 = worth.tolist()
    return lost1, won1 - lost1, won2 - won1, won3 - won2, lost2 - lost1, lost3 - lost2


def _nested(
    win: float, win_gammon: float, win_backgammon: float, lose_gammon: float, lose_backgammon: float
) -> Chances:
    """Means as chances: without their luck those of a few games may lie a little beyond what can be."""

    def within(chance: float, most: float) -> float:
        return min(most, max(0.0, chance))

    won = within(win, 1.0)
    gammon, lost_gammon = within(win_gammon, won), within(lose_gammon, 1 - won)
    return Chances(won, gammon, within(win_backgammon, gammon), lost_gammon, within(lose_backgammon, lost_gammon))


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean())


def _squares(values: NDArray[np.float64]) -> float:
    """The square of the standard error of the sum of games in their order, the first rolls of each block all being
    different."""
    if len(values) < 2:
        return 0.0
    blocks, rest = divmod(len(values), BLOCK)
    if rest or blocks < _FEW_BLOCKS:
        return len(values) * float(values.var(ddof=1))
    return len(values) * float(values.reshape(blocks, BLOCK).var(axis=0, ddof=1).mean())


def _squares_by_pairs(values: NDArray[np.float64], pairs: NDArray[np.int64]) -> float:
    """The same where all pairs of first rolls have come up equally often. A pair of two doubles, which comes up once in
    1,296 games, is taken to be like the others on average as long as it has come up once."""
    if not len(values):
        return 0.0
    numbers = np.tile(pairs, len(values) // len(pairs))
    counts = np.bincount(numbers)
    apart = values - (np.bincount(numbers, values) / counts)[numbers]
    squares = np.bincount(numbers, apart * apart)
    like_others = squares.sum() / (counts - 1).sum()
    return float((counts * np.where(counts > 1, squares / np.maximum(counts - 1, 1), like_others)).sum())
