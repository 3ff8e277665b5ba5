"""Bytes in and out of one peer: a socket, or a pair of file descriptors. Losing the peer is BrokenResourceError.

Sending has two forms. `send_now` never waits: it hands over what fits and says how much that was, so that a short
reply leaves in the same turn of the loop in which its request came. `send_some` waits for room first.
"""

from __future__ import annotations

import os
import select
import socket
from contextlib import suppress
from typing import Final, Protocol

import trio

from bgd.daemon.lookout import Lookout

READ_SIZE: Final = 65_536

PROBES: Final = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 10, "TCP_KEEPCNT": 6}
"""Seconds of silence until the system asks whether the other one is still there, seconds between two such probes, and
how many may stay unanswered."""

# A pipe that polls as writable takes this much without blocking (POSIX: PIPE_BUF), so that it needn't be made
# non-blocking: that flag would be shared with every other process that holds the same terminal or pipe.
PIPE_CHUNK: Final = select.PIPE_BUF


class Transport(Protocol):
    """What a connection needs of its peer."""

    async def receive(self) -> bytes:
        """At least one byte; b"" at the end of input. A checkpoint, but for what a Lookout has seen come."""
        ...

    def receive_now(self) -> bytes | None:
        """What has come already; None when there is nothing."""
        ...

    def send_now(self, data: bytes | bytearray) -> int:
        """How many bytes of `data` were handed over, without waiting; maybe none."""
        ...

    async def send_some(self, data: bytes | bytearray) -> int:
        """Wait for room, hand over at least one byte, say how many."""
        ...

    async def wait_gone(self) -> None:
        """Return once the peer can't be answered any more. End of input alone is no such sign."""
        ...

    def end_output(self) -> bool:
        """Tell the peer that nothing more will come; input stays open. False where there is no way to tell it."""
        ...

    def close(self) -> None:
        """Let go of everything. No other call may be under way."""
        ...


async def _wait_gone(descriptor: int) -> None:
    """A hang-up or error of `descriptor`; for ever where the system can't tell."""
    if not hasattr(select, "epoll"):
        await trio.sleep_forever()
    with select.epoll() as watch:
        try:
            watch.register(descriptor, 0)  # no events asked for: hang-ups and errors are always told
        except PermissionError:  # regular files can't be polled, and never hang up
            await trio.sleep_forever()
        await trio.lowlevel.wait_readable(watch.fileno())


class SocketTransport:
    """A connected TCP or Unix stream socket; takes it over."""

    def __init__(self, sock: socket.socket, lookout: Lookout | None = None) -> None:
        """`lookout`: where to wait for a moment before the loop is asked to."""
        sock.setblocking(False)
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            # Without it a reply would wait for the acknowledgement of the one before, up to 40 ms.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = sock
        self._lookout = lookout
        if lookout is not None:
            lookout.add(sock.fileno())

    async def receive(self) -> bytes:
        while True:
            # No try at once: in request and response there is never anything yet, and a failing read costs 2 µs.
            if self._lookout is None or not self._lookout.wait_for(self._socket.fileno()):
                await trio.lowlevel.wait_readable(self._socket)
            data = self.receive_now()
            if data is not None:
                return data

    def receive_now(self) -> bytes | None:
        try:
            return self._socket.recv(READ_SIZE)
        except BlockingIOError:
            return None
        except OSError as error:
            raise trio.BrokenResourceError(str(error)) from error

    def send_now(self, data: bytes | bytearray) -> int:
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise trio.BrokenResourceError(str(error)) from error

    async def send_some(self, data: bytes | bytearray) -> int:
        while True:
            await trio.lowlevel.wait_writable(self._socket)
            sent = self.send_now(data)
            if sent:
                return sent

    async def wait_gone(self) -> None:
        """Of a TCP peer that has closed its socket nothing more is heard than of one that has ended its input, which
        still waits for answers. Probes tell them apart, though not at once: the closed one's system answers them for
        about a minute (Linux: tcp_fin_timeout), and then with a reset."""
        if self._socket.family == socket.AF_UNIX:
            await _wait_gone(self._socket.fileno())
            return
        self._probe(True)
        try:
            await _wait_gone(self._socket.fileno())
        finally:
            self._probe(False)

    def _probe(self, on: bool) -> None:
        with suppress(OSError):  # it is gone already
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, on)
            for name, value in PROBES.items() if on else ():
                if hasattr(socket, name):
                    self._socket.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)

    def end_output(self) -> bool:
        try:
            self._socket.shutdown(socket.SHUT_WR)
        except OSError as error:
            raise trio.BrokenResourceError(str(error)) from error
        return True

    def close(self) -> None:
        self._socket.close()


def _can_poll(descriptor: int) -> bool:
    """Whether readiness can be waited for: pipes, terminals and sockets yes, regular files and /dev/null no."""
    if not hasattr(select, "epoll"):
        return True  # kqueue takes them all
    with select.epoll() as probe:
        try:
            probe.register(descriptor, 0)
        except PermissionError:
            return False
    return True


class DescriptorTransport:
    """Two file descriptors, such as stdin and stdout: pipes, terminals, sockets or files. Takes them over."""

    def __init__(self, source: int, target: int) -> None:
        self._source, self._target = source, target
        self._source_polls, self._target_polls = _can_poll(source), _can_poll(target)
        self._room: select.poll | None = None
        if self._target_polls:
            self._room = select.poll()
            self._room.register(target, select.POLLOUT)
        self._input = select.poll()
        self._input.register(source, select.POLLIN)

    async def receive(self) -> bytes:
        if self._source_polls:
            await trio.lowlevel.wait_readable(self._source)
        else:
            await trio.lowlevel.checkpoint()
        return self._read()

    def receive_now(self) -> bytes | None:
        return self._read() if self._input.poll(0) else None

    def _read(self) -> bytes:
        try:
            return os.read(self._source, READ_SIZE)
        except OSError as error:  # EIO: the terminal is gone
            raise trio.BrokenResourceError(str(error)) from error

    def send_now(self, data: bytes | bytearray) -> int:
        sent = 0
        try:
            while sent < len(data) and (self._room is None or self._room.poll(0)):
                sent += os.write(self._target, memoryview(data)[sent : sent + PIPE_CHUNK])
        except BlockingIOError:  # somebody else made it non-blocking
            return sent
        except OSError as error:
            raise trio.BrokenResourceError(str(error)) from error
        return sent

    async def send_some(self, data: bytes | bytearray) -> int:
        while True:
            if self._target_polls:
                await trio.lowlevel.wait_writable(self._target)
            else:
                await trio.lowlevel.checkpoint()
            sent = self.send_now(data)
            if sent:
                return sent

    async def wait_gone(self) -> None:
        await _wait_gone(self._target)

    def end_output(self) -> bool:
        """Descriptors have no half-close: closing them is the end of output."""
        return False

    def close(self) -> None:
        for descriptor in {self._source, self._target}:
            os.close(descriptor)
