"""Letting peers in: addresses, socket files, and a house that is full. One process, a service that knows no game."""

from __future__ import annotations

import socket
import stat
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest
import trio
import trio.testing

from bgd.config import Config, Limits
from bgd.daemon import server
from bgd.daemon.access import Access
from bgd.daemon.engine import EngineHost
from bgd.daemon.host import Host
from bgd.errors import ConfigError

from .fakes import FakeSession, Jobs


def a_host(config: Config, access: Access | None = None) -> Host:
    engines = EngineHost(lambda progress: cast(Any, object()))
    return Host(config, engines, lambda dialect: FakeSession(Jobs()), access=access)


def while_serving(config: Config, scenario: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(server.serve, a_host(config), config)
                await trio.testing.wait_all_tasks_blocked()
                await scenario()
                nursery.cancel_scope.cancel()

    trio.run(main)


async def ask(stream: trio.SocketStream, question: str) -> str:
    await stream.send_all(f"{question}\n".encode())
    answer = b""
    while not answer.endswith(b"\n"):
        answer += await stream.receive_some()
    return answer.decode()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


def test_a_unix_socket_is_for_its_owner_and_goes_with_the_daemon(tmp_path: Path) -> None:
    path = tmp_path / "s"

    async def scenario() -> None:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        async with await trio.open_unix_socket(path) as stream:
            assert await ask(stream, "ping") == "ok pong\n"

    while_serving(Config(unix=str(path)), scenario)
    assert not path.exists()


def test_a_socket_file_that_a_dead_daemon_left_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))

    async def scenario() -> None:
        async with await trio.open_unix_socket(path) as stream:
            assert await ask(stream, "ping") == "ok pong\n"

    while_serving(Config(unix=str(path)), scenario)


def test_the_socket_of_a_living_daemon_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as living:
        living.bind(str(path))
        living.listen()
        with pytest.raises(ConfigError, match="where a daemon listens already"):
            trio.run(server.serve, a_host(Config()), Config(unix=str(path)))
    assert path.exists()


def test_another_kind_of_file_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("precious")
    with pytest.raises(ConfigError, match="which is something else"):
        trio.run(server.serve, a_host(Config()), Config(unix=str(path)))
    assert path.read_text() == "precious"


def test_a_port_in_use_is_refused_by_name() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError) as error:
            trio.run(server.serve, a_host(Config()), Config(port=port))
    assert error.value.message == f"Can't listen on 127.0.0.1:{port}: address already in use"


def test_an_address_of_somebody_else_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"Can't listen on 192\.0\.2\.1:0: "):
        trio.run(server.serve, a_host(Config()), Config(host="192.0.2.1", port=0))


def test_localhost_is_served_whichever_address_it_means() -> None:
    port = free_port()

    async def scenario() -> None:
        async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
            assert await ask(stream, "ping") == "ok pong\n"
        if socket.has_ipv6 and _has_loopback_6():
            async with await trio.open_tcp_stream("::1", port) as stream:
                assert await ask(stream, "ping") == "ok pong\n"

    while_serving(Config(port=port), scenario)


def _has_loopback_6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def test_one_connection_too_many_is_told_so_and_disturbs_nobody(tmp_path: Path) -> None:
    path = tmp_path / "s"

    async def scenario() -> None:
        async with await trio.open_unix_socket(path) as first, await trio.open_unix_socket(path) as second:
            assert await ask(first, "ping") == "ok pong\n"
            assert await ask(second, "ping") == "ok pong\n"
            async with await trio.open_unix_socket(path) as third:
                assert (await third.receive_some()).startswith(b"error busy 2 connections are open")
                assert await third.receive_some() == b""
            assert await ask(first, "ping") == "ok pong\n"
            await second.send_eof()
            assert await second.receive_some() == b""
            async with await trio.open_unix_socket(path) as fourth:
                assert await ask(fourth, "ping") == "ok pong\n"

    while_serving(Config(unix=str(path), limits=Limits(max_connections=2)), scenario)
