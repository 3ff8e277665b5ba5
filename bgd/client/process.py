"""A daemon of one's own: a process that speaks on stdin and stdout."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

OWN_DAEMON: Final = (sys.executable, "-m", "bgd", "stdio")

LEAVING_TIMEOUT: Final = 10.0
"""Seconds for it to end after its input has."""


class Process:
    """What runs `command`, behind a socket that is its stdin and stdout. Its stderr is ours."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None

    def open(self) -> socket.socket:
        """Start it; one that was started before is ended. Raises OSError."""
        self.close()
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._process = subprocess.Popen(self._command, stdin=theirs.fileno(), stdout=theirs.fileno())
            except OSError:
                ours.close()
                raise
        return ours

    def close(self) -> None:
        """Wait for it to end, as it does when its socket has been closed; not for ever."""
        if self._process is None:
            return
        try:
            self._process.wait(LEAVING_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None
