"""Bytes to lines. UTF-8, LF at the end; a CR before it and NUL bytes anywhere are dropped; lines have a limit.

How the bytes were cut into packets never shows. A line that is not UTF-8 comes out as the error to answer it with; a
line over the limit as LineTooLong, once, and nothing is read after it.
"""

from __future__ import annotations

from typing import Final

from bgd.errors import BadArgument, BgdError, LineTooLong

MAX_LINE: Final = 8192
"""Bytes in a line, its end not counted."""


class LineBuffer:
    """Collects bytes and gives complete lines, without their ends."""

    __slots__ = ("_closed", "_limit", "_tail")

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._tail = b""
        self._closed = False

    @property
    def closed(self) -> bool:
        """Nothing more is read: the input has ended, or a line was over the limit."""
        return self._closed

    def close(self) -> None:
        """Read nothing more."""
        self._closed = True
        self._tail = b""

    def receive_data(self, data: bytes) -> list[str | BgdError]:
        """The lines that `data` completes. Empty `data` is the end of input: a last line without LF counts too."""
        if self._closed:
            return []
        if not data:
            self._closed = True
            tail, self._tail = self._tail, b""
            return [self._line(tail)] if tail else []
        if b"\0" in data:
            data = data.replace(b"\0", b"")  # GNU Backgammon sends one after each line (play.c)
        end = data.find(b"\n")
        if end < 0:
            self._tail += data
            return self._over_the_limit()
        if end == len(data) - 1 and not self._tail:  # one whole line in one packet
            return [self._line(data[:end])]
        first, *rest = data.split(b"\n")
        pieces = [self._tail + first, *rest]
        self._tail = pieces.pop()
        lines: list[str | BgdError] = []
        for piece in pieces:
            lines.append(self._line(piece))
            if self._closed:
                return lines
        return lines + self._over_the_limit()

    def _over_the_limit(self) -> list[str | BgdError]:
        """Whether the line that is still coming is too long already. A CR at its end may belong to its line end."""
        length = len(self._tail)
        if length <= self._limit or (length == self._limit + 1 and self._tail.endswith(b"\r")):
            return []
        return [self._refuse()]

    def _refuse(self) -> LineTooLong:
        self.close()
        return LineTooLong(f"Expected at most {self._limit} bytes in a line, got more; nothing after it is read")

    def _line(self, raw: bytes) -> str | BgdError:
        if raw.endswith(b"\r"):
            raw = raw[:-1]
        if len(raw) > self._limit:
            return self._refuse()
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            return BadArgument(f"Expected UTF-8, got byte `0x{raw[error.start]:02x}` at column {error.start + 1}")
