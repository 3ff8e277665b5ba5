"""bgd, the backgammon engine daemon, as a library."""

__version__ = "0.1.0"
