"""Sockets that a service manager opened, and telling it how the daemon is. A real manager's protocol, real sockets."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trio
import trio.testing

from bgd.config import Config
from bgd.daemon.listeners import adopt, listen, take_passed
from bgd.daemon.notify import Manager
from bgd.errors import ConfigError
from tests.conftest import DaemonProcess, LineSocket

ON_DESCRIPTOR_3 = """import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(sys.executable, [sys.executable, "-m", "bgd", "serve", *sys.argv[2:]])
"""


def start_with(listener: socket.socket, *arguments: str, names: str = "", **environment: str) -> DaemonProcess:
    """`bgd serve` as systemd would start it: the socket is descriptor 3, told by variables."""
    number = listener.fileno()
    process = subprocess.Popen(
        [sys.executable, "-c", ON_DESCRIPTOR_3, str(number), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=[number],
        env={**os.environ, "LISTEN_FDS": "1", "LISTEN_FDNAMES": names, **environment},
    )
    return DaemonProcess.of(process)


def test_a_passed_socket_is_served_instead_of_the_port(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        with start_with(listener, names="bgd.socket") as process:
            process.wait_for_log(r"descriptor 3 \(bgd\.socket\) was passed: /")
            with process.connect_unix() as client:
                assert client.ask("ping") == ["ok pong"]
            assert process.stop() == 0
            assert not [line for line in process.log if "127.0.0.1" in line]
    assert path.exists(), "the socket file is its maker's"


def test_who_knocks_before_the_daemon_is_there_is_answered_once_it_is() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        LineSocket(socket.create_connection(listener.getsockname(), 60)) as client,
    ):
        client.send("ping")
        with start_with(listener) as process:
            assert client.receive() == "ok pong"
            assert process.stop() == 0


def test_a_host_given_is_listened_on_besides() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        start_with(listener, "--host", "127.0.0.1", "--port", "0") as process,
    ):
        process.wait_for_log(rf"listening on 127\.0\.0\.1:{listener.getsockname()[1]}$")
        assert process.stop() == 0
        assert len([line for line in process.log if "listening on" in line]) == 2


def test_a_passed_public_socket_needs_a_token_too() -> None:
    with socket.create_server(("0.0.0.0", 0)) as listener, start_with(listener) as process:
        assert process.process.wait(60) == 1
        process.wait_for_log("bgd: Others can reach 0.0.0.0:")


def test_what_is_no_listening_socket_is_refused() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, start_with(theirs, names="connection") as process:
        assert process.process.wait(60) == 1
        process.wait_for_log(r"descriptor 3 \(`connection`\) to be a listening stream socket: .*Accept=no")


def test_sockets_passed_to_another_process_are_left_alone() -> None:
    environment = {"LISTEN_PID": "1", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "a", "OTHER": "x"}
    assert take_passed(environment) == []
    assert environment == {"OTHER": "x"}
    assert take_passed({}) == []


def test_a_descriptor_that_is_no_socket_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file, pytest.raises(ConfigError, match="to be a socket"):
        adopt(file.fileno(), "")


def test_passed_sockets_are_closed_when_another_can_t_be_had() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        passed = socket.create_server(("127.0.0.1", 0))
        with pytest.raises(ConfigError, match="address already in use"):
            listen(Config(host="127.0.0.1", port=taken.getsockname()[1]), [passed])
        assert passed.fileno() == -1


@pytest.mark.skipif(shutil.which("systemd-socket-activate") is None, reason="systemd is not installed")
def test_systemd_s_own_tool_activates_it(tmp_path: Path) -> None:
    path = tmp_path / "s"
    command = ["systemd-socket-activate", "-l", str(path), sys.executable, "-m", "bgd", "serve"]
    process = DaemonProcess.of(
        subprocess.Popen(
            [*command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.getcwd()},
        )
    )
    with process:
        process.wait_for_log("Listening on")
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(60)
            sock.connect(str(path))
            with LineSocket(sock) as client:
                assert client.ask("ping") == ["ok pong"]
        assert process.stop() == 0


# Readiness


@contextmanager
def a_manager(path: str) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(path)
        sock.settimeout(180)
        yield sock


def test_the_manager_is_told_when_it_is_ready_what_it_does_and_when_it_leaves(tmp_path: Path) -> None:
    path = str(tmp_path / "notify")
    with a_manager(path) as manager:
        environment = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "100000"}
        with DaemonProcess.start("--host", "127.0.0.1", "--port", "0", env=environment) as process:
            told: list[str] = []

            def hear(line: str) -> None:
                while line not in told:
                    told.extend(manager.recv(4096).decode().splitlines())

            hear("READY=1")
            with process.connect() as client:
                assert client.ask("ping") == ["ok pong"]
            hear("STATUS=ready")
            hear("WATCHDOG=1")
            assert "STATUS=loading the engine" in told
            assert process.stop() == 0
            hear("STOPPING=1")


def test_an_abstract_name_begins_with_an_at_sign() -> None:
    with a_manager("\0bgd-test-notify") as manager:
        Manager({"NOTIFY_SOCKET": "@bgd-test-notify"}).tell("READY=1", "STATUS=x")
        assert manager.recv(100) == b"READY=1\nSTATUS=x"


def test_without_a_manager_or_with_a_dead_one_nothing_happens(tmp_path: Path) -> None:
    Manager({}).tell("READY=1")
    Manager({"NOTIFY_SOCKET": str(tmp_path / "none")}).tell("READY=1")


def test_what_is_for_this_process_is_not_passed_on() -> None:
    environment = {"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1", "OTHER": "x"}
    assert Manager(environment).watchdog is None
    assert environment == {"OTHER": "x"}


def test_the_watchdog_is_told_twice_in_its_time(autojump_clock: trio.testing.MockClock, tmp_path: Path) -> None:
    path = str(tmp_path / "notify")
    with a_manager(path) as listening:
        manager = Manager({"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "3000000"})

        async def main() -> None:
            with trio.move_on_after(8.9):
                await manager.keep_watching()

        trio.run(main, clock=autojump_clock)
        listening.setblocking(False)
        assert [listening.recv(100) for _ in range(6)] == [b"WATCHDOG=1"] * 6
        with pytest.raises(BlockingIOError):
            listening.recv(100)
