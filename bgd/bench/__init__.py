"""How right and how quick bgd is: `bgd bench accuracy`, `bgd bench speed`, `bgd bench socket` and the like, one JSON
object each on stdout."""

from bgd.bench.command import main

__all__ = ["main"]
