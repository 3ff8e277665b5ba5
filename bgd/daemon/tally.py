"""What is counted for those who watch a daemon: plain numbers, cheap to add to, read by whoever exports them."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

from bgd.daemon.latency import Latencies

BOUNDS: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)
"""Seconds: the upper bounds of a histogram's buckets; one more has no bound."""


class Histogram:
    """How often something took how long."""

    __slots__ = ("buckets", "total")

    def __init__(self) -> None:
        self.buckets = [0] * (len(BOUNDS) + 1)
        self.total = 0.0
        """Sum of all seconds."""

    def add(self, seconds: float) -> None:
        self.buckets[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds


class Tally:
    """Since the start, over all connections."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str]] = Counter()
        """By dialect and verb; the verb of what is no request is empty."""
        self.errors: Counter[str] = Counter()
        """By code."""
        self.refused: Counter[str] = Counter()
        """Connections not served, by why: `busy`, `handshake`."""
        self.latencies: defaultdict[str, Histogram] = defaultdict(Histogram)
        """By verb: from reading a request to having its final reply."""

    def answered(self, verb: str, seconds: float) -> None:
        self.latencies[verb].add(seconds)


@dataclass(slots=True)
class Counts:
    """Of all connections since the start; `open` is how many there are now."""

    connections: int = 0
    open: int = 0
    requests: int = 0
    errors: int = 0
    at_once: Latencies = field(default_factory=Latencies)
    """Of requests answered in the turn of the loop in which they were read."""
    jobs: Latencies = field(default_factory=Latencies)
    """Of those answered by a thread, waiting for it included."""
    tally: Tally = field(default_factory=Tally)
