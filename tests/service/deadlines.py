"""Jobs run by hand, and deadlines for them."""

from __future__ import annotations

from bgd.engine import Engine
from bgd.service.job import Errand, Job
from bgd.wire.messages import Progress, Reply


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


def done(result: Reply | Job | Errand, engine: Engine) -> Reply:
    """The reply, whoever has to find it."""
    if isinstance(result, Job):
        return result.run(engine, Unhurried())
    return result.run() if isinstance(result, Errand) else result
