"""Offers and their answers: to resign, a double, a beaver, a raccoon.

A resignation ends the game at once, so both sides of it compare with playing on, cube and match score included:

* it should be accepted when that is worth no less than playing on;
* it should be offered when it costs nothing: when it is worth what playing on is, and no luck of the dice could do
  better. So nobody resigns a gammon that might be saved, nor a game because the gammons that it loses weigh as much as
  the wins. Of offers that cost the same the smallest is made.

Both within SURE, so that what one side should offer the other should accept. But where chances are known and not
judged, both sides bearing off, any chance counts: nobody resigns there whom four doubles in a row might save.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from bgd.engine.met import MatchEquityTable
from bgd.engine.stakes import Stakes
from bgd.engine.values import Chances, CubeDecision, Evaluation, Stop, deepened, never
from bgd.errors import IllegalAction
from bgd.rules.board import Board
from bgd.rules.cube import TURNS, passed, why_no_raccoon
from bgd.rules.game import moment
from bgd.rules.outcome import worst_loss
from bgd.rules.state import Cube, GameState, Money, Outcome, Phase, Resignation, Side

SURE: Final = 5e-4
"""A chance smaller than this, and a difference of normalised equity smaller than this, count as none: a twentieth of
the error that the best static evaluations make."""

KNOWN: Final = 1e-6
"""The same where chances are exact: single precision carries no more."""

_HOME: Final = 6
"""The highest point of a home board."""

TOLERANCE: Final = 1e-6
"""Equities closer than this are equal, where a cube is taken or turned: single precision carries no more."""


class Opinion(Protocol):
    """What is needed of bgd.engine.Engine."""

    def best(self, state: GameState, plies: int = 0, stop: Stop = never) -> Board: ...

    def evaluate(self, state: GameState, plies: int = 0, noise: float = 0.0, stop: Stop = never) -> Evaluation: ...

    def cube(self, state: GameState, plies: int = 0, stop: Stop = never) -> CubeDecision: ...


@dataclass(frozen=True, slots=True)
class ResignDecision:
    """What to do about resigning. Equities are the side on roll's, normalised to the cube; the `mwc` fields say the
    same as match winning chances; None in money play.

    `equity` is that of playing on, after the roll when dice are on the table. `offer` is what the side on roll should
    offer to lose, None if nothing; `accept` whether an offer that was made should be accepted, None if none was.
    `worth` is that of the game ended by the one or the other."""

    equity: float
    offer: Outcome | None
    accept: bool | None
    worth: float | None
    plies: int
    mwc: float | None = None
    mwc_worth: float | None = None


def resign(
    engine: Opinion,
    state: GameState,
    plies: int,
    offered: Resignation | None,
    table: MatchEquityTable,
    stop: Stop = never,
) -> ResignDecision:
    """Whether the offer to resign `offered` should be accepted; without one, what the side on roll should offer.

    Raises IllegalAction when the game is over or a double is to be answered first."""
    if state.phase is Phase.OVER:
        raise IllegalAction("The game is over")
    if state.phase in TURNS:
        raise IllegalAction("A double is to be answered first")
    on, found = _looked(engine, state, plies, stop)
    same = on.turn is state.turn
    stakes = Stakes(Chances(0.5), state.cube, state.turn, state.terms, table)

    def ended(loser: Side, outcome: Outcome) -> float:
        """The worth to the side on roll when `loser` loses `outcome`."""
        points = (1 if _gammons_idle(state) else int(outcome)) * state.cube.value
        return stakes.players[0].worth(-points if loser is state.turn else points)

    equity = found.cubeful if same else 0.0 - found.cubeful
    offer, accept, worth = None, None, None
    if offered is not None:
        worth = ended(offered.side, offered.outcome)
        gain = stakes.equity(worth) - equity  # of the side on roll, when the offer stands
        accept = (-gain if offered.side is state.turn else gain) >= -SURE
    else:
        chances = found.chances if same else found.chances.flip()
        sure = KNOWN if _known(on.board) else SURE
        for outcome in Outcome:
            cost = equity - stakes.equity(ended(state.turn, outcome))
            certain = _better(chances, outcome) <= sure and outcome <= worst_loss(on.board_of(state.turn))
            if certain and abs(cost) <= SURE:
                offer, worth = outcome, ended(state.turn, outcome)
                break
    match = found.mwc_cubeful is not None
    mwc = found.mwc_cubeful if same or found.mwc_cubeful is None else 1 - found.mwc_cubeful
    return ResignDecision(
        equity=equity,
        offer=offer,
        accept=accept,
        worth=None if worth is None else stakes.equity(worth),
        plies=found.plies,
        mwc=mwc,
        mwc_worth=worth if match else None,
    )


def answer(engine: Opinion, state: GameState, plies: int, stop: Stop = never) -> str:
    """The proper answer of `state.decider` to a turned cube: take, pass, beaver or raccoon. Raises IllegalAction when
    none was turned.

    A double is answered as bgd.engine.cube says. A beaver or a raccoon is taken unless passing costs less, and a beaver
    is raccooned where the rules allow it and the doubler gains by it, whatever the answer."""
    if state.phase not in TURNS:
        raise IllegalAction("No double is to be answered")
    if state.phase is Phase.DOUBLED:
        return engine.cube(state, plies, stop).response
    worth = _turned(engine, state, plies, stop)
    lost = passed(state) / state.cube.value
    if state.phase is Phase.RACCOONED:
        return "take" if worth(3) <= lost + TOLERANCE else "pass"
    take = worth(2)
    if why_no_raccoon(state) is None and min(worth(3), 2 * lost) > max(take, -lost) + TOLERANCE:
        return "raccoon"
    return "take" if take >= -lost - TOLERANCE else "pass"


def _turned(engine: Opinion, state: GameState, plies: int, stop: Stop) -> Callable[[int], float]:
    """The worth to the doubler, in units of the cube as it is, once it is turned so many times and the other side's."""

    def worth(times: int) -> float:
        cube = Cube(state.cube.value << times, state.turn.other, max(state.cube.limit, state.cube.value << times))
        after = moment(state.board, state.turn, Phase.ROLL, cube, None, state.terms)
        return engine.evaluate(after, plies, stop=stop).cubeful * (1 << times)

    return worth


def _looked(engine: Opinion, state: GameState, plies: int, stop: Stop) -> tuple[GameState, Evaluation]:
    """The state in which the dice on the table, if any, have been played as well as can be, and what it is worth, both
    found by a look `plies` deep, or less deep when `stop` said so."""
    if state.dice is None:
        return state, engine.evaluate(state, plies, stop=stop)

    def look(level: int, stop: Stop) -> tuple[GameState, Evaluation]:
        after = engine.best(state, level, stop)
        on = moment(after.flip(), state.turn.other, Phase.ROLL, state.cube, None, state.terms)
        return on, engine.evaluate(on, level, stop=stop)

    return deepened(look, plies, stop)


def _known(board: Board) -> bool:
    """Whether the bear-off tables know the chances: both sides have all their checkers at home, or off."""
    own, opponent = board.points[_HOME + 1 :], board.points[: 25 - _HOME]
    return not any(count > 0 for count in own) and not any(count < 0 for count in opponent)


def _gammons_idle(state: GameState) -> bool:
    """Jacoby's rule: with the cube centred gammons do not count."""
    return isinstance(state.terms, Money) and state.terms.jacoby and state.cube.owner is None


def _better(chances: Chances, outcome: Outcome) -> float:
    """The chance to end better than by losing `outcome`."""
    losing = (1 - chances.win, chances.lose_gammon, chances.lose_backgammon)
    return 1 - losing[outcome - 1]
