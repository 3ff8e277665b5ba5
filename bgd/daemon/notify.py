"""Telling a service manager how the daemon is, as sd_notify(3) says: one datagram of lines to the socket it named."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import MutableMapping

import trio

log = logging.getLogger(__name__)


class Manager:
    """Who started the daemon, if it wants to know. Silent when nobody does."""

    def __init__(self, environment: MutableMapping[str, str]) -> None:
        """Takes what is meant for this process alone out of `environment`."""
        path = environment.pop("NOTIFY_SOCKET", "")
        alive, process = environment.pop("WATCHDOG_USEC", ""), environment.pop("WATCHDOG_PID", str(os.getpid()))
        self._address = "\0" + path[1:] if path.startswith("@") else path  # `@` is how an abstract name is written
        wanted = bool(path) and alive.isdecimal() and process == str(os.getpid())
        self.watchdog = int(alive) / 1e6 if wanted else None
        """Seconds after which a silent daemon is taken for dead."""

    def tell(self, *lines: str) -> None:
        """`READY=1` and the like. Never fails: the daemon can do without."""
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
                sock.setblocking(False)
                sock.sendto("\n".join(lines).encode(), self._address)
        except OSError as error:
            log.debug("the service manager can't be told %s: %s", lines, error.strerror)

    async def keep_watching(self) -> None:
        """Say that the loop is alive, twice in the time in which it must be said, for ever."""
        while self.watchdog:
            self.tell("WATCHDOG=1")
            await trio.sleep(self.watchdog / 2)
