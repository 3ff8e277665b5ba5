"""The trio client: over memory streams, and with a real daemon."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
import trio
import trio.testing

from bgd.client import AsyncClient, BadReply, Disconnected
from bgd.errors import Busy, IllegalPlay
from bgd.wire.conversation import Conversation
from bgd.wire.messages import Cancel, Done, Help, Incoming, Ping, Request
from tests.conftest import DaemonProcess


def run(main: Callable[[], Awaitable[None]]) -> None:
    """In a loop whose clock jumps to the next thing to happen."""

    async def bounded() -> None:
        with trio.fail_after(60):
            await main()

    trio.run(bounded, clock=trio.testing.MockClock(autojump_threshold=0))


class Daemon:
    """Answers `ping` with pong; keeps `help` waiting until it is told; notes what was asked on which connection."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, Request]] = []
        self.news = trio.Event()
        self._conversations: list[Conversation] = []
        self._streams: list[trio.StapledStream] = []
        self._kept: list[Incoming] = []
        self.shut = False

    async def door(self) -> trio.abc.Stream:
        await trio.lowlevel.checkpoint()
        if self.shut:
            raise ConnectionRefusedError("nobody there")
        ours, theirs = trio.testing.memory_stream_pair()
        self._conversations.append(Conversation())
        self._streams.append(theirs)
        trio.lowlevel.spawn_system_task(self._serve, len(self._streams) - 1)
        return ours

    async def _serve(self, number: int) -> None:
        stream, conversation = self._streams[number], self._conversations[number]
        while True:
            try:
                data = await stream.receive_some()
            except (trio.ClosedResourceError, trio.BrokenResourceError):
                return
            if not data:
                return
            for incoming in conversation.receive_data(bytes(data)):
                assert isinstance(incoming.content, Request)
                self.asked.append((number, incoming.content))
                if isinstance(incoming.content, Help):
                    self._kept.append(incoming)
                else:
                    await stream.send_all(conversation.send(incoming, Done(text="pong")))
            self.news.set()
            self.news = trio.Event()

    async def wait_asked(self, count: int) -> None:
        while len(self.asked) < count:
            await self.news.wait()

    async def says(self, data: bytes) -> None:
        await self._streams[-1].send_all(data)

    async def answers_help(self) -> None:
        for incoming in self._kept:
            await self._streams[-1].send_all(self._conversations[-1].send(incoming, Done(text="helped")))

    async def leaves(self) -> None:
        await self._streams[-1].aclose()


def test_a_request_is_answered() -> None:
    async def main() -> None:
        async with AsyncClient(Daemon().door) as client:
            assert (await client.ping()).text == "pong"

    run(main)


def test_tasks_share_a_connection_and_none_waits_for_another() -> None:
    async def main() -> None:
        daemon = Daemon()
        async with AsyncClient(daemon.door) as client, trio.open_nursery() as nursery:

            async def wait_for_help() -> None:
                assert await client.ask(Help(), Done) == Done(text="helped")

            for _ in range(3):
                nursery.start_soon(wait_for_help)
            await daemon.wait_asked(3)
            assert (await client.ping()).text == "pong"
            await daemon.answers_help()

    run(main)


def test_many_tasks_asking_at_once_are_all_answered() -> None:
    async def main() -> None:
        daemon, answered = Daemon(), []

        async def ask() -> None:
            answered.append((await client.ping()).text)

        async with AsyncClient(daemon.door) as client, trio.open_nursery() as nursery:
            for _ in range(500):
                nursery.start_soon(ask)
        assert answered == ["pong"] * 500

    run(main)


def test_a_request_that_is_left_is_cancelled_in_the_daemon() -> None:
    async def main() -> None:
        daemon = Daemon()
        async with AsyncClient(daemon.door) as client:
            with trio.move_on_after(1) as scope:
                await client.ask(Help(), Done)
            assert scope.cancelled_caught
            await daemon.wait_asked(2)
            assert daemon.asked[1] == (0, Cancel(target="1"))
            await daemon.answers_help()
            assert (await client.ping()).text == "pong"

    run(main)


def test_when_the_task_that_reads_is_cancelled_another_one_reads_on() -> None:
    async def main() -> None:
        daemon = Daemon()
        async with AsyncClient(daemon.door) as client, trio.open_nursery() as nursery:
            answers = []

            async def wait_for_help(scope: trio.CancelScope) -> None:
                with scope:
                    answers.append(await client.ask(Help(), Done))

            scopes = [trio.CancelScope() for _ in range(3)]
            for number, scope in enumerate(scopes):
                nursery.start_soon(wait_for_help, scope)
                await daemon.wait_asked(number + 1)
            scopes[0].cancel()
            await daemon.wait_asked(4)
            await daemon.answers_help()
        assert answers == [Done(text="helped")] * 2

    run(main)


