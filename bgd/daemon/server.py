"""Listening: TCP and Unix sockets. Everything about addresses, ports and socket files lives here."""

from __future__ import annotations

import errno
import logging
import os
import socket
import stat
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

import trio

from bgd.config import LOOPBACK, Config
from bgd.daemon.host import Host
from bgd.errors import ConfigError

log = logging.getLogger(__name__)

BACKLOG: Final = 128
NO_DESCRIPTORS: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
RETRY_ACCEPT: Final = 0.1
"""Seconds to wait for a descriptor to come free when the system has none left."""


def _address_text(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _listen_tcp(host: str, port: int) -> list[socket.socket]:
    """Sockets listening on every address of `host`, all on the same port. Raises OSError."""
    sockets: list[socket.socket] = []
    try:
        for family, _, _, _, address in socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE | socket.AI_NUMERICSERV
        ):
            chosen = sockets[0].getsockname()[1] if sockets else port
            sockets.append(
                socket.create_server((str(address[0]), chosen), family=family, backlog=BACKLOG, reuse_port=False)
            )
    except OSError:
        for sock in sockets:
            sock.close()
        raise
    return sockets


def _listen_loopback(port: int) -> list[socket.socket]:
    """IPv4's loopback address and, where there is one and its port is free, IPv6's."""
    sockets = _listen_tcp(LOOPBACK[0], port)
    chosen = sockets[0].getsockname()[1]
    try:
        sockets += _listen_tcp(LOOPBACK[1], chosen)
    except OSError as error:
        log.debug("not listening on %s: %s", _address_text(LOOPBACK[1], chosen), error.strerror)
    return sockets


def _remove_stale(path: Path) -> None:
    """Remove a socket file that nobody listens on any more. Raises ConfigError for anything else in the way."""
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(kind):
        raise ConfigError(f"Expected a free path for the socket, got `{path}`, which is something else")
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            with suppress(FileNotFoundError):
                path.unlink()
            return
        except OSError as error:
            raise ConfigError(f"Expected a free path for the socket, got `{path}`: {error.strerror}") from None
    raise ConfigError(f"Expected a free path for the socket, got `{path}`, where a daemon listens already")


def _listen_unix(path: Path) -> socket.socket:
    """A socket file that only its owner may connect to. Raises OSError or ConfigError."""
    _remove_stale(path)
    sock = socket.socket(socket.AF_UNIX)
    mask = os.umask(0o177)
    try:
        sock.bind(str(path))
        sock.listen(BACKLOG)
    except OSError:
        sock.close()
        raise
    finally:
        os.umask(mask)
    return sock


def _reason(error: OSError) -> str:
    """Without what the standard library adds to some of them, which is the address once more."""
    if isinstance(error, socket.gaierror) or error.errno is None:
        return error.strerror or str(error)
    return os.strerror(error.errno)


def _listen(config: Config) -> list[socket.socket]:
    """All sockets that the settings ask for, listening. Raises ConfigError."""
    sockets: list[socket.socket] = []
    where = ""
    try:
        if config.unix is not None:
            where = config.unix
            sockets.append(_listen_unix(Path(config.unix)))
        if config.host is not None:
            where = _address_text(config.host, config.port)
            sockets += _listen_tcp(config.host, config.port)
        elif config.unix is None:
            where = _address_text(LOOPBACK[0], config.port)
            sockets += _listen_loopback(config.port)
    except (OSError, ConfigError) as error:
        for sock in sockets:
            sock.close()
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"Can't listen on {where}: {_reason(error).lower()}") from None
    return sockets


def _name(sock: socket.socket) -> str:
    if sock.family == socket.AF_UNIX:
        return str(sock.getsockname())
    host, port = sock.getsockname()[:2]
    return _address_text(host, port)


def _door(host: Host, listener: socket.socket) -> Callable[[trio.Nursery], Awaitable[None]]:
    async def accept(connections: trio.Nursery) -> None:
        listener.setblocking(False)
        number = 0
        short = False
        while True:
            await trio.lowlevel.wait_readable(listener)
            try:
                sock, address = listener.accept()
            except (BlockingIOError, ConnectionAbortedError):
                continue
            except OSError as error:
                if error.errno not in NO_DESCRIPTORS:
                    raise
                if not short:
                    log.error("can't let anybody in: %s; trying on", error.strerror)
                short = True
                await trio.sleep(RETRY_ACCEPT)
                continue
            short = False
            number += 1
            peer = _address_text(*address[:2]) if listener.family != socket.AF_UNIX else f"unix#{number}"
            connections.start_soon(host.admit, sock, peer)

    return accept


async def serve(host: Host, config: Config) -> int:
    """Listen and serve until told to leave. Returns the exit status; raises ConfigError when it can't listen."""
    with ExitStack() as stack:
        listeners = [stack.enter_context(sock) for sock in _listen(config)]
        if config.unix is not None:
            stack.callback(Path(config.unix).unlink, missing_ok=True)

        async def body() -> None:
            for listener in listeners:
                log.info("listening on %s", _name(listener))
            await host.let_in(*(_door(host, listener) for listener in listeners))

        return await host.run(body)
