"""Deadlines for jobs that are run by hand."""

from __future__ import annotations

from bgd.wire.messages import Progress


class Unhurried:
    """Never up. `told` is what was reported, in order."""

    def __init__(self) -> None:
        self.told: list[Progress] = []

    def stop_now(self) -> bool:
        return False

    def report(self, progress: Progress) -> None:
        self.told.append(progress)


class Stopped(Unhurried):
    """Up from the start."""

    def stop_now(self) -> bool:
        return True
