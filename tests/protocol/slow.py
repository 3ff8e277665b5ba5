"""A daemon in memory that speaks all dialects. Beyond some plies its engine takes as long as a test likes."""

from __future__ import annotations

import functools
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec
import numpy as np
import trio
import trio.testing
from numpy.typing import NDArray

from bgd.config import Limits
from bgd.daemon.connection import Connection
from bgd.daemon.engine import EngineHost
from bgd.daemon.scheduler import Scheduler
from bgd.daemon.tally import Counts
from bgd.engine import Engine
from bgd.engine.search import Look, Ranked
from bgd.engine.values import Stop
from bgd.kernels.cubeful import Ladder
from bgd.service.session import Service
from bgd.wire.conversation import Conversation
from bgd.wire.detect import Dialect
from tests.daemon.fakes import Peer, StreamTransport
from tests.engine.fakes import FakeJudge


class SlowJudge(FakeJudge):
    """Beyond some plies it thinks until `finish()`, or until told to stop: then it says what it thought at 0.

    `begun` counts the searches that have begun to wait."""

    def __init__(self, quick_plies: int) -> None:
        super().__init__()
        self._quick_plies = quick_plies
        self._done = threading.Event()
        self.begun = threading.Semaphore(0)

    def finish(self) -> None:
        self._done.set()

    def _think(self, plies: int, stop: Stop) -> None:
        if plies > self._quick_plies and not self._done.is_set():
            self.begun.release()
            while not self._done.wait(0.001) and not stop():
                pass

    def look(self, board: Sequence[int], weights6: NDArray[np.float32], ladder: Ladder, plies: int, stop: Stop) -> Look:
        self._think(plies, stop)
        return super().look(board, weights6, ladder, plies, stop)

    def rank(
        self,
        board: Sequence[int],
        d1: int,
        d2: int,
        weights6: NDArray[np.float32],
        plies: int,
        stop: Stop,
        ladder: Ladder | None,
    ) -> Ranked:
        self._think(plies, stop)
        return super().rank(board, d1, d2, weights6, plies, stop, ladder)


class SlowDaemon:
    def __init__(self, nursery: trio.Nursery, quick_plies: int = 0, **limits: Any) -> None:
        self.judge = SlowJudge(quick_plies)
        self.limits = msgspec.convert({"min_progress": 0.0, **limits}, Limits, strict=False)
        self._nursery = nursery
        self._counts = Counts()
        self._engines = EngineHost(lambda progress: Engine(self.judge))
        self._scheduler = Scheduler(self._engines, 2, self.limits.max_queued)
        self._service = Service(version="0.1.0", engine_state=lambda: "ready")

    async def open(self) -> SlowDaemon:
        self._nursery.start_soon(self._scheduler.run)
        self._nursery.start_soon(self._engines.load)
        await self._engines.wait()
        return self

    def connect(self, dialect: Dialect | None = None) -> Peer:
        ours, theirs = trio.testing.memory_stream_pair()
        transport = StreamTransport(theirs)
        connection = Connection(
            transport,
            Conversation(dialect, limit=self.limits.max_line),
            open_session=self._service.open_session,
            engines=self._engines,
            scheduler=self._scheduler,
            limits=self.limits,
            counts=self._counts,
            statistics=lambda: {"requests": self._counts.requests},
            name="peer",
        )
        peer = Peer(connection, transport, ours)
        self._nursery.start_soon(peer.run)
        return peer

    async def thinks(self) -> None:
        """Wait until a search has begun."""
        await trio.to_thread.run_sync(self.judge.begun.acquire)


Scenario = Callable[[SlowDaemon], Awaitable[None]]


def with_a_slow_engine(**limits: Any) -> Callable[[Scenario], Callable[[], None]]:
    """Run a scenario with a daemon of its own."""

    def decorate(scenario: Scenario) -> Callable[[], None]:
        @functools.wraps(scenario)
        def test() -> None:
            async def main() -> None:
                with trio.fail_after(60):
                    async with trio.open_nursery() as nursery:
                        daemon = await SlowDaemon(nursery, **limits).open()
                        try:
                            await scenario(daemon)
                        finally:
                            daemon.judge.finish()  # no thread is left behind
                        nursery.cancel_scope.cancel()

            trio.run(main)

        del test.__wrapped__  # type: ignore[attr-defined]  # pytest would take its parameter for a fixture
        return test

    return decorate
