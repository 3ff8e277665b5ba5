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
        self._left = min(self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        taken = min(lines, int(self._left))
        self._left -= taken
        return taken
