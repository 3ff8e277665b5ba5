"""Fifty clients at once, the careless and the malicious among them. Every complete request is answered once."""

from __future__ import annotations

import random
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import trio

from tests.conftest import DaemonProcess

CLIENTS = 50
REQUESTS = 200
BOARD = (
    "board:A:B:0:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:"
    "3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)
UBGI = ["position gnubgid 4HPwATDgc/ABMA", "dice 3 1", "go role chequer"]
RESET = b"\1\0\0\0\0\0\0\0"  # SO_LINGER: on, 0 seconds


def requests_of_text(dice: random.Random) -> Iterator[tuple[str, str]]:
    """Requests and how their final line begins."""
    kinds = [
        ("ping", "ok pong"),
        ("best 31 position=start top=0", "ok 8/5 6/5"),
        ("best 61 position=start plies=1 top=0", "ok 13/7 8/7"),
        ("moves 65 position=start", "ok 7 plays"),
        ("moves 77 position=start", "error bad-dice"),
        ("flurb", "error unknown-command"),
        ("eval position=start", "ok"),
        ("cube position=start", "ok"),
    ]
    for _ in range(REQUESTS):
        yield dice.choice(kinds)


async def send_in_pieces(stream: trio.SocketStream, data: bytes, dice: random.Random) -> None:
    """Cut anywhere, with NUL bytes here and there between the lines."""
    data = b"".join(line + dice.choice([b"\n", b"\n", b"\r\n", b"\n\0"]) for line in data.splitlines())
    while data:
        size = dice.choice([1, 7, 100, 3000])
        await stream.send_all(data[:size])
        data = data[size:]


async def read_to_end(stream: trio.SocketStream) -> list[str]:
    received = bytearray()
    async for chunk in stream:
        received += chunk
    return received.decode().splitlines()


async def orderly(stream: trio.SocketStream, dice: random.Random) -> None:
    """Everything untagged and pipelined: as many final lines, in the order asked."""
    requests = list(requests_of_text(dice))
    data = "".join(f"{line}\n" for line, _ in requests).encode()
    lines: list[str] = []
    async with trio.open_nursery() as nursery:

        async def write() -> None:
            await send_in_pieces(stream, data, dice)
            await stream.send_eof()

        nursery.start_soon(write)
        lines = await read_to_end(stream)
    finals = [line for line in lines if line.startswith(("ok", "error"))]
    assert len(finals) == REQUESTS
    for final, (line, expected) in zip(finals, requests, strict=True):
        assert final.startswith(expected), (line, final)


async def tagging(stream: trio.SocketStream, dice: random.Random) -> None:
    """Everything tagged: each tag has one final line."""
    requests = {str(number): request for number, request in enumerate(requests_of_text(dice))}
    data = "".join(f"#{tag} {line}\n" for tag, (line, _) in requests.items()).encode()
    lines: list[str] = []
    async with trio.open_nursery() as nursery:

        async def write() -> None:
            await send_in_pieces(stream, data, dice)
            await stream.send_eof()

        nursery.start_soon(write)
        lines = await read_to_end(stream)
    finals: Counter[str] = Counter()
    for line in lines:
        tag, _, rest = line[1:].partition(" ")
        assert line.startswith("#"), line
        if rest.startswith(("ok", "error")):
            finals[tag] += 1
            assert rest.startswith(requests[tag][1]), (requests[tag], rest)
    assert finals == Counter(requests.keys())


async def one_at_a_time(stream: trio.SocketStream, requests: list[str], expected: str) -> None:
    """Each request waits for the reply to the one before."""
    buffer = b""

    async def hear() -> str:
        nonlocal buffer
        while b"\n" not in buffer:
            chunk = await stream.receive_some()
            assert chunk
            buffer += chunk
        line, _, buffer = buffer.partition(b"\n")
        return line.decode().rstrip()

    if requests is UBGI:
        await stream.send_all(b"ubgi\n")
        while await hear() != "ubgiok":
            pass
    for _ in range(REQUESTS // len(requests)):
        await stream.send_all("".join(f"{line}\n" for line in requests).encode())
        assert await hear() == expected
    assert buffer == b""


async def long_winded(stream: trio.SocketStream, dice: random.Random) -> None:
    """A line of 100 kB after good requests: those are answered, the line is refused, the connection closes."""
    good = dice.randrange(REQUESTS)
    await stream.send_all(b"ping\n" * good)
    with suppress(trio.BrokenResourceError):  # it may have closed already
        await stream.send_all(b"x" * 100_000 + b"\n" + b"ping\n" * (REQUESTS - good))
    lines = await read_to_end(stream)
    assert lines[:-1] == ["ok pong"] * good
    assert lines[-1].startswith("error line-too-long ")


async def vanishing(stream: trio.SocketStream, dice: random.Random) -> None:
    """Asks for a lot and is gone, in the middle of a line."""
    data = "".join(f"{line}\n" for line, _ in requests_of_text(dice)).encode()
    await stream.send_all(data[: dice.randrange(1, len(data))])
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


async def client(number: int, daemon: DaemonProcess) -> None:
    dice = random.Random(number)
    if number % 2:
        stream = await trio.open_tcp_stream("127.0.0.1", daemon.port)
    else:
        stream = await trio.open_unix_socket(daemon.path)
    async with stream:
        match number % 10:
            case 0 | 1 | 2:
                await orderly(stream, dice)
            case 3 | 4:
                await tagging(stream, dice)
            case 5:
                await one_at_a_time(stream, [BOARD], "8/5 6/5")
            case 6:
                await one_at_a_time(stream, UBGI, "bestmove 8/5 6/5")
            case 7:
                await long_winded(stream, dice)
            case _:
                await vanishing(stream, dice)


def test_fifty_clients_at_once_are_all_answered_and_none_disturbs_another(daemon: DaemonProcess) -> None:
    before = len(daemon.log)

    async def main() -> None:
        with trio.fail_after(120):
            async with trio.open_nursery() as nursery:
                for number in range(CLIENTS):
                    nursery.start_soon(client, number, daemon)

    trio.run(main)
    with daemon.connect() as afterwards:
        assert afterwards.ask("ping") == ["ok pong"]
        assert afterwards.ask("best 31 position=start top=0") == ["ok 8/5 6/5"]
    assert [line for line in daemon.log[before:] if "ERROR" in line or "Traceback" in line] == []
