"""Serving whoever comes to the listening sockets, until told to leave."""

from __future__ import annotations

import errno
import logging
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import trio

from bgd.config import Config
from bgd.daemon.host import Host
from bgd.daemon.listeners import address_text, listen, name_of, take_passed

log = logging.getLogger(__name__)

NO_DESCRIPTORS: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
RETRY_ACCEPT: Final = 0.1
"""Seconds to wait for a descriptor to come free when the system has none left."""


def _door(host: Host, listener: socket.socket) -> Callable[[trio.Nursery], Awaitable[None]]:
    async def accept(connections: trio.Nursery) -> None:
        listener.setblocking(False)
        host.lookout.add(listener.fileno())
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
            if listener.family == socket.AF_UNIX:
                connections.start_soon(host.admit, sock, f"unix#{number}", None)
            else:
                connections.start_soon(host.admit, sock, address_text(*address[:2]), address[0])

    return accept


async def serve(host: Host, config: Config) -> int:
    """Listen and serve until told to leave. Returns the exit status; raises ConfigError when it can't listen."""
    with ExitStack() as stack:
        listeners = [stack.enter_context(sock) for sock in listen(config, take_passed(os.environ))]
        if config.unix is not None:
            stack.callback(Path(config.unix).unlink, missing_ok=True)
        host.access.check(listeners)
        if config.metrics_port is not None:
            from bgd.daemon.metrics import exported

            stack.enter_context(exported(host, config.metrics_port))

        async def body() -> None:
            for listener in listeners:
                log.info("listening on %s%s", name_of(listener), host.access.manner(listener))
            host.manager.tell("READY=1", "STATUS=loading the engine")
            await host.let_in(*(_door(host, listener) for listener in listeners))

        return await host.run(body)
