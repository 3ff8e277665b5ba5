"""Serving one peer over stdin and stdout. Nothing but protocol is ever written to stdout."""

from __future__ import annotations

import os

from bgd.daemon.host import Host
from bgd.daemon.transport import DescriptorTransport
from bgd.errors import ConfigError

STDIN, STDOUT, STDERR = 0, 1, 2


def _take_over() -> DescriptorTransport:
    """Stdin and stdout under other numbers; whatever else prints or reads finds stderr and an empty file there."""
    try:
        source, target = os.dup(STDIN), os.dup(STDOUT)
    except OSError:
        raise ConfigError("Expected stdin and stdout to be open, got a closed one") from None
    empty = os.open(os.devnull, os.O_RDWR)
    os.dup2(empty, STDIN)
    try:
        os.dup2(STDERR, STDOUT)
    except OSError:  # stderr is closed
        os.dup2(empty, STDOUT)
    os.close(empty)
    return DescriptorTransport(source, target)


async def serve(host: Host) -> int:
    """Serve until the end of input, `quit` or a signal. Returns the exit status."""
    transport = _take_over()

    async def body() -> None:
        await host.serve(transport, "stdio")

    return await host.run(body)
