"""What is written to stderr: lines for people, or JSON objects for machines. Never a token nor a peer's whole line."""

from __future__ import annotations

import logging
import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from bgd.config import LogFormat, LogLevel

STDERR: Final = 2
PEER: Final = "peer"
"""The extra of a log record that says which peer it is about."""


class LineFormatter(logging.Formatter):
    """A line for people. What is about one peer begins with its name."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  # logging's name
        peer = getattr(record, PEER, "")
        if peer:
            record.message = f"{peer}: {record.message}"
        return super().formatMessage(record)


class JsonFormatter(logging.Formatter):
    """One object a line: `time` (UTC, ISO 8601), `level`, `logger`, `message`; where there are any, `peer` and
    `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if peer := getattr(record, PEER, ""):
            told["peer"] = peer
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(told).decode()


def set_up(level: LogLevel, form: LogFormat) -> None:
    """To stderr only: stdout belongs to the protocol."""
    if sys.stderr is None:  # closed when we were started; the next file or socket opened would take its number
        empty = os.open(os.devnull, os.O_WRONLY)
        os.dup2(empty, STDERR)
        sys.stderr = os.fdopen(STDERR, "w")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else LineFormatter())
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    logging.captureWarnings(True)
