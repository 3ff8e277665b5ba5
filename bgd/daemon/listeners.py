"""Sockets to listen on: addresses, ports, socket files, and sockets that a service manager opened."""

from __future__ import annotations

import logging
import os
import socket
import stat
from collections.abc import MutableMapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from bgd.config import LOOPBACK, Config
from bgd.errors import ConfigError

log = logging.getLogger(__name__)

BACKLOG: Final = 128
FIRST_PASSED: Final = 3
"""The number of the first descriptor that is passed, SD_LISTEN_FDS_START (sd_listen_fds(3))."""

_FAMILIES: Final = (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX)


def address_text(host: str, port: int) -> str:
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
        log.debug("not listening on %s: %s", address_text(LOOPBACK[1], chosen), error.strerror)
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


def listen(config: Config, passed: Sequence[socket.socket] = ()) -> list[socket.socket]:
    """All sockets that the settings ask for, listening. Those `passed` stand in for the loopback addresses.

    Raises ConfigError, with all sockets closed."""
    sockets = list(passed)
    where = ""
    try:
        if config.unix is not None:
            where = config.unix
            sockets.append(_listen_unix(Path(config.unix)))
        if config.host is not None:
            where = address_text(config.host, config.port)
            sockets += _listen_tcp(config.host, config.port)
        elif not sockets:
            where = address_text(LOOPBACK[0], config.port)
            sockets += _listen_loopback(config.port)
    except (OSError, ConfigError) as error:
        for sock in sockets:
            sock.close()
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"Can't listen on {where}: {_reason(error).lower()}") from None
    return sockets


def take_passed(environment: MutableMapping[str, str]) -> list[socket.socket]:
    """Listening sockets that systemd, or who does as it does, has opened for this process (sd_listen_fds(3)).

    Takes what tells of them out of `environment`, so that no child takes them for its own. Raises ConfigError for what
    is no listening stream socket."""
    told = {name: environment.pop(name, "") for name in ("LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES")}
    if told["LISTEN_PID"] != str(os.getpid()) or not told["LISTEN_FDS"].isdecimal():
        return []
    count = int(told["LISTEN_FDS"])
    names = told["LISTEN_FDNAMES"].split(":") + [""] * count
    return [adopt(descriptor, names.pop(0)) for descriptor in range(FIRST_PASSED, FIRST_PASSED + count)]


def adopt(descriptor: int, name: str) -> socket.socket:
    """The listening socket that a descriptor is. Raises ConfigError when it is something else."""
    try:
        sock = socket.socket(fileno=descriptor)
        listening = sock.type == socket.SOCK_STREAM and sock.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError as error:
        raise ConfigError(f"Expected descriptor {descriptor} (`{name}`) to be a socket: {error.strerror}") from None
    if not listening or sock.family not in _FAMILIES:
        raise ConfigError(
            f"Expected descriptor {descriptor} (`{name}`) to be a listening stream socket: ListenStream= and Accept=no"
        )
    sock.set_inheritable(False)
    log.info("descriptor %d (%s) was passed: %s", descriptor, name or "no name", name_of(sock))
    return sock


def name_of(sock: socket.socket) -> str:
    if sock.family == socket.AF_UNIX:
        return str(sock.getsockname())
    host, port = sock.getsockname()[:2]
    return address_text(host, port)
