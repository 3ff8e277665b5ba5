"""What all connections of a daemon share, and how a daemon ends.

SIGTERM or SIGINT: nobody new is let in, what was asked is answered, then the daemon leaves. A second one: it leaves
at once, with exit status 1. SIGHUP, where there are tokens or certificates: they are read anew.
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
from bgd.daemon.access import Access
from bgd.daemon.auth import Guard
from bgd.daemon.connection import Connection
from bgd.daemon.crowd import Crowd, origin
from bgd.daemon.engine import EngineHost
from bgd.daemon.lookout import Lookout
from bgd.daemon.notify import Manager
from bgd.daemon.scheduler import Scheduler
from bgd.daemon.session import Session
from bgd.daemon.tally import Counts, Tally
from bgd.daemon.tls import TlsTransport
from bgd.daemon.transport import SocketTransport, Transport
from bgd.errors import BgdError, Busy, ConfigError
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

    def __init__(
        self,
        config: Config,
        engines: EngineHost,
        open_session: Callable[[str], Session],
        *,
        access: Access | None = None,
        manager: Manager | None = None,
    ) -> None:
        """`access` is asked of TCP peers alone; None: none is. `manager` None: nobody is told anything."""
        self.access = access or Access(Config())
        self.manager = manager or Manager({})
        self._config = config
        self._engines = engines
        self._open_session = open_session
        self._scheduler = Scheduler(engines, config.workers or cores(), config.limits.max_queued)
        self.lookout = Lookout(lambda: self._scheduler.queued or self._scheduler.running)
        self._connections: set[Connection] = set()
        self._counts = Counts()
        self._crowd = Crowd(config.limits.max_connections, config.limits.max_per_address)
        self._refusing = 0
        self._full = False  # the last one at the door was refused
        self._greeting: set[trio.CancelScope] = set()
        self._started = monotonic()
        self._letting_in = trio.CancelScope()
        self._leaving = False

    async def run(self, body: Callable[[], Awaitable[None]]) -> int:
        """Run `body` until it ends by itself or is cancelled by the first signal. Returns the exit status."""
        heeded = [signal.SIGTERM, signal.SIGINT]
        if self.access.changeable:
            heeded.append(signal.SIGHUP)
        with trio.open_signal_receiver(*heeded) as signals, trio.CancelScope() as everything:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._obey, signals, everything)
                nursery.start_soon(self._scheduler.run)
                nursery.start_soon(self._engines.load)
                nursery.start_soon(self._tell_of_the_engine)
                nursery.start_soon(self.manager.keep_watching)
                await body()
                nursery.cancel_scope.cancel()
        return 1 if everything.cancelled_caught else 0

    async def _obey(self, signals: AsyncIterator[int], everything: trio.CancelScope) -> None:
        async for number in signals:
            if number == signal.SIGHUP:
                self._reload()
                continue
            if self._leaving:
                log.warning("%s again: leaving at once", signal.Signals(number).name)
                everything.cancel()
                return
            self._leaving = True
            log.info("%s: answering what was asked, then leaving", signal.Signals(number).name)
            self.manager.tell("STOPPING=1", "STATUS=answering what was asked, then leaving")
            self._letting_in.cancel()
            for greeting in self._greeting:
                greeting.cancel()
            for connection in self._connections:
                connection.shut_down()

    def _reload(self) -> None:
        try:
            self.access.load()
        except ConfigError as error:
            log.error("SIGHUP: all stays as it was: %s", error.message)
        else:
            log.info("SIGHUP: tokens and certificates read anew, for connections from now on")

    async def _tell_of_the_engine(self) -> None:
        try:
            await self._engines.wait()
        except BgdError as error:
            self.manager.tell(f"STATUS=no engine: {error.message}")
        else:
            self.manager.tell("STATUS=ready")

    async def let_in(self, *doors: Callable[[trio.Nursery], Awaitable[None]]) -> None:
        """Run `doors` until told to leave, then wait for the connections that they started in the nursery."""
        async with trio.open_nursery() as connections:
            with self._letting_in:
                async with trio.open_nursery() as open_doors:
                    for door in doors:
                        open_doors.start_soon(door, connections)

    async def admit(self, sock: socket.socket, name: str, address: str | None) -> None:
        """A peer at the door: serve it, or refuse it when the house is full. `address` None: it came by Unix socket."""
        place = None if address is None else origin(address)
        refusal = self._crowd.refusal(place)
        if refusal is not None:
            await self._refuse(sock, name, refusal, silent=address is not None and self.access.tls is not None)
            return
        self._full = False
        with self._crowd.joined(place):
            if address is None:
                await self.serve(SocketTransport(sock, self.lookout), name)
                return
            guard = Guard(self.access.tokens, max_bad=self._config.limits.max_bad_tokens, name=name)
            transport = await self._greet(SocketTransport(sock, self.lookout), name)
            if transport is not None:
                await self.serve(transport, name, guard)

    async def _greet(self, under: SocketTransport, name: str) -> Transport | None:
        """The transport to speak over to a TCP peer; None when it can't be agreed on."""
        if self.access.tls is None:
            return under
        transport = TlsTransport(under, self.access.tls)
        why = "no TLS with it in time"
        with trio.move_on_after(self._config.limits.handshake_timeout) as greeting:
            self._greeting.add(greeting)
            try:
                await transport.handshake()
                return transport
            except trio.BrokenResourceError as error:
                why = str(error)
            finally:
                self._greeting.discard(greeting)
        log.info("dropped: %s", why, extra={"peer": name})
        self._counts.tally.refused["handshake"] += 1
        under.close()
        return None

    async def serve(self, transport: Transport, name: str, guard: Guard | None = None) -> None:
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
            guard=guard,
        )
        self._counts.connections += 1
        self._counts.open += 1
        self._connections.add(connection)
        log.debug("connected", extra={"peer": name})
        try:
            if self._leaving:
                connection.shut_down()
            await connection.run()
        except Exception:
            log.exception("the connection failed", extra={"peer": name})
        finally:
            self._connections.discard(connection)
            self._counts.open -= 1
            log.debug("closed", extra={"peer": name})

    async def _refuse(self, sock: socket.socket, name: str, error: Busy, *, silent: bool) -> None:
        """`silent`: a peer that waits for TLS would not understand."""
        level = logging.DEBUG if self._full else logging.WARNING
        log.log(level, "refused: %s", error.message, extra={"peer": name})
        self._full = True  # who keeps knocking doesn't fill the log
        self._counts.tally.refused["busy"] += 1
        transport = SocketTransport(sock)
        self._refusing += 1
        try:
            if silent:
                return
            transport.send_now(Conversation(self._config.dialect).refuse(error))
            transport.end_output()
            if self._refusing <= MAX_REFUSING:
                with trio.move_on_after(self._config.limits.linger):
                    await transport.receive()
        except trio.BrokenResourceError as lost:
            log.debug("left meanwhile: %s", lost, extra={"peer": name})
        finally:
            self._refusing -= 1
            transport.close()

    @property
    def idle(self) -> bool:
        """Whether no thread is loading or computing."""
        return not self._engines.at_work and not self._scheduler.busy_threads

    @property
    def tally(self) -> Tally:
        return self._counts.tally

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
