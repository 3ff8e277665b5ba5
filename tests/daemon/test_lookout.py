"""Waiting for the next question without a turn of the loop: when, for how long, and never at others' cost."""

from __future__ import annotations

import select
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
import trio

from bgd.daemon import lookout
from bgd.daemon.lookout import Lookout
from bgd.daemon.transport import SocketTransport

pytestmark = pytest.mark.skipif(not hasattr(select, "epoll"), reason="there is no lookout without epoll")


class Peers:
    """Two connections under one lookout, `busy` or not, and their other ends."""

    def __init__(self) -> None:
        self.busy = False
        self.lookout = Lookout(lambda: self.busy)
        (ours, self.first), (others, self.second) = socket.socketpair(), socket.socketpair()
        self.transport = SocketTransport(ours, self.lookout)
        self.other = SocketTransport(others, self.lookout)

    def close(self) -> None:
        self.transport.close()
        self.other.close()
        self.first.close()
        self.second.close()


@pytest.fixture
def peers() -> Iterator[Peers]:
    found = Peers()
    yield found
    found.close()


class Turns(trio.abc.Instrument):
    """Counts the turns of the loop."""

    taken = 0

    def after_io_wait(self, timeout: float) -> None:
        self.taken += 1


def run(scenario: Callable[[Turns], Awaitable[None]]) -> None:
    turns = Turns()

    async def main() -> None:
        with trio.fail_after(10):
            await scenario(turns)

    trio.run(main, instruments=[turns])


async def heard_in_place(peers: Peers, turns: Turns) -> bool:
    """Whether the loop had no turn until the next question of the first peer was read."""
    peers.first.send(b"question\n")
    before = turns.taken
    assert await peers.transport.receive() == b"question\n"
    return turns.taken == before


def test_one_who_asks_again_and_again_is_heard_without_a_turn_of_the_loop(
    peers: Peers, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(turns: Turns) -> None:
        monkeypatch.setattr(lookout, "perf_counter", lambda: 1000.0)
        assert not await heard_in_place(peers, turns)
        assert await heard_in_place(peers, turns)
        assert await heard_in_place(peers, turns)

    run(scenario)


def test_his_end_of_input_is_heard_too(peers: Peers) -> None:
    async def scenario(turns: Turns) -> None:
        await heard_in_place(peers, turns)
        peers.first.close()
        assert await peers.transport.receive() == b""

    run(scenario)


def test_whoever_else_asks_ends_it(peers: Peers) -> None:
    async def scenario(turns: Turns) -> None:
        await heard_in_place(peers, turns)
        peers.second.send(b"another question\n")
        assert not await heard_in_place(peers, turns)
        assert await peers.other.receive() == b"another question\n"

    run(scenario)


def test_then_the_loop_has_all_to_itself_for_a_while(peers: Peers, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(turns: Turns) -> None:
        clock = [1000.0]
        monkeypatch.setattr(lookout, "perf_counter", lambda: clock[0])
        await heard_in_place(peers, turns)
        peers.second.send(b"another question\n")
        assert not await heard_in_place(peers, turns)
        peers.other.receive_now()
        assert not await heard_in_place(peers, turns)
        clock[0] += lookout.REST
        assert await heard_in_place(peers, turns)

    run(scenario)


def test_those_who_ask_in_turns_are_left_to_the_loop(peers: Peers) -> None:
    async def scenario(turns: Turns) -> None:
        for _ in range(3):
            assert not await heard_in_place(peers, turns)
            peers.second.send(b"another question\n")
            assert await peers.other.receive() == b"another question\n"

    run(scenario)


def test_a_thread_at_work_will_want_the_loop(peers: Peers) -> None:
    async def scenario(turns: Turns) -> None:
        await heard_in_place(peers, turns)
        peers.busy = True
        assert not await heard_in_place(peers, turns)

    run(scenario)


def test_the_loop_has_its_turn_after_a_stretch(peers: Peers, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(turns: Turns) -> None:
        await heard_in_place(peers, turns)
        monkeypatch.setattr(lookout, "STRETCH", 0.0)
        assert not await heard_in_place(peers, turns)

    run(scenario)


def test_a_signal_is_heeded_although_the_questions_never_end(peers: Peers, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(turns: Turns) -> None:
        clock = count(1000.0, lookout.STRETCH / 4)
        monkeypatch.setattr(lookout, "perf_counter", lambda: next(clock))
        heeded = trio.Event()

        async def obey(signals: AsyncIterator[int]) -> None:
            async for _ in signals:
                heeded.set()
                return

        with trio.open_signal_receiver(signal.SIGUSR1) as signals:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(obey, signals)
                await heard_in_place(peers, turns)
                in_place = [await heard_in_place(peers, turns) for _ in range(20)]
                assert sum(in_place) > 10
                signal.raise_signal(signal.SIGUSR1)
                asked = 0
                while not heeded.is_set() and asked < 100:
                    await heard_in_place(peers, turns)
                    asked += 1
                assert asked <= 3 * 5  # three turns of the loop, a stretch before each

    run(scenario)


def test_where_somebody_cannot_be_looked_at_all_is_left_to_the_loop(peers: Peers, tmp_path: Path) -> None:
    async def scenario(turns: Turns) -> None:
        for _ in range(3):
            assert not await heard_in_place(peers, turns)

    with (tmp_path / "file").open("w") as file:  # which epoll refuses
        peers.lookout.add(file.fileno())
    run(scenario)


def test_it_is_given_up_when_nothing_comes_for_a_moment(peers: Peers) -> None:
    descriptor = 1000 + peers.first.fileno()  # nobody's
    assert not peers.lookout.wait_for(descriptor)
    assert not peers.lookout.wait_for(descriptor)


def test_a_closed_connection_is_forgotten(peers: Peers) -> None:
    async def scenario(turns: Turns) -> None:
        await heard_in_place(peers, turns)
        peers.second.send(b"a question that nobody reads\n")
        peers.other.close()
        assert await heard_in_place(peers, turns)

    run(scenario)
