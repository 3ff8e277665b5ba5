"""How much a peer may ask in how little time."""

from __future__ import annotations


class Pace:
    """A bucket that holds `rate` lines and fills up within a second."""

    def __init__(self, rate: int, now: float) -> None:
        """`rate` 0: no limit. `now` in seconds, of the clock that `take` is told of too."""
        self._rate = rate
        self._left = float(rate)
        self._at = now

    def take(self, lines: int, now: float) -> int:
        """How many of `lines` that have come now may be read."""
        if not self._rate:
            return lines
        left = self._left + (now - self._at) * self._rate
        if left > self._rate:
            left = self._rate
        self._at = now
        taken = lines if lines <= left else int(left)
        self._left = left - taken
        return taken
