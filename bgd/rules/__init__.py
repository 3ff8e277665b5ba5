"""The rules of backgammon as immutable values and pure functions. Standard library only."""
