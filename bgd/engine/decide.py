"""The engine as everybody else sees it: states in, plays, evaluations and cube decisions out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bgd.engine import cube, ended, offers
from bgd.engine.cube import Searched
from bgd.engine.judge import Judge
from bgd.engine.met import MatchEquityTable
from bgd.engine.noise import disturbed
from bgd.engine.offers import ResignDecision
from bgd.engine.stakes import FAR_LIMIT, Stakes, play_stakes
from bgd.engine.values import (
    Chances,
    CubeDecision,
    Evaluation,
    ExactMoney,
    Luck,
    RankedPlay,
    Rollout,
    RolloutPlan,
    Stop,
    never,
)
from bgd.errors import BadValue, IllegalAction, MissingContext, Unsupported
from bgd.rules.board import Board
from bgd.rules.dice import ROLLS, Dice
from bgd.rules.state import Cube, GameState, Match, Money, Phase, Resignation, Side

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bgd.engine.rollout import Part
    from bgd.kernels.cubeful import Ladder

MAX_PLIES: Final = 4
"""The deepest level there is; deeper ones are refused by name. Known without loading anything."""

_OUT_OF_REACH: Final = 128
"""A limit of so many times the cube changes no equity of the two-sided bear-off by 1e-6."""


class Engine:
    """Answers for the side on roll of a GameState; may be used by any number of threads. Same question, same bytes.

    Plies are counted as GNU Backgammon does: 0 is the network's own opinion (others call that 1-ply). Plays are judged
    with the cube in play unless that is not wished; the replies that a search expects, by cubeless money equity or, in
    a match, by the match winning chances at the cube as it stands.
    """

    max_plies: int = MAX_PLIES

    def __init__(self, judge: Judge, table: MatchEquityTable | None = None) -> None:
        self._judge = judge
        self._table = table or MatchEquityTable.default()
        # Money play always has the same weights; a match a few dozen in its course.
        self._weights = lru_cache(maxsize=4096)(self._new_weights)
        self._ladder = lru_cache(maxsize=4096)(self._new_ladder)
        self._played_for = lru_cache(maxsize=4096)(self._new_played_for)
        self._stakes = lru_cache(maxsize=4096)(self._new_stakes)
        self._static = lru_cache(maxsize=4096)(self._new_static)

    @classmethod
    def load(
        cls, weights: Path | None = None, progress: Callable[[str], None] | None = None, met: Path | None = None
    ) -> Engine:
        """The engine with the weights shipped, or those in the file `weights`, ready to answer at 0 plies. Matches are
        played by the match equity table shipped, or by that in the file `met`, GNU Backgammon's XML form.

        Takes about half a second, or some ten when kernels must be compiled first; `progress` is told what is going on.
        What searches and rollouts need is made ready by the first of them, or before by `complete`. Raises WeightsError
        for a damaged file or one of another version, ConfigError for a table that is none."""
        from bgd.engine.evaluator import Evaluator

        table = None if met is None else MatchEquityTable.load(met)
        return cls(Evaluator.load(weights, progress), table)

    def complete(self, progress: Callable[[str], None] | None = None) -> None:
        """Make ready what searches and rollouts need: a fraction of a second, or half a minute when their kernels must
        be compiled first. Other threads may ask meanwhile."""
        self._judge.complete(progress)

    def best(self, state: GameState, plies: int = 0, stop: Stop = never, cubeful: bool = True) -> Board:
        """The board after the best play of the dice in `state`, seen by the mover; the same board when there is none.

        The fast way to one play: about 10 µs at 0 plies. When `stop` says so, the best of the deepest level that is
        complete. `cubeful` as in `rank`."""
        dice = self._dice(state, plies)
        weights, ladder = self._played_for(state.cube, state.turn, state.terms, plies, cubeful)
        points, _, _ = self._judge.choose(state.board.points, dice.first, dice.second, weights, plies, stop, ladder)
        return Board.unchecked(points)

    def rank(
        self,
        state: GameState,
        plies: int = 0,
        top: int | None = None,
        stop: Stop = never,
        cubeful: bool = True,
    ) -> list[RankedPlay]:
        """The plays of the dice in `state`, best first, at most `top`. Empty when there is no legal play.

        Above 0 plies only the most promising are looked at as deeply; the others follow, with the level that each was
        looked at in its `plies`. When `stop` says so, the levels that are complete are the answer. The best alone
        (`top` 1) is cheap at 0 plies.

        `cubeful`: plays are worth what they are with the cube in play. Otherwise the game is played out at the cube as
        it is, gammons counting in money play even under Jacoby's rule: for games without a cube."""
        dice = self._dice(state, plies)
        if top is not None and top < 0:
            raise BadValue(f"Expected a number of plays from 0 up, got `{top}`")
        weights, ladder = self._played_for(state.cube, state.turn, state.terms, plies, cubeful)
        rows: Iterable[tuple[Sequence[int], Sequence[float], float, int]]
        if top == 1 and plies == 0:
            points = state.board.points
            rows = [(*self._judge.choose(points, dice.first, dice.second, weights, plies, stop, ladder), 0)]
        else:
            found = self._judge.rank(state.board.points, dice.first, dice.second, weights, plies, stop, ladder)
            rows = zip(*(array[:top].tolist() for array in found), strict=True)
        stakes = self._stakes(state.cube, state.turn, state.terms) if isinstance(state.terms, Match) else None
        ranked = []
        for board, row, worth, level in rows:
            equity, mwc = (stakes.equity(worth), worth) if stakes else (worth, None)
            ranked.append(RankedPlay(Board.unchecked(tuple(board)), Chances(*row), equity, mwc, level))
        if len(ranked) == 1 and ranked[0].board == state.board:
            return []
        return ranked

    def evaluate(self, state: GameState, plies: int = 0, noise: float = 0.0, stop: Stop = never) -> Evaluation:
        """What the position is worth to the side on roll, before its roll; dice in `state` are not looked at.

        `noise`: standard deviation of an error that is always the same for the same position; the cube then counts by
        Janowski's formula at any level."""
        if plies == 0 and not noise and state.phase is not Phase.OVER:
            static = self._static(state.cube, state.turn, state.terms)
            if static is not None:
                return self._standing(state.board, *static)
        if state.board.finished:
            return ended.evaluation(state, plies, self._table)
        chances, level, searched = self._look(state, plies, stop)
        if noise:
            chances, searched = disturbed(chances, state.board, noise), None
        return cube.evaluation(state, chances, level, self._table, searched)

    def cube(self, state: GameState, plies: int = 0, stop: Stop = never) -> CubeDecision:
        """Whether the side on roll should double, and what the other should answer; see bgd.engine.cube."""
        chances, level, searched = self._look(state, plies, stop)
        return cube.decide(state, chances, level, self._table, searched)

    def luck(self, state: GameState, opening: bool = False) -> Luck:
        """How lucky the dice of `state` are: what their best play makes the position worth, less what the best plays of
        all rolls make it worth on average; at 0 plies, with the cube in play. About 0.6 ms.

        `opening`: it is the first roll of the game, given to this side already, and so no double; BadValue if it is."""
        dice = self._dice(state, 0)
        if opening and dice.is_double:
            raise BadValue(f"Expected an opening roll, which is no double, got `{dice}`")
        weights, ladder = self._played_for(state.cube, state.turn, state.terms, 0, True)
        total = actual = 0.0
        chances = 0
        for roll in ROLLS:
            if opening and roll.is_double:
                continue
            worth = self._judge.choose(state.board.points, roll.high, roll.low, weights, 0, never, ladder)[2]
            times = 1 if roll.is_double else 2
            total += times * worth
            chances += times
            if (roll.high, roll.low) == (dice.high, dice.low):
                actual = worth
        mean = total / chances
        if isinstance(state.terms, Money):
            return Luck(actual - mean, actual, mean)
        stakes = self._stakes(state.cube, state.turn, state.terms)
        equity, equity_mean = stakes.equity(actual), stakes.equity(mean)
        return Luck(equity - equity_mean, equity, equity_mean, actual - mean)

    def rollout(
        self,
        state: GameState,
        plan: RolloutPlan | None = None,
        plays: Sequence[Board] | None = None,
        threads: int | None = None,
        progress: Callable[[Rollout], None] | None = None,
        stop: Stop = never,
    ) -> Rollout:
        """Play out `plays`, given by the boards after them, or the position of `state` before its roll; see
        bgd.engine.rollout. Where the side on roll may double, both its rolling and its double are played out, and the
        answer holds the cube decision that follows.

        `threads` (as many as share a search) do the work and `progress` is told how it goes; neither changes the
        answer. When `stop` says so, the games played by then are it; TimedOut if there are hardly any. Raises
        IllegalAction when the game is over."""
        from bgd.engine.rollout import roll_out

        plan = plan or RolloutPlan()
        self._check_rollout(state, plan)

        tell = None if progress is None else lambda so_far: progress(self._decided(state, plan, so_far))
        return self._decided(state, plan, roll_out(self._judge, state, plan, plays, self._table, threads, tell, stop))

    def rollout_part(
        self,
        state: GameState,
        plan: RolloutPlan,
        plays: Sequence[Board] | None,
        blocks: range,
        threads: int | None = None,
    ) -> Part:
        """Play the `blocks` with these numbers, from 0, of the rollout that `rollout` plays whole, so that several
        machines can share it: a block is 36 games of each contender. Raises BadValue for blocks that it has not."""
        from bgd.engine.rollout import play_part

        self._check_rollout(state, plan)
        return play_part(self._judge, state, plan, plays, self._table, blocks, threads)

    def merge_rollout(
        self, state: GameState, plan: RolloutPlan, plays: Sequence[Board] | None, parts: Sequence[Part]
    ) -> Rollout:
        """The rollout whose parts these are, the same bytes as if it had been played in one place. Raises BadArgument
        when a part is missing before another; where the last ones are, it is what there is so far."""
        from bgd.engine.rollout import merge

        self._check_rollout(state, plan)
        return self._decided(state, plan, merge(self._judge, state, plan, plays, self._table, parts))

    def _decided(self, state: GameState, plan: RolloutPlan, found: Rollout) -> Rollout:
        """With the cube decision that follows, where both sides of it were played out."""
        rolled, *doubled = found.lines
        if not doubled or doubled[0].action == "play":
            return found
        searched = Searched(rolled.worth, doubled[0].worth)
        return replace(found, decision=cube.decide(state, rolled.chances, plan.plies, self._table, searched))

    def answer(self, state: GameState, plies: int = 0, stop: Stop = never) -> str:
        """What to answer to the double, beaver or raccoon that is pending: take, pass, beaver or raccoon."""
        return offers.answer(self, state, plies, stop)

    def resign(
        self, state: GameState, plies: int = 0, offered: Resignation | None = None, stop: Stop = never
    ) -> ResignDecision:
        """Whether to accept the offer to resign; without one, what the side on roll should offer; see
        bgd.engine.offers."""
        return offers.resign(self, state, plies, offered, self._table, stop)

    def _standing(self, board: Board, ladder: Ladder, stakes: Stakes | None) -> Evaluation:
        """`bgd.engine.cube.evaluation` at 0 plies, all of it computed by the judge. `stakes`: of a match."""
        chances, cubeless, _, _, cubeful = self._judge.stand(board.points, ladder)
        if stakes is None:
            return Evaluation(chances, cubeless, cubeful, 0)
        return Evaluation(chances, stakes.equity(cubeless), stakes.equity(cubeful), 0, cubeless, cubeful)

    def _look(self, state: GameState, plies: int, stop: Stop) -> tuple[Chances, int, Searched | None]:
        """The chances of the side on roll, the level reached, and what the cube makes of them."""
        self._check(plies)
        static = self._static(state.cube, state.turn, state.terms) if plies == 0 else None
        if static is not None:
            chances, _, no_double, double_take, _ = self._judge.stand(state.board.points, static[0])
            return chances, 0, Searched(no_double, double_take)
        exact = self._exact(state)
        if exact is not None:
            owned = None if state.cube.owner is None else state.cube.owner is state.turn
            return Chances(exact.win), plies, Searched(exact.no_double(owned), exact.double_take)
        if plies == 0:
            import numpy as np

            return Chances.of(self._judge.evaluate(np.array((state.board.points,), np.int8))[0].tolist()), 0, None
        weights = self._weights(state.cube, state.turn, state.terms)
        ladder = self._ladder(state.cube, state.turn, state.terms, plies)
        found = self._judge.look(state.board.points, weights, ladder, plies, stop)
        searched = None
        if found.worths is not None:  # in states 0 and 2 the cube is as it is, or doubled and the opponent's
            searched = Searched(float(found.worths[0]), float(found.worths[2]))
        return Chances.of(found.probs.tolist()), found.plies, searched

    def _exact(self, state: GameState) -> ExactMoney | None:
        """Exact equities, where they are known: money play of few checkers, the limit of the cube out of reach."""
        if isinstance(state.terms, Match) or state.cube.limit < _OUT_OF_REACH * state.cube.value:
            return None
        return self._judge.exact_money(state.board.points)

    def _new_played_for(
        self, stake: Cube, turn: Side, terms: Match | Money, plies: int, cubeful: bool
    ) -> tuple[NDArray[np.float32], Ladder | None]:
        """What plays of the side `turn` are judged by."""
        ladder = self._ladder(stake, turn.other, terms, plies) if cubeful else None
        return self._weights(stake, turn, terms), ladder

    def _new_weights(self, stake: Cube, turn: Side, terms: Match | Money) -> NDArray[np.float32]:
        import numpy as np

        return np.array(play_stakes(stake, turn, terms, self._table), np.float32)

    def _new_ladder(self, stake: Cube, first: Side, terms: Match | Money, plies: int) -> Ladder:
        from bgd.engine.ladder import ladder_of

        return ladder_of(stake, first, terms, self._table, plies)

    def _new_stakes(self, stake: Cube, turn: Side, terms: Match | Money) -> Stakes:
        return Stakes(Chances(0.5), stake, turn, terms, self._table)

    def _new_static(self, stake: Cube, turn: Side, terms: Match | Money) -> tuple[Ladder, Stakes | None] | None:
        """What positions are judged by at 0 plies, and a match's stakes. None where a ladder does not say all there is
        to say about the cube: in money play with a limit in sight."""
        if isinstance(terms, Match):
            return self._ladder(stake, turn, terms, 0), self._stakes(stake, turn, terms)
        return (self._ladder(stake, turn, terms, 0), None) if stake.limit >= FAR_LIMIT * stake.value else None

    def _dice(self, state: GameState, plies: int) -> Dice:
        self._check(plies)
        if state.dice is None:
            raise MissingContext("Expected dice to be played, got none")
        return state.dice

    def _check_rollout(self, state: GameState, plan: RolloutPlan) -> None:
        if state.phase is Phase.OVER:
            raise IllegalAction("The game is over")
        self._check(max(plan.plies, plan.first_plies or 0))

    def _check(self, plies: int) -> None:
        if not 0 <= plies <= self.max_plies:
            raise Unsupported(f"Expected 0 to {self.max_plies} plies, got `{plies}`")
