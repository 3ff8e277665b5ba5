"""Two players, many games, one number: `bgd duel A B` plays duplicate games of backgammon and reports points a game."""

from bgd.duel.command import main

__all__ = ["main"]
