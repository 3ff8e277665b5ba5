"""Cube decisions: double or not, take, pass or beaver.

At 0 plies by Janowski's formula (see stakes), applied to the chances of the game, with no look at the coming roll;
above that by the worths that a search found with the cube in play (`Searched`). In money play where both sides are in
the two-sided bear-off table, that knows these worths exactly. The rules of the cube in a decision's words:

* a double is proper when its worth, against the best answer, is more than that of no double;
* a pass is proper when taking is worth less than the cube lost; at equality a take;
* with beavers allowed (money only) a beaver is proper when the taker's equity at the doubled cube is above zero: he
  keeps the cube and doubles what he stands to gain;
* where doubling and not doubling are worth the same, it is proper for a side with nothing to lose (behind after the
  Crawford game), for waiting can only cost it;
* too good: no double is worth more than the cube won by a pass.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from bgd.engine.met import MatchEquityTable
from bgd.engine.stakes import Stakes, efficiency
from bgd.engine.values import Chances, CubeDecision, Evaluation
from bgd.rules.cube import NoCube, is_dead, why_no_cube
from bgd.rules.state import GameState, Money, Phase

TOLERANCE: Final = 1e-6
"""Equities closer than this are equal: single-precision chances carry no more."""


class Searched(NamedTuple):
    """What a search, or the bear-off table, found rolling to be worth to the side on roll, in units of Stakes."""

    no_double: float
    double_take: float


def evaluation(
    state: GameState,
    chances: Chances,
    plies: int,
    table: MatchEquityTable | None = None,
    searched: Searched | None = None,
) -> Evaluation:
    """What `chances`, the side on roll's, are worth at the stakes of `state`: cubeless, and with the cube as it is and
    the proper cube action now."""
    stakes = _stakes(state, chances, table)
    cubeless = stakes.cubeless(state.cube.value)
    cubeful = _with_best_action(state, stakes, searched)
    match = stakes.match is not None
    return Evaluation(
        chances=chances,
        equity=stakes.equity(cubeless),
        cubeful=stakes.equity(cubeful),
        plies=plies,
        mwc=cubeless if match else None,
        mwc_cubeful=cubeful if match else None,
    )


def decide(
    state: GameState,
    chances: Chances,
    plies: int,
    table: MatchEquityTable | None = None,
    searched: Searched | None = None,
) -> CubeDecision:
    """The cube action at `state` when the game ends as `chances`, the side on roll's, say, or by what was `searched`.

    A pending double counts as not yet made, dice as not yet thrown: this is the decision before them, and the answer.
    """
    stakes = _stakes(state, chances, table)
    value, owner = state.cube.value, state.cube.owner
    no_double, double_take = searched or _unsearched(state, stakes)
    double_pass = stakes.players[0].worth(value)
    equities = (stakes.equity(no_double), stakes.equity(double_take), stakes.equity(double_pass))
    beavers = _beavers(state, stakes)
    label, double, response = _verdict(
        *equities, beavers=beavers, redouble=owner is not None, free=stakes.is_free(0, value)
    )
    reason = refusal(state)
    if reason:
        label, double = "not allowed", False
    elif is_dead(state.cube, state.terms, state.turn):
        label, double = "dead cube", False
    match = stakes.match is not None
    return CubeDecision(
        *equities,
        label=label,
        double=double,
        response=response,
        allowed=not reason,
        reason=reason,
        plies=plies,
        mwc_no_double=no_double if match else None,
        mwc_double_take=double_take if match else None,
        mwc_double_pass=double_pass if match else None,
    )


def refusal(state: GameState) -> str:
    """Why the side on roll may not double before its roll; empty when it may, be it to no use (a dead cube)."""
    if state.phase is Phase.OVER:
        return NoCube.GAME_OVER.value
    reason = why_no_cube(state.cube, state.terms, state.turn)
    return reason.value if reason else ""


def _stakes(state: GameState, chances: Chances, table: MatchEquityTable | None) -> Stakes:
    return Stakes(chances, state.cube, state.turn, state.terms, table)


def _gammons_idle(state: GameState) -> bool:
    """Jacoby's rule: with the cube centred gammons do not count."""
    return isinstance(state.terms, Money) and state.terms.jacoby and state.cube.owner is None


def _with_best_action(state: GameState, stakes: Stakes, searched: Searched | None) -> float:
    """The worth of the position to the side on roll, before it rolls: of no double, or of a double if that is more."""
    no_double, double_take = searched or _unsearched(state, stakes)
    if refusal(state) or not stakes.has_use(0, state.cube.value):
        return no_double
    double_pass = stakes.players[0].worth(state.cube.value)
    if _beavers(state, stakes) and double_take < 0:
        double_take *= 2
    return max(no_double, min(double_take, double_pass))


def _beavers(state: GameState, stakes: Stakes) -> bool:
    return stakes.beavers and 4 * state.cube.value <= state.cube.limit


def _unsearched(state: GameState, stakes: Stakes) -> tuple[float, float]:
    """The worths of no double and of a double taken, by Janowski's formula."""
    value, owner, alive = state.cube.value, state.cube.owner, efficiency(state.board)
    users = (owner in (None, state.turn), owner in (None, state.turn.other))
    no_double = stakes.cubeful(value, users, alive, _gammons_idle(state))
    return no_double, stakes.cubeful(2 * value, (False, True), alive)


def _verdict(
    no_double: float, double_take: float, double_pass: float, beavers: bool, redouble: bool, free: bool
) -> tuple[str, bool, str]:
    """Label, whether to double, and the answer to a double. When all is equal, only who is `free` of risk doubles."""
    if beavers and double_take < -TOLERANCE:
        response, doubled = "beaver", 2 * double_take
    elif double_take <= double_pass + TOLERANCE:
        response, doubled = "take", double_take
    else:
        response, doubled = "pass", double_pass
    word = "redouble" if redouble else "double"
    if abs(no_double - doubled) <= TOLERANCE:
        return f"optional {word}", free, response
    if no_double < doubled:
        return f"{word}/{response}", True, response
    if response != "beaver" and no_double > double_pass + TOLERANCE:
        return f"too good/{response}", False, response
    return f"no {word}/{response}", False, response
