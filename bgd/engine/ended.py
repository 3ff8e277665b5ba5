"""What a game is worth that was played to its end: no opinion, the board tells."""

from __future__ import annotations

from bgd.engine.met import MatchEquityTable
from bgd.engine.stakes import Stakes
from bgd.engine.values import Chances, Evaluation
from bgd.rules.board import CHECKERS, Board
from bgd.rules.outcome import outcome_of
from bgd.rules.state import GameState, Money, Outcome


def chances_of(board: Board) -> Chances:
    """Certainties, as probabilities of the side whose view `board` is. Raises BadPosition for a game that goes on."""
    outcome = outcome_of(board)
    gammon, backgammon = float(outcome >= Outcome.GAMMON), float(outcome is Outcome.BACKGAMMON)
    won = Chances(1.0, gammon, backgammon)
    return won if board.off == CHECKERS else won.flip()


def evaluation(state: GameState, plies: int, table: MatchEquityTable) -> Evaluation:
    """The worth of the finished game `state` to the side on roll, exact at any number of plies.

    `cubeful` is what is paid: with Jacoby's rule a gammon counts as a single game while the cube is in the middle.
    """
    chances = chances_of(state.board)
    stakes = Stakes(chances, state.cube, state.turn, state.terms, table)
    idle = isinstance(state.terms, Money) and state.terms.jacoby and state.cube.owner is None
    cubeless, paid = stakes.cubeless(state.cube.value), stakes.cubeless(state.cube.value, jacoby=idle)
    match = stakes.match is not None
    return Evaluation(
        chances=chances,
        equity=stakes.equity(cubeless),
        cubeful=stakes.equity(paid),
        plies=plies,
        mwc=cubeless if match else None,
        mwc_cubeful=paid if match else None,
    )
