"""Serving one peer over stdin and stdout. Nothing but protocol is ever written to stdout."""

from __future__ import annotations

import os
import sys

from bgd.daemon.host import Host
from bgd.daemon.transport import DescriptorTransport
from bgd.errors import ConfigError

STDIN, STDOUT, STDERR = 0, 1, 2


def _take_over() -> DescriptorTransport:
    """Stdin and stdout under other numbers; whatever else prints or reads finds stderr and an empty file there."""
    if sys.stdin is None or sys.stdout is None:  # so Python puts it when the descriptors were closed at its start
        raise ConfigError("Expected stdin and stdout to be open, got a closed one")
    source, target = os.dup(STDIN), os.dup(STDOUT)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, STDIN)
    os.close(empty)
    os.dup2(STDERR, STDOUT)
    return DescriptorTransport(source, target)


async def serve(host: Host) -> int:
    """Serve until the end of input, `quit` or a signal. Returns the exit status."""
    transport = _take_over()

    async def body() -> None:
        await host.serve(transport, "stdio")

    return await host.run(body)
