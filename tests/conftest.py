"""What tests of every kind share: one real daemon process, started once."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
import pytest

hypothesis.settings.register_profile("any machine", deadline=None)  # a busy machine is no fault of the code
hypothesis.settings.load_profile("any machine")

START_TIMEOUT = 30.0
WARM_TIMEOUT = 600.0  # kernels may have to be compiled first, on a busy machine


class LineSocket:
    """A client of lines, over any stream socket."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._reader = sock.makefile("rb")

    def send(self, *lines: str) -> None:
        self.sock.sendall("".join(f"{line}\n" for line in lines).encode())

    def send_bytes(self, data: bytes) -> None:
        self.sock.sendall(data)

    def receive(self) -> str:
        """The next line without its end; empty at the end of the connection, too."""
        return self._reader.readline().decode().rstrip("\n")

    def receive_final(self) -> list[str]:
        """The lines of one reply of the text dialect, the last one being `ok...` or `error...`."""
        lines = []
        while True:
            line = self._reader.readline().decode()
            if not line:
                raise EOFError(f"the connection ended within a reply: {lines}")
            lines.append(line.rstrip("\n"))
            word = re.sub(r"^#\S+ ", "", lines[-1]).split(" ", 1)[0]
            if word in ("ok", "error"):
                return lines

    def ask(self, line: str) -> list[str]:
        """One request of the text dialect and its whole reply."""
        self.send(line)
        return self.receive_final()

    def end_input(self) -> None:
        self.sock.shutdown(socket.SHUT_WR)

    def receive_rest(self) -> str:
        """All that comes until the other side closes."""
        return self._reader.read().decode()

    def close(self) -> None:
        self._reader.close()
        self.sock.close()

    def __enter__(self) -> LineSocket:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class DaemonProcess:
    """`bgd serve` as a process of its own, on a free TCP port. Its stderr is read all the time and kept in `log`."""

    process: subprocess.Popen[str]
    log: list[str] = field(default_factory=list)
    _news: threading.Condition = field(default_factory=threading.Condition)

    @classmethod
    def start(cls, *arguments: str, env: dict[str, str] | None = None) -> DaemonProcess:
        process = subprocess.Popen(
            [sys.executable, "-m", "bgd", "serve", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(env or {})},
        )
        return cls.of(process)

    @classmethod
    def of(cls, process: subprocess.Popen[str]) -> DaemonProcess:
        """One that was started otherwise, its stderr a pipe of text."""
        daemon = cls(process)
        threading.Thread(target=daemon._read_log, daemon=True).start()
        return daemon

    def _read_log(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._news:
                self.log.append(line.rstrip("\n"))
                self._news.notify_all()

    def wait_for_log(self, pattern: str, timeout: float = START_TIMEOUT) -> re.Match[str]:
        """The first line of the log that has `pattern`."""

        def find() -> re.Match[str] | None:
            return next((match for line in self.log if (match := re.search(pattern, line))), None)

        with self._news:
            match = self._news.wait_for(find, timeout)
        assert match, f"no {pattern!r} in the log within {timeout} s: {self.log}"
        return match

    @property
    def port(self) -> int:
        return int(self.wait_for_log(r"listening on 127\.0\.0\.1:(\d+)")[1])

    @property
    def path(self) -> str:
        """Of its Unix socket."""
        return self.wait_for_log(r"listening on (/\S+)")[1]

    def connect(self, timeout: float = WARM_TIMEOUT) -> LineSocket:
        sock = socket.create_connection(("127.0.0.1", self.port), timeout)
        # Requests leave at once, as a careful client's do.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return LineSocket(sock)

    def connect_unix(self, timeout: float = WARM_TIMEOUT) -> LineSocket:
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(timeout)
        sock.connect(self.path)
        return LineSocket(sock)

    def stop(self, timeout: float = 30.0) -> int:
        """SIGTERM; the exit status."""
        self.process.terminate()
        return self.process.wait(timeout)

    def __enter__(self) -> DaemonProcess:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@contextmanager
def started(*command: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is gone afterwards, whatever fails meanwhile."""
    process: subprocess.Popen[bytes] = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """One daemon for all tests, on TCP and a Unix socket, its engine loaded. Leave it as you found it."""
    path = tmp_path_factory.mktemp("bgd") / "socket"
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", "--unix", str(path)) as process:
        with process.connect() as client:
            assert client.ask("best 31 position=start")[-1].startswith("ok")
        yield process
        assert process.stop() == 0


@pytest.fixture(scope="session")
def bgd_command() -> list[str]:
    """What to start for `bgd` with this very interpreter."""
    return [sys.executable, "-m", "bgd"]


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parent.parent
