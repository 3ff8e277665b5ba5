"""When a job is to stop: its time is up, or nobody wants its answer any more."""

from __future__ import annotations

from time import monotonic
from typing import Final


class TimeLimit:
    """Counts from its making, so that time spent waiting for a thread counts too. Any thread may ask or stop it."""

    __slots__ = ("_at", "_stopped")

    def __init__(self, movetime: int | None = None) -> None:
        """`movetime` in ms; None: no limit."""
        self._at = None if movetime is None else monotonic() + movetime / 1000
        self._stopped = False

    def stop(self) -> None:
        self._stopped = True

    def stop_now(self) -> bool:
        return self._stopped or (self._at is not None and monotonic() >= self._at)


class _Unlimited:
    """For work too short to be stopped."""

    __slots__ = ()

    def stop_now(self) -> bool:
        return False


UNLIMITED: Final = _Unlimited()
