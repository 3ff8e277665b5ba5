"""Players made for the tests: no engine, no process."""

from __future__ import annotations

from bgd.duel.players import Fault
from bgd.rules.board import Board
from bgd.rules.dice import Dice
from bgd.rules.plays import legal_plays


class FirstPlay:
    """Makes the first legal play, and the same one each time."""

    def choose(self, board: Board, dice: Dice) -> Board:
        plays = legal_plays(board, dice)
        return plays[0].result if plays else board

    def close(self) -> None:
        pass


class LastPlay(FirstPlay):
    """Makes the last legal play."""

    def choose(self, board: Board, dice: Dice) -> Board:
        plays = legal_plays(board, dice)
        return plays[-1].result if plays else board


class Cheat(FirstPlay):
    """Bears everything off at once."""

    def choose(self, board: Board, dice: Dice) -> Board:
        return Board(tuple(min(count, 0) for count in board.points))


class Crasher(FirstPlay):
    """Crashes at its third play of each game."""

    def __init__(self) -> None:
        self.plays = 0

    def choose(self, board: Board, dice: Dice) -> Board:
        self.plays += 1
        if self.plays % 3 == 0:
            raise Fault("the end of its output")
        return super().choose(board, dice)


class Staller(FirstPlay):
    """Has no turn: what a game without end looks like is up to the table."""

    def choose(self, board: Board, dice: Dice) -> Board:
        return board
