"""How long answers took, of the last ones."""

from __future__ import annotations

from collections import deque
from typing import Final

REMEMBERED: Final = 1024
"""Answers that percentiles are taken of."""


class Latencies:
    """From reading a request to having its final reply, for the last REMEMBERED of a kind."""

    __slots__ = ("_seconds", "add")

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=REMEMBERED)
        self.add = self._seconds.append
        """Takes seconds."""

    def milliseconds(self, share: float) -> float:
        """What this share of the answers took at most, in ms; 0 before there are any."""
        ordered = sorted(self._seconds)
        return round(1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)], 3) if ordered else 0.0
