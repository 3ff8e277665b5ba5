"""What is logged, for people and for machines."""

from __future__ import annotations

import json
import logging
import sys

from bgd.logs import JsonFormatter, LineFormatter
from tests.conftest import DaemonProcess


def record(message: str, *arguments: object, peer: str = "", failed: bool = False) -> logging.LogRecord:
    info = None
    if failed:
        try:
            raise ZeroDivisionError("a bug")
        except ZeroDivisionError:
            info = sys.exc_info()
    made = logging.LogRecord("bgd.daemon.host", logging.WARNING, "host.py", 1, message, arguments, info)
    made.created = 0.25
    if peer:
        made.peer = peer
    return made


def test_a_line_about_a_peer_begins_with_its_name() -> None:
    assert (
        LineFormatter()
        .format(record("refused: %s", "full", peer="1.2.3.4:5"))
        .endswith("WARNING 1.2.3.4:5: refused: full")
    )
    assert LineFormatter().format(record("100 %")).endswith(" WARNING 100 %")


def test_an_object_is_one_line_with_the_peer_as_a_field() -> None:
    line = JsonFormatter().format(record("a\n%s", "“b”", peer="unix#1"))
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "1970-01-01T00:00:00.250+00:00",
        "level": "warning",
        "logger": "bgd.daemon.host",
        "message": "a\n“b”",
        "peer": "unix#1",
    }


def test_a_failure_brings_its_traceback() -> None:
    line = JsonFormatter().format(record("failed", failed=True))
    assert "\n" not in line
    assert json.loads(line)["exception"].endswith("ZeroDivisionError: a bug")


def test_the_daemon_logs_objects_when_told_to() -> None:
    with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", "--log-format", "json") as process:
        assert process.process.poll() is None
        process.wait_for_log('"message":"listening on')
        assert process.stop() == 0
        told = [json.loads(line) for line in process.log]
    assert {each["level"] for each in told} == {"info"}
    assert told[-1]["message"] == "SIGTERM: answering what was asked, then leaving"
