"""Bytes in and out of sockets, pipes and files."""

from __future__ import annotations

import os
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio
import trio.testing

from bgd.daemon.transport import PROBES, DescriptorTransport, SocketTransport, Transport


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        with trio.fail_after(10):
            await scenario()

    trio.run(main)


def test_a_socket_sends_at_once_what_fits_and_the_rest_when_there_is_room() -> None:
    ours, theirs = socket.socketpair()
    transport = SocketTransport(ours)
    data = bytearray(b"x" * 10_000_000)

    async def scenario() -> None:
        sent = transport.send_now(data)
        assert 0 < sent < len(data)
        assert transport.send_now(data) == 0
        async with trio.open_nursery() as nursery:

            async def read() -> None:
                await trio.to_thread.run_sync(theirs.recv, sent, socket.MSG_WAITALL)

            nursery.start_soon(read)
            assert await transport.send_some(data) > 0

    run(scenario)
    transport.close()
    theirs.close()


def test_nothing_is_there_until_something_is_there() -> None:
    ours, theirs = socket.socketpair()
    transport = SocketTransport(ours)
    assert transport.receive_now() is None
    theirs.send(b"a")
    assert transport.receive_now() == b"a"
    theirs.close()
    assert transport.receive_now() == b""
    transport.close()


@pytest.mark.skipif(not hasattr(socket, "TCP_KEEPIDLE"), reason="Linux's name for it")
def test_while_a_tcp_peer_is_watched_the_system_asks_whether_it_is_still_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        theirs = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    transport = SocketTransport(ours)

    def asked() -> bool:
        return bool(ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE))

    async def scenario() -> None:
        assert not asked()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(transport.wait_gone)
            theirs.shutdown(socket.SHUT_WR)
            await trio.testing.wait_all_tasks_blocked()
            assert asked()
            assert ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == PROBES["TCP_KEEPIDLE"]
            nursery.cancel_scope.cancel()
        assert not asked()
        transport.send_now(b"answer")

    run(scenario)
    assert theirs.recv(10) == b"answer"
    theirs.close()
    transport.close()


def test_sending_to_a_peer_that_is_gone_is_broken() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    transport = SocketTransport(ours)
    with pytest.raises(trio.BrokenResourceError):
        transport.send_now(b"a")
    transport.close()


def test_the_end_of_input_is_no_hang_up_but_closing_is() -> None:
    ours, theirs = socket.socketpair()
    transport = SocketTransport(ours)

    async def scenario() -> None:
        theirs.shutdown(socket.SHUT_WR)
        assert await transport.receive() == b""
        async with trio.open_nursery() as nursery:
            gone = trio.Event()

            async def watch() -> None:
                await transport.wait_gone()
                gone.set()

            nursery.start_soon(watch)
            await trio.testing.wait_all_tasks_blocked()
            assert not gone.is_set()
            theirs.close()
            await gone.wait()

    run(scenario)
    transport.close()


def test_a_reset_tcp_connection_is_a_hang_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        theirs = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    transport = SocketTransport(ours)

    async def scenario() -> None:
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # close with a reset
        theirs.close()
        await transport.wait_gone()
        with pytest.raises(trio.BrokenResourceError):
            await transport.receive()

    run(scenario)
    transport.close()


def _pipes() -> tuple[DescriptorTransport, int, int]:
    read_in, write_in = os.pipe()
    read_out, write_out = os.pipe()
    return DescriptorTransport(read_in, write_out), write_in, read_out


def test_pipes_carry_bytes_both_ways_and_stay_blocking() -> None:
    transport, write_in, read_out = _pipes()

    async def scenario() -> None:
        os.write(write_in, b"question")
        assert await transport.receive() == b"question"
        assert transport.send_now(b"answer") == 6
        assert os.read(read_out, 100) == b"answer"
        os.close(write_in)
        assert await transport.receive() == b""

    assert os.get_blocking(read_out)
    run(scenario)
    transport.close()
    os.close(read_out)


def test_a_full_pipe_takes_what_fits() -> None:
    transport, write_in, read_out = _pipes()
    data = b"x" * 1_000_000
    sent = transport.send_now(data)
    assert 0 < sent < len(data)

    async def scenario() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.to_thread.run_sync, os.read, read_out, sent)
            assert await transport.send_some(data) > 0

    run(scenario)
    transport.close()
    os.close(write_in)
    os.close(read_out)


def test_a_pipe_that_nobody_reads_any_more_is_a_hang_up() -> None:
    transport, write_in, read_out = _pipes()

    async def scenario() -> None:
        os.close(read_out)
        await transport.wait_gone()
        with pytest.raises(trio.BrokenResourceError):
            transport.send_now(b"a")

    run(scenario)
    transport.close()
    os.close(write_in)


def test_files_are_read_to_their_end_and_written(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"question")
    target = tmp_path / "out"
    transport: Transport = DescriptorTransport(
        os.open(tmp_path / "in", os.O_RDONLY), os.open(target, os.O_WRONLY | os.O_CREAT)
    )

    async def scenario() -> None:
        assert await transport.receive() == b"question"
        assert await transport.receive() == b""
        assert transport.send_now(b"x" * 100_000) == 100_000
        assert await transport.send_some(b"y") == 1

    run(scenario)
    transport.close()
    assert target.read_bytes() == b"x" * 100_000 + b"y"
