"""What a job asks and tells while it runs: whether to stop, and how far it has come."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import Final

from bgd.wire.messages import Progress


class TimeLimit:
    """Counts from its making, so that time spent waiting for a thread counts too. Any thread may ask, stop or tell it.

    What is reported waits here for whoever tells it on, at a rate of his own."""

    __slots__ = ("_news", "_stopped", "ends")

    def __init__(self, movetime: int | None = None) -> None:
        """`movetime` in ms; None: no limit."""
        self.ends = inf if movetime is None else monotonic() + movetime / 1000
        """When time is up, by time.monotonic."""
        self._stopped = False
        self._news: Progress | None = None

    def stop(self) -> None:
        self._stopped = True

    def stop_now(self) -> bool:
        return self._stopped or (self.ends < inf and monotonic() >= self.ends)

    def report(self, progress: Progress) -> None:
        self._news = progress

    def take_news(self) -> Progress | None:
        """The newest report, unless it was taken before."""
        news, self._news = self._news, None
        return news


class _Unlimited:
    """For work too short to be stopped."""

    __slots__ = ()

    def stop_now(self) -> bool:
        return False

    def report(self, progress: Progress) -> None:
        pass


UNLIMITED: Final = _Unlimited()
