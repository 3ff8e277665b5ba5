"""What all connections of a daemon share, and how a daemon ends.

SIGTERM or SIGINT: nobody new is let in, what was asked is answered, then the daemon leaves. A second one: it leaves
at once, with exit status 1.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from time import monotonic
from typing import Final

import trio

from bgd.config import Config
from bgd.daemon.connection import Connection, Counts
from bgd.daemon.engine import EngineHost
from bgd.daemon.scheduler import Scheduler
from bgd.daemon.session import Session
from bgd.daemon.transport import SocketTransport, Transport
from bgd.errors import Busy
from bgd.wire.conversation import Conversation

log = logging.getLogger(__name__)

MAX_REFUSING: Final = 64
"""Peers at once that are told `busy` and given time to read it; more are just closed."""


STATM: Final = Path("/proc/self/statm")
"""Where Linux tells of a process's memory, in pages."""


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory() -> dict[str, float]:
    """`memory`: what the process holds now, in MiB; nothing where the system doesn't tell."""
    try:
        pages = int(STATM.read_text().split()[1])
    except OSError:
        return {}
    return {"memory": round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)}


class Host:
    """One daemon. `run` it with a body that lets peers in through `serve` or `admit`."""

    def __init__(self, config: Config, engines: EngineHost, open_session: Callable[[str], Session]) -> None:
        self._config = config
        self._engines = engines
        self._open_session = open_session
        self._scheduler = Scheduler(engines, config.workers or cores(), config.limits.max_queued)
        self._connections: set[Connection] = set()
        self._counts = Counts()
        self._refusing = 0
        self._started = monotonic()
        self._letting_in = trio.CancelScope()
        self._leaving = False

    async def run(self, body: Callable[[], Awaitable[None]]) -> int:
        """Run `body` until it ends by itself or is cancelled by the first signal. Returns the exit status."""
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals, trio.CancelScope() as everything:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._obey, signals, everything)
                nursery.start_soon(self._scheduler.run)
                nursery.start_soon(self._engines.load)
                await body()
                nursery.cancel_scope.cancel()
        return 1 if everything.cancelled_caught else 0

    async def _obey(self, signals: AsyncIterator[int], everything: trio.CancelScope) -> None:
        async for number in signals:
            if self._leaving:
                log.warning("%s again: leaving at once", signal.Signals(number).name)
                everything.cancel()
                return
            self._leaving = True
            log.info("%s: answering what was asked, then leaving", signal.Signals(number).name)
            self._letting_in.cancel()
            for connection in self._connections:
                connection.shut_down()

    async def let_in(self, *doors: Callable[[trio.Nursery], Awaitable[None]]) -> None:
        """Run `doors` until told to leave, then wait for the connections that they started in the nursery."""
        async with trio.open_nursery() as connections:
            with self._letting_in:
                async with trio.open_nursery() as open_doors:
                    for door in doors:
                        open_doors.start_soon(door, connections)

    async def admit(self, sock: socket.socket, name: str) -> None:
        """A peer at the door: serve it, or refuse it when the house is full."""
        if self._counts.open >= self._config.limits.max_connections:
            await self._refuse(sock, name)
        else:
            await self.serve(SocketTransport(sock), name)

    async def serve(self, transport: Transport, name: str) -> None:
        """One connection, from its first byte to its last. Raises nothing but cancellation."""
        limits = self._config.limits
        connection = Connection(
            transport,
            Conversation(self._config.dialect, limit=limits.max_line),
            open_session=self._open_session,
            engines=self._engines,
            scheduler=self._scheduler,
            limits=limits,
            counts=self._counts,
            statistics=self.statistics,
            name=name,
        )
        self._counts.connections += 1
        self._counts.open += 1
        self._connections.add(connection)
        log.debug("%s: connected", name)
        try:
            if self._leaving:
                connection.shut_down()
            await connection.run()
        except Exception:
            log.exception("%s: the connection failed", name)
        finally:
            self._connections.discard(connection)
            self._counts.open -= 1
            log.debug("%s: closed", name)

    async def _refuse(self, sock: socket.socket, name: str) -> None:
        limit = self._config.limits.max_connections
        log.warning("%s: refused, %d connections are open", name, limit)
        transport = SocketTransport(sock)
        self._refusing += 1
        try:
            error = Busy(f"{limit} connections are open, which is the limit; try again later")
            transport.send_now(Conversation(self._config.dialect).refuse(error))
            transport.end_output()
            if self._refusing <= MAX_REFUSING:
                with trio.move_on_after(self._config.limits.linger):
                    await transport.receive()
        except trio.BrokenResourceError as error:
            log.debug("%s: left meanwhile: %s", name, error)
        finally:
            self._refusing -= 1
            transport.close()

    @property
    def idle(self) -> bool:
        """Whether no thread is loading or computing."""
        return self._engines.state != "loading" and not self._scheduler.busy_threads

    def statistics(self) -> dict[str, int | float | str]:
        """Counts since the start. `uptime` in seconds; p50 and p99 of the last answers given at once, and of the last
        given by threads, in ms; `memory` that of the process now, in MiB, where the system tells."""
        counts = self._counts
        return {
            "uptime": round(monotonic() - self._started, 3),
            "connections": counts.connections,
            "open": counts.open,
            "requests": counts.requests,
            "errors": counts.errors,
            "queued": self._scheduler.queued,
            "running": self._scheduler.running,
            "engine": self._engines.state,
            "p50": counts.at_once.milliseconds(0.50),
            "p99": counts.at_once.milliseconds(0.99),
            "job_p50": counts.jobs.milliseconds(0.50),
            "job_p99": counts.jobs.milliseconds(0.99),
            **memory(),
        }