def test_lost_questions_are_asked_again_on_a_new_connection() -> None:
    async def main() -> None:
        daemon = Daemon()
        async with AsyncClient(daemon.door) as client, trio.open_nursery() as nursery:

            async def wait_for_help() -> None:
                assert await client.ask(Help(), Done) == Done(text="helped")

            nursery.start_soon(wait_for_help)
            await daemon.wait_asked(1)
            await daemon.leaves()
            await daemon.wait_asked(2)
            assert [number for number, _ in daemon.asked] == [0, 1]
            await daemon.answers_help()

    run(main)


def test_a_door_that_is_shut_for_a_while_is_tried_again() -> None:
    async def main() -> None:
        daemon = Daemon()
        async with AsyncClient(daemon.door) as client, trio.open_nursery() as nursery:
            assert (await client.ping()).text == "pong"
            await daemon.leaves()
            daemon.shut = True

            async def open_later() -> None:
                await trio.sleep(3)
                daemon.shut = False

            nursery.start_soon(open_later)
            assert (await client.ping()).text == "pong"
            assert trio.current_time() < 10

    run(main)


def test_patience_with_a_door_that_stays_shut_ends() -> None:
    async def main() -> None:
        daemon = Daemon()
        async with AsyncClient(daemon.door) as client:
            await daemon.leaves()
            daemon.shut = True
            for _ in range(2):
                with pytest.raises(Disconnected, match="nobody there"):
                    await client.ping()

    run(main)


def test_a_lost_session_is_told() -> None:
    async def main() -> None:
        daemon = Daemon()
        async with AsyncClient(daemon.door) as client:
            await client.set(values={"match": "7"})
            await daemon.leaves()
            with pytest.raises(Disconnected, match="what had been set"):
                await client.ping()
            assert (await client.ping()).text == "pong"

    run(main)


def test_a_token_is_told_first_on_each_connection() -> None:
    async def main() -> None:
        daemon = Daemon()
        async with AsyncClient(daemon.door, token="secret") as client:
            await client.ping()
            await daemon.leaves()
            await client.ping()
        assert [number for number, _ in daemon.asked] == [0, 0, 1, 1]
        assert [request.verb for _, request in daemon.asked] == ["auth", "ping"] * 2

    run(main)


def test_a_full_house_is_told() -> None:
    async def main() -> None:
        daemon = Daemon()
        async with AsyncClient(daemon.door) as client:
            await daemon.says(Conversation().refuse(Busy("256 connections are open")))
            await daemon.leaves()
            with pytest.raises(Busy, match="256"):
                await client.ping()

    run(main)


def test_another_program_behind_the_port_is_noticed() -> None:
    async def main() -> None:
        daemon = Daemon()
        async with AsyncClient(daemon.door) as client:
            await daemon.says(b"220 mail.example ESMTP\r\n")
            with pytest.raises(BadReply):
                await client.ask(Help(), Done)

    run(main)


def test_what_waits_when_the_client_is_closed_is_told() -> None:
    async def main() -> None:
        daemon = Daemon()
        client = AsyncClient(daemon.door)
        async with trio.open_nursery() as nursery:

            async def wait_for_help() -> None:
                with pytest.raises(Disconnected, match="closed"):
                    await client.ask(Help(), Done)

            nursery.start_soon(wait_for_help)
            nursery.start_soon(wait_for_help)
            await daemon.wait_asked(2)
            await client.aclose()
        with pytest.raises(Disconnected, match="closed"):
            await client.ask(Ping(), Done)

    run(main)


def test_a_daemon_is_asked_by_tcp_unix_socket_and_stdio(daemon: DaemonProcess, bgd_command: list[str]) -> None:
    async def main() -> None:
        for client in (
            AsyncClient.connect("127.0.0.1", daemon.port),
            AsyncClient.connect_unix(daemon.path),
            AsyncClient.start([*bgd_command, "stdio"]),
        ):
            async with client:
                assert (await client.best(position="start", dice="31")).play == "8/5 6/5"
                with pytest.raises(IllegalPlay):
                    await client.check(position="start", dice="66", play="24/18 13/7")

    trio.run(main)
