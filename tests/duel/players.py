"""Players made for the tests: no engine, no process."""

from __future__ import annotations

from bgd.duel.players import Fault
from bgd.rules.board import Board
from bgd.rules.plays import legal_plays
from bgd.rules.state import GameState


class FirstPlay:
    """Makes the first legal play, and the same one each time; never doubles, and takes all."""

    def choose(self, state: GameState) -> Board:
        assert state.dice is not None
        plays = legal_plays(state.board, state.dice)
        return plays[0].result if plays else state.board

    def doubles(self, state: GameState) -> bool:
        return False

    def takes(self, state: GameState) -> bool:
        return True

    def close(self) -> None:
        pass


class LastPlay(FirstPlay):
    """Makes the last legal play."""

    def choose(self, state: GameState) -> Board:
        assert state.dice is not None
        plays = legal_plays(state.board, state.dice)
        return plays[-1].result if plays else state.board


class Cheat(FirstPlay):
    """Bears everything off at once."""

    def choose(self, state: GameState) -> Board:
        return Board(tuple(min(count, 0) for count in state.board.points))


class Crasher(FirstPlay):
    """Crashes at its third play of each game."""

    def __init__(self) -> None:
        self.plays = 0

    def choose(self, state: GameState) -> Board:
        self.plays += 1
        if self.plays % 3 == 0:
            raise Fault("the end of its output")
        return super().choose(state)


class Staller(FirstPlay):
    """Has no turn: what a game without end looks like is up to the table."""

    def choose(self, state: GameState) -> Board:
        return state.board


class Racer(FirstPlay):
    """Doubles when it is 8 pips ahead, and passes when it is 24 behind."""

    def doubles(self, state: GameState) -> bool:
        return state.board.opponent_pips - state.board.pips >= 8

    def takes(self, state: GameState) -> bool:
        return state.board.opponent_pips - state.board.pips < 24


class Mute(FirstPlay):
    """Has no word for the cube."""

    def takes(self, state: GameState) -> bool:
        raise Fault("silence")
