"""How right and how quick the engine is: `bgd bench accuracy` and `bgd bench speed`, one JSON object each on stdout."""

from bgd.bench.command import main

__all__ = ["main"]
