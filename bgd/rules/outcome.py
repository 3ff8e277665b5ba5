"""How a game was won, read from the board alone, and what can still be lost."""

from __future__ import annotations

from bgd.errors import BadPosition
from bgd.rules.board import CHECKERS, Board
from bgd.rules.state import Outcome

_OPPONENTS_HOME = 19
"""From here to 24, and on the bar (25), a checker left behind makes a backgammon."""


def is_over(board: Board) -> bool:
    """Whether one side has borne off all its checkers."""
    return board.finished


def outcome_of(board: Board) -> Outcome:
    """How the side that has borne off all its checkers won, whichever side's view the board is.

    A gammon when the loser has borne off none; a backgammon when it also has one on the bar or in the winner's home
    board. (HouseRules.counted says what a backgammon counts.) Raises BadPosition when the game is not over.
    """
    if not is_over(board):
        left = f"{CHECKERS - board.off} and {CHECKERS - board.opponent_off}"
        raise BadPosition(f"Expected a finished game, got `{left}` checkers left")
    loser = board.flip() if board.off == CHECKERS else board
    if loser.off:
        return Outcome.SINGLE
    return Outcome.BACKGAMMON if _is_back(loser) else Outcome.GAMMON


def worst_loss(board: Board) -> Outcome:
    """The most that the side whose view this is can still lose, as far as the rules alone exclude the worse.

    No gammon once a checker is borne off; no backgammon once all have left the opponent's home for good.
    """
    if board.off:
        return Outcome.SINGLE
    return Outcome.BACKGAMMON if _is_back(board) or board.has_contact else Outcome.GAMMON


def _is_back(board: Board) -> bool:
    """An own checker is in the opponent's home board or on the bar."""
    return any(count > 0 for count in board.points[_OPPONENTS_HOME:])
