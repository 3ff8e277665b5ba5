"""GNU Backgammon's external interface from the asking side: a line out, a line back, over a socket.

Any server of the interface will do, bgd's own included; GnubgServer starts a real GNU Backgammon as one.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from bgd.errors import ConfigError
from bgd.notation import fibs_board
from bgd.rules.state import GameState, Match

GNUBG_PLACES: Final = ("gnubg", "/usr/games/gnubg", "/usr/local/bin/gnubg")
"""Where GNU Backgammon is looked for: PATH first; Debian's package installs into /usr/games."""


def find_gnubg() -> str | None:
    """The path of the gnubg program, or None when it is not installed."""
    return next((found for place in GNUBG_PLACES if (found := shutil.which(place))), None)


def required_gnubg() -> str:
    """The same. Raises ConfigError when it is not installed."""
    program = find_gnubg()
    if program is None:
        raise ConfigError("Expected GNU Backgammon to be installed (Debian's package is `gnubg`), found no `gnubg`")
    return program


def question(state: GameState) -> str:
    """The line that asks for the decision of `state`, Jacoby's rule off. Only bgd's own server heeds what it says of
    beavers: GNU Backgammon goes by its settings."""
    agreed = isinstance(state.terms, Match) or state.terms.beavers
    return fibs_board.encode(state, names=("bgd", "gnubg")) + " jacobyrule off" + ("" if agreed else " beavers no")


class ExternalClient:
    """One connection. Raises OSError (ConnectionError when the server closes) as sockets do; `timeout` in seconds."""

    def __init__(self, host: str, port: int, timeout: float = 60.0) -> None:
        self._socket = socket.create_connection((host, port), timeout)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._reader = self._socket.makefile("rb")

    def ask(self, line: str) -> str:
        """The one reply line to `line`, without its line end. Blanks at the end are part of the reply."""
        self.send(line)
        return self.receive()

    def send(self, line: str) -> None:
        self._socket.sendall(line.encode() + b"\n")

    def receive(self) -> str:
        """The next line. Raises ConnectionError when there is none."""
        reply = self._reader.readline()
        if not reply.endswith(b"\n"):
            raise ConnectionError(f"The server closed the connection after `{reply.decode(errors='replace')}`")
        return reply[:-1].decode(errors="replace")

    def close(self) -> None:
        self._reader.close()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class GnubgServer:
    """A GNU Backgammon of our own, serving its external interface on a free port of the loopback.

    It answers one client at a time. Settings are pinned: `plies` for plays and cube, no noise, its own home directory
    and no settings file, so that two runs ask the same player. `cubeful` False ranks plays by cubeless equity.

    Raises ConfigError when the program is missing or doesn't come up.
    """

    def __init__(self, plies: int = 0, *, cubeful: bool = True, jacoby: bool = True, beavers: bool = True) -> None:
        program = required_gnubg()
        self.host = "localhost"
        self.port = _free_port()
        self._listening = False
        self._home = tempfile.TemporaryDirectory(prefix="bgd-gnubg-")
        self._process = subprocess.Popen(
            [program, "-t", "-q", "-r"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "HOME": self._home.name, "LC_ALL": "C"},
        )
        switch = "on" if cubeful else "off"
        script = [
            f"set evaluation chequer evaluation plies {plies}",
            f"set evaluation chequer evaluation cubeful {switch}",
            "set evaluation chequer evaluation noise 0",
            f"set evaluation cubedecision evaluation plies {plies}",
            "set evaluation cubedecision evaluation noise 0",
            f"set jacoby {'on' if jacoby else 'off'}",
            f"set beavers {3 if beavers else 0}",
            f"external {self.host}:{self.port}",
        ]
        try:
            self._start(script)
        except BaseException:
            self.close()
            raise

    def _start(self, script: list[str]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(f"{line}\n" for line in script).encode())
        self._process.stdin.flush()
        self._await_listening()
        self._listening = True

    def _await_listening(self) -> None:
        """gnubg says so each time it listens: at the start, and again when a client has left."""
        assert self._process.stdout is not None
        said = []
        for line in self._process.stdout:
            said.append(line.decode(errors="replace").strip())
            if said[-1].startswith("Waiting for a connection"):
                return
        raise ConfigError(f"Expected gnubg to wait for a connection, it said `{' / '.join(said[-3:])}`")

    def processor_time(self) -> float | None:
        """Seconds of processor time that the program has used, in steps of 10 ms; None where the system doesn't tell.

        /proc/PID/stat: the 14th and 15th of its fields, of which the 2nd, in brackets, may hold blanks."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))

    def connect(self, timeout: float = 60.0) -> ExternalClient:
        """A client; the one before must have been closed (gnubg listens again only then, and this waits for it)."""
        if not self._listening:
            self._await_listening()
        self._listening = False
        return ExternalClient(self.host, self.port, timeout)

    def close(self) -> None:
        """End the process and remove its home. Harmless when done twice."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._home.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _free_port() -> int:
    """A port nobody listens on now. gnubg can't choose one itself (it refuses port 0)."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
